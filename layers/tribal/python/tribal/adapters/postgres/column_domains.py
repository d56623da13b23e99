"""Applies the checks and comments of domains and enums to the columns of these types."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tribal.sql.dialect import quote_identifier
from tribal_contracts import CatalogCheck

_CHECK = re.compile(r"CHECK \((.*)\)(?: NOT VALID)?", re.DOTALL)
# Match literals and quoted names whole, so that VALUE is found only where it means the value.
_VALUE = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\bVALUE\b")


class TypeNotes:
    """Comments, checks and base types of user-defined types, from the rows of `TYPES`.

    `definition` gives the definition of a check by its oid.
    """

    def __init__(self, rows: Iterable[Sequence[Any]], definition: Callable[[int], str]) -> None:
        self._definition = definition
        self._checks: dict[int, list[tuple[str, int]]] = defaultdict(list)
        self._comments: dict[int, str] = {}
        self._bases: dict[int, str] = {}
        for type_oid, kind, name, text, constraint in rows:
            if kind == "check":
                self._checks[type_oid].append((name, constraint))
            elif kind == "base":
                self._bases[type_oid] = text
            else:
                self._comments[type_oid] = text

    def comment(self, type_oid: int) -> str | None:
        """The comment on the type."""
        return self._comments.get(type_oid)

    def base(self, type_oid: int) -> str | None:
        """The type that a domain is based on, through any domains in between."""
        return self._bases.get(type_oid)

    def checks(self, type_oid: int, column: str) -> list[CatalogCheck]:
        """The checks of a domain and its base domains, as conditions on a column."""
        return [
            CatalogCheck(name=f"{column}: {name}", expression=_on_column(self._definition(constraint), column))
            for name, constraint in sorted(self._checks.get(type_oid, ()))
        ]


def _on_column(definition: str, column: str) -> str:
    found = _CHECK.fullmatch(definition)
    name = quote_identifier(column, "postgres")
    return _VALUE.sub(lambda part: name if part[0] == "VALUE" else part[0], found[1] if found else definition)
