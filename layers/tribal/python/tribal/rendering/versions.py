"""The version of what rendering writes."""

from __future__ import annotations

RENDERER_VERSION = "4"
"""Changes whenever the same document would be rendered to other bytes, so that pages made before are made anew."""
