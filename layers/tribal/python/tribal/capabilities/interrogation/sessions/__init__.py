"""Sessions: their states, files, and the loop that runs them."""
