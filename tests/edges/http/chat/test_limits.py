"""What one caller may have running, and how often."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tribal.capabilities.chat.errors import ChatBusy
from tribal.edges.http.chat.limits import STREAMS_PER_CALLER, UPLOADS_AT_ONCE, CallerLimits


def test_a_caller_asks_at_the_rate_after_a_burst_and_learns_when_to_retry() -> None:
    now = [0.0]
    limits = CallerLimits(lambda: now[0])
    for _ in range(10):
        limits.count_question("ada", 30)
    with pytest.raises(ChatBusy, match="more than 30 questions per minute; retry in 2 s") as busy:
        limits.count_question("ada", 30)
    assert (busy.value.retry_seconds, busy.value.code, busy.value.http_status) == (2, "CHAT_BUSY", 429)
    limits.count_question("eve", 30)
    now[0] += 2
    limits.count_question("ada", 30)


def test_a_slow_rate_allows_one_question() -> None:
    limits = CallerLimits(lambda: 0.0)
    limits.count_question("ada", 1)
    with pytest.raises(ChatBusy):
        limits.count_question("ada", 1)


def test_streams_and_uploads_are_counted_until_they_end() -> None:
    limits = CallerLimits()
    with ExitStack() as stack:
        for _ in range(STREAMS_PER_CALLER):
            stack.enter_context(limits.stream("ada"))
        with pytest.raises(ChatBusy), limits.stream("ada"):
            pass
        stack.enter_context(limits.stream("eve"))
        for number in range(UPLOADS_AT_ONCE):
            stack.enter_context(limits.upload(number))
        for caller in (0, "late"):
            with pytest.raises(ChatBusy), limits.upload(caller):
                pass
    with limits.stream("ada"), limits.stream("ada"), limits.upload(0):
        pass
