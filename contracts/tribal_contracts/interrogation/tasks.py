"""What the state machine of sessions and its function exchange. Extension contracts."""

from __future__ import annotations

from typing import Literal

from tribal_contracts.core.shape import ClosedContract, Contract
from tribal_contracts.interrogation.sessions import SessionStatus


class InterrogationTask(ClosedContract):
    """Run a session, or resume it. No request of API Gateway looks like it, since that has an `httpMethod`."""

    session_id: str


class InterrogationResult(Contract):
    """The status of the session; `running` asks to be called again."""

    status: SessionStatus | Literal["removed"]
