"""The real API, for a few cents and only when somebody asks for it: `make live`."""
