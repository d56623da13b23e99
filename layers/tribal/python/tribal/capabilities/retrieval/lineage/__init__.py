"""The tool `get_lineage`."""
