"""What speaks for a memory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tribal.capabilities.memory.relevance import MAX_GAP, Candidate, evidence, score_of, scores

_NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
_SESSION = ("ada", "s1")
_FILLER = [Candidate(("plant", "shift", str(number)), 0.0, None, _NOON) for number in range(20)]


def candidate(
    text: str, seconds: float = 0.0, session: tuple[str, str] | None = _SESSION, cosine: float = 0.1
) -> Candidate:
    return Candidate(text.split(), cosine, session, _NOON + timedelta(seconds=seconds))


def test_what_was_added_right_before_and_after_in_the_session_counts_the_less_the_farther_away_it_is() -> None:
    question = ["trip", "lisbon"]
    beside = [
        [candidate("trip soon"), candidate("lisbon", 1)],
        [candidate("trip soon"), candidate("yes", 1), candidate("lisbon", 2)],
        [candidate("trip soon"), candidate("yes", 1), candidate("no", 2), candidate("lisbon", 3)],
        [candidate("trip soon"), candidate("yes", 1), candidate("no", 2), candidate("so", 3), candidate("lisbon", 4)],
    ]
    told = [evidence(question, [*_FILLER, *some])[len(_FILLER)] for some in beside]
    assert told == sorted(told, reverse=True)
    assert len({*told}) == len(told)


def test_another_session_another_author_none_and_a_long_pause_are_not_neighbours() -> None:
    question = ["trip", "lisbon"]
    far = MAX_GAP.total_seconds() + 1
    strangers = (candidate("lisbon", 1, ("ada", "s2")), candidate("lisbon", 1, ("bob", "s1")), candidate("lisbon", far))
    alone = evidence(question, [*_FILLER, candidate("trip soon"), candidate("lisbon", 1, None)])[len(_FILLER)]
    for stranger in strangers:
        assert evidence(question, [*_FILLER, candidate("trip soon"), stranger])[len(_FILLER)] == alone
    together = evidence(question, [*_FILLER, candidate("trip soon"), candidate("lisbon", far - 1)])[len(_FILLER)]
    assert together > alone


def test_what_shares_no_word_with_the_question_is_not_pulled_up_by_what_was_said_next_to_it() -> None:
    near = [*_FILLER, candidate("void invoice revenue"), candidate("nightly export", 1)]
    apart = [*_FILLER, candidate("void invoice revenue"), candidate("nightly export", 1, None)]
    question = ["void", "invoice", "revenue"]
    assert evidence(question, near)[-1] == evidence(question, apart)[-1]


def test_a_rarer_word_a_shorter_text_and_a_nearer_meaning_speak_for_a_memory() -> None:
    some = [candidate("shift trip", 0, None), candidate("shift", 0, None), candidate("trip", 0, None)]
    both, common, rare = evidence(["shift", "trip"], [*_FILLER, *some])[-3:]
    assert both > rare > common
    short, long = evidence(
        ["trip"], [*_FILLER, candidate("trip", 0, None), candidate("trip by train and bus", 0, None)]
    )[-2:]
    assert short > long
    near, far = evidence(["x"], [candidate("trip", 0, None, 0.8), candidate("trip", 0, None, 0.2)])
    assert near > far


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=6).map(tuple)
CANDIDATES = st.lists(
    st.builds(
        Candidate,
        WORDS,
        st.floats(-1, 1),
        st.sampled_from([None, ("ada", "s"), ("bob", "s")]),
        st.integers(0, 20_000).map(lambda seconds: _NOON + timedelta(seconds=seconds)),
    ),
    max_size=12,
)


@given(question=WORDS, candidates=CANDIDATES)
def test_every_score_is_from_0_to_1_and_the_same_again(question: tuple[str, ...], candidates: list[Candidate]) -> None:
    found = scores(question, candidates)
    assert len(found) == len(candidates)
    assert all(0 <= score <= 1 for score in found)
    assert found == scores(question, candidates)


@given(one=st.floats(-3, 6), other=st.floats(-3, 6))
def test_more_evidence_is_never_a_lower_score(one: float, other: float) -> None:
    assert (score_of(min(one, other))) <= score_of(max(one, other))
