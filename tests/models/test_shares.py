"""The calls at once are divided fairly, and all of them are used."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tribal.models.slots import fair_shares

holders = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 60), min_size=1)


@given(holders, st.integers(1, 60), st.integers(0, 100))
def test_all_calls_are_divided_and_no_one_has_less_than_he_wants_and_than_someone_else(
    wanted: dict[str, int], calls_at_once: int, turn: int
) -> None:
    shares = fair_shares(wanted, calls_at_once, turn)
    assert sum(shares.values()) == calls_at_once
    for name, share in shares.items():
        if share < wanted[name]:
            assert all(other <= share + 1 for other in shares.values())


@given(holders, st.integers(1, 60))
def test_who_goes_empty_this_time_has_a_call_within_as_many_turns_as_there_are_holders(
    wanted: dict[str, int], calls_at_once: int
) -> None:
    turns = [fair_shares(wanted, calls_at_once, turn) for turn in range(len(wanted))]
    assert all(any(shares[name] for shares in turns) for name, calls in wanted.items() if calls)


def test_without_holders_there_is_no_share() -> None:
    assert fair_shares({}, 5, 0) == {}
