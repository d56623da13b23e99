"""The rights of callers of contribution."""

from __future__ import annotations

READ_CONTRIBUTIONS = "contribution:read"
"""Reading what could be contributed, and contributions."""
PREPARE_CONTRIBUTIONS = "contribution:prepare"
"""Preparing contributions; publishing one needs a person's approval."""
