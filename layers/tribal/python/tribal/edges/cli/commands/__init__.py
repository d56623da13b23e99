"""The commands that are no tools: each module one command, or a few that belong together."""
