"""The local machine: folders, files, environment variables, and what a thread reads of an index."""
