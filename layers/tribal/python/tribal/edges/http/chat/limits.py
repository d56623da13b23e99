"""What one caller may have running, and how often, within one process."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from tribal.capabilities.chat.errors import ChatBusy
from tribal.rate_limits import TokenBuckets

STREAMS_PER_CALLER = 2
"""Source: docs/contracts.md, Chat."""
UPLOADS_PER_CALLER = 1
UPLOADS_AT_ONCE = 4
"""By judgement: more only share the same disk and network."""
_BURST_SECONDS = 20.0
"""An idle caller may ask as many questions at once as the rate allows in this time."""
_STREAM_RETRY_SECONDS = 5
"""By judgement: many answers end within that time."""
_UPLOAD_RETRY_SECONDS = 30


class CallerLimits:
    """The limits of one server process; thread-safe.

    Args:
        now: seconds on a monotonic clock.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._buckets = TokenBuckets(now)
        self._streams = Counter[Hashable]()
        self._uploads = Counter[Hashable]()

    def count_question(self, subject: str, per_minute: int) -> None:
        """Count a question of a caller.

        Raises:
            ChatBusy: when the caller asks too often.
        """
        burst = max(1.0, per_minute / 60 * _BURST_SECONDS)
        with self._lock:
            wait = math.ceil(self._buckets.seconds_to_wait(subject, per_minute, burst))
        if wait > 0:
            raise ChatBusy(f"more than {per_minute} questions per minute; retry in {wait} s", wait)

    @contextmanager
    def stream(self, caller: Hashable) -> Iterator[None]:
        """Hold one of the answers that a caller may have running.

        Raises:
            ChatBusy: when all of them are running.
        """
        busy = ChatBusy(
            f"{STREAMS_PER_CALLER} answers are already running for you; retry in {_STREAM_RETRY_SECONDS} s",
            _STREAM_RETRY_SECONDS,
        )
        with self._one_of(self._streams, caller, lambda held: busy if held[caller] >= STREAMS_PER_CALLER else None):
            yield

    @contextmanager
    def upload(self, caller: Hashable) -> Iterator[None]:
        """Hold the one upload that a caller may send at a time.

        Raises:
            ChatBusy: when it is being sent, or too many others are.
        """

        def refusal(held: Counter[Hashable]) -> ChatBusy | None:
            if held[caller] >= UPLOADS_PER_CALLER:
                what = "your other upload is still being received; send one at a time"
            elif held.total() >= UPLOADS_AT_ONCE:
                what = f"the server is already receiving {UPLOADS_AT_ONCE} uploads"
            else:
                return None
            return ChatBusy(f"{what}; retry in {_UPLOAD_RETRY_SECONDS} s", _UPLOAD_RETRY_SECONDS)

        with self._one_of(self._uploads, caller, refusal):
            yield

    @contextmanager
    def _one_of(
        self, held: Counter[Hashable], caller: Hashable, refusal: Callable[[Counter[Hashable]], ChatBusy | None]
    ) -> Iterator[None]:
        with self._lock:
            busy = refusal(held)
            if busy is not None:
                raise busy
            held[caller] += 1
        try:
            yield
        finally:
            with self._lock:
                held[caller] -= 1
                if not held[caller]:
                    del held[caller]
