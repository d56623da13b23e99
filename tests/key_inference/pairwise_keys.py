"""Keys inferred by comparing every column with every table: slow, and plainly what `alike_columns` must find."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from tribal.joins.outline import TableOutline
from tribal.key_inference.similar_names import SAME_NAME, SHARED, WITH_A_ROLE
from tribal.naming import split_identifier, stem
from tribal.sql.type_families import key_family

KEY_WORDS = frozenset(map(stem, ("id", "key", "code", "no", "nr", "num", "uid", "uuid", "guid")))
MOST_ALIKE = 12

Words = tuple[str, ...]
Column = tuple[str, str, Words, str]
"""Table, name, words and family of types."""
Parent = tuple[Words, Column, dict[str, Column]]
"""Words of the table, its key, and its columns of one key word."""


def pairwise_keys(tables: Sequence[TableOutline]) -> dict[tuple[str, str, str, str], float]:
    """The confidence in each key: table and column, referenced table and column."""
    parents = [parent for table in tables if (parent := _parent(table)) is not None]
    own = {parent[1][:2] for parent in parents}
    keyless = {table.name for table in tables if not table.primary_key and not _uniques(table)}
    guesses: list[tuple[Column, Column, float]] = []
    unmatched: defaultdict[tuple[Words, str], list[Column]] = defaultdict(list)
    for table in tables:
        foreign = {column.name for column in table.columns if column.is_foreign_key}
        for column in _columns(table):
            if column[1] in foreign or not column[2]:
                continue
            found = _likeliest(column, parents)
            guesses += found
            is_unsure = all(target[0] in keyless for _, target, _ in found)
            if (not found or column[:2] in own or is_unsure) and _is_specific(column[2]):
                unmatched[column[2:]].append(column)
    for alike in unmatched.values():
        if len(alike) <= MOST_ALIKE:
            guesses += [(one, other, SHARED) for one, other in combinations(alike, 2) if one[0] != other[0]]
    best: dict[frozenset[tuple[str, str]], tuple[Column, Column, float]] = {}
    for child, target, confidence in guesses:
        ends = frozenset((child[:2], target[:2]))
        if ends not in best or confidence > best[ends][2]:
            best[ends] = child, target, confidence
    return {(*child[:2], *target[:2]): confidence for child, target, confidence in best.values()}


def _likeliest(column: Column, parents: Sequence[Parent]) -> list[tuple[Column, Column, float]]:
    found = []
    for parent in parents:
        confidence, referenced = _referenced(column[2], parent)
        if parent[1][0] != column[0] and confidence and referenced[3] == column[3]:
            found.append((confidence, bool({*parent[0]} & {*column[2]}), referenced))
    best = max((rank for *rank, _ in found), default=None)
    return [(column, referenced, rank[0]) for *rank, referenced in found if rank == best]


def _referenced(words: Words, parent: Parent) -> tuple[float, Column]:
    table, key, codes = parent
    if words == key[2] and _is_specific(words):
        return SAME_NAME, key
    if not _is_key_like(words):
        return 0.0, key
    called = codes.get(words[-1], key)
    for name in (table, table[-1:]):
        if words[:-1] == name:
            return SAME_NAME, called
        if words[-1 - len(name) : -1] == name:
            return WITH_A_ROLE, called
    if len(key[2]) > 2 and words[0] == key[2][0] and words[-len(key[2]) + 1 :] == key[2][1:]:
        return WITH_A_ROLE, key
    return 0.0, key


def _parent(table: TableOutline) -> Parent | None:
    columns = {column[1]: column for column in _columns(table)}
    keys = [table.primary_key] if table.primary_key else table.unique_keys
    single = [key.columns[0] for key in keys if len(key.columns) == 1]
    names, words = [column.name for column in table.columns], _words(table.table)
    if not single and not table.primary_key:
        single = [name for name in names if _is_named_after(_words(name), words)]
        single += [name for name in names[:1] if _is_key_like(_words(name))]
    key = columns.get(next((name for name in single if name in names), ""))
    if key is None:
        return None
    return words, key, {each[2][0]: each for each in columns.values() if len(each[2]) == 1 and each[2][0] in KEY_WORDS}


def _uniques(table: TableOutline) -> list[str]:
    """The columns that are unique alone and of a type in which keys are kept."""
    typed = {column[1] for column in _columns(table)}
    return [key.columns[0] for key in table.unique_keys if len(key.columns) == 1 and key.columns[0] in typed]


def _is_named_after(column: Words, table: Words) -> bool:
    return column[:-1] in ((), table, table[-1:]) and column[-1:] != () and column[-1] in KEY_WORDS


def _columns(table: TableOutline) -> list[Column]:
    typed = [(column.name, key_family(column.type)) for column in table.columns]
    return [(table.name, name, _words(name), family) for name, family in typed if family is not None]


def _is_specific(words: Words) -> bool:
    return _is_key_like(words) and not set(words) <= KEY_WORDS


def _is_key_like(words: Words) -> bool:
    return bool(words) and (words[-1] in KEY_WORDS or (len(words) == 1 and words[0].endswith("id")))


def _words(name: str) -> Words:
    return tuple(stem(token) for token in split_identifier(name))
