"""Undo the disguises of a phrase, so that patterns match what a person would read."""

from __future__ import annotations

import re
import unicodedata

WHITE_SPACE = r"[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
"""Characters with Unicode's White_Space property."""
_INVISIBLE = frozenset(("Cf", "Mn", "Me"))
"""Categories of zero-width characters and of marks above and below letters."""
_FILLERS = "\u115f\u1160\u3164\uffa0\u2800\u180e"
"""Letters that are drawn blank."""
_LETTER = r"[^\W\d_]"
_SEPARATOR = r"[_\-.*\u2010-\u2015\u2212]+"
_SEPARATED = re.compile(rf"(?<={_LETTER}){_SEPARATOR}(?={_LETTER})")
_JOINED_WORDS = re.compile(rf"(?<!\w)\w{{2,}}(?:{_SEPARATOR}\w+){{2,}}(?!\w)")
"""At least three words; two joined words may be a name."""
_SPACES = re.compile(f"{WHITE_SPACE}+")


def normalised(text: str) -> str:
    """Return the text without disguises: NFKD, case-folded, no invisible characters, no separators between letters.

    Each run of white space becomes one space. Source: docs/contracts.md, Chat.
    """
    return _SEPARATED.sub("", visible(text))


def readings(text: str) -> tuple[str, ...]:
    """Return every reading of a text: its separators removed, replaced by blanks, or kept.

    A text without white space is also read as letters and digits alone.
    """
    shown = visible(text).strip()
    spaced = _JOINED_WORDS.sub(lambda found: re.sub(_SEPARATOR, " ", found.group()), shown)
    found = [_SEPARATED.sub("", shown), spaced, shown]
    if " " not in shown:
        found += [re.sub(_SEPARATOR, " ", shown), "".join(filter(str.isalnum, shown))]
    return tuple(dict.fromkeys(found))


def visible(text: str) -> str:
    """Return the text as a reader sees it, for comparison: NFKD, case-folded, plain blanks, no combining marks."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    shown = (char for char in folded if unicodedata.category(char) not in _INVISIBLE and char not in _FILLERS)
    return _SPACES.sub(" ", "".join(shown))
