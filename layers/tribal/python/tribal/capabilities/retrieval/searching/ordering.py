"""Orders the candidates of a question: named tables first, copies after their originals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.capabilities.retrieval.searching.candidates import SCORED_A_SIGNAL, SearchCandidates
from tribal.capabilities.retrieval.searching.repeated_tables import RepeatedTable, terms_of
from tribal.capabilities.retrieval.searching.table_map import TableMap, table_map
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.naming import stem
from tribal.ports import Candidates, IndexFilter
from tribal.ranking.named import COLUMN_NAMED
from tribal.ranking.order import rank_tables
from tribal.ranking.signals import Signal, Signals

if TYPE_CHECKING:
    from numpy.typing import NDArray

_VIEWS_MOVED = 200
"""Views are moved after their tables only among this many; no one looks further down."""
_JUNCTIONS_MOVED = 10
"""Junction tables are moved only among this many, so that an answer of ten keeps its tables."""


@dataclass(frozen=True, slots=True, eq=False)
class RankedTables:
    """Ids of the matching tables, most likely first."""

    ids: NDArray[Any]
    folded: Mapping[int, int]
    """How many matching parts each table hides, by id."""


def rank_candidates(found: SearchCandidates, where: IndexFilter, opened: OpenIndex, toolbox: Toolbox) -> RankedTables:
    """Rank the matching tables that pass the filter, most likely first, ties by name.

    Tables that the question names come first. Unless the question asks for them: partitions, shards and backups are
    replaced by the table that they are parts of, copies come last, a view comes after the table that it is named after,
    and a junction table after one that it relates.
    """
    numbered = table_map(where, opened, toolbox)
    meant = found.fully_named | found.columns.keys()
    named = {int(number) for number in numbered.numbers(np.fromiter(meant, np.int64, len(meant))) if number >= 0}
    aside = numbered.repeated.set_aside(_question_terms(found), named)
    ranked = rank_tables(_signals(found, numbered, aside), numbered.neighbourhood, toolbox.weights)
    ordered = _behind_what_they_relate(_behind_their_tables(ranked, aside), found, numbered)
    ordered = _named_first(found, numbered, ordered)
    # A table that is not in the map has the number -1, which is the last of these.
    is_match, is_ordered = np.zeros((2, len(numbered.names) + 1), bool)
    matches = numbered.numbers(found.matches)
    is_match[matches] = is_ordered[ordered] = True
    # Matches that were not scored come after all scored tables, in lexical order.
    rest = found.matches[~is_ordered[matches]]
    ids = np.concatenate([numbered.record_ids[ordered[is_match[ordered]]], rest])
    return _fold_parts(ids, numbered, aside)


def _question_terms(found: SearchCandidates) -> set[str]:
    """The question's own terms, without related words."""
    others = {stem(word) for concept in found.question.concepts for word in concept.related}
    return {term for word in found.question.words for term in word.terms} - others


def _signals(found: SearchCandidates, numbered: TableMap, aside: Mapping[int, RepeatedTable]) -> Signals:
    out = np.array([number for number, one in aside.items() if one.kind != "view"], dtype=np.int64)
    return Signals(
        lexical=_signal(found.lexical[:SCORED_A_SIGNAL], numbered, out),
        whole=_signal(found.by_vector, numbered, out),
        column=_signal(found.by_column, numbered, out),
        name=_signal(found.by_name, numbered, out),
        letters=_signal(found.by_letters, numbered, out),
    )


def _signal(candidates: Candidates, numbered: TableMap, out: NDArray[Any]) -> Signal:
    """The score of each table's best candidate, which is the table itself or one of its columns."""
    numbers = numbered.numbers(np.where(candidates.table_ids > 0, candidates.table_ids, candidates.ids))
    known = np.flatnonzero(numbers >= 0)[::-1]
    firsts = np.full(len(numbered.names), -1)
    # Candidates are sorted best first; for each table, the last assignment wins.
    firsts[numbers[known]] = known
    firsts[out] = -1
    tables = np.flatnonzero(firsts >= 0)
    return Signal(tables, candidates.scores[firsts[tables]])


def _behind_their_tables(ranked: NDArray[Any], aside: Mapping[int, RepeatedTable]) -> NDArray[Any]:
    """Move each view right after the table that it is named after, if that is ranked."""
    views = {number for number in ranked[:_VIEWS_MOVED].tolist() if number in aside}
    if not views:
        return ranked
    place = {number: rank for rank, number in enumerate(ranked.tolist())}
    keys = [
        (max(rank, place.get(aside[number].original, rank)), number in views) if number in views else (rank, False)
        for rank, number in enumerate(ranked.tolist())
    ]
    return ranked[sorted(range(len(keys)), key=keys.__getitem__)]


def _behind_what_they_relate(ranked: NDArray[Any], found: SearchCandidates, numbered: TableMap) -> NDArray[Any]:
    """Move each junction table among the best right after the first of them that it relates.

    It stays where it is if the question has a word that is in its name but not in the other's.
    """
    best = ranked[:_JUNCTIONS_MOVED].tolist()
    if numbered.related.keys().isdisjoint(best):
        return ranked
    terms = {term for word in found.question.words for term in word.terms}
    shared = {number: terms & terms_of(numbered.tables[number]) for number in best}
    places = {number: place for place, number in enumerate(best)}

    def key(number: int) -> tuple[int, bool]:
        place = places[number]
        ahead = [
            places[other]
            for other in numbered.related.get(number, ())
            if other in places and shared[number] <= shared[other]
        ]
        behind = min(ahead, default=place)
        return max(place, behind), behind > place

    return np.concatenate([np.array(sorted(best, key=key), dtype=ranked.dtype), ranked[_JUNCTIONS_MOVED:]])


def _named_first(found: SearchCandidates, numbered: TableMap, ranked: NDArray[Any]) -> NDArray[Any]:
    """Move tables that are named, or have a named column, to the front: the most certain first, tables before views."""
    meant = dict.fromkeys(found.columns, COLUMN_NAMED)
    meant |= {table: max(certainty, meant.get(table, 0.0)) for table, certainty in found.named.items()}
    if not meant:
        return ranked
    place = np.full(len(numbered.names), len(ranked))
    place[ranked] = np.arange(len(ranked))
    numbers = numbered.numbers(np.fromiter(meant, np.int64, len(meant))).tolist()
    named = [
        (-certainty, number in numbered.views, int(place[number]), table, number)
        for (table, certainty), number in zip(meant.items(), numbers, strict=True)
        if number >= 0
    ]
    front = np.array([number for *_, number in sorted(named)], dtype=np.int64)
    is_named = np.zeros(len(numbered.names), bool)
    is_named[front] = True
    return np.concatenate([front, ranked[~is_named[ranked]]])


def _fold_parts(ids: NDArray[Any], numbered: TableMap, aside: Mapping[int, RepeatedTable]) -> RankedTables:
    """Drop parts whose whole table is found too, and move copies that are set aside to the end."""
    if not aside:
        return RankedTables(ids, {})
    record_ids = numbered.record_ids
    present = set(ids.tolist())
    originals = {int(record_ids[one.table]): int(record_ids[one.original]) for one in aside.values()}
    parts = {int(record_ids[one.table]) for one in aside.values() if one.kind == "part"}
    copies = {int(record_ids[one.table]) for one in aside.values() if one.kind == "copy"}
    folded: dict[int, int] = {}
    kept: list[int] = []
    last: list[int] = []
    for table in ids.tolist():
        if table in parts and originals[table] in present:
            folded[originals[table]] = folded.get(originals[table], 0) + 1
        elif table in copies:
            last.append(table)
        else:
            kept.append(table)
    return RankedTables(np.array([*kept, *last], dtype=np.int64), folded)
