"""The documented tables that memories name."""
