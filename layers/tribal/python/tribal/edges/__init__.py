"""Edges: framing only. Each takes a request from outside, calls one use case, and frames its answer."""
