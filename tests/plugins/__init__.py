"""Fixtures that every test may ask for, and what a test does without what it needs."""
