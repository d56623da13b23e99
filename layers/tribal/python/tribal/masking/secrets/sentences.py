"""Secrets that words announce: `password is …`, `pw=…`, `mot de passe : …`, and what looks chosen near such a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tribal.masking.kinds import SensitiveKind
from tribal.masking.secrets.values import (
    MAX_CHARS,
    has_sign_or_digit,
    is_description,
    is_path_of_names,
    is_reference,
    looks_chosen,
)
from tribal.masking.secrets.words import (
    AMBIGUOUS_WORDS,
    FILLERS,
    KEY_ABBREVIATIONS,
    KEY_WORDS,
    PASSWORD_ABBREVIATIONS,
    PASSWORD_WORDS,
    PREPOSITIONS,
    VERBS,
)
from tribal.naming import is_word

_LONGEST_SENTENCE = 200
"""Characters to each side of an announcing word in which its secret is looked for."""
_LEAST_KEY_CHARS = 8
_LEAST_KEY_ALONE = 12
"""Characters of a key with few digits or none."""


def _any(phrases: tuple[str, ...]) -> str:
    return "|".join(re.escape(phrase).replace(r"\ ", r"\s") for phrase in phrases)


_ANNOUNCED = re.compile(
    rf"(?P<password>{_any(PASSWORD_WORDS)})|(?P<key>{_any(KEY_WORDS)})"
    rf"|(?<![^\W_])(?:(?P<abbreviated>{_any(PASSWORD_ABBREVIATIONS)})|(?P<ambiguous>{_any(AMBIGUOUS_WORDS)})"
    rf"|(?P<short_key>{_any(KEY_ABBREVIATIONS)}))(?![^\W\d_])"
)
_NAMES_ITSELF = re.compile(
    rf"{_any(PASSWORD_WORDS)}|{_any(KEY_WORDS)}|(?:^|[\W_])(?:{_any(PASSWORD_ABBREVIATIONS)})[:=]"
)
_EVERY_WORD = "|".join(
    map(_any, (PASSWORD_WORDS, KEY_WORDS, PASSWORD_ABBREVIATIONS, AMBIGUOUS_WORDS, KEY_ABBREVIATIONS))
)
_REPEATED = re.compile(rf"(?:\w{{0,3}}(?:\s(?:is|was|for|of|to|ist|est|es))?[\s:=_]{{0,3}}(?:{_EVERY_WORD})){{4,}}+")
"""The same word again and again, which is passed over at once."""

_SUFFIX = r"(?P<suffix>(?:[_-]?\w{1,24})?)"
_CLOSE = r"(?:\\?[\"'`\u2019\u201d\u201c\u00bb)\]]){0,2}"
_SIGN = re.compile(
    rf"{_SUFFIX}{_CLOSE}(?P<gap>(?:\s\(?[^\s:=()\[]{{1,30}}\)?){{0,4}}?)(?P<spaced>\s{{0,4}})(?P<sign>==?>?|:=|[:\uff1a](?!:)|\uff1d|->|\u2192|\u21d2|>(?=[^\s<>]{{1,256}}</))"
    r"(?P<space>\s{0,4})"
)
_OF_WHAT = rf"\s(?:{_any(PREPOSITIONS)})\s?(?:[^\s:=\[]{{1,40}}\s){{0,4}}?[^\s:=\[]{{1,40}}"
_FILLED = rf"(?:\s{{1,2}}(?:{_any(FILLERS)})){{0,3}}"
_THEN_VERB = (
    rf"(?:{_FILLED}\s{{1,3}}(?:{_any(VERBS)}){_FILLED}[\s:]\s{{0,3}}"
    r"|\s?[\u662f\u4e3a\u70ba\u306f\ub294\uc740\u304c]\s?)"
)
_VERB = re.compile(rf"(?P<suffix>\w{{0,3}}){_CLOSE}{_THEN_VERB}")
_VERB_AFTER_PHRASE = re.compile(rf"(?P<suffix>\w{{0,3}}){_CLOSE}{_OF_WHAT}{_THEN_VERB}")
_FINNISH = re.compile(r"\son\s+$")
"""A verb in one language, and a preposition in many."""
_QUOTED = re.compile(
    r"\\?[EN]?(?:\"(?P<a>[^\"\n]{1,256})\"|'(?P<b>(?:[^'\n]|''){1,256})'|`(?P<c>[^`\n]{1,256})`"
    r"|\u201e(?P<d>[^\n\u201c\u201d]{1,256})[\u201c\u201d]|\u201c(?P<e>[^\n\u201d]{1,256})\u201d|\u00ab\s?(?P<f>[^\n\u00bb]{1,256}?)\s?\u00bb"
    r"|\u2018(?P<g>[^\n\u2019]{1,256})\u2019|\u300c(?P<h>[^\n\u300d]{1,256})\u300d)"
)
_BARE = re.compile(
    rf"(?:[^\s\"'`;<>\\]|;(?=[^\s=;]{{1,{MAX_CHARS}}}(?:[\s,;)]|$))|[<>](?![/a-z])|[\"'`](?=[^\s,;)\]}}>])|\\(?![\"'n]))"
    rf"{{1,{MAX_CHARS}}}"
)
_IN_QUERY = re.compile(rf"[^\s\"'`;<>&]{{1,{MAX_CHARS}}}")
_REST = re.compile(r"[^\s\"'`;&<>]*")
_SENTENCE_ENDS = re.compile(r"(?<=[\w\])\"'][\w\])\"'])[.!?]\s|\n")
_TOKEN = re.compile(r"\S+")
_NAME_OF_VALUE = re.compile(r"[A-Za-z_][\w.-]{0,40}[=:](?=[^=:])(?!//)")
_AROUND = ".,;:)]}([{\"'`\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb|<>"
_PROSE_FOLLOWS = re.compile(r"\s[a-zà-ÿ]{2,}")


@dataclass(frozen=True, slots=True)
class SentenceRule:
    """Finds what stands behind, or near, a word that announces a secret; time is linear in the text's length."""

    kind: SensitiveKind
    required: tuple[str, ...]
    min_digits: int = 0

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yields the start and end of each part to be hidden; parts may overlap."""
        lower = _fold(text)
        position = looked_at = 0
        while found := _ANNOUNCED.search(lower, position):
            repeated = _REPEATED.match(lower, found.end())
            position = repeated.end() if repeated else found.end()
            if text[found.start() - 1 : found.start()] == "[" and text[found.end() : found.end() + 1] == "]":
                continue  # What stands for a hidden part.
            span = _announced_value(text, lower, found, position)
            if span is not None:
                yield span
                position = max(position, span[1])
            start, end = _sentence(text, found.start(), position, looked_at)
            yield from _chosen_in(text, start, end, is_key=found.lastgroup in ("key", "short_key"))
            looked_at = max(looked_at, end)


def _fold(text: str) -> str:
    """The text in lower case, each character at its place."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(char if len(char.lower()) != 1 else char.lower() for char in text)


def _announced_value(text: str, lower: str, found: re.Match[str], position: int) -> tuple[int, int] | None:
    """The value that a sign or a verb joins to the word found."""
    for pattern in (_SIGN, _VERB, _VERB_AFTER_PHRASE):
        joined = pattern.match(lower, position)
        span = _joined_value(text, found, joined) if joined else None
        if span is not None:
            return span
    return None


def _joined_value(text: str, found: re.Match[str], joined: re.Match[str]) -> tuple[int, int] | None:
    quoted = _QUOTED.match(text, joined.end())
    if quoted is not None:
        start, end = quoted.span(quoted.lastgroup or 0)
        content = text[start:end]
        return None if content.startswith("[") or is_reference(content) else (start, end)
    before = text[max(0, found.start() - MAX_CHARS) : found.start()].rpartition(" ")[2]
    bare = (_IN_QUERY if "?" in before or "&" in before else _BARE).match(text, joined.end())
    if bare is None:
        return None
    value = bare.group().rstrip(_AROUND)
    if _FINNISH.search(joined.group()) and not found.group().startswith("salasana"):
        return None
    after = text[bare.start() + len(value) : bare.start() + len(value) + 40]
    if not _is_secret(value, after, found.lastgroup or "", joined):
        return None
    rest = _REST.match(text, bare.end()) if len(bare.group()) == MAX_CHARS else None
    return bare.start(), rest.end() if rest else bare.start() + len(value)


def _is_secret(value: str, after: str, announced: str, joined: re.Match[str]) -> bool:
    """Whether an unquoted value is meant literally; `after` is what follows it."""
    if len(value) < 3 or is_reference(value) or is_path_of_names(value):
        return False
    mixed, prose = has_sign_or_digit(value), _PROSE_FOLLOWS.match(after) is not None
    if not mixed and is_description(value, prose=prose):
        return False
    parts = joined.groupdict()
    sign = parts.get("sign")
    if sign == "=" and not parts["gap"] and not parts["spaced"] and not joined["space"]:
        return True
    if "key" in announced:
        is_long = len(value) >= _LEAST_KEY_ALONE and not value.islower()
        return len(value) > 3 and (
            (mixed and (sign is not None or looks_chosen(value))) or (is_long and sign is not None)
        )
    if mixed:
        return looks_chosen(value) or value.isdecimal() or (sign is not None and not parts["gap"])
    if len(joined["suffix"]) > 3 or (announced == "ambiguous" and sign is None):
        return False
    return not is_word(value.lower()) if parts.get("gap") else not (prose and is_word(value.lower()))


def _sentence(text: str, start: int, end: int, looked_at: int) -> tuple[int, int]:
    """The rest of the sentence to both sides, without what was looked at before."""
    first = max(looked_at, start - _LONGEST_SENTENCE)
    for boundary in _SENTENCE_ENDS.finditer(text, first, max(first, start)):
        first = boundary.end()
    last = min(len(text), end + _LONGEST_SENTENCE)
    boundary_after = _SENTENCE_ENDS.search(text, max(end, first), last)
    return first, boundary_after.start() if boundary_after else last


def _chosen_in(text: str, start: int, end: int, *, is_key: bool) -> Iterator[tuple[int, int]]:
    """Parts of a sentence that look like chosen passwords, or like keys."""
    for token in _TOKEN.finditer(text, start, end):
        if len(token.group()) > MAX_CHARS:
            continue
        bare = token.group().strip(_AROUND)
        first = token.start() + token.group().index(bare)
        name = _NAME_OF_VALUE.match(bare)
        if name:
            bare, first = bare[name.end() :], first + name.end()
        if _NAMES_ITSELF.search(_fold(bare)) or not looks_chosen(bare.rstrip("!?.")):
            continue
        if not is_key or _looks_like_key(bare):
            yield first, first + len(bare)


def _looks_like_key(token: str) -> bool:
    digits = sum(map(str.isdecimal, token))
    return len(token) >= _LEAST_KEY_CHARS and digits >= (1 if len(token) >= _LEAST_KEY_ALONE else 2)


SENTENCE_RULES = (
    SentenceRule(
        SensitiveKind.SECRET,
        required=(*PASSWORD_WORDS, *PASSWORD_ABBREVIATIONS, *AMBIGUOUS_WORDS, *KEY_WORDS, *KEY_ABBREVIATIONS),
    ),
)
