"""Ranking: signals are weighed against each other, neighbours help, certainty stands on its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribal.ranking.calibration import WORDS_ONLY, calibration_for
from tribal.ranking.order import fuse, prefer_schemas, propagate, rank_tables, standardize
from tribal.ranking.relevance import Evidence, Word, coverage, non_increasing, relevance
from tribal.ranking.signals import Neighbourhood, Signal, Signals
from tribal.ranking.weights import WEIGHTS

TABLES = 12
NEEDED = calibration_for(WORDS_ONLY).needed
scores = st.dictionaries(st.integers(0, TABLES - 1), st.floats(-1, 50, allow_nan=False), max_size=TABLES)
pairs = st.lists(st.tuples(st.integers(0, TABLES - 1), st.integers(0, TABLES - 1)), max_size=20)
schemas = st.lists(st.integers(0, 3), min_size=TABLES, max_size=TABLES)
units = st.floats(0, 1, allow_nan=False)


def signal(found: dict[int, float]) -> Signal:
    return Signal.of(list(found), list(found.values()))


def around(tables: int, joined: list[tuple[int, int]], schema: list[int] | None = None) -> Neighbourhood:
    return Neighbourhood.of(schema or [0] * tables, joined)


def ranked(signals: Signals, place: Neighbourhood | None = None) -> list[int]:
    return list(rank_tables(signals, place or around(TABLES, [])))


def test_signals_that_agree_keep_their_order() -> None:
    signals = Signals(signal({1: 9.0, 2: 5.0}), signal({1: 0.9, 2: 0.5, 3: 0.1}), signal({1: 0.8, 2: 0.7}))
    assert ranked(signals) == [1, 2, 3]


def test_a_great_lead_in_one_signal_outweighs_a_small_one_in_another() -> None:
    assert ranked(Signals(signal({1: 12.0, 2: 1.0, 3: 1.0}), signal({1: 0.30, 2: 0.32, 3: 0.1})))[0] == 1


def test_the_name_alone_decides_between_tables_that_are_else_alike() -> None:
    same = {1: 0.5, 2: 0.5, 3: 0.1}
    assert ranked(Signals(whole=signal(same), name=signal({1: 0.1, 2: 0.9, 3: 0.1})))[0] == 2


def test_a_signal_that_could_not_be_had_changes_nothing() -> None:
    assert ranked(Signals(signal({1: 3.0, 2: 2.0, 3: 1.0}))) == [1, 2, 3]
    assert ranked(Signals()) == []


@given(scores, scores, scores, scores, scores, pairs, schemas)
def test_every_candidate_is_ranked_once_whatever_the_signals_and_keys(
    lexical: dict[int, float],
    whole: dict[int, float],
    column: dict[int, float],
    name: dict[int, float],
    letters: dict[int, float],
    joined: list[tuple[int, int]],
    schema: list[int],
) -> None:
    signals = Signals(signal(lexical), signal(whole), signal(column), signal(name), signal(letters))
    place = around(TABLES, joined, schema)
    assert sorted(ranked(signals, place)) == sorted({*lexical, *whole, *column, *name, *letters})
    assert ranked(signals, place) == ranked(signals, around(TABLES, joined[::-1], schema))
    assert np.all(np.abs(fuse(signals, signals.candidates())) < 100)


@given(scores)
def test_tables_that_nothing_sets_apart_come_in_order_of_their_numbers(found: dict[int, float]) -> None:
    assert ranked(Signals(signal(dict.fromkeys(found, 1.0)))) == sorted(found)


def test_standardizing_what_is_all_the_same_says_nothing() -> None:
    assert list(standardize(np.array([5.0, 5.0]))) == [0.0, 0.0]


def test_a_bridge_between_the_best_tables_rises() -> None:
    found = np.array([3.0, 3.0, 0.5, 0.0, -1.0])
    after = propagate(found, np.arange(5), around(5, [(3, 0), (3, 1)]))
    assert after[3] - found[3] > after[2] - found[2]
    assert after[3] > after[2]


def test_a_bridge_that_no_signal_speaks_for_still_hands_on() -> None:
    joined, apart = around(4, [(0, 3), (3, 1)]), around(4, [(0, 3), (3, 0)])
    found, candidates = np.array([3.0, 0.0, 0.0]), np.array([0, 1, 2])
    assert propagate(found, candidates, joined)[1] > propagate(found, candidates, apart)[1]


def test_without_keys_nothing_moves() -> None:
    found = np.array([3.0, 1.0])
    assert list(propagate(found, np.arange(2), around(2, []))) == [3.0, 1.0]
    assert list(propagate(np.array([]), np.arange(0), around(0, []))) == []


def test_sparse_keys_move_less_than_dense_ones() -> None:
    found = np.array([3.0, 0.0, 0.0])
    gains = [propagate(found, np.arange(3), around(tables, [(0, 1)]))[1] for tables in (20, 10, 3)]
    assert gains == sorted(gains)
    assert gains[0] == pytest.approx(gains[1] / 2)


def test_a_table_gains_by_good_tables_of_its_schema_and_not_by_their_number() -> None:
    found = np.array([2.0, 2.0, 2.0, 0.0, 2.0, 0.0, 0.0, 0.0])
    schema = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    after = prefer_schemas(found, schema)
    assert after[3] > after[5]
    more = prefer_schemas(np.r_[found, 2.0], np.r_[schema, 0])
    assert more[3] == after[3]


def test_within_one_schema_the_order_stays() -> None:
    found = np.array([2.0, -1.0, 0.5])
    assert list(np.argsort(prefer_schemas(found, np.zeros(3, np.int64)))) == list(np.argsort(found))


def test_a_weight_of_nothing_takes_a_signal_out() -> None:
    without = replace(WEIGHTS, lexical=0.0)
    signals = Signals(signal({1: 9.0, 2: 0.0}), signal({1: 0.1, 2: 0.9}))
    assert list(rank_tables(signals, around(3, []), without)) == [2, 1]


def test_a_table_with_every_word_is_surer_than_one_with_half_of_them() -> None:
    words = [Word({"custom": 1.0}), Word({"address": 1.0})]
    counts = {"custom": 5, "address": 2}
    whole = coverage(words, {"custom", "address"}, counts, 40)
    assert whole == 1.0
    assert coverage(words, {"address"}, counts, 40) > coverage(words, {"custom"}, counts, 40) > 0
    assert coverage(words, set(), counts, 40) == 0.0
    assert coverage([], {"a"}, {}, 40) == 0.0


def test_what_a_word_may_mean_is_worth_less_than_the_word() -> None:
    words = [Word({"cust": 1.0, "custom": 0.6})]
    assert coverage(words, {"custom"}, {"custom": 3}, 10) == pytest.approx(0.6)


def test_a_word_that_no_table_holds_counts_less_than_a_rare_one() -> None:
    words = [Word({"order": 1.0}), Word({"januari": 1.0})]
    assert coverage(words, {"order"}, {"order": 1}, 40) > 0.5


shares, numbers, cosines = (
    st.tuples(units, units),
    st.tuples(*[st.integers(0, 24)] * 2),
    st.tuples(*[st.floats(-1, 1)] * 2),
)
pools = st.tuples(*[st.integers(0, 100_000)] * 2)


@given(shares, numbers, cosines, pools)
def test_certainty_is_a_share_and_grows_with_each_kind_of_evidence_and_among_fewer_tables(
    covered: tuple[float, float], words: tuple[int, int], alike: tuple[float, float], tables: tuple[int, int]
) -> None:
    less = Evidence(min(covered), min(words), min(alike), max(tables))
    more = Evidence(max(covered), max(words), max(alike), min(tables))
    assert 0.0 <= relevance(less, NEEDED) <= relevance(more, NEEDED) <= 1.0


def test_the_same_evidence_among_more_tables_is_less_certain() -> None:
    assert relevance(Evidence(0.7, 3, 0.4, 1_000), NEEDED) < relevance(Evidence(0.7, 3, 0.4, 10), NEEDED)


@given(units, st.integers(0, 24), st.floats(-1, 1), units)
def test_a_table_that_is_named_is_at_least_as_certain_as_its_name_is_meant(
    covered: float, words: int, alike: float, named: float
) -> None:
    evidence = Evidence(covered, words, alike, 50)
    unnamed = relevance(evidence, NEEDED)
    assert relevance(replace(evidence, named=named), NEEDED) == pytest.approx(max(unnamed, named), abs=1e-4)


@given(st.lists(units))
def test_scores_along_a_ranking_never_rise_and_are_never_raised(given_scores: list[float]) -> None:
    shown = non_increasing(given_scores)
    assert shown == sorted(shown, reverse=True)
    assert all(after <= before for after, before in zip(shown, given_scores, strict=True))


def test_tables_are_connected_by_keys_in_any_number_of_steps_and_by_their_schema() -> None:
    place = around(7, [(0, 1), (1, 2), (3, 4)], [0, 1, 2, 3, 4, 0, 5])
    assert np.flatnonzero(place.connected(np.array([0]))).tolist() == [0, 1, 2, 5]
    assert np.flatnonzero(place.connected(np.array([4, 6]))).tolist() == [3, 4, 6]
