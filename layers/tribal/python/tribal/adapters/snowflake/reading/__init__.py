"""Reads the complete structure of one database: what does not fit in one response is requested in parts."""
