"""Columns whose names suggest an uncertain key: guesses for questions about joins, never published."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, combinations, islice
from typing import NamedTuple

from tribal.joins.outline import TableOutline
from tribal.key_inference.guesses import Guess, guess
from tribal.key_inference.overlap import KeyPair
from tribal.naming import split_identifier, stem
from tribal_contracts import KeyEvidenceKind

# The confidences are labels by judgement (decision 12), all below `LIKELY`; only their order matters.
SAME_NAME = 0.7
"""Confidence if a column is named like another table's key, or like that table plus its key."""
WITH_A_ROLE = 0.6
"""Confidence if other words come before such a name."""
SHARED = 0.5
"""Confidence if two columns look like keys and have the same name, but match no table's key."""

MOST_KEYS = 5_000
"""The most keys that are inferred; names that match the fewest tables come first. By judgement: out
of reach where names mean something, it bounds time and memory where every name fits every table."""
_KEY_COLUMNS = 100
"""The most columns of a table that are taken for keys by their names, in the table's order. By judgement: where more
end like keys, that ending means something else."""
_SHARED_BY = 12
"""The most tables that may share a column name; a more common one, such as `tenant_id`, joins nothing. By judgement."""
_KEY_WORDS = frozenset(map(stem, ("id", "key", "code", "no", "nr", "num", "uid", "uuid", "guid")))

Words = tuple[str, ...]


class _Column(NamedTuple):
    table: str
    name: str
    words: Words
    family: str


_Alike = tuple[_Column, _Column, float]
"""A column, the column that it likely references, and the confidence."""


@dataclass(frozen=True, slots=True)
class _References:
    """The equally likely targets of a column."""

    column: _Column
    referenced: Mapping[str, _Column]
    """By table; the column's own table is skipped."""
    confidence: float

    def __len__(self) -> int:
        return len(self.referenced) - (self.column.table in self.referenced)

    def guesses(self) -> Iterator[_Alike]:
        for table, referenced in self.referenced.items():
            if table != self.column.table:
                yield self.column, referenced, self.confidence


@dataclass(frozen=True, slots=True)
class _SameNameColumns:
    """Columns of the same name and type."""

    columns: Sequence[_Column]

    def __len__(self) -> int:
        return len(self.columns) * (len(self.columns) - 1) // 2

    def guesses(self) -> Iterator[_Alike]:
        for one, other in combinations(self.columns, 2):
            if one.table != other.table:
                yield one, other, SHARED


@dataclass(frozen=True, slots=True)
class _Parent:
    """A table that can be referenced, with its single-column key."""

    words: Words
    """The words of the table's name."""
    key: _Column
    codes: Mapping[str, _Column]
    """Columns named with a single key word, by that word: `setCode` refers to `sets.code`, whatever the primary key."""
    is_declared: bool

    def called(self, word: str) -> _Column:
        """The column that a name ending in this word refers to."""
        return self.codes.get(word, self.key)


def alike_columns(tables: Sequence[TableOutline]) -> list[Guess]:
    """Guess keys between tables of one database from the names of columns without a declared one.

    Every column is looked up by the words of its name, so that the time grows with the columns and the keys found, not
    with the pairs of columns and tables.
    """
    columns = [_key_columns(table) for table in tables]
    found_parents = (_parent(table, own) for table, own in zip(tables, columns, strict=True))
    parents = _Parents([parent for parent in found_parents if parent is not None])
    groups: list[_References | _SameNameColumns] = []
    unmatched: defaultdict[tuple[Words, str], list[_Column]] = defaultdict(list)
    for column in chain.from_iterable(map(_free_columns, tables, columns)):
        found = parents.likeliest(column)
        if found is not None:
            groups.append(found)
        if (found is None or parents.is_key(column) or parents.are_unsure(found)) and _is_specific_key(column.words):
            unmatched[column.words, column.family].append(column)
    shared = [_SameNameColumns(alike) for alike in unmatched.values() if len(alike) <= _SHARED_BY]
    guesses = chain.from_iterable(group.guesses() for group in _clearest([*groups, *shared]))
    return [_guess(*each) for each in _distinct(guesses)]


def _clearest(groups: list[_References | _SameNameColumns]) -> list[_References | _SameNameColumns]:
    """The groups to guess from: all, or those with the fewest possibilities."""
    if sum(map(len, groups)) <= MOST_KEYS:
        return groups
    groups = sorted(groups, key=len)
    totals = accumulate(map(len, groups))
    return [group for group, total in zip(groups, totals, strict=True) if total <= MOST_KEYS]


def _distinct(guesses: Iterable[_Alike]) -> list[_Alike]:
    """Each pair of columns once, with its highest confidence."""
    best: dict[frozenset[tuple[str, str]], _Alike] = {}
    for each in guesses:
        child, parent, confidence = each
        ends = frozenset(((child.table, child.name), (parent.table, parent.name)))
        if ends not in best or confidence > best[ends][2]:
            best[ends] = each
    return list(best.values())


def _key_columns(table: TableOutline) -> Mapping[str, _Column | None]:
    """The columns that are a key or look like one, by name; the value is `None` if no key has such a type."""
    keys = set(_declared_keys(table))
    alike = islice((column.name for column in table.columns if _ends_like_a_key(column.name)), _KEY_COLUMNS)
    compared = keys.union(alike)
    families = {column.name: column.key_family for column in table.columns if column.name in compared}
    return {name: family and _Column(table.name, name, _words(name), family) for name, family in families.items()}


def _declared_keys(table: TableOutline) -> list[str]:
    """The single-column primary key; without a primary key, the unique columns."""
    keys = [table.primary_key] if table.primary_key else table.unique_keys
    return [key.columns[0] for key in keys if len(key.columns) == 1]


def _parent(table: TableOutline, columns: Mapping[str, _Column | None]) -> _Parent | None:
    """Choose the key: the primary key, else a unique column, else a column named like a key."""
    words, single = _words(table.table), _declared_keys(table)
    if not single and not table.primary_key:
        single = [name for name in columns if _is_named_after(_words(name), words)]
        single += [column.name for column in table.columns[:1]]
    key = next((columns[name] for name in single if name in columns), None)
    if key is None:
        return None
    comparable = filter(None, columns.values())
    codes = {one.words[0]: one for one in comparable if len(one.words) == 1 and one.words[0] in _KEY_WORDS}
    return _Parent(words, key, codes, key.name in _declared_keys(table))


def _is_named_after(column: Words, table: Words) -> bool:
    return column[:-1] in ((), table, table[-1:]) and column[-1:] != () and column[-1] in _KEY_WORDS


def _free_columns(table: TableOutline, columns: Mapping[str, _Column | None]) -> list[_Column]:
    """The columns that look like keys and declare none."""
    declared = {column.name for column in table.columns if column.is_foreign_key}
    free = (column for name, column in columns.items() if name not in declared)
    return [column for column in free if column is not None and _is_key_like(column.words)]


class _Parents:
    """Tables that can be referenced, by the words that column names use for them.

    A column is compared with a table in one of four ways, the first that applies: its name is that of the table's key
    (1); it is the table's name, or the last word of that, and a key word (2); the same after other words (3); it begins
    and ends like a key of three or more words (4), such as `sbTxCustId` and `sbCustId` in a schema where every name
    begins with `sb`.
    """

    def __init__(self, parents: Sequence[_Parent]) -> None:
        self._declared = {parent.key.table: parent.is_declared for parent in parents}
        self._own = {(parent.key.table, parent.key.name) for parent in parents}
        self._by_key: defaultdict[Words, list[_Parent]] = defaultdict(list)
        self._by_name: defaultdict[Words, list[_Parent]] = defaultdict(list)
        self._by_last_word: defaultdict[Words, list[_Parent]] = defaultdict(list)
        self._by_key_ends: defaultdict[tuple[str, Words], list[_Parent]] = defaultdict(list)
        self._key_ends: defaultdict[str, set[int]] = defaultdict(set)
        """How many words follow the first word of such keys, by that word."""
        self._columns: dict[tuple[bool, Words, str, str], Mapping[str, _Column]] = {}
        for parent in parents:
            key, name = parent.key.words, parent.words
            self._by_key[key].append(parent)
            self._by_last_word[name[-1:]].append(parent)
            for each in {name, name[-1:]}:
                self._by_name[each].append(parent)
            if len(key) > 2:
                self._by_key_ends[key[0], key[1:]].append(parent)
                self._key_ends[key[0]].add(len(key) - 1)

    def is_key(self, column: _Column) -> bool:
        """Whether a column is the key of its own table."""
        return (column.table, column.name) in self._own

    def are_unsure(self, found: _References) -> bool:
        """Whether none of these tables declares its key."""
        return all(not self._declared[table] for table in found.referenced)

    def likeliest(self, column: _Column) -> _References | None:
        """The most likely targets of a column, preferably in tables that its name mentions."""
        for confidence, referenced in self._ranks(column.words, column.family):
            if len(referenced) > (column.table in referenced):
                return _References(column, referenced, confidence)
        return None

    def _ranks(self, words: Words, family: str) -> Iterator[tuple[float, Mapping[str, _Column]]]:
        """What a key-like column of this name and type may reference, by table, best first."""
        compared: set[str] = set()
        if words in self._by_key or words[:-1] in self._by_name:
            keyed = self._by_key.get(words, ()) if _is_specific_key(words) else ()
            said, unsaid = _by_mention(keyed, words, family)
            compared = {parent.key.table for parent in keyed}
            named = _without(self._called(words[:-1], words[-1], family), compared)
            # A table whose name has no words, such as `_`, is never mentioned.
            yield SAME_NAME, _merged(said, named if words[:-1] else {})
            yield SAME_NAME, _merged(unsaid, {} if words[:-1] else named)
            compared |= {parent.key.table for parent in self._by_name.get(words[:-1], ())}

        role = words[-2:-1] if len(words) > 2 else None
        named = {} if role is None else _without(self._called(role, words[-1], family, whole=False), compared)
        nameless = _without(self._called((), words[-1], family), compared) if len(words) > 1 else {}
        said, unsaid = _by_mention(self._ending_alike(words, role, compared), words, family)
        yield WITH_A_ROLE, _merged(said, named)
        yield WITH_A_ROLE, _merged(unsaid, nameless)

    def _called(self, name: Words, word: str, family: str, *, whole: bool = True) -> Mapping[str, _Column]:
        """Columns of this type that a name ending in `word` refers to, of the tables with this name or last word."""
        by_name = self._by_name if whole else self._by_last_word
        if name not in by_name:
            return {}
        place = whole, name, word, family
        if place not in self._columns:
            columns = (parent.called(word) for parent in by_name[name])
            self._columns[place] = {column.table: column for column in columns if column.family == family}
        return self._columns[place]

    def _ending_alike(self, words: Words, role: Words | None, compared: Collection[str]) -> list[_Parent]:
        """Tables whose key begins and ends like this name, if no other comparison matches."""
        return [
            parent
            for length in sorted(self._key_ends.get(words[0], ()))
            if length <= len(words)
            for parent in self._by_key_ends.get((words[0], words[-length:]), ())
            if parent.key.table not in compared and parent.words and parent.words[-1:] != role
        ]


def _merged(some: Mapping[str, _Column], others: Mapping[str, _Column]) -> Mapping[str, _Column]:
    return {**some, **others} if some and others else some or others


def _without(columns: Mapping[str, _Column], tables: Collection[str]) -> Mapping[str, _Column]:
    if not any(table in columns for table in tables):
        return columns
    return {table: column for table, column in columns.items() if table not in tables}


def _by_mention(
    parents: Collection[_Parent], words: Words, family: str
) -> tuple[dict[str, _Column], dict[str, _Column]]:
    """The keys of this type by table: tables that the name mentions, and the others."""
    if not parents:
        return {}, {}
    said: dict[str, _Column] = {}
    unsaid: dict[str, _Column] = {}
    for parent in parents:
        if parent.key.family == family:
            (unsaid if {*parent.words}.isdisjoint(words) else said)[parent.key.table] = parent.key
    return said, unsaid


def _is_specific_key(words: Words) -> bool:
    """Whether a name shows which table's key it is; plain `id` occurs everywhere."""
    return _is_key_like(words) and not set(words) <= _KEY_WORDS


def _is_key_like(words: Words) -> bool:
    return bool(words) and (words[-1] in _KEY_WORDS or (len(words) == 1 and words[0].endswith("id")))


def _ends_like_a_key(name: str) -> bool:
    """Whether `_is_key_like` holds for the words of a name, found without splitting all of it."""
    before, _, end = name.rpartition("_")
    stems = _stems(end)
    is_last = bool(stems) and (stems[-1] in _KEY_WORDS or any(map(str.isalnum, before)))
    return stems[-1] in _KEY_WORDS if is_last else _is_key_like(_words(name))


def _guess(child: _Column, parent: _Column, confidence: float) -> Guess:
    kind: KeyEvidenceKind = "shared_name" if confidence == SHARED else "name"
    return guess(KeyPair(child.table, (child.name,), parent.table, (parent.name,)), confidence, kind, parent.table)


def _words(name: str) -> Words:
    """The stems of a name, computed by the parts between underscores, which recur more often than whole names."""
    return tuple(chain.from_iterable(map(_stems, name.split("_"))))


@lru_cache(maxsize=16_384)
def _stems(part: str) -> Words:
    return tuple(stem(token) for token in split_identifier(part))
