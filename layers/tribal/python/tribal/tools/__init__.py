"""The registry of tools, how to call them, and their published schemas. Importing this package loads nothing."""
