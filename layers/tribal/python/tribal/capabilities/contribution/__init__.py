"""Contribution: carries descriptions back to the repositories that create the tables."""
