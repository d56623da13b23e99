"""References to composite keys, which are referenced as a whole or not at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from tribal.key_inference.guesses import Guess, guess
from tribal.key_inference.name_words import glue, is_key_like, is_surrogate, words_of
from tribal.key_inference.overlap import KeyPair
from tribal.key_inference.references import is_polymorphic
from tribal.key_inference.tables import Columns, KeyTable

DETAIL = 0.9
"""Confidence if a table's key extends that of another table. A label by judgement, like the one below."""
WHOLE = 0.85
"""Confidence if a table has columns named like all columns of another table's key."""
_ORDINALS = frozenset("line position rank revision seq sequence version".split())
"""Words that, like key words, distinguish the rows of one parent."""
_SHARED_BY = 50
"""The most tables that may share the rarest column name of a key. By judgement: it bounds the time."""


def composite_references(tables: Sequence[KeyTable], referenced: Collection[tuple[str, str]]) -> Iterator[Guess]:
    """References of several columns at once.

    A key whose columns are all references to other tables is not a target itself.

    Args:
        tables: tables of one schema.
        referenced: columns that each reference another table, as table and column.
    """
    found: defaultdict[tuple[str, Columns], list[Guess]] = defaultdict(list)
    for each in _references(tables, referenced):
        found[each.pair.from_table, each.pair.from_columns].append(each)
    for rivals in found.values():
        most = max(each.confidence for each in rivals)
        best = [each for each in rivals if each.confidence == most]
        yield from best if len(best) == 1 else ()


def _references(tables: Sequence[KeyTable], referenced: Collection[tuple[str, str]]) -> Iterator[Guess]:
    holders: defaultdict[str, list[KeyTable]] = defaultdict(list)
    for table in tables:
        for name in table.families:
            holders[_plain(name)].append(table)
    for parent in tables:
        for key in parent.composites:
            own_parts = [column for column in key if (parent.name, column) not in referenced]
            is_own = any(_is_own_part(column, parent) for column in own_parts)
            if not is_own or any(is_polymorphic(parent, column) for column in key):
                continue
            rarest = min((holders[_plain(column)] for column in key), key=len)
            if len(rarest) <= _SHARED_BY:
                for child in rarest:
                    each = _reference(child, parent, key, any(_names_table(column, parent) for column in own_parts))
                    if each is not None:
                        yield each


def _reference(child: KeyTable, parent: KeyTable, key: Columns, names_table: bool) -> Guess | None:
    own = {_plain(name): name for name in child.families}
    columns = tuple(own.get(_plain(column), "") for column in key)
    if len(set(columns)) < len(key):
        # Two columns of the key have the same name once normalized.
        return None
    if child is parent or child.is_view or "" in columns or not child.declared.isdisjoint(columns):
        return None
    if any(child.families[one] != parent.families[other] for one, other in zip(columns, key, strict=True)):
        return None
    keys = [set(each) for each in child.keys]
    is_detail = any(each > set(columns) for each in keys)
    if not is_detail and any(not each.isdisjoint(columns) and len(each) > 1 for each in keys):
        # The columns are a key of the same shape, or part of a key to something else.
        return None
    if not is_detail and not names_table:
        return None
    pair = KeyPair(child.name, columns, parent.name, key)
    return guess(pair, DETAIL if is_detail else WHOLE, "name", parent.name)


def _is_own_part(column: str, parent: KeyTable) -> bool:
    """Whether a column distinguishes rows of its table, rather than being a reference to a table that is not known."""
    words = words_of(column)
    if is_surrogate(words):
        return _names_table(column, parent)
    return is_key_like(words) or (words[-1:] != () and words[-1] in _ORDINALS)


def _names_table(column: str, parent: KeyTable) -> bool:
    """Whether a column is named like the table, or has a word of its name that is not the first, as modules are."""
    words = words_of(column)
    own = parent.words[1:] if len(parent.words) > 1 else parent.words
    return parent.words == words or not set(words[:-1]).isdisjoint(own)


def _plain(name: str) -> str:
    return glue(words_of(name))
