"""Reads a question against a vocabulary: what it mentions, what it wants, and which of its words are explained."""
