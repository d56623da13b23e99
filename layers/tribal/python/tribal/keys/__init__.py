"""Keys that no catalog declares, inferred from what it does say; no I/O."""

from __future__ import annotations

from tribal.keys.names import infer_keys

__all__ = ["infer_keys"]
