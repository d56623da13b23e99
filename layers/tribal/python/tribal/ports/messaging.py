"""Message queues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class MessageQueue(Protocol):
    """Delivers each message at least once, in any order."""

    def send(self, bodies: Sequence[str], delay_seconds: int = 0) -> None:
        """Send messages, to be delivered after a delay.

        Raises:
            RuntimeError: when the queue refused a message; send the whole batch again.
        """
        ...
