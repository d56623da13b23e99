"""Pins readers to one generation; shared by the index adapters."""
