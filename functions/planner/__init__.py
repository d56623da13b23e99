"""Opens and closes runs, reads catalogs and composes the plan."""
