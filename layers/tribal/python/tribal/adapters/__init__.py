"""Implementations of the ports, one package per vendor."""
