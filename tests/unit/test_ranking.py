"""Ranking: signals are weighed against each other, neighbours help, certainty stands on its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribal.ranking.fusion import Signals, fuse, standardize
from tribal.ranking.propagation import propagate
from tribal.ranking.relevance import Word, coverage, evidence, non_increasing

ids = st.integers(1, 30)
scores = st.dictionaries(ids, st.floats(-1, 50, allow_nan=False), max_size=12)
units = st.floats(0, 1, allow_nan=False)


def order(found: dict[int, float]) -> list[int]:
    return sorted(found, key=lambda table: (-found[table], table))


def test_signals_that_agree_keep_their_order() -> None:
    signals = Signals({1: 9.0, 2: 5.0}, {1: 0.9, 2: 0.5, 3: 0.1}, {1: 0.8, 2: 0.7})
    assert order(fuse(signals, signals.candidates())) == [1, 2, 3]


def test_a_great_lead_in_one_signal_outweighs_a_small_one_in_another() -> None:
    signals = Signals({1: 12.0, 2: 1.0, 3: 1.0}, {1: 0.30, 2: 0.32, 3: 0.1}, {})
    assert order(fuse(signals, signals.candidates()))[0] == 1


def test_a_signal_that_could_not_be_had_changes_nothing() -> None:
    with_words = Signals({1: 3.0, 2: 2.0, 3: 1.0}, {}, {})
    assert order(fuse(with_words, with_words.candidates())) == [1, 2, 3]
    assert fuse(Signals({}, {}, {}), []) == {}


@given(scores, scores, scores)
def test_every_candidate_gets_a_finite_score(
    lexical: dict[int, float], tables: dict[int, float], columns: dict[int, float]
) -> None:
    signals = Signals(lexical, tables, columns)
    found = fuse(signals, signals.candidates())
    assert set(found) == {*lexical, *tables, *columns}
    assert all(abs(score) < 100 for score in found.values())


def test_standardizing_what_is_all_the_same_says_nothing() -> None:
    assert standardize({1: 5.0, 2: 5.0}, [1, 2]) == {1: 0.0, 2: 0.0}


def test_a_bridge_between_the_best_tables_rises() -> None:
    joined = {1: [9], 2: [9], 9: [1, 2]}
    before = {1: 3.0, 2: 3.0, 3: 0.5, 9: 0.0, 4: -1.0}
    after = propagate(before, lambda table: joined.get(table, []), share_with_key=1.0)
    assert order(before).index(9) == 3
    assert order(after).index(9) == 2


def test_without_keys_nothing_moves() -> None:
    before = {1: 3.0, 2: 1.0}
    assert propagate(before, lambda _: [], share_with_key=0.0) == before
    assert propagate({}, lambda _: [], share_with_key=1.0) == {}


def test_sparse_keys_move_less_than_dense_ones() -> None:
    before = {1: 3.0, 2: 0.0, 3: 0.0}
    joined = {1: [2], 2: [1]}
    gains = [propagate(before, lambda table: joined.get(table, []), share)[2] - before[2] for share in (0.1, 0.5, 1.0)]
    assert gains == sorted(gains)
    assert gains[0] == pytest.approx(gains[2] / 10)


@given(st.dictionaries(ids, st.floats(-5, 5, allow_nan=False), min_size=1), st.lists(st.tuples(ids, ids)), units)
def test_propagation_adds_no_table_and_loses_none(
    before: dict[int, float], keys: list[tuple[int, int]], share: float
) -> None:
    after = propagate(before, lambda table: [b for a, b in keys if a == table], share)
    assert set(after) == set(before)
    assert after == propagate(before, lambda table: [b for a, b in keys if a == table], share)


def test_a_table_with_every_word_is_surer_than_one_with_half_of_them() -> None:
    words = [Word({"custom": 1.0}), Word({"address": 1.0})]
    counts = {"custom": 5, "address": 2}
    whole = coverage(words, {"custom", "address"}, counts, 40)
    assert whole == 1.0
    assert coverage(words, {"address"}, counts, 40) > coverage(words, {"custom"}, counts, 40) > 0
    assert coverage(words, set(), counts, 40) == 0.0
    assert coverage([], {"a"}, {}, 40) == 0.0


def test_a_synonym_is_worth_less_than_the_word() -> None:
    words = [Word({"client": 1.0, "custom": 0.6})]
    assert coverage(words, {"custom"}, {"custom": 3}, 10) == pytest.approx(0.6)


def test_a_word_that_no_table_holds_counts_less_than_a_rare_one() -> None:
    words = [Word({"order": 1.0}), Word({"januari": 1.0})]
    assert coverage(words, {"order"}, {"order": 1}, 40) > 0.6


@given(units, units, st.floats(-1, 1), st.floats(-1, 1))
def test_certainty_is_a_share_and_grows_with_either_signal(
    less: float, more: float, less_alike: float, more_alike: float
) -> None:
    less, more = sorted((less, more))
    less_alike, more_alike = sorted((less_alike, more_alike))
    assert 0.0 <= evidence(less, less_alike) <= evidence(more, more_alike) <= 1.0
    assert evidence(more, None) <= evidence(more, more_alike)


@given(st.lists(units))
def test_scores_along_a_ranking_never_rise_and_are_never_raised(given_scores: list[float]) -> None:
    shown = non_increasing(given_scores)
    assert shown == sorted(shown, reverse=True)
    assert all(after <= before for after, before in zip(shown, given_scores, strict=True))
