"""Find secrets with a label: `password is …`, `pw=…`, `mot de passe : …`, and values near one that look chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tribal.masking.kinds import SensitiveKind
from tribal.masking.secrets.values import (
    MAX_CHARS,
    has_name_form,
    has_sign_or_digit,
    is_description,
    is_outstanding_phrase,
    is_path_of_names,
    is_phrase,
    is_reference,
    is_uuid,
    is_word_and_digits,
    looks_chosen,
    looks_strong,
)
from tribal.masking.secrets.words import (
    ACCESS_WORDS,
    AMBIGUOUS_WORDS,
    COMMON_PASSWORDS,
    CUES,
    FILLERS,
    KEY_ABBREVIATIONS,
    KEY_WORDS,
    LINKS_BACK,
    MEASURED,
    PASSWORD_ABBREVIATIONS,
    PASSWORD_WORDS,
    PREPOSITIONS,
    VERBS,
)
from tribal.naming import is_word

_LONGEST_SENTENCE = 200
"""Characters before and after a label that are searched for its secret."""
_LEAST_CHARS = 3
_LEAST_KEY_CHARS = 8
_LEAST_KEY_ALONE = 12
"""Minimum length of a key with few or no digits."""
_LEAST_DIGITS_ALONE = 6
_PASS_PHRASE_WORDS = 3
_LONGEST_LINK, _LINK_WORDS = 80, 6
"""Characters and words before a label that are searched for a word that joins it to its secret."""
_KEYS = frozenset({"key", "short_key"})


def _any(phrases: tuple[str, ...]) -> str:
    return "|".join(re.escape(phrase).replace(r"\ ", r"[\s_-]?") for phrase in phrases)


_ANNOUNCED = re.compile(
    rf"(?P<password>{_any(PASSWORD_WORDS)})|(?P<key>{_any(KEY_WORDS)})"
    rf"|(?<![^\W_])(?:(?P<abbreviated>{_any(PASSWORD_ABBREVIATIONS)})|(?P<ambiguous>{_any(AMBIGUOUS_WORDS)})"
    rf"|(?P<short_key>{_any(KEY_ABBREVIATIONS)})|(?P<access>{_any(ACCESS_WORDS)})"
    r"|(?!(?:by|com|encom|sur|tres|over|under)pass)(?P<compound>[a-z]{2,16}(?:pass|pw|pwd)))(?!(?![\u3000-\u9fff\uac00-\ud7af])[^\W\d_])"
)
_NAMES_ITSELF = re.compile(
    rf"{_any(PASSWORD_WORDS)}|{_any(KEY_WORDS)}|(?:^|[\W_])(?:{_any(PASSWORD_ABBREVIATIONS)})[:=]"
)
_EVERY_WORD = "|".join(
    map(_any, (PASSWORD_WORDS, KEY_WORDS, PASSWORD_ABBREVIATIONS, AMBIGUOUS_WORDS, KEY_ABBREVIATIONS))
)
_OF_PLACE = re.compile(r"[_-]?(?:file|path|url|uri|arn|ref|env|name|var)")
"""Suffixes of names of places where a secret is stored."""
_REPEATED = re.compile(rf"(?:\w{{0,3}}(?:\s(?:is|was|for|of|to|ist|est|es))?[\s:=_]{{0,3}}(?:{_EVERY_WORD})){{4,}}+")
"""A repeated label, which is skipped in one step."""

_SUFFIX = r"(?P<suffix>(?:[_-]?\w{1,24})?)"
_CJK = r"\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef"
_CLOSE = r"(?:\\?[\"'`\u2019\u201d\u201c\u00bb)\]]){0,2}"
_SIGN = re.compile(
    rf"{_SUFFIX}{_CLOSE}(?P<gap>(?:\s\(?[^\s:=()\[]{{1,30}}\)?){{0,4}}?)(?P<spaced>\s{{0,4}})(?P<sign>==?>?|:=|[:\uff1a](?!:)|\uff1d|->|\u2192|\u21d2|>(?=[^\s<>]{{1,256}}</))"
    r"(?P<space>\s{0,4})(?:[>|][-+]?\s{1,8}|-\s|`{3}\w{0,10}\n|\[(?=[\"'])|(?:&|!!?)\w{1,16}\s)?"
)
_FIELD = re.compile(
    # `- name: X\n  value: "…"`, `variable "x" { default = "…"`, `set('x', '…')`, `"jdbc:…", "user", "…"`
    rf"{_SUFFIX}{_CLOSE}(?:\((?=[\"'])|(?:</[\w-]{{1,30}}>|[^<>\n]{{0,80}}>)\s{{0,8}}<(?:string>|[\w-]{{0,20}}value>|!\[cdata\[)"
    r"|\s[^<>\n]{1,80}>(?=[^\s<>]{1,256}</)"
    r"|[\s,;:{/>\[\"']{0,8}\b(?:default|value|content)[\"']?\s{0,3}[:=]\s{0,3}|(?<=[\"'])\s{0,2},\s{0,4}(?=[\"']))"
)
_ADJACENT = re.compile(
    # `pw …`, `password - …`, `API key\n-------\n…`
    rf"{_CLOSE}(?:\s{{0,2}}\n[-=~`]{{3,80}}\n|\s{{1,3}}(?:(?:[-.\u2013\u2014+]|<-|\()\s{{0,2}}|\d\s)?|\s?[|;]\s?|\s?,\s{{1,4}}(?=[\"'])|\s(?:or|\|\||\?\?)\s(?=[\"'])|\s?(?=\u201c))"
)
_OF_WHAT = rf"\s(?:{_any(PREPOSITIONS)})\s?(?:[^\s:=\[]{{1,40}}\s){{0,4}}?[^\s:=\[]{{1,40}}"
_FILLED = rf"(?:\s{{1,2}}(?:{_any(FILLERS)})){{0,3}}"
_THEN_VERB = (
    rf"(?:{_FILLED}\s{{1,3}}(?:{_any(VERBS)}){_FILLED}[\s:]\s{{0,12}}"
    r"|\s?[\u662f\u4e3a\u70ba\u306f\ub294\uc740\u304c]\s?)"
)
_VERB = re.compile(rf"(?P<suffix>\w{{0,3}}){_CLOSE}(?:{_THEN_VERB}|['\u2019]s\s{{1,2}}(?:(?:now|still)\s{{1,2}})?)")
_VERB_AFTER_PHRASE = re.compile(rf"(?P<suffix>\w{{0,3}}){_CLOSE}{_OF_WHAT}{_THEN_VERB}")
_FINNISH = re.compile(r"\son\s+$")
"""A verb in one language, and a preposition in many."""
_QUOTED = re.compile(
    r"\\?[EN]?(?:\"(?P<a>[^\"\n]{1,256})\"|'(?P<b>(?:[^'\n]|''){1,256})'|`(?P<c>[^`\n]{1,256})`"
    r"|\u201e(?P<d>[^\n\u201c\u201d]{1,256})[\u201c\u201d]|\u201c(?P<e>[^\n\u201d]{1,256})\u201d|\u00ab\s?(?P<f>[^\n\u00bb]{1,256}?)\s?\u00bb"
    r"|\u2018(?P<g>[^\n\u2019]{1,256})\u2019|\u300c(?P<h>[^\n\u300d]{1,256})\u300d)"
)
_BARE = re.compile(
    rf"(?:[^\s\"'`;<>\\{_CJK}]|;(?=[^\s=;]{{1,{MAX_CHARS}}}(?:[\s,;)]|$))|[<>](?![/a-z])|[\"'`](?=[^\s,;)\]}}>])|\\(?![\"'n]))"
    rf"{{1,{MAX_CHARS}}}"
)
_IN_QUERY = re.compile(rf"[^\s\"'`;<>&]{{1,{MAX_CHARS}}}")
_REST = re.compile(r"[^\s\"'`;&<>]*")
_SENTENCE_ENDS = re.compile(r"(?<=[\w\])\"'][\w\])\"'])(?:[.]\s|[!?]\s(?![a-zà-ÿ(]))|\n")
_TOKEN = re.compile(rf"[^\s\u201c\u201d{_CJK}]+")
_ALONE = re.compile(r"(?<![^\n])\S+(?:\n|\Z)")
_AFTER_CJK = re.compile(rf".?[{_CJK}] ?")
_NAME_OF_VALUE = re.compile(r"[A-Za-z_][\w.-]{0,40}[=:](?=[^=:])(?!//)")
_AROUND = ".,;:)]}([{\"'`\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb|<>"
_TOKEN_LINES_ABOVE = re.compile(r"(?:(?<=\n)|(?<![^\n]))\S{1,64}\n(?:\n|\S{1,64}\n)?\Z")
_TOKEN_LINES_BELOW = re.compile(
    r"[^\n]{0,80}\n(?:[ \t]{0,8}\n)?(?:[-=~`*#]{3,80}\n)?(?:[ \t>*+-]{0,12}\S{1,64}[ \t]{0,4}(?:\n|\Z)){1,3}"
)
_PROSE_FOLLOWS = re.compile(r"\s[a-zà-ÿ]{2,}")


@dataclass(frozen=True, slots=True)
class SentenceRule:
    """Finds values after or near a label of a secret, in time linear in the text's length."""

    kind: SensitiveKind
    required: tuple[str, ...]
    min_digits: int = 0

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each part to hide; parts may overlap."""
        lower = _fold(text)
        position = looked_at = 0
        while found := _ANNOUNCED.search(lower, position):
            repeated = _REPEATED.match(lower, found.end())
            position = repeated.end() if repeated else found.end()
            if text[found.start() - 1 : found.start()] == "[" and text[found.end() : found.end() + 1] == "]":
                continue  # A placeholder of a hidden part.
            kind = found.lastgroup or ""
            span = _announced_value(text, lower, found, position) or _adjacent_value(text, kind, position)
            if span is not None:
                yield span
                position = max(position, span[1])
            before = None if kind == "access" else _value_before(text, lower, found)
            if before is not None:
                yield before
            start, end = _sentence(text, found.start(), position, looked_at)
            yield from _chosen_in(text, start, end, kind)
            looked_at = max(looked_at, end)


def _fold(text: str) -> str:
    """Return the text in lower case, with every character at the same position."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(char if len(char.lower()) != 1 else char.lower() for char in text)


def _announced_value(text: str, lower: str, found: re.Match[str], position: int) -> tuple[int, int] | None:
    """Return the value that a sign or a verb joins to the label."""
    for pattern in (_SIGN, _FIELD, _VERB, _VERB_AFTER_PHRASE):
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
        return None if _is_not_a_literal(content, found.lastgroup or "") else (start, end)
    before = text[max(0, found.start() - MAX_CHARS) : found.start()].rpartition(" ")[2]
    bare = (_IN_QUERY if "?" in before or "&" in before else _BARE).match(text, joined.end())
    if bare is None:
        return None
    value = bare.group().rstrip(_AROUND)
    if _FINNISH.search(joined.group()) and not found.group().startswith("salasana"):
        return None
    after = text[bare.start() + len(value) : bare.start() + len(value) + 40]
    if not _is_secret(value, after, found, joined):
        return None
    rest = _REST.match(text, bare.end()) if len(bare.group()) == MAX_CHARS else None
    opening = len(value) - len(value.lstrip("{"))
    return bare.start() + opening, rest.end() if rest else bare.start() + len(value)


def _is_not_a_literal(content: str, announced: str) -> bool:
    """Whether a quoted text names or describes a secret, or is a plain word next to `key` or `login`."""
    names = has_name_form(content.strip(" :?")) and _NAMES_ITSELF.search(_fold(content)) is not None
    is_plain = (announced == "short_key" and not has_sign_or_digit(content)) or (
        announced == "access" and not (looks_strong(content) or is_phrase(content))
    )
    return content.startswith("[") or len(content) < _LEAST_CHARS or is_reference(content) or names or is_plain


def _is_secret(value: str, after: str, found: re.Match[str], joined: re.Match[str]) -> bool:
    """Whether an unquoted value is literal; `after` is the text that follows it."""
    announced = found.lastgroup or ""
    parts = joined.groupdict()
    sign, gap = parts.get("sign"), parts.get("gap")
    is_key = announced in _KEYS
    if len(value) < _LEAST_CHARS or is_reference(value) or _OF_PLACE.fullmatch(parts.get("suffix") or ""):
        return False
    if is_phrase(value) and (announced != "short_key" or is_outstanding_phrase(value)):
        return True
    if announced == "access":
        is_credential = sign is not None and found.group().startswith("cred")
        return looks_strong(value) or (is_credential and (looks_chosen(value) or is_word_and_digits(value)))
    mixed, prose = has_sign_or_digit(value), _PROSE_FOLLOWS.match(after) is not None
    if is_path_of_names(value) or (not mixed and is_description(value, prose=prose)):
        return False
    if not looks_chosen(value) and _is_measured(gap, parts.get("suffix")):
        return False
    if sign == "=" and not gap and not parts["spaced"] and not joined["space"]:
        return True
    if is_key:
        is_long = len(value) >= _LEAST_KEY_ALONE and not value.islower()
        has_digit = any(map(str.isdecimal, value))
        return len(value) > 3 and (
            (mixed and (sign is not None or (has_digit and looks_chosen(value)))) or (is_long and sign is not None)
        )
    if mixed:
        return looks_chosen(value) or is_word_and_digits(value) or value.isdecimal() or (sign is not None and not gap)
    if len(joined["suffix"]) > 3 or (announced == "ambiguous" and sign is None):
        return False
    return not is_word(value.lower()) if gap else not (prose and is_word(value.lower()))


def _is_measured(*around: str | None) -> bool:
    """Whether the words between a label and a value say that the value is a length, an age or a number."""
    return any(word in MEASURED for part in around if part for word in re.split(r"[\W_]+", part))


def _adjacent_value(text: str, announced: str, position: int) -> tuple[int, int] | None:
    """Return the value right after a label if its form alone shows that it is one."""
    joined = _ADJACENT.match(text, position)
    if joined is None:
        return None
    quoted = _QUOTED.match(text, joined.end())
    if quoted is not None:
        start, end = quoted.span(quoted.lastgroup or 0)
        content = text[start:end]
        literal = not _is_not_a_literal(content, announced) and _is_quoted_secret(content, announced)
        return (start, end) if literal else None
    bare = _BARE.match(text, joined.end())
    value = bare.group().rstrip(_AROUND) if bare else ""
    if bare is None or is_reference(value) or not _is_alone(value, announced):
        return None
    return bare.start(), bare.start() + len(value)


def _value_before(text: str, lower: str, found: re.Match[str]) -> tuple[int, int] | None:
    """Return the value that a word such as `as` or `is` joins to a following label: `use … as the password`."""
    start = max(0, found.start() - _LONGEST_LINK)
    tokens = list(_TOKEN.finditer(text, start, found.start()))[-_LINK_WORDS:]
    for token, link in reversed(list(pairwise(tokens))):
        if lower[link.start() : link.end()] not in LINKS_BACK:
            continue
        value = token.group().strip(_AROUND)
        first = token.start() + token.group().index(value)
        if not is_reference(value) and _is_alone(value, found.lastgroup or ""):
            return first, first + len(value)
    return None


def _is_alone(value: str, announced: str) -> bool:
    """Whether a value stands out from the surrounding words without a sign or verb."""
    if announced == "access":
        return looks_strong(value)
    if announced == "short_key":
        return looks_strong(value) and _looks_like_key(value)
    if is_phrase(value) or looks_strong(value):
        return True
    if announced == "key":
        return looks_chosen(value) and _looks_like_key(value)
    is_pin = value.isdecimal() and len(value) >= _LEAST_DIGITS_ALONE
    return looks_chosen(value) or is_word_and_digits(value) or is_pin


def _is_quoted_secret(content: str, announced: str) -> bool:
    """Whether a quoted text right after a label is neither a word nor a name nor a description."""
    if announced in ("password", "abbreviated", "compound") and " " not in content:
        return not is_description(content) and not is_word(content.lower()) and not content.isdecimal()
    return _is_alone(content, announced) or _is_pass_phrase(content)


def _is_pass_phrase(text: str) -> bool:
    """Whether a quoted text is several plain words that are not a sentence."""
    words = text.split()
    return len(words) >= _PASS_PHRASE_WORDS and all(word.isalpha() and word.islower() for word in words)


def _sentence(text: str, start: int, end: int, looked_at: int) -> tuple[int, int]:
    """Return the bounds of the sentence, with lines of a single token above and below it.

    Text that was searched before is left out.
    """
    first = max(looked_at, start - _LONGEST_SENTENCE)
    for boundary in _SENTENCE_ENDS.finditer(text, first, max(first, start)):
        first = boundary.end()
    if text[first - 1 : first] == "\n":
        above = _TOKEN_LINES_ABOVE.search(text, max(looked_at, first - _LONGEST_LINK), first)
        first = above.start() if above else first
    last = min(len(text), end + _LONGEST_SENTENCE)
    below = _TOKEN_LINES_BELOW.match(text, end)
    boundary_after = _SENTENCE_ENDS.search(text, max(below.end() if below else end, first), last)
    return first, boundary_after.start() if boundary_after else last


def _chosen_in(text: str, start: int, end: int, announced: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a sentence that look like chosen passwords or keys."""
    previous = ""
    for token in _TOKEN.finditer(text, start, end):
        before, previous = previous, token.group().lower()
        if len(token.group()) > MAX_CHARS:
            continue
        bare = token.group().strip(_AROUND)
        first = token.start() + token.group().index(bare)
        name = _NAME_OF_VALUE.match(bare)
        if name:
            bare, first = bare[name.end() :], first + name.end()
        if not _NAMES_ITSELF.search(_fold(bare)) and _stands_out(
            bare, announced, is_cued=_is_cue(before, text, token.start())
        ):
            yield first, first + len(bare)


def _is_cue(before: str, text: str, start: int) -> bool:
    """Whether the word right before a token introduces a value."""
    return (
        before in CUES
        or before.endswith((":", "="))
        or _ALONE.match(text, start) is not None
        or _AFTER_CJK.match(text, start - 2) is not None
    )


def _stands_out(token: str, announced: str, *, is_cued: bool) -> bool:
    """Whether a token in the sentence of a label looks like its secret."""
    if announced in _KEYS:
        return looks_chosen(token.rstrip("!?.")) and _looks_like_key(token)
    if is_outstanding_phrase(token) or (is_cued and (is_phrase(token) or is_uuid(token))):
        return True
    if announced == "access":
        return looks_strong(token)
    return looks_chosen(token.rstrip("!?.")) or (is_cued and token in COMMON_PASSWORDS)


def _looks_like_key(token: str) -> bool:
    digits = sum(map(str.isdecimal, token))
    return len(token) >= _LEAST_KEY_CHARS and digits >= (1 if len(token) >= _LEAST_KEY_ALONE else 2)


SENTENCE_RULES = (
    SentenceRule(
        SensitiveKind.SECRET,
        required=(
            *PASSWORD_WORDS,
            *PASSWORD_ABBREVIATIONS,
            *AMBIGUOUS_WORDS,
            *KEY_WORDS,
            *KEY_ABBREVIATIONS,
            *ACCESS_WORDS,
        ),
    ),
)
