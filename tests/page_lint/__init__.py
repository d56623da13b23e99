"""The linter, formatter and type checker of the HTML page's sources, as npm brings them, and what runs them."""
