"""Texts that list values which the check or the type of a column does not allow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from tribal.naming import stem
from tribal.text_checks.contradictions.clauses import ARTICLE, NEGATED, PAST, sentences_of
from tribal.text_checks.sentences import plain
from tribal_contracts import DocumentedColumn

_EXAMPLES = re.compile(
    r"\b(?:such as|e\.? ?g\b|for (?:example|instance)|examples?|includ\w+|like|etc|among others|and so on|and others)"
    r"|\.\.\.|\u2026",
    re.IGNORECASE,
)
_CODED = re.compile(
    r"(?:^|[,;.(\n]|: |\b(?:or|and)\b)\s{0,9}(?P<quote>['\"`]?)(?P<code>[\w-]{1,20})(?P=quote)"
    r"(?:\s{0,3}(?P<sign>=>?|->|\u2192|\u2013|:(?=\s)|-(?=\s))\s{0,3}|\s)(?=[^\s=>])",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"(?:^|[,;.:(\n]|\b(?:or|and|otherwise|else)\b)\s{0,9}(?:otherwise )?"
    r"(?P<quote>['\"`])(?P<code>[\w -]{1,20})(?P=quote)"
    r"(?:\s{1,3}(?P<when>if|when|means?)\b|(?=\s{0,3}(?:[,;.)]|\Z)))",
    re.IGNORECASE,
)
_INTRODUCTION = re.compile(
    r"(?:(?:[\w'-]+ ){0,4}?(?:(?:can|may|must)(?: only)? be|is|are|takes|has) (?:always |only )?(?:one of |either )?"
    r"|(?:it's )?(?:always |only )?(?:one of|either) |only |allowed(?: values)?(?: are)? "
    r"|(?:[\w'-]+ ){0,4}?(?:values?|options|choices|states)(?: are)? )(?:the (?:values )?|values )?",
    re.IGNORECASE,
)
_ALLOWED = re.compile(r" (?:are|is) (?:allowed|possible|valid|used|permitted|known)$", re.IGNORECASE)
_ONE_OF = re.compile(r",\s*(?:one of|either) ", re.IGNORECASE)
_ASIDE = re.compile(r"\s*\([^()]*\)")
_ONLY = re.compile(
    r"\b(?:one of|either|only|(?:allowed|valid|possible) (?:values?|options|choices|states))\b", re.IGNORECASE
)
_OR = re.compile(r"\s*(?:,\s*(?:(?:or|and)\s+)?|/|\||\s(?:or|and)\s)\s*", re.IGNORECASE)
_NO_VALUES = frozenset("all any blank both either empty more na neither none null other others unknown unset".split())
_MARKS = re.compile(r"[\s_'\"`.-]+")
_EQUALS = ("=", "=>", "->", "\u2192")
_NO_CODES = frozenset("a i nb note see default todo example values legend warning attention".split())
_ALIKE = 0.75
"""A judgement: spellings such as `canceled` and `cancelled` are more alike than that."""
_SHORT_CODE = 3


def forbidden_values(text: str, column: DocumentedColumn) -> list[str]:
    """The values that a text lists and that the column's type or check does not allow, as written.

    A list counts if it has allowed values too, so that it is one of this column's values.
    """
    allowed = column.allowed_values or ()
    if column.allowed_values_from == "lookup" or not column.allowed_values_complete or _EXAMPLES.search(text):
        return []
    text = plain(text)
    for listed in (
        _codes(text, allowed),
        _quoted(text, allowed),
        *(_enumerated(each, allowed) for each in sentences_of(text)),
    ):
        if outside := _outside(listed, allowed):
            return outside
    return []


def _codes(text: str, allowed: Sequence[str]) -> list[str]:
    """The codes of "1 = walk-in, 2 = phone" or "B business, P private"."""
    parts = [(part, any(_same(part["code"], value) for value in allowed)) for part in _CODED.finditer(text)]
    found = [(part, known) for part, known in parts if known or _is_code(part, allowed)]
    codes = []
    for (part, known), following in zip_longest(found, found[1:]):
        meaning = text[part.end() : following[0].start() if following else len(text)]
        if any(_same(word, value) for word in re.findall(r"[\w-]+", meaning)[:1] for value in allowed):
            # "Married = M"
            return []
        if known or not PAST.search(meaning):
            codes.append(part["code"])
    least = 1 if any(part["sign"] in _EQUALS for part, _ in found) else 2
    return codes if sum(known for _, known in found) >= least else []


def _is_code(coded: re.Match[str], allowed: Sequence[str]) -> bool:
    """Whether the first word of a part is a code: by the sign or the quotes, or written just as the allowed ones."""
    code, sign = coded["code"], coded["sign"]
    if sign in _EQUALS or (sign and coded["quote"]):
        return True
    shapes = {_shape(value) for value in allowed}
    if len(shapes) > 1 or _shape(code) not in shapes or code.lower() in _NO_CODES:
        return False
    return bool(sign) or (code.isupper() and len(code) in {len(value) for value in allowed})


def _shape(value: str) -> str:
    return "digits" if value.isdecimal() else "upper" if value.isupper() else "lower" if value.islower() else value


def _quoted(text: str, allowed: Sequence[str]) -> list[str]:
    """The codes of "'Y' if it is paid, otherwise 'N'": as long as the allowed ones, or some of them."""
    found = list(_QUOTED.finditer(text))
    codes = [match["code"] for match in found]
    if len(codes) < 2 or not any(match["when"] for match in found) or PAST.search(text):
        return []
    lengths = {len(value) for value in (*codes, *allowed)}
    alike = len(lengths) == 1 and max(lengths) <= _SHORT_CODE
    return codes if alike or any(_same(code, value) for code in codes for value in allowed) else []


def _enumerated(sentence: str, allowed: Sequence[str]) -> list[str]:
    """The items of a sentence, or of what follows its colon, that is nothing but a list of mostly allowed values."""
    if PAST.search(sentence) or NEGATED.search(sentence):
        return []
    bare = _ALLOWED.sub("", _ASIDE.sub("", sentence).rpartition(":")[2].strip(" .()"))
    listed = _INTRODUCTION.sub("", _ONE_OF.split(bare)[-1], count=1)
    items = [ARTICLE.sub("", item).strip(" '\"`()") for item in _OR.split(listed)]
    items = [item for item in items if item and _MARKS.sub("", item).lower() not in _NO_VALUES]
    known = [item for item in items if any(_same(item, value) for value in allowed)]
    unknown = [item for item in items if item not in known]
    least = 1 if _ONLY.search(sentence) else 2
    if (
        len(known) < least
        or len(unknown) > len(known)
        or not all(re.fullmatch(r"[\w-]{1,30}", item) for item in unknown)
    ):
        return []
    return items


def _outside(listed: Sequence[str], allowed: Sequence[str]) -> list[str]:
    """The listed values that are not allowed, unless one seems to be another spelling of an allowed one."""
    outside = [item for item in listed if not any(_same(item, value) for value in allowed)]
    unlisted = [value for value in allowed if not any(_same(item, value) for item in listed)]
    return [] if any(_alike(item, value) for item in outside for value in unlisted) else outside


def _same(left: str, right: str) -> bool:
    return _key(left) == _key(right)


def _key(value: str) -> str:
    bare = _MARKS.sub("", value).casefold()
    return bare.lstrip("0") or "0" if bare.isdecimal() else bare


def _alike(left: str, right: str) -> bool:
    one, other = _key(left), _key(right)
    if min(len(one), len(other)) <= _SHORT_CODE:
        return False
    return stem(one) == stem(other) or SequenceMatcher(None, one, other).ratio() >= _ALIKE
