"""The version of the rendered output."""

from __future__ import annotations

RENDERER_VERSION = "6"
"""Change it whenever the same document would render to different bytes, so that existing pages are rewritten."""
