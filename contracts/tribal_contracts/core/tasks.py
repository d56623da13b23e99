"""What a state machine and the function that it calls in a loop exchange. Extension contract."""

from __future__ import annotations

from tribal_contracts.core.shape import Contract


class LoopResult(Contract):
    """How far a call got."""

    status: str
    """`running` asks to be called again; whatever else ends the loop."""
