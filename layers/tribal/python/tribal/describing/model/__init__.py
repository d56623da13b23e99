"""Puts tables and domains into words by a language model, and keeps of its answers what was shown to it."""
