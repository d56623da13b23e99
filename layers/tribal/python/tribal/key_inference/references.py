"""Columns whose names are unambiguous references to the key of another table."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from posixpath import commonprefix

from tribal.key_inference.guesses import Guess, guess
from tribal.key_inference.name_words import (
    SURROGATES,
    Words,
    glue,
    is_key_like,
    is_specific,
    is_surrogate,
    words_of,
)
from tribal.key_inference.overlap import KeyPair
from tribal.key_inference.tables import KeyTable, ReferenceCandidate

# Labels by judgement; only their order, and whether they are above `LIKELY`, matters.
EXACT = 0.95
"""Confidence if a column is named like the key of exactly one table, or like that table plus its key."""
IN_A_ROLE = 0.9
"""Confidence if other words come before such a name."""
BY_A_PART = 0.85
"""Confidence if the name has only part of the table's name, or the table has no declared key or is in another
schema."""

_OTHER_SYSTEM = frozenset("external ext foreign imported import legacy old remote upstream".split())
"""Words for ids of another system."""
_MOST_HOLDERS = 50
"""The most tables that may share a key name or a table name. By judgement: a more common name means nothing."""
_PARENT = "parent"
_MOST = 0.5
_MODULE_TABLES = 3
"""Minimum number of tables that begin with a word before it counts as a module name. By judgement."""


@dataclass(frozen=True)
class Parent:
    """A column that can be referenced by itself."""

    table: KeyTable
    column: str

    @property
    def family(self) -> str:
        """The family of the column's type."""
        return self.table.families[self.column]


@dataclass(frozen=True)
class Match:
    """What a name can mean: one parent, or several equally likely ones."""

    parents: Sequence[Parent]
    confidence: float
    role: Words = ()
    is_own_name: bool = False
    """Whether the name equals that of the key."""


class Directory:
    """The referenceable columns of some tables, by the names that other tables use for them."""

    def __init__(self, tables: Sequence[KeyTable]) -> None:
        self._by_key: defaultdict[str, list[Parent]] = defaultdict(list)
        self._by_name: defaultdict[str, dict[str, KeyTable]] = defaultdict(dict)
        self._by_part: defaultdict[str, dict[str, KeyTable]] = defaultdict(dict)
        kept = [table for table in tables if not table.is_view]
        self._own_names = {table.own_name for table in kept}
        self._by_ending: defaultdict[str, list[KeyTable]] = defaultdict(list)
        self._modules = _modules(kept, self._own_names)
        letters = commonprefix([table.column_letters for table in kept if table.column_letters])
        for table in kept:
            self._add(table, letters)

    def _add(self, table: KeyTable, letters: str) -> None:
        for column in table.singles:
            words, own = words_of(column), table.own_words(column)
            is_meant = column == table.primary and (is_key_like(words) or _extends_name(words, table))
            if is_specific(words) and (is_meant or table.is_own_key(column)):
                self._by_key[glue(words)].append(Parent(table, column))
                if own != words and is_specific(own) and is_key_like(own):
                    self._by_key[glue(own)].append(Parent(table, column))
        for words in table.called:
            self._by_name[glue(words)][table.name] = table
        for start in _starts(table, letters):
            # In `vm_pool_map`, `vm` is not short for the table but for what many tables are about.
            if start not in self._modules:
                self._by_part[start][table.name] = table
        for first in range(1, len(table.words)):
            self._by_ending[glue(table.words[first:])].append(table)

    @property
    def keys(self) -> Collection[str]:
        """The names of the keys, without separators."""
        return self._by_key.keys()

    def holders(self, column_words: Words) -> Sequence[Parent]:
        """The keys with exactly this name."""
        found = self._by_key.get(glue(column_words), ())
        return found if len(found) <= _MOST_HOLDERS else ()

    def is_table(self, words: Words) -> bool:
        """Whether a table has this name, referenced or not."""
        return glue(words) in self._own_names

    def called(self, words: Words) -> Sequence[Parent]:
        """The primary keys of tables with this name."""
        tables = self._by_name[glue(words)].values() if glue(words) in self._by_name else ()
        primary = ((table, table.primary) for table in tables)
        return [Parent(table, column) for table, column in primary if column is not None]

    def is_related(self, parent: Parent) -> bool:
        """Whether a key's name is related to its table's name, rather than being a reference to another table."""
        words = words_of(parent.column)
        return any(
            name
            and (
                # In `vm_pool_map`, `vm` is what many tables are about.
                (glue(table).startswith(name) and name not in self._modules)
                or name.startswith(glue(table))
                or glue(table).endswith(name)
            )
            for name in {glue(words[:-1]), glue(parent.table.own_words(parent.column)[:-1])}
            for table in parent.table.called
        )

    def match(self, candidate: ReferenceCandidate) -> Match | None:
        """What a column references by its name, using the longest reading that matches."""
        family = candidate.table.families[candidate.column]
        if candidate.is_own_key:
            return _match_of(self.holders(candidate.readings[0]), EXACT, family, own=True)
        matches = (self._match(candidate.table, family, words) for words in candidate.readings)
        return next((found for found in matches if found is not None), None)

    def _match(self, table: KeyTable, family: str, words: Words) -> Match | None:
        if not is_key_like(words):
            holders = self.holders(words)
            return _match_of(holders, EXACT, family, own=True) if holders else None
        for start in range(len(words) - 1):
            role, rest = words[:start], words[start:]
            holders, named = self.holders(rest), self._named(rest, table, whole=not role)
            if holders and (not named or not named[0] or any(map(_owns, holders))):
                return _match_of(holders, IN_A_ROLE if role else EXACT, family, role, own=True)
            if named is not None:
                return _match_of(named[0], IN_A_ROLE if role and named[1] == EXACT else named[1], family, role)
        return None

    def _named(self, rest: Words, table: KeyTable, *, whole: bool) -> tuple[list[Parent], float] | None:
        """The keys of tables with this name, if any."""
        name, word = rest[:-1], rest[-1]
        is_known = glue(name) in self._by_name
        called = [*self._by_name[glue(name)].values()] if is_known else self._called_in_part(glue(name), table)
        if 0 < len(called) <= _MOST_HOLDERS:
            if parents := _called(called, word):
                return parents, EXACT if is_known else BY_A_PART
            if parents := _otherwise_called(called, word):
                return parents, BY_A_PART
        if whole:
            # In `order_line`, `header_id` is the key of `order_header`.
            joined_names = (glue((*table.words[:end], *name)) for end in range(len(table.words) - 1, 0, -1))
            near = next(
                (self._by_name[each] for each in joined_names if each in self._by_name and each != table.own_name), {}
            )
            if parents := _called(near.values(), word):
                return parents, BY_A_PART
        return ([], BY_A_PART) if called else None

    def _called_in_part(self, name: str, table: KeyTable) -> list[KeyTable]:
        """The tables whose column names begin with this name, else the table of the same module that it may abbreviate.

        A module that contains most tables counts as every table's own.
        """
        if name in self._by_part:
            return [*self._by_part[name].values()]
        ending = self._by_ending.get(name, ())
        if len(ending) != 1 or glue(ending[0].words[1:]) != name:
            return []
        share = self._modules.get(ending[0].words[0], 0.0)
        is_shared = share and (share >= _MOST or ending[0].words[:1] == table.words[:1])
        return list(ending) if is_shared else []


def named_references(tables: Sequence[KeyTable], directory: Directory, around: Sequence[Directory]) -> Iterator[Guess]:
    """What free columns of a schema reference by their names; at most one table per column.

    Args:
        tables: tables of one schema.
        directory: what can be referenced there.
        around: directories of related schemas, used where the own schema has no match.
    """
    keys_around = frozenset().union(*(each.keys for each in around))
    for table in tables:
        if table.is_view:
            continue
        for column in table.free:
            if is_parent(table, column):
                yield guess(
                    KeyPair(table.name, (column,), table.name, (table.primary or "",)), BY_A_PART, "name", table.name
                )
                continue
            candidate = ReferenceCandidate.of(table, column)
            found = directory.match(candidate)
            if found is None and not candidate.is_own_key and candidate.may_reference(keys_around):
                there = [each for each in (other.match(candidate) for other in around) if each is not None]
                found = replace(there[0], confidence=BY_A_PART) if len(there) == 1 else None
            if found is not None and (reference := reference_of(table, column, found, directory)) is not None:
                yield reference


def reference_of(table: KeyTable, column: str, found: Match, directory: Directory) -> Guess | None:
    """The key that a column references, if its name is unambiguous."""
    if is_polymorphic(table, column) or not _OTHER_SYSTEM.isdisjoint(found.role):
        return None
    parent = _only(table, found, directory)
    if parent is None or (parent.table is table and not found.role):
        return None
    confidence = BY_A_PART if parent.table.is_implied else found.confidence
    if found.role not in ((), table.words) and not found.is_own_name and directory.is_table(found.role):
        # `order_item_id` may be the key of an item, or of something without a table here.
        return None
    pair = KeyPair(table.name, (column,), parent.table.name, (parent.column,))
    return guess(pair, confidence, "name", parent.table.name)


def is_parent(table: KeyTable, column: str) -> bool:
    """Whether a column references the parent row in the same table; it may be null."""
    words, primary = words_of(column), table.primary
    if len(words) < 2 or not is_surrogate(words) or primary is None:
        return False
    named = words[:-1] in (
        (_PARENT,),
        *((_PARENT, *name) for name in table.called),
        *((*n, _PARENT) for n in table.called),
    )
    fits = table.families[column] == table.families[primary] and is_surrogate(words_of(primary))
    return named and fits and column in table.nullable and not is_polymorphic(table, column)


def is_polymorphic(table: KeyTable, column: str) -> bool:
    """Whether another column holds the table that an id belongs to, as `owner_type` does for `owner_id`."""
    words = words_of(column)
    if len(words) < 2 or not is_surrogate(words):
        return False
    return words[:-1] in table.kinds


def _only(table: KeyTable, found: Match, directory: Directory) -> Parent | None:
    """The intended parent among those whose key has the same name."""
    if found.role:
        only = found.parents[0] if len(found.parents) == 1 else _owner(found.parents)
        return only if only is None or not found.is_own_name or directory.is_related(only) else None
    others = [parent for parent in found.parents if parent.table is not table]
    is_holder = len(others) < len(found.parents)
    owner = _owner(found.parents)
    if owner is not None and owner.table is table:
        return None
    if owner is not None:
        # A table named after the owner, such as `customer_detail`, only extends it.
        others = [one for one in others if one is owner or not _is_about(one.table, owner.table)]
    is_sure = owner is not None or not found.is_own_name or (not is_holder and all(map(directory.is_related, others)))
    return others[0] if len(others) == 1 and is_sure else _mentioned(table, others)


def _owner(parents: Sequence[Parent]) -> Parent | None:
    """The parent whose table is named like its key."""
    owners = [parent for parent in parents if _owns(parent)]
    return owners[0] if len(owners) == 1 else None


def _owns(parent: Parent) -> bool:
    words = words_of(parent.column)
    return any(glue(words) == glue(name) or glue(words[:-1]) == glue(name) for name in parent.table.called)


def _is_about(table: KeyTable, other: KeyTable) -> bool:
    return table.own_name != other.own_name and table.own_name.startswith(other.own_name)


def _mentioned(table: KeyTable, parents: Sequence[Parent]) -> Parent | None:
    """The parent whose table name the table's own name begins or ends with; the longest of several."""
    name = table.own_name
    mentioned = [
        parent
        for parent in parents
        if parent.table.own_name and (name.startswith(parent.table.own_name) or name.endswith(parent.table.own_name))
    ]
    longest = max((len(parent.table.own_name) for parent in mentioned), default=0)
    best = [parent for parent in mentioned if len(parent.table.own_name) == longest]
    return best[0] if len(best) == 1 else None


def _match_of(
    parents: Iterable[Parent], confidence: float, family: str, role: Words = (), *, own: bool = False
) -> Match | None:
    """A match with the parents of a compatible type; with another type, the name means something else."""
    fitting = [parent for parent in parents if parent.family == family]
    return Match(fitting, confidence, role, own) if fitting else None


def _called(tables: Iterable[KeyTable], word: str) -> list[Parent]:
    """The keys that a name with this key word refers to if it begins with the names of their tables."""
    found = []
    for table in tables:
        plain = (column for column in table.singles if _is_meant(table.own_words(column), word))
        column = next(plain, None)
        if column is not None:
            found.append(Parent(table, column))
    return found


def _is_meant(own: Words, word: str) -> bool:
    return len(own) == 1 and (own[0] == word or (own[0] in SURROGATES and word in SURROGATES))


def _otherwise_called(tables: Iterable[KeyTable], word: str) -> list[Parent]:
    """The primary keys of tables that have another key word, if no other column of theirs is meant."""
    return [
        Parent(table, table.primary)
        for table in tables
        if table.primary is not None and word in SURROGATES and is_surrogate(words_of(table.primary))
    ]


def _extends_name(words: Words, table: KeyTable) -> bool:
    """Whether a name begins with the table's name and continues."""
    own = table.own_name
    return bool(own) and glue(words).startswith(own)


def _starts(table: KeyTable, letters: str) -> Iterator[str]:
    """Prefixes shared by all columns, as an abbreviation of the table's name."""
    start = table.column_start
    found = [glue(start[first:]) for first in range(len(start))]
    if table.column_letters:
        found += [table.column_letters.lower(), table.column_letters.removeprefix(letters).lower()]
    return (each for each in found if each and each != table.own_name)


def _modules(tables: Sequence[KeyTable], own_names: set[str]) -> Mapping[str, float]:
    """Words that several table names begin with and that are not tables themselves, with the share of such tables."""
    firsts = Counter(words[0] for table in tables if len(words := table.called[-1]) > 1)
    known = own_names.union(glue(words) for table in tables for words in table.called)
    return {
        word: count / len(tables) for word, count in firsts.items() if count >= _MODULE_TABLES and word not in known
    }
