"""Ids of runs, which sort chronologically."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from datetime import UTC, datetime

from tribal.ports import Clock

STAGED_COMMAND = "states"
"""The recorded command of runs by the state machine."""


def random_suffix() -> str:
    """Six hex digits that distinguish runs started in the same second."""
    return secrets.token_hex(3)


def new_run_id(clock: Clock, entropy: Callable[[], str] = random_suffix) -> str:
    """An id such as `20261121T024500Z-1f9c2a`; ids sort as text by the real start time."""
    return f"{clock.real().astimezone(UTC):%Y%m%dT%H%M%SZ}-{entropy()}"


def execution_run_id(execution: str, started_at: datetime) -> str:
    """The id of the run that a state machine execution (an ARN) performs; always the same for the same execution."""
    suffix = hashlib.sha256(execution.encode()).hexdigest()[:6]
    return f"{started_at.astimezone(UTC):%Y%m%dT%H%M%SZ}-{suffix}"
