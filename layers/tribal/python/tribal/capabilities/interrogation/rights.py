"""The rights of callers of interrogation."""

from __future__ import annotations

START_INTERROGATION = "interrogation:start"
"""Starting and stopping sessions, which may ask models; reading never implies it."""
READ_INTERROGATION = "interrogation:read"
"""Reading sessions."""
