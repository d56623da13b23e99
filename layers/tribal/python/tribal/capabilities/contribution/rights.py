"""The rights of callers of contribution."""

from __future__ import annotations

READ_CONTRIBUTIONS = "contribution:read"
"""Reading what could be contributed, and contributions."""
APPROVE_CONTRIBUTIONS = "contribution:approve"
"""Approving over HTTPS what someone else has prepared; no caller has it unless it is granted by name."""
PREPARE_CONTRIBUTIONS = "contribution:prepare"
"""Preparing contributions; publishing one needs a person's approval."""
