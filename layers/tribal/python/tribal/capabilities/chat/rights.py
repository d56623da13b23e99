"""Rights of the chat."""

from __future__ import annotations

READ_DOCUMENTATION = "documentation:read"
"""To ask."""
ASK_CHAT = "chat:ask"
"""To have a model answer, or a question embedded by a server; reading never implies it."""
WRITE_COLLECTIONS = "collections:write"
"""To upload, to remove, and to read originals."""
READ_AUDIT = "chat:audit"
"""To read stored questions and answers of others."""
