"""Entry points. Each takes a request from outside, calls one use case, and formats its answer."""
