"""Keys of several columns, which are referenced as a whole or not at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from tribal.key_inference.guesses import Guess, guess
from tribal.key_inference.name_words import KEY_WORDS, glue, words_of
from tribal.key_inference.overlap import KeyPair
from tribal.key_inference.references import is_polymorphic
from tribal.key_inference.tables import Columns, KeyTable

DETAIL = 0.9
"""Confidence if the key of a table goes on where that of another ends. A label by judgement, as that below."""
WHOLE = 0.85
"""Confidence if a table has columns of the names of all columns of another's key."""
_ORDINALS = frozenset("line position rank revision seq sequence version".split())
"""Words for what tells the rows of one thing apart, as key words do."""
_SHARED_BY = 50
"""The most tables that may have a column of the rarest name of a key. By judgement: it bounds the time."""


def composite_references(tables: Sequence[KeyTable], referenced: Collection[tuple[str, str]]) -> Iterator[Guess]:
    """What tables reference with several columns at once.

    A key all of whose columns are keys of other tables is none to be referenced: those others are.

    Args:
        tables: tables of one schema.
        referenced: columns that reference another table each by itself, as table and column.
    """
    found: defaultdict[tuple[str, Columns], list[Guess]] = defaultdict(list)
    for each in _references(tables, referenced):
        found[each.pair.from_table, each.pair.from_columns].append(each)
    for rivals in found.values():
        most = max(each.confidence for each in rivals)
        best = [each for each in rivals if each.confidence == most]
        yield from best if len(best) == 1 else ()


def _references(tables: Sequence[KeyTable], referenced: Collection[tuple[str, str]]) -> Iterator[Guess]:
    bearing: defaultdict[str, list[KeyTable]] = defaultdict(list)
    for table in tables:
        for name in table.families:
            bearing[_plain(name)].append(table)
    for parent in tables:
        for key in parent.composites:
            own_parts = [column for column in key if (parent.name, column) not in referenced]
            if not any(map(_tells, own_parts)) or any(is_polymorphic(parent, column) for column in key):
                continue
            rarest = min((bearing[_plain(column)] for column in key), key=len)
            if len(rarest) <= _SHARED_BY:
                for child in rarest:
                    each = _reference(child, parent, key, any(_says(column, parent) for column in own_parts))
                    if each is not None:
                        yield each


def _reference(child: KeyTable, parent: KeyTable, key: Columns, says: bool) -> Guess | None:
    own = {_plain(name): name for name in child.families}
    columns = tuple(own.get(_plain(column), "") for column in key)
    if len(set(columns)) < len(key):
        # Two names of the key read alike.
        return None
    if child is parent or child.is_view or "" in columns or not child.declared.isdisjoint(columns):
        return None
    if any(child.families[one] != parent.families[other] for one, other in zip(columns, key, strict=True)):
        return None
    keys = [set(each) for each in child.keys]
    is_detail = any(each > set(columns) for each in keys)
    if not is_detail and any(not each.isdisjoint(columns) and len(each) > 1 for each in keys):
        # It is a key of the same shape, or a part of it tells the rows of something else apart.
        return None
    if not is_detail and not says:
        return None
    pair = KeyPair(child.name, columns, parent.name, key)
    return guess(pair, DETAIL if is_detail else WHOLE, "name", parent.name)


def _tells(column: str) -> bool:
    """Whether a column is named as parts of keys are."""
    words = words_of(column)
    return bool(words) and (words[-1] in KEY_WORDS or words[-1] in _ORDINALS)


def _says(column: str, parent: KeyTable) -> bool:
    """Whether a column's name also says of what table it is the key."""
    return not set(words_of(column)[:-1]).isdisjoint(parent.words)


def _plain(name: str) -> str:
    return glue(words_of(name))
