"""Runs uploads and removals in a process next to a server, which answers meanwhile."""
