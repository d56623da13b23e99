"""Tables that repeat another table, and when a search sets them aside."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tribal.capabilities.retrieval.names import name_of
from tribal.naming import read_name
from tribal.naming import terms_of as terms_of_words
from tribal.ports import IndexedTable


@dataclass(frozen=True, slots=True)
class RepeatedTable:
    """A table that repeats another one; both are table numbers."""

    table: int
    original: int
    kind: str


@dataclass(frozen=True, slots=True)
class RepeatedTables:
    """The tables of a filter that repeat another one in it."""

    tables: Mapping[int, RepeatedTable]
    """By table number."""
    asked_by: Mapping[str, Sequence[int]]
    """By term, the copies and views whose name has this term while their original's has not.

    Parts are not included: an extra term in their name says which rows they hold, and a question about 2024 does not
    ask for `parcel_2024`.
    """

    @classmethod
    def of(cls, entries: Sequence[IndexedTable]) -> RepeatedTables:
        """Find them among tables numbered in this order."""
        copies = [(number, entry) for number, entry in enumerate(entries) if entry.copy_of is not None]
        numbers = {name_of(entry): number for number, entry in enumerate(entries)} if copies else {}
        tables: dict[int, RepeatedTable] = {}
        asked_by: defaultdict[str, list[int]] = defaultdict(list)
        for number, entry in copies:
            original = numbers.get(entry.copy_of.of) if entry.copy_of else None
            if original is None or entry.copy_of is None:
                continue
            tables[number] = RepeatedTable(number, original, entry.copy_of.kind)
            if entry.copy_of.kind == "part":
                continue
            for term in terms_of(entry.table) - terms_of(entries[original].table):
                asked_by[term].append(number)
        return cls(tables, asked_by)

    def set_aside(self, terms: Collection[str], named: Collection[int]) -> dict[int, RepeatedTable]:
        """The repeated tables that a question with these terms does not mean, by number.

        Args:
            terms: terms of the question; a term that only a copy or view has in its name asks for that.
            named: numbers of the tables that the question names.
        """
        if not self.tables:
            return {}
        asked = {number for term in terms for number in self.asked_by.get(term, ())}.union(named)
        return {number: one for number, one in self.tables.items() if number not in asked}


@lru_cache(maxsize=16_384)
def terms_of(name: str) -> frozenset[str]:
    """The terms of all words by which a name is found."""
    _, forms = read_name(name)
    return frozenset(terms_of_words(forms))
