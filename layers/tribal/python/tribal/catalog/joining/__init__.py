"""Joins between tables along keys: what they cost, the cheapest, and what speaks against them."""
