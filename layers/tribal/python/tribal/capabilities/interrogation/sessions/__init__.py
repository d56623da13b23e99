"""Sessions: their states, their files, and the loop that runs them."""
