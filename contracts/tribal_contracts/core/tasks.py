"""The answer of a function that a state machine calls in a loop. Extension contract."""

from __future__ import annotations

from tribal_contracts.core.shape import Contract


class LoopResult(Contract):
    """The progress of a job after one call."""

    status: str
    """`running` makes the state machine call again; any other status ends the loop."""
