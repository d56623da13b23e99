"""Commands derived from the declarations of the tools. Importing this package loads nothing."""
