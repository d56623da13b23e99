"""Prepares and follows contributions, or publishes approved ones: two functions that share no rights to write."""
