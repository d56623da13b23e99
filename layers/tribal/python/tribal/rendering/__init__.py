"""Documents as Markdown and HTML, diagrams as Mermaid, with untrusted text escaped; no I/O."""
