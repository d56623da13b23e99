"""Ids of runs that a state machine starts."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from tribal_contracts import OpenTask


def run_id_of(task: OpenTask) -> str:
    """An id such as `20261121T024500Z-1f9c2a`, the same however often the execution calls."""
    started = datetime.fromisoformat(task.started_at).astimezone(UTC)
    return f"{started:%Y%m%dT%H%M%SZ}-{hashlib.sha256(task.execution.encode()).hexdigest()[:6]}"
