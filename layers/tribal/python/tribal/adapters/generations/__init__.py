"""What every index adapter needs to keep a reader on one generation."""
