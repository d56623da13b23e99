"""This machine: folders, files, environment variables."""
