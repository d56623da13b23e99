"""Rights of the chat."""

from __future__ import annotations

READ_DOCUMENTATION = "documentation:read"
"""Right to ask questions."""
ASK_CHAT = "chat:ask"
"""Right to get answers from models and to have questions embedded by a server. Reading never implies it."""
WRITE_COLLECTIONS = "collections:write"
"""Right to upload and remove files, and to see jobs."""
READ_AUDIT = "chat:audit"
"""Right to read the stored questions and answers of others."""
