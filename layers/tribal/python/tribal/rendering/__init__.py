"""Documents as Markdown and HTML, diagrams as Mermaid, with untrusted text escaped; no I/O."""

RENDERER_VERSION = "9"
"""Change it whenever the same document would render to different bytes, so that existing pages are rewritten."""
