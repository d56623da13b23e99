"""Grouping tables into business domains and naming these."""
