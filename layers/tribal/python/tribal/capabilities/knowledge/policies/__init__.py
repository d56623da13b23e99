"""Checks of files, dependencies, tables and columns against what was decided."""
