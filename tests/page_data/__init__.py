"""The parts of the page's data."""
