"""Commands that are not tools; each module holds one command, or a few that belong together."""
