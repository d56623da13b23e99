"""Scenarios on one deployed account, each on what the ones before it left."""
