"""Answers from passages and the documentation, with or without a model."""
