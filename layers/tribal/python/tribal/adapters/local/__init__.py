"""The local machine: folders, files and environment variables."""
