"""The version of the rendered output."""

from __future__ import annotations

RENDERER_VERSION = "6"
"""To be changed whenever the same document would render to different bytes, so that existing pages are rewritten."""
