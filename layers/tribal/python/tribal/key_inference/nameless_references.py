"""Guesses from names without a key word, for values to confirm: `home_airport`, or the `state_name` of `state`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from tribal.key_inference.guesses import Guess, guess
from tribal.key_inference.name_words import glue, is_key_like, is_plural, words_of
from tribal.key_inference.overlap import KeyPair
from tribal.key_inference.references import BY_A_PART, Directory
from tribal.key_inference.tables import KeyTable

# Labels by judgement, like those of `references`.
NAMED_AFTER = 0.55
"""Confidence if a table without a key has a column named like the table plus a word that need not be a key word."""
ENDS_WITH_A_NAME = 0.5
"""Confidence if other words come before a table's name, and no key word after it."""
COMES_FIRST = 0.5
"""Confidence if the first column of a table without a key has a multi-word name that other tables have too."""
_SHARED_BY = 12
"""The most tables that may have a column of that name. By judgement."""


def nameless_references(
    tables: Sequence[KeyTable], directory: Directory, around: Sequence[Directory]
) -> Iterator[Guess]:
    """Guesses for columns that end with a table's name and no key word, such as `home_airport`.

    Args:
        tables: tables of one schema.
        directory: what can be referenced there.
        around: directories of related schemas, used where the own schema has no match.
    """
    for table in tables:
        for column in () if table.is_view else table.free:
            words = words_of(column)
            if len(words) > 1 and words[-1].isdigit():
                words = words[:-1]
            if is_key_like(words) or is_plural(column):
                # A number with a plural name is a count.
                continue
            for name in (words, words[-1:]):
                found = directory.called(name) or [one for other in around for one in other.called(name)]
                if len(found) == 1 and found[0].table is not table and found[0].family == table.families[column]:
                    is_sure = name == words and len(words) > 1 and found[0].family != "text"
                    confidence = BY_A_PART if is_sure else NAMED_AFTER if name == words else ENDS_WITH_A_NAME
                    pair = KeyPair(table.name, (column,), found[0].table.name, (found[0].column,))
                    yield guess(pair, confidence, "name", found[0].table.name)
                if found:
                    break


def named_after_references(tables: Sequence[KeyTable]) -> Iterator[Guess]:
    """Guesses for tables without a key that share a column with others, such as `state_name` of `state`."""
    bearing: defaultdict[tuple[str, str], list[tuple[KeyTable, str]]] = defaultdict(list)
    for table in tables:
        for column in table.free:
            bearing[glue(words_of(column)), table.families[column]].append((table, column))
    for parent in tables:
        if parent.is_view or parent.singles or parent.keys:
            continue
        for column, family in parent.families.items():
            if confidence := _as_key(parent, column):
                alike = bearing[glue(words_of(column)), family]
                for table, name in alike if len(alike) <= _SHARED_BY else ():
                    if table is not parent and not table.is_view:
                        pair = KeyPair(table.name, (name,), parent.name, (column,))
                        yield guess(pair, confidence, "name", parent.name)


def _as_key(table: KeyTable, column: str) -> float:
    """The confidence that this column is the key of a table without a declared one."""
    words = words_of(column)
    if len(words) < 2:
        return 0.0
    if words[:-1] in table.called:
        return NAMED_AFTER
    return COMES_FIRST if column == table.outline.columns[0].name else 0.0
