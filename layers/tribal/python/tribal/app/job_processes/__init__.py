"""Works on jobs in a process next to a server, which answers meanwhile."""
