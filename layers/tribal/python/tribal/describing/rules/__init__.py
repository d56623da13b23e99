"""The describer that needs no model."""
