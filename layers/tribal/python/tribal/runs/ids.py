"""Names of runs, in order of time."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from datetime import UTC, datetime

from tribal.ports import Clock

STAGED_COMMAND = "states"
"""What the record of a run says that the state machine carries out, in place of a command."""


def random_suffix() -> str:
    """Six hex digits, which tell apart what starts in the same second."""
    return secrets.token_hex(3)


def new_run_id(clock: Clock, entropy: Callable[[], str] = random_suffix) -> str:
    """An id such as `20261121T024500Z-1f9c2a`: sorted as text, runs are in order of their start by the real clock."""
    return f"{clock.real().astimezone(UTC):%Y%m%dT%H%M%SZ}-{entropy()}"


def execution_run_id(execution: str, started_at: datetime) -> str:
    """The id of the run that an execution of the state machine, named by its ARN, carries out; always the same."""
    suffix = hashlib.sha256(execution.encode()).hexdigest()[:6]
    return f"{started_at.astimezone(UTC):%Y%m%dT%H%M%SZ}-{suffix}"
