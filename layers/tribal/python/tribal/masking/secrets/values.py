"""Judge whether a token looks like a chosen password, only describes one, or refers to one that is stored elsewhere."""

from __future__ import annotations

import re

from tribal.masking.secrets.words import (
    COMMON_PASSWORDS,
    DESCRIPTIVE,
    DESCRIPTIVE_ENDINGS,
    NAME_WORDS,
    SEE_WORDS,
    TERMS,
)
from tribal.naming import is_word

MAX_CHARS = 256
"""Characters of a value that are judged; the rest is hidden with it."""
SIGNS = frozenset("!@#$%^&*+~?§€£")
"""Signs that occur in passwords but not in words."""

_LEAST_CHOSEN = 5
_REFERENCE = re.compile(
    r"\$(?:\d{1,2}|[A-Z_][A-Z0-9_]*|[A-Za-z_]+\d?|env:\w+|\{[^}]*\}?|\([^)]*\)?)|%(?:[sd]|\(\w+\)[sd]?|\w+%)|:{1,2}[a-z_]\w*"
    r"|\{\{.*|\{(?:[a-z_.]*|[A-Z_.]*|[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,}){0,5})\d?\}?|<[^>]*>?|\?+|[*•xX.…_-]{3,}"
    r"|\[.*|//.*|\\.*|@[A-Za-z_]+|[A-Za-z_]+(?:\.[A-Za-z_]+)*[(\[].*|(?:env|vault|secret|ssm|arn|file|s3|kms):.*"
)
"""A variable, a parameter, a call, a placeholder, or the name of a place where secrets are stored."""
_TERM = re.compile(rf"(?:{'|'.join(map(re.escape, TERMS))})[-_ ]?\d[\d.]*(?:[-_][a-z\d]{1, 6}){0, 2}", re.IGNORECASE)
_UNIT = re.compile(r"\d{1,4}(?:[.,-]\d+)*-?(?:[a-z]{1,12}|[A-Z]{1,3})")
_TICKET = re.compile(r"[A-Z]+(?:-[A-Z]+)*(?:-\d+)+(?:-[A-Z]+)*|[A-Z]{1,5}\d{1,4}")
_IDENTIFIER = re.compile(
    r"_*[a-z][a-z0-9]*(?:_+[a-z0-9]+)+_*|_*[A-Z]+\d*(?:_+(?:[A-Z]+\d*|\d+))+_*|[a-z]+\d|[\w.]*[*%]"
)
_PATH_OF_NAMES = re.compile(r"[a-z_]+\d?(?:\.[a-z_]+\d?)+[*%]?|[A-Z_]+\d?(?:\.[A-Z_]+\d?)+")
_PHRASE = re.compile(r"[A-Za-z]{3,16}([-._])[A-Za-z]{3,16}(?:\1[A-Za-z]{3,16}){1,6}\d{0,4}[!?#$]?")
_LETTERS = re.compile(r"[a-z]+")
_WORD_AND_DIGITS = re.compile(r"([a-z]{3,16})\d{1,4}")
_NAME_FORM = re.compile(r"[A-Za-z_][\w.:-]{0,63}")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_STRONG_CLASSES = 3
_NUMBER = re.compile(r"[vV]?[\d.,:/TZ+-]+%?")
_MARKUP = re.compile(
    r"[\w./:-]*://.*|[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}|[/~.]{0,3}[a-z_.-]+\d{0,3}(?:/[a-z_.-]+\d{0,3}){1,30}(?:\.[a-z]{1,5})?/?|&\w+;|(?:[a-z]+\d?:)*@[\w.-]+:\d{2,5}(?:[/:][\w.-]+)?|.*\[\w+\]?.*|.*::[a-z].*"
)


def is_reference(token: str) -> bool:
    """Whether a token says where a value comes from, and is not a value itself."""
    return _REFERENCE.fullmatch(token) is not None and not is_phrase(token.strip("{}"))


def looks_chosen(token: str) -> bool:
    """Whether a token mixes letters with digits or signs as passwords do, and is not a name, number, date or term."""
    if not _LEAST_CHOSEN <= len(token) <= MAX_CHARS or not any(map(str.isalpha, token)):
        return False
    if not any(char.isdecimal() or char in SIGNS for char in token):
        return False
    return not any(
        pattern.fullmatch(token)
        for pattern in (_TERM, _UNIT, _TICKET, _IDENTIFIER, _PATH_OF_NAMES, _NUMBER, _MARKUP, _REFERENCE)
    )


def has_name_form(token: str) -> bool:
    """Whether a token is written like the name of a variable, a column or an option."""
    return _NAME_FORM.fullmatch(token) is not None


def looks_strong(token: str) -> bool:
    """Whether a token that looks chosen has three classes of characters, more than names and codes have."""
    inner = token.rstrip("!?.")
    classes = (str.islower, str.isupper, str.isdecimal)
    mixed = sum(any(map(has, inner)) for has in classes) + any(char in SIGNS for char in token)
    return len(token) > _LEAST_CHOSEN and mixed >= _STRONG_CLASSES and looks_chosen(token)


def is_phrase(token: str) -> bool:
    """Whether a token is three or more words joined by the same sign, and not a name in a schema."""
    if not _PHRASE.fullmatch(token):
        return False
    return not any(word in NAME_WORDS or word in DESCRIPTIVE for word in _LETTERS.findall(token.lower()))


def is_outstanding_phrase(token: str) -> bool:
    """Whether a phrase is written unlike any name: with hyphens, or with digits or a sign at its end."""
    return is_phrase(token) and ("-" in token or not token[-1].isalpha())


def is_uuid(token: str) -> bool:
    """Whether a token is a UUID."""
    return _UUID.fullmatch(token) is not None


def is_word_and_digits(token: str) -> bool:
    """Whether a token is a word followed by a few digits, like weak passwords, and not a term such as `sha256`."""
    if token in COMMON_PASSWORDS:
        return True
    found = _WORD_AND_DIGITS.fullmatch(token)
    return found is not None and found[1] not in NAME_WORDS and not _TERM.fullmatch(token)


def has_sign_or_digit(token: str) -> bool:
    """Whether a token contains a sign or a digit."""
    return any(char.isdecimal() or char in SIGNS for char in token)


def is_path_of_names(token: str) -> bool:
    """Whether a token is names joined by dots, as in `other.token`."""
    return _PATH_OF_NAMES.fullmatch(token) is not None


def is_description(word: str, *, prose: bool = False) -> bool:
    """Whether a word describes a password or how it is stored, or starts a longer sentence.

    With `prose`, another word follows, so the ending of a participle or an adjective is enough.
    """
    lower = word.strip("'\"([{").lower()
    if (
        lower.rstrip(".") in DESCRIPTIVE
        or lower in SEE_WORDS
        or (is_path_of_names(word) and lower.rpartition(".")[2] in DESCRIPTIVE)
    ):
        return True
    return word == lower and lower.isalpha() and lower.endswith(DESCRIPTIVE_ENDINGS) and (prose or is_word(lower))
