"""What a scope hides from a caller, and whether a text mentions something hidden."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from tribal.errors import IndexAbsent
from tribal.identity.scope import EVERYTHING, Scope
from tribal.naming.mentions import Names, OwnNames, mentioned_in, mentioned_words, words_of_names
from tribal.sql.qualifiers import SYSTEM_SCHEMAS, literals, qualifiers, sql_qualifiers
from tribal_contracts import DatabaseType

WITHHELD = "(withheld)"
"""Placeholder for a default, a type or an expression that names something outside the scope."""

_SENTENCE_END = re.compile(r"(?<=[.…])\s+")
_NO_NAMES = OwnNames()


class TableEntry(Protocol):
    """A table of an index."""

    @property
    def database(self) -> str: ...
    @property
    def schema(self) -> str: ...
    @property
    def table(self) -> str: ...
    @property
    def domain(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Bounds:
    """The scope of a caller, and the words by which texts mention objects outside it."""

    scope: Scope = EVERYTHING
    hidden: frozenset[str] = frozenset()
    domains: Mapping[str, str] = field(default_factory=dict)
    """Replacement names of domains whose own names mention something outside the scope."""

    @classmethod
    def of(cls, scope: Scope, tables: Iterable[TableEntry]) -> Bounds:
        """The bounds of a scope, given all tables of an index."""
        if scope == EVERYTHING:
            return OPEN
        inside: list[TableEntry] = []
        outside: list[TableEntry] = []
        for entry in tables:
            (inside if scope.allows(entry.database, entry.schema) else outside).append(entry)
        found = cls(scope, words_of_names(_names(outside), _names(inside)))
        withheld = [name for name in sorted({entry.domain for entry in inside}) if found.withholds(name)]
        return cls(scope, found.hidden, {name: f"withheld-{number}" for number, name in enumerate(withheld, 1)})

    @property
    def is_open(self) -> bool:
        """Whether nothing is hidden from the caller."""
        return self.scope == EVERYTHING

    def shown_domain(self, domain: str) -> str:
        """The name of a domain that the caller sees."""
        return self.domains.get(domain, domain)

    def real_domain(self, shown: str | None) -> str | None:
        """The domain with a name that the caller sees."""
        return next((real for real, name in self.domains.items() if name == shown), shown)

    def withholds(self, text: str, own: OwnNames = _NO_NAMES) -> bool:
        """Whether a text mentions anything outside of the scope, other than by a name that it may."""
        return bool(self.hidden) and not self.hidden.isdisjoint(mentioned_words(text, own))

    def withholds_any(self, texts: Iterable[str]) -> bool:
        """Whether one of several texts of any length mentions anything outside of the scope."""
        return bool(self.hidden) and not self.hidden.isdisjoint(mentioned_in(texts))

    def withholds_sql(self, sql: str, database: str, dialect: DatabaseType) -> bool:
        """Whether an expression or a type names anything outside of the scope.

        The catalog qualifies everything but the server's own, so that a name before a dot is a schema.
        """
        outside = self._is_outside(sql_qualifiers(sql, dialect), database)
        return outside or any(map(self.withholds, literals(sql, dialect)))

    def reveals_derived(self, text: str, database: str, own: OwnNames) -> bool:
        """Whether a sentence made by rules names anything outside the scope.

        Args:
            text: one or more sentences.
            database: the database that they are about.
            own: names that they may mention.
        """
        return self._is_outside(qualifiers(text), database) or self.withholds(text, own)

    def bounded_derived(self, text: str, database: str, own: OwnNames) -> str:
        """The sentences of a text made by rules that do not name anything outside the scope."""

        def reveals(part: str) -> bool:
            return self.reveals_derived(part, database, own)

        if not reveals(text):
            return text
        kept = [sentence for sentence in _sentences(text) if not reveals(sentence)]
        left = " ".join(kept)
        return "" if reveals(left) else left

    def _is_outside(self, schemas: Iterable[str], database: str) -> bool:
        return any(not self.scope.allows(database, name) for name in schemas if name not in SYSTEM_SCHEMAS)


def load_bounds(scope: Scope, load: Callable[[], Bounds]) -> Bounds:
    """The bounds that `load` reads from an index; without an index, nothing is hidden."""
    try:
        return load()
    except IndexAbsent:
        return Bounds(scope)


OPEN = Bounds()
"""The bounds of a caller who may see everything."""


def _names(tables: Iterable[TableEntry]) -> Names:
    listed = list(tables)
    spaces = {name for entry in listed for name in (entry.database, entry.schema)}
    return Names(frozenset(spaces), frozenset(entry.table for entry in listed))


def _sentences(text: str) -> list[str]:
    """The sentences of a text; a quoted name is never cut in two."""
    found: list[str] = []
    for part in _SENTENCE_END.split(text):
        if found and found[-1].count('"') % 2:
            found[-1] += f" {part}"
        else:
            found.append(part)
    return found
