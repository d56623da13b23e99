"""The names of a catalog, prepared for finding them in text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tribal.naming import is_word, read_name, segment_all, singular, split_identifier
from tribal_contracts import CatalogNames


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The names of all tables and columns of a database; slow to build, so built once per run and database.

    Separators and case are ignored: `order_lines`, `OrderLines` and `orderlines` are the same name.
    """

    tables: frozenset[str]
    columns: frozenset[str]

    @classmethod
    def of(cls, names: CatalogNames) -> KnownNames:
        """Build from a names file."""
        return cls(joined_forms(names.tables), joined_forms(names.columns))

    def has_table(self, forms: frozenset[str]) -> bool:
        """Whether any of the forms is a table's."""
        return not forms.isdisjoint(self.tables)

    def has_column(self, forms: frozenset[str]) -> bool:
        """Whether any of the forms is a column's."""
        return not forms.isdisjoint(self.columns)

    def has(self, forms: frozenset[str]) -> bool:
        """Whether any of the forms is a table's or a column's."""
        return self.has_table(forms) or self.has_column(forms)


def joined_forms(names: Iterable[str]) -> frozenset[str]:
    """The forms by which names are found: their words in the singular, as written and with abbreviations spelt out."""
    return frozenset(form for name in names for form in _forms(name) if form)


def _forms(name: str) -> tuple[str, ...]:
    words = split_identifier(name)
    if all(map(is_word, words)):
        # Nothing to split or spell out; a catalog may have 100,000 names.
        return (joined(words),)
    return joined(words), joined(segment_all(words)), joined(read_name(name)[0])


def joined(words: Iterable[str]) -> str:
    """The words in the singular, concatenated."""
    return "".join(singular(word) for word in words)


def words_of(names: Iterable[str]) -> frozenset[str]:
    """The words of names in the singular, as written and with abbreviations spelt out."""
    found: set[str] = set()
    for name in names:
        words = split_identifier(name)
        found.update(singular(word) for word in (*words, *segment_all(words), *read_name(name)[1]))
    return frozenset(found)
