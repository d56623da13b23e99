"""Orders the candidates of a question: named tables first, a table for each entity early, copies after originals."""

from __future__ import annotations

from collections import Counter
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
_LONGEST_ANSWER = 20
"""Entities are looked for among this many, the most in an answer. With 15 or all, beaver answers one or two questions
less in ten tables."""
_FEWEST_PLACES, _MOST_PLACES = 3, 5
"""The first places, which have a table for each entity: more for a question about more, up to an answer's default."""
_BEST = 10
"""Junction tables are moved, and tables match by being joined, only among this many, so that an answer of ten keeps its
tables."""


@dataclass(frozen=True, slots=True, eq=False)
class RankedTables:
    """Ids of the tables that may be in the answer, most likely first."""

    ids: NDArray[Any]
    is_match: NDArray[Any]
    """Whether each matches; the others are in an answer only where too few do."""
    best: frozenset[str]
    """Names of the first ten, of those that match by themselves."""
    folded: Mapping[int, int]
    """How many parts each table covers, by id."""


def rank_candidates(found: SearchCandidates, where: IndexFilter, opened: OpenIndex, toolbox: Toolbox) -> RankedTables:
    """Rank the tables that pass the filter, most likely first, ties by name.

    Tables that the question names come first; each entity that it speaks of has a table among the first. Unless the
    question asks for them: partitions, shards and backups are replaced by the table that they are parts of, copies come
    last, a view comes after the table that it is named after, and a junction table after one that it relates.
    """
    numbered = table_map(where, opened, toolbox)
    meant = found.fully_named | found.columns.keys() | found.defined.keys()
    named = {int(number) for number in numbered.numbers(np.fromiter(meant, np.int64, len(meant))) if number >= 0}
    aside = numbered.repeated.set_aside(_question_terms(found), named)
    ranked = rank_tables(_signals(found, numbered, aside), numbered.neighbourhood, toolbox.weights)
    ordered = _behind_what_they_relate(_behind_their_tables(ranked, aside), found, numbered)
    ordered = _entities_early(found, numbered, ordered)
    ordered = _behind_joined_ones(found, numbered, ordered)
    ordered = _named_first(found, numbered, ordered)
    # A table that is not in the map has the number -1, which is the last of these.
    is_admitted, is_ordered, is_match = np.zeros((3, len(numbered.names) + 1), bool)
    admitted = numbered.numbers(found.ranked)
    is_admitted[admitted] = is_ordered[ordered] = True
    # Those that were not scored come after all scored tables, in lexical order.
    ordered = np.concatenate([ordered[is_admitted[ordered]], admitted[(admitted >= 0) & ~is_ordered[admitted]]])
    ordered, wholes = _fold_parts(ordered, aside)
    is_match[numbered.numbers(found.matches)] = True
    is_match[[whole for part, whole in wholes.items() if is_match[part]]] = True
    best = ordered[:_BEST]
    names = frozenset(numbered.names[number] for number in best[is_match[best]].tolist())
    is_match[_joined(best, is_match, numbered)] = True
    covers = Counter(numbered.record_ids[list(wholes.values())].tolist())
    return RankedTables(numbered.record_ids[ordered], is_match[ordered], names, covers)


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
    best = ranked[:_BEST].tolist()
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

    return np.concatenate([np.array(sorted(best, key=key), dtype=ranked.dtype), ranked[_BEST:]])


def _entities_early(found: SearchCandidates, numbered: TableMap, ranked: NDArray[Any]) -> NDArray[Any]:
    """Move up the best table of each entity, if it is connected to one of the best tables.

    A question about customers and their invoices needs the table of customers, although the columns, views and details
    of invoices say both words.
    """
    if not found.entities or not len(ranked):
        return ranked
    best = ranked[:_LONGEST_ANSWER].tolist()
    called = [{*numbered.numbers(tables).tolist()} for tables in found.entities]
    is_connected = numbered.neighbourhood.connected(ranked[:_FEWEST_PLACES])
    firsts = (next((table for table in best if table in tables and is_connected[table]), None) for tables in called)
    entities = {table for table in firsts if table is not None}
    places = min(max(len({best[0], *entities}), _FEWEST_PLACES), _MOST_PLACES)
    late = [table for table in best[places:] if table in entities]
    others = [table for table in best[1:places] if table not in entities]
    count = min(len(late), len(others))
    up, down = late[:count], others[len(others) - count :]
    moved = {*up, *down}
    early = [table for table in best[:places] if table not in moved]
    rest = [table for table in best[places:] if table not in moved]
    return np.concatenate([np.array([*early, *up, *down, *rest], ranked.dtype), ranked[_LONGEST_ANSWER:]])


def _behind_joined_ones(found: SearchCandidates, numbered: TableMap, ranked: NDArray[Any]) -> NDArray[Any]:
    """Move a table among the best behind one with the same words that is joined to a table which the question calls.

    A question about customers who have not paid means their invoices, not the pay slips of employees.
    """
    best = ranked[:_BEST].tolist()
    called = {*numbered.numbers(np.concatenate([*found.entities, ranked[:0]])).tolist()}.intersection(best)
    if not called:
        return ranked
    keys = numbered.neighbourhood
    joined = {*keys.there[np.isin(keys.here, np.fromiter(called, np.int64, len(called)))].tolist(), *called}
    said = {number: found.shared_terms(int(numbered.record_ids[number])) for number in best}
    places = {number: place for place, number in enumerate(best)}

    def key(number: int) -> tuple[int, bool]:
        place = places[number]
        if number in joined or not said[number]:
            return place, False
        ahead = [places[other] for other in best if other in joined and said[number] <= said[other]]
        behind = min(ahead, default=place)
        return max(place, behind), behind > place

    return np.concatenate([np.array(sorted(best, key=key), dtype=ranked.dtype), ranked[_BEST:]])


def _named_first(found: SearchCandidates, numbered: TableMap, ranked: NDArray[Any]) -> NDArray[Any]:
    """Move tables that are named, or have a column, a metric or a term that is, to the front.

    The most certain come first, and tables before views.
    """
    meant = {table: certainty for table, (_, certainty) in found.defined.items()}
    meant |= dict.fromkeys(found.columns, COLUMN_NAMED)
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


def _fold_parts(ranked: NDArray[Any], aside: Mapping[int, RepeatedTable]) -> tuple[NDArray[Any], Mapping[int, int]]:
    """Drop parts whose whole table is found too, and move copies that are set aside to the end.

    Returns the tables that are left, and the whole table of each dropped part.
    """
    if not aside:
        return ranked, {}
    present = set(ranked.tolist())
    wholes: dict[int, int] = {}
    kept: list[int] = []
    last: list[int] = []
    for table in ranked.tolist():
        repeated = aside.get(table)
        if repeated is not None and repeated.kind == "part" and repeated.original in present:
            wholes[table] = repeated.original
        elif repeated is not None and repeated.kind == "copy":
            last.append(table)
        else:
            kept.append(table)
    return np.array([*kept, *last], dtype=np.int64), wholes


def _joined(best: NDArray[Any], is_match: NDArray[Any], numbered: TableMap) -> NDArray[Any]:
    """The best tables that are joined to one of them that matches."""
    keys = numbered.neighbourhood
    is_best, is_end = np.zeros((2, len(numbered.names)), bool)
    is_best[best] = True
    is_end[best] = is_match[best]
    found: NDArray[Any] = keys.here[is_best[keys.here] & is_end[keys.there]]
    return found
