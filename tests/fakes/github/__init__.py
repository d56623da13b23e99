"""A stand-in for GitHub with memory: its API and its archives, on real ports, over real git objects."""
