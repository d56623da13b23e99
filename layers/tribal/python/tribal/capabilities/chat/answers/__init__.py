"""Answers: from passages and the documentation, with a model or without."""
