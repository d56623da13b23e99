"""The one HTML page of the documentation: its markup, style and script as files, and what puts them together."""
