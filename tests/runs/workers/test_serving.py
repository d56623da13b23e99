"""What a worker does with the first message of its run."""

from __future__ import annotations

import io
from typing import NoReturn

import pytest

from tests.cases import each_case
from tribal.errors import RunInterrupted
from tribal.runs.workers.messages import DocumentUnitRequest, StopRequest, send
from tribal.runs.workers.serving import serve


def told(*messages: object) -> io.BytesIO:
    stream = io.BytesIO()
    for message in messages:
        send(stream, message)
    stream.seek(0)
    return stream


def nothing_to_build(*_: object) -> NoReturn:
    raise AssertionError("nothing was to be built")


@each_case("messages", [(), (StopRequest(RunInterrupted("Ctrl-C")),)], ids=["nothing", "a stop"])
def test_a_worker_that_is_stopped_before_it_is_set_up_ends_without_a_word(messages: tuple[object, ...]) -> None:
    replies = io.BytesIO()
    serve(told(*messages), replies, nothing_to_build)
    assert replies.getvalue() == b""


def test_a_worker_that_is_given_work_before_it_is_set_up_says_so() -> None:
    with pytest.raises(TypeError, match="expects its setup first, got DocumentUnitRequest"):
        serve(told(DocumentUnitRequest("unit", postpone=True)), io.BytesIO(), nothing_to_build)
