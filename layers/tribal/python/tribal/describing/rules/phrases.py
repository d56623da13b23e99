"""Comments, values and verbs as parts of sentences."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from tribal.masking import redact_text
from tribal.naming.segmentation import is_word, segment
from tribal.rendering.words import shorten

COMMENT_CHARS = 4_000
"""The longest comment that is shown whole; a judgement."""

_SPACES = re.compile(r"\s+")


def clean_comment(comment: str | None, limit: int) -> str:
    """A comment as one line without control characters, personal data or secrets, cut at a word; may be empty."""
    if not comment:
        return ""
    # Text far beyond the limit is not searched for secrets.
    text = redact_text(comment[: 4 * limit])
    visible = "".join(" " if _is_control(char) else char for char in text)
    return shorten(_SPACES.sub(" ", visible).strip(), limit)


def whole_comment(comment: str | None) -> str:
    """A comment as `clean_comment` makes it; one that is longer than any person reads says that it is cut."""
    text = clean_comment(comment, COMMENT_CHARS)
    is_cut = text.endswith("…") and not (comment or "").rstrip().endswith("…")
    return f"{text} (The comment is cut here; it has {len(comment or ''):,} characters.)" if is_cut else text


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def values_list(values: Sequence[str], limit: int = 20) -> str:
    """A list of values, quoted if they have commas or outer spaces; beyond the limit, only their number."""
    shown = ", ".join(_value(redact_text(value)) for value in values[:limit])
    return f"{shown} and {len(values) - limit} more" if len(values) > limit else shown


def _value(text: str) -> str:
    """A value for a list: quoted if it is blank, has outer spaces, or contains a comma."""
    plain = text and text == text.strip() and "," not in text and not any(map(_is_control, text))
    if plain:
        return text
    visible = "".join(repr(char)[1:-1] if _is_control(char) else char for char in text)
    return f"'{visible}'"


_IRREGULAR = frozenset(
    """
    begun bought built caught chosen drawn driven eaten forgotten found frozen given held hidden kept known lent lost
    made overridden paid proven read rewritten seen sent shown sold spent stolen sworn taken taught thrown torn
    undone withdrawn won written
    """.split()
)
# Other words with the ending of participles.
_OTHERS = frozenset(
    """
    bleed breed creed embed exceed feed greed hundred indeed kindred moped need occured proceed sacred seed shed speed
    steed succeed treed tweed unneed weed
    """.split()
)
INTRANSITIVE = frozenset(
    """
    appeared arrived begun collapsed departed died disappeared elapsed emerged ended escaped existed expired failed
    finished happened lapsed matured occurred ran recurred retired started stopped succeeded vanished
    """.split()
)
"""Participles of intransitive verbs: it "has expired", it was not expired by someone."""


_AUXILIARY = re.compile(r"(?:been|can|did|ever|first|has|is|last|not|was)(?=[a-z]{4})")
"""Words of grammar in front of a participle that are written without a gap: `hasexpired`."""


def is_participle(word: str) -> bool:
    """Whether a word is a participle, and nothing else is glued to it: `shipped`, `paid`."""
    if word in _IRREGULAR:
        return True
    if len(word) <= 4 or not word.endswith("ed") or word in _OTHERS:
        return False
    if is_word(word):
        return True
    rest = _AUXILIARY.sub("", word, count=1)
    glued = rest != word and (rest in INTRANSITIVE or _is_of_verb(rest))
    return len(segment(word)) == 1 and not glued and not _ORDINAL.match(word) and not _is_compound(word)


_ORDINAL = re.compile(r"(?:first|last)[a-z]{3,}ed")
_FIRST_PART = 4
_LAST_PART = 6
# What comes before a verb in one word: `interconnected`.
_PREFIXES = frozenset(
    """
    anti auto back counter cross de dis down en fore hyper in inter intra mis multi out over post pre pro re self semi
    sub super trans ultra un under up
    """.split()
)


def _is_of_verb(word: str) -> bool:
    return any(is_word(verb) for verb in (word, word[:-1], word[:-2]))


def _is_compound(word: str) -> bool:
    """Whether a word is another one and a participle: `remindcompleted`; the list of words may lack the first."""
    if any(is_word(word.removeprefix(prefix)) for prefix in _PREFIXES if word.startswith(prefix)):
        return False
    cuts = range(_FIRST_PART, len(word) - _LAST_PART + 1)
    return any(_is_word_and_participle(word[:cut], word[cut:]) for cut in cuts)


def _is_word_and_participle(first: str, last: str) -> bool:
    return _is_of_verb(last) if is_word(first) else is_word(last) and len(first) > _FIRST_PART
