"""A model that keeps failing is not asked for the rest of a run."""

from __future__ import annotations

from tests.cases import each_case
from tests.fakes.fixed_clock import FixedClock
from tribal.describing.model.failing import FAILURES_IN_A_ROW, FailureStreak
from tribal.ports import ModelFailure

PATIENCE_SECONDS = 600.0
SILENT = ModelFailure("timed_out", "the server sent no word of an answer for 300 s")
MALFORMED = ModelFailure("malformed", "the answer is not one JSON object")


class Streak:
    """A streak, and what ended the calls."""

    def __init__(self) -> None:
        self.clock = FixedClock()
        self.stopped: list[str] = []
        self.streak = FailureStreak(self.stopped.append, self.clock, PATIENCE_SECONDS)

    def fail(self, failure: ModelFailure, seconds: float) -> None:
        self.clock.advance(seconds)
        self.streak.count(failure, round(seconds * 1_000))


def test_ten_failures_in_a_row_end_the_calls_with_the_reason_and_the_time() -> None:
    found = Streak()
    for _ in range(FAILURES_IN_A_ROW):
        assert not found.stopped
        found.fail(MALFORMED, 6)
    (message,) = found.stopped
    assert message.startswith("10 questions in a row got no answer from the model, which took 60 s: the answer is not")
    assert "run again" in message
    assert "kept" in message


def test_a_server_that_lets_every_call_wait_ends_them_after_three() -> None:
    found = Streak()
    found.fail(SILENT, 300)
    found.fail(SILENT, 300)
    assert not found.stopped
    found.fail(SILENT, 300)
    assert "3 questions in a row" in found.stopped[0]
    assert "15 min" in found.stopped[0]


def test_a_server_that_writes_what_cannot_be_used_is_given_ten_questions() -> None:
    found = Streak()
    for _ in range(FAILURES_IN_A_ROW - 1):
        found.fail(MALFORMED, 250)
    assert not found.stopped
    found.fail(MALFORMED, 250)
    assert found.stopped


def test_one_answer_ends_the_streak_however_slow_it_was() -> None:
    found = Streak()
    for _ in range(50):
        found.fail(SILENT, 300)
        found.fail(MALFORMED, 600)
        found.streak.end()
    assert not found.stopped


@each_case("kind", ["refused", "too_long", "rejected", "exhausted", "interrupted", "stopped"])
def test_failures_of_one_table_and_those_that_end_the_calls_anyway_do_not_count(kind: str) -> None:
    found = Streak()
    for _ in range(2 * FAILURES_IN_A_ROW):
        found.fail(ModelFailure(kind, "no"), 300)  # type: ignore[arg-type]  # a kind
    assert not found.stopped
