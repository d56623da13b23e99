"""Descriptions that agents propose, and that wait until a person accepts or rejects them."""
