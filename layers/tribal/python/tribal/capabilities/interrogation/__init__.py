"""Questions the documentation, and audits its answers."""
