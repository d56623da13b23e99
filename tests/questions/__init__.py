"""Reading questions."""
