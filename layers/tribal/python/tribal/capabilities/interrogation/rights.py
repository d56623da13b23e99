"""Rights of interrogations."""

from __future__ import annotations

START_INTERROGATION = "interrogation:start"
"""Right to start and stop sessions, which may ask models. Reading never implies it."""
READ_INTERROGATION = "interrogation:read"
"""Right to read sessions."""
