"""Answers questions to the chat, piece by piece as they are made."""
