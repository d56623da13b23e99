"""Ids of the runs that a state machine starts."""

from __future__ import annotations

from datetime import datetime

from tribal.runs.records import execution_run_id
from tribal_contracts import OpenTask


def run_id_of(task: OpenTask) -> str:
    """An id such as `20261121T024500Z-1f9c2a`, the same for every call from one execution."""
    return execution_run_id(task.execution, datetime.fromisoformat(task.started_at))
