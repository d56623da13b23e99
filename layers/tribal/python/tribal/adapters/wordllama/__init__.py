"""Vectors from the weights in the wheel of wordllama."""
