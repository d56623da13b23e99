"""The rights of callers of proposals."""

from __future__ import annotations

PROPOSE_DESCRIPTIONS = "annotations:propose"
"""Proposing descriptions, and seeing and withdrawing one's own proposals."""
WRITE_ANNOTATIONS = "annotations:write"
"""Correcting descriptions; with it, a caller sees, accepts and rejects the proposals of everyone within its scope."""
