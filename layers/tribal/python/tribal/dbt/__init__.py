"""Projects of dbt: which relations their files create, and descriptions in their properties files; no I/O."""
