"""Takes uploads to collections, and says what became of them."""
