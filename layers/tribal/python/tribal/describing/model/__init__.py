"""Puts tables into words by a language model."""
