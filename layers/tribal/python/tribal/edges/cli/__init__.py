"""The command line, `tribal`."""
