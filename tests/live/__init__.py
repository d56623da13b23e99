"""The real API, for a few cents and only when someone asks for it: `make live`."""
