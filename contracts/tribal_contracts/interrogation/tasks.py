"""The input that the state machine of sessions passes to its function. Extension contract."""

from __future__ import annotations

from tribal_contracts.core.shape import ClosedContract


class InterrogationTask(ClosedContract):
    """Run a session, or resume it. No request of API Gateway looks like it, since that has an `httpMethod`."""

    session_id: str
