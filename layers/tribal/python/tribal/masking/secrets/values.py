"""Whether a token looks like a password that somebody chose, merely describes one, or refers to one kept elsewhere."""

from __future__ import annotations

import re

from tribal.masking.secrets.words import DESCRIPTIVE, DESCRIPTIVE_ENDINGS, TERMS
from tribal.naming import is_word

MAX_CHARS = 256
"""Characters of a value that are judged; the rest is hidden with them."""
SIGNS = frozenset("!@#$%^&*+~?§€£")
"""Signs that passwords are made of and words are not."""

_LEAST_CHOSEN = 5
_REFERENCE = re.compile(
    r"\$(?:\w+|\{[^}]*\}?|\([^)]*\)?)|%\(?\w+\)?[sd%]?|:{1,2}[a-z_]\w*|\{{1,2}[^}]*\}{0,2}|<[^>]*>?|\?+|[*•xX.…_-]{3,}"
    r"|\[.*|@[A-Za-z_]+|[A-Za-z_]\w*\([^)]*\)?.*|(?:env|vault|secret|ssm|arn|file|s3|kms):.*"
)
"""A variable, a parameter, a call, a placeholder, the name of a place where secrets are kept."""
_TERM = re.compile(rf"(?:{'|'.join(map(re.escape, TERMS))})[-_ ]?\d[\d.]*(?:[-_][a-z\d]{1, 6}){0, 2}", re.IGNORECASE)
_UNIT = re.compile(r"\d{1,4}(?:[.,-]\d+)*-?(?:[a-z]{1,12}|[A-Z]{1,3})")
_TICKET = re.compile(r"[A-Z]+(?:-[A-Z]+)*(?:-\d+)+(?:-[A-Z]+)*|[A-Z]{1,5}\d{1,4}")
_IDENTIFIER = re.compile(r"_*[a-z][a-z0-9]*(?:_+[a-z0-9]+)+_*|_*[A-Z][A-Z0-9]*(?:_+[A-Z0-9]+)+_*|[a-z]+\d|[\w.]*[*%]")
_PATH_OF_NAMES = re.compile(r"[a-z_]+\d?(?:\.[a-z_]+\d?)+[*%]?|[A-Z_]+\d?(?:\.[A-Z_]+\d?)+")
_NUMBER = re.compile(r"[vV]?[\d.,:/TZ+-]+%?")
_MARKUP = re.compile(
    r"[\w./:-]*://.*|[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}|/?[a-z_.-]+(?:/[a-z_.-]+)+/?|&\w+;|.*\[\w+\]?.*|.*::[a-z].*"
)


def is_reference(token: str) -> bool:
    """Whether a token says where a value comes from instead of being one."""
    return _REFERENCE.fullmatch(token) is not None


def looks_chosen(token: str) -> bool:
    """Whether a token mixes letters with digits or signs as passwords do, and is no name, number, date or term."""
    if not _LEAST_CHOSEN <= len(token) <= MAX_CHARS or not any(map(str.isalpha, token)):
        return False
    if not any(char.isdecimal() or char in SIGNS for char in token):
        return False
    return not any(
        pattern.fullmatch(token)
        for pattern in (_TERM, _UNIT, _TICKET, _IDENTIFIER, _PATH_OF_NAMES, _NUMBER, _MARKUP, _REFERENCE)
    )


def has_sign_or_digit(token: str) -> bool:
    """Whether a token has what plain words lack."""
    return any(char.isdecimal() or char in SIGNS for char in token)


def is_path_of_names(token: str) -> bool:
    """Whether a token is names joined by dots, as in `other.token`."""
    return _PATH_OF_NAMES.fullmatch(token) is not None


def is_description(word: str, *, prose: bool = False) -> bool:
    """Whether a word tells what a password is like, how it is kept, or begins a longer sentence.

    `prose` says that another word follows: then the ending of a participle or an adjective is enough.
    """
    lower = word.strip("'\"").lower()
    if lower.rstrip(".") in DESCRIPTIVE or (is_path_of_names(word) and lower.rpartition(".")[2] in DESCRIPTIVE):
        return True
    return word == lower and lower.isalpha() and lower.endswith(DESCRIPTIVE_ENDINGS) and (prose or is_word(lower))
