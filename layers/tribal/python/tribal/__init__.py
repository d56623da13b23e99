"""Tribal Knowledge: what a company's databases mean, written down, checked, and served to people and to agents."""

__version__ = "0.1.0"
