"""This machine: folders, files, environment variables, and what a thread keeps to while it reads an index."""
