"""Sentences of an answer: handles are checked as placeholders and published as the names they refer to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from tribal.identity.table_names import format_name
from tribal.text_checks.shown import Handle

HANDLE = "\ufffc"
"""Replaces a handle while a sentence is checked."""

_SPACES = re.compile(r"\s+")
# No sentence ends after these.
_SHORT = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|nr|z\.B|d\.h|bzw|ca|p\.ex)|\b[^\W\d_])\.\Z", re.IGNORECASE
)
_END = re.compile(r"(?<=[.!?\u2026])\s+(?=[^\W_a-z]|[\[\"'(\u00ab\u201c\u201e])|(?<=[\u3002\uff01\uff1f])|\n+")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line."""
    found: list[str] = []
    position = 0
    for end in _END.finditer(text):
        if "\n" not in end.group() and _SHORT.search(text, position, end.start()):
            continue
        found.append(text[position : end.start()])
        position = end.end()
    found.append(text[position:])
    return [line for each in found if (line := _SPACES.sub(" ", each).strip())]


def ends_in_abbreviation(text: str) -> bool:
    """Whether a text ends in a short form such as "e.g.", after which a sentence goes on."""
    return _SHORT.search(text) is not None


def plain(text: str) -> str:
    """A sentence normalised for the checks (NFKC)."""
    return unicodedata.normalize("NFKC", text)


_LIST = re.compile(r"\[\s*((?:[tcv]\d{1,5})(?:\s*(?:,|and)\s*[tcv]\d{1,5})*)\s*\]")
_ONE = re.compile(r"[tcv]\d{1,5}")
_PLAIN_NAME = re.compile(r"[^\W\d][\w$]{0,62}\Z")
_PLAIN_VALUE = re.compile(r"[^\W_](?:[\w /+-]{0,22}[\w+])?\Z")
"""The length of the longest code in samples."""
_MOST_WORDS = 3
_MOST_DIGITS = 2


def hide_handles(sentence: str) -> str:
    """The sentence with each handle replaced by a placeholder."""
    return _LIST.sub(HANDLE, sentence)


def handles_in(sentence: str) -> list[str]:
    """The handles of a sentence, without brackets."""
    return [handle for found in _LIST.finditer(sentence) for handle in _ONE.findall(found[1])]


def fill_handles(sentence: str, shown: Callable[[str], str]) -> str:
    """The sentence with each handle replaced by its `shown` text."""
    return _LIST.sub(lambda found: ", ".join(map(shown, _ONE.findall(found[1]))), sentence)


def written(handle: Handle) -> str:
    """A name as in SQL, or a value in quotes."""
    return f"'{handle.parts[0]}'" if handle.kind == "value" else format_name(handle.parts)


def is_plain(handle: Handle) -> bool:
    """Whether a name has plain identifiers, or a value is a code or a few words; anything else may be a message."""
    if handle.kind != "value":
        return all(map(_PLAIN_NAME.match, handle.parts))
    (value,) = handle.parts
    few = len(value.split()) <= _MOST_WORDS and sum(map(str.isdigit, value)) <= _MOST_DIGITS
    return few and _PLAIN_VALUE.match(value) is not None
