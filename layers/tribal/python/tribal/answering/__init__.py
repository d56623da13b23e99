"""Answers questions from the documentation: statements, each with its source, and what nothing documented explains."""
