"""Forms that no description may contain: markup, addresses, code, quotes and identifiers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from tribal.sql.visibility import is_visible

MAX_SENTENCE_CHARS = 400
MAX_WORD_CHARS = 40
"""A judgement: longer than ordinary words, shorter than most tokens and hashes."""

# These join letters in some scripts; next to ASCII they only hide something.
_JOINERS = "\u200c\u200d"
_MIXED = re.compile(r"[A-Za-z][\u0370-\u052f]|[\u0370-\u052f][A-Za-z]")
_MARKUP = re.compile(r"[<>`*|#{}\\~^\[\]]|&#?\w+;|__|[-=]{2,}|^\s*[-+\u2022\u00b7]\s")
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]*:(?=\S)|@|\bwww\b|\b(?:dot|punkt|punto|point)\s+(?:com|org|net|io|dev|info|example)\b"
    r"|//|(?:^|[\s(])[.~]?/(?=\S)|\w/\w+/|\b\w+\.(?:com|org|net|io|dev|info|example|local|test|invalid)\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\$|;\s*(?:$|\S(?<!\s\S))|\w\((?!e?s\))|!=|/\*|\|\||(?<!\w)--?[A-Za-z]"
    r"|\b(?:SELECT|INSERT|UPDATE|DELETE|DROP|ALTER|CREATE|TRUNCATE|GRANT|REVOKE|FROM|WHERE|JOIN|UNION|HAVING"
    r"|EXEC|EXECUTE|CASCADE)\b"
)
_SQL = re.compile(
    r"\bselect\s+(?:\S+\s+){1,8}from\b|\binsert\s+into\b|\bdelete\s+from\b|\bunion\s+(?:all|select)\b|\border\s+by\b"
    r"|\bgroup\s+by\b|\b(?:drop|truncate|alter|create)\s+(?:table|view|schema|database|index|user|role|column|function)\b"
    r"|\bupdate\s+\S+\s+set\b|\b(?:inner|outer|left|right|cross|natural)\s+join\b"
    r"|\b(?:grant|revoke)\s+(?:all|select|insert|update|delete)\b|\b(?:sudo|curl|wget|chmod|bash|powershell|psql)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"[\"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\u300c-\u300f\u201a\u201b\u2018]|(?<![^\W_])['\u2019](?=\S)"
)
_ABBREVIATED = re.compile(r"\b(?:[^\W\d_]\.){2,}|\b(?:[^\W\d_]\.)+[^\W\d_]\b")
_IDENTIFIER = re.compile(
    r"_|[^\W\d_]\.(?=[^\W\d_])|\ufffc\.(?=\S)|\w\.\ufffc|[a-z\u00df-\u00ff](?=[A-Z])|\b[tcv]\d+\b|\w\ufffc|\ufffc\w"
)


def broken_forms(sentence: str) -> Iterator[str]:
    """The rules that a sentence's form breaks, in order. Handles are already replaced."""
    if not all(map(_is_allowed, sentence, sentence[1:] + " ", " " + sentence)) or _MIXED.search(sentence):
        yield "character"
    if len(sentence) > MAX_SENTENCE_CHARS or any(len(word) > MAX_WORD_CHARS for word in sentence.split()):
        yield "length"
    bare = _ABBREVIATED.sub(" ", sentence)
    for rule, patterns in _RULES:
        if any(pattern.search(bare) for pattern in patterns):
            yield rule


def is_identifier(name: str) -> bool:
    """Whether a name does not read as a word or words."""
    return _IDENTIFIER.search(name) is not None


_RULES = (
    ("address", (_ADDRESS,)),
    ("markup", (_MARKUP,)),
    ("code", (_CODE, _SQL)),
    ("quoted", (_QUOTED,)),
    ("identifier", (_IDENTIFIER,)),
)


def _is_allowed(char: str, after: str, before: str) -> bool:
    if char in _JOINERS:
        return not before.isascii() and not after.isascii()
    if unicodedata.category(char) == "Cn":
        return False
    # Combining marks may pile up over lines above and below.
    return is_visible(char) and not (unicodedata.combining(char) and unicodedata.combining(before))
