"""Reads references that the comment on a column states, such as "FK to account.id" or "the id of the customer"."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from tribal.key_inference.guesses import Guess, column_name, guess
from tribal.key_inference.name_words import glue, words_of
from tribal.key_inference.overlap import KeyPair
from tribal.key_inference.tables import KeyTable

Comments = Mapping[tuple[str, str], str]
"""By fully qualified table and column."""
TOLD = 0.97
"""Confidence if the comment on a column names what it references. A label by judgement."""

_NAME = r"[\"`\[]?\w+[\"`\]]?"
_TARGET = rf"(?P<name>{_NAME}(?:\.{_NAME}){{0,3}})(?:\s*\(\s*(?P<inside>{_NAME})\s*\))?"
_ARTICLE = r"(?:(?:the|a|an|our|table|column|field)\s+)*"
_OF_A_TABLE = rf"(?:(?P<column>{_NAME})\s+(?:column\s+)?(?:of|in|from)\s+{_ARTICLE})?"
_TO = r"(?:->|=>|→|\b(?:to|of|for|on|into|references)\b)[\s:]*"
_KEY = rf"\b(?:fk|foreign\ key)\b[\s:(]*(?:{_TO})?\(?"
_REFERENCE = rf"\b(?:ref|reference)\b[\s:]*{_TO}|\bref:|->|=>|→"
_VERB = r"\b(?:references|referencing|see|(?:refers?|points?|links?|joins?)\s+(?:to|at|with|on))\b:?"
_STATED = re.compile(rf"(?:(?P<key>{_KEY})|{_REFERENCE}|{_VERB})\s*{_ARTICLE}{_OF_A_TABLE}{_TARGET}", re.IGNORECASE)
_OR = re.compile(rf"\s*(?:\bor\b|\band\b|/|,)\s*{_ARTICLE}{_OF_A_TABLE}{_TARGET}", re.IGNORECASE)
_GOES_ON = re.compile(
    r"\s*['\u2019]|\s+(?!(?:tables?|records?|rows?|on|and|or|if|when|for|by|via|with|as)\b)\w", re.IGNORECASE
)
"""After the bare name of a table: it is only a word of a sentence, as in "refers to order processing"."""
_SENTENCE = re.compile(r"[.;!?](?=\s|$)|\n")
_DENIED = re.compile(
    r"(?:\b(?:not?|never|without|cannot)|n['\u2019]t)\s+(?:\w+\s+){0,2}?"
    r"(?:longer|fk|foreign|refer\w*|point\w*|link\w*|keys?|constraint|join\w*)\b"
    r"|\b(?:formerly|previously|former|once|obsolete|deprecated|used\sto)\b|\bwas\s+(?:an?\s+)?(?:fk|foreign|reference)",
    re.IGNORECASE,
)


def told_references(tables: Sequence[KeyTable], comments: Comments) -> Iterator[Guess]:
    """References of columns without a declared key that their comments state; none if a comment names several."""
    if not comments:
        return
    known = _Known(tables)
    for table in tables:
        for column, family in table.families.items():
            if column in table.declared or table.is_view:
                continue
            stated = set(_stated(comments.get((table.name, column), ""), table, known))
            targets = [each for each in stated if each != (table.name, column)]
            if len(targets) == 1 and known.by_name[targets[0][0]].families.get(targets[0][1]) == family:
                ((parent, referenced),) = targets
                pair = KeyPair(table.name, (column,), parent, (referenced,))
                yield guess(pair, TOLD, "told", column_name(table.name, column))


def _stated(comment: str, table: KeyTable, known: _Known) -> Iterator[tuple[str, str]]:
    """What a comment says the column references, as far as it exists."""
    if _DENIED.search(comment):
        return
    for sentence in _SENTENCE.split(comment):
        for found in _STATED.finditer(sentence):
            is_bare = not (found["inside"] or found["column"] or "." in found["name"])
            is_vague = is_bare and not found["key"]
            if is_vague and (_GOES_ON.match(sentence, found.end()) or found[0].lower().startswith("see")):
                continue
            others = _OR.match(sentence, found.end())
            yield from filter(None, (known.target(each, table) for each in (found, others) if each))


class _Known:
    """Tables and their columns by the names that people write."""

    def __init__(self, tables: Sequence[KeyTable]) -> None:
        self.by_name = {table.name: table for table in tables if not table.is_view}
        self._exact: defaultdict[str, list[KeyTable]] = defaultdict(list)
        self._called: defaultdict[str, list[KeyTable]] = defaultdict(list)
        for table in self.by_name.values():
            self._exact[table.outline.table.lower()].append(table)
            for words in table.called:
                self._called[glue(words)].append(table)

    def target(self, found: re.Match[str], near: KeyTable) -> tuple[str, str] | None:
        """The table and column that are meant, if they exist and no others may be meant; `near` comes first."""
        parts = [part.strip('"`[]') for part in found["name"].split(".")]
        column = found["inside"] or found["column"]
        readings = [(parts, column.strip('"`[]'))] if column else [(parts, None), (parts[:-1], parts[-1])]
        for name, referenced in readings:
            table = self._table(name, near) if name else None
            key = table and _column(table, referenced)
            if table and key:
                return table.name, key
        return None

    def _table(self, parts: Sequence[str], near: KeyTable) -> KeyTable | None:
        named = (self._exact.get(parts[-1].lower(), ()), self._called.get(glue(words_of(parts[-1])), ()))
        found = next(filter(None, ([each for each in some if _is_in(each, parts[:-1])] for some in named)), [])
        found = [table for table in found if table.schema == near.schema] or found
        return found[0] if len(found) == 1 else None


def _is_in(table: KeyTable, schema: Sequence[str]) -> bool:
    return not schema or table.schema.lower() == schema[-1].lower()


def _column(table: KeyTable, name: str | None) -> str | None:
    """The key that is meant: the named column, or the primary key."""
    if name is None:
        return table.primary
    keys = table.singles if table.keys else table.families
    return next((column for column in keys if column.lower() == name.lower()), None)
