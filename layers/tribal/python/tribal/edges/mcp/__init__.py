"""The tools over the Model Context Protocol, on standard input and output."""
