"""Recipes: how descriptions are written into a repository, one form of repository each. Pure."""
