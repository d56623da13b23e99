"""The linter of the HTML page's script and style, as npm brings it, its rules, and what runs it."""
