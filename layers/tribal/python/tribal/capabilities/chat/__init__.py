"""Chat: answers that stream with their sources, laws that may refuse a question, and collections of uploads."""
