"""Published snapshots of a source's items: written, read and searched."""
