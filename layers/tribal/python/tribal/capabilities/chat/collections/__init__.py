"""Collections: who may see them, their files, and how files are removed."""
