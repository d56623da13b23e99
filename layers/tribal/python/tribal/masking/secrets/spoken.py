"""Find secrets that only the words around them reveal: PINs, and phrases of plain words."""

from __future__ import annotations

import re

from tribal.masking.kinds import SensitiveKind
from tribal.masking.rules import END, START, Rule
from tribal.masking.secrets.words import (
    DESCRIPTIVE,
    MEASURED,
    NAME_WORDS,
    PIN_WORDS,
    PROSE_WORDS,
    SEE_WORDS,
)

_PINS = "|".join(map(re.escape, PIN_WORDS))
_DIGITS = r"\d{4,8}(?![\w-]|[.,/:]\d)"
_OPENS = r"(?:opens|unlocks|disarms|gets you in|lets you in|\u00f6ffnet|ouvre|abre|apre|otwiera)"
_PHRASE_NAMES = (
    r"(?:pass|key|code|recovery|seed|secret|unlock|decryption|backup)[ -]?phrase|mnemonic|keystore|key store|wallet"
    r"|(?:security|secret) (?:words?|answer)|frase (?:segreta|secreta|de paso|de contrase\u00f1a)|phrase "
    r"(?:secr\u00e8te|de passe)"
    r"|wachtwoordzin|\u30d1\u30b9\u30d5\u30ec\u30fc\u30ba"
)
_CALLED = r"password|passwd|pwd|pw|passwort|kennwort|mot de passe|contrase\u00f1a|senha|wachtwoord|has\u0142o"
_PHRASES_OR_PASSWORDS = (
    *("phrase", "mnemonic", "store", "wallet", "security", "secret", "frase", "zin", "unlock", "decrypt"),
    *("pass", "pwd", "pw", "kennwort", "contrase\u00f1a", "senha", "wachtwoord", "has\u0142o"),
)
_WORDS = r"[a-z]{2,16}(?: [a-z]{2,16}){2,23}"
_JOIN = (
    r"(?:\s{0,2}[:=\uff1a]\s{0,4}|\s(?:is|was|are|ist|est|es|\u00e8|\u00e9|to|reads)(?:\s(?:now|still"
    r"|just))?:?\s|\s\(|\s)"
)
_QUOTED = rf"(?:\"(?P<quoted>{_WORDS})\"|'(?P<single>{_WORDS})'|\u201c(?P<curly>{_WORDS})\u201d|`(?P<code>{_WORDS})`)"
_YEAR = re.compile(
    r"\b(?:in|since|after|before|until|from|by|of|seit|depuis|desde|dal|version|year)\s{1,2}(?:19|20)\d\d\Z",
    re.IGNORECASE,
)
_NUMBERED_THINGS = frozenset(
    "ticket issue column columns table tables page line row rows see order orders index".split()
)
_LEAST_WORDS_OF_PASSWORD = 4


def _is_pin(found: str) -> bool:
    words = re.findall(r"[a-z]+", found.lower())
    return not any(word in MEASURED or word in _NUMBERED_THINGS for word in words) and not _YEAR.search(found)


def _is_spoken_phrase(found: str) -> bool:
    """Whether the words at the end are not a sentence."""
    words = re.split(r"[\s:=\"'`()]+", found.strip("\"'`"))[-_LAST_WORDS:]
    return not any(word in PROSE_WORDS or (len(word) > 4 and word.endswith("ed")) for word in words)


def _is_phrase_as_password(found: str) -> bool:
    words = re.split(r"[:=\uff1a]\s*|\s(?:is|was|ist|est|es|\u00e8|\u00e9)\s", found)[-1].split()
    words_of_sentences = SEE_WORDS | NAME_WORDS | PROSE_WORDS
    described = sum(word in DESCRIPTIVE for word in words)
    is_long = len(words) >= _LEAST_WORDS_OF_PASSWORD and 2 * described < len(words)
    return is_long and _is_spoken_phrase(found) and not any(word in words_of_sentences for word in words)


_LAST_WORDS = 3

SPOKEN_RULES = (
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            rf"{START}(?i:{_PINS}){END}(?:[^.;\d]|(?i:n[or]\.)){{0,40}}?(?<![\w.,/-])(?P<hidden>{_DIGITS})"
            rf"|(?<![\w.,/-])(?P<before>{_DIGITS})\s(?:(?:as|is|=|for|ist|als|est|es|comme|como|come|jako|to|\u00e8|\u00e9)\s(?:\w{{1,12}}\s){{0,2}}(?i:{_PINS}){END}"
            rf"|{_OPENS}\b)"
        ),
        confirm=_is_pin,
        required=(
            *PIN_WORDS,
            "opens",
            "unlocks",
            "disarms",
            "you in",
            "\u00f6ffnet",
            "ouvre",
            "abre",
            "apre",
            "otwiera",
        ),
        min_digits=4,
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(rf"{START}(?i:{_PHRASE_NAMES}|{_CALLED}|unlock|decrypt)\b[^\n\"'.`\u201c]{{0,60}}?{_QUOTED}"),
        confirm=_is_spoken_phrase,
        required=_PHRASES_OR_PASSWORDS,
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(rf"{_QUOTED}[^\n\"'.]{{0,40}}?\b(?i:{_PHRASE_NAMES}|{_CALLED}){END}"),
        confirm=None,
        required=_PHRASES_OR_PASSWORDS,
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            rf"{START}(?i:{_PHRASE_NAMES})\b(?:\s\([^()\n]{{1,40}}\)|\s{{1,2}}(?:for|of|to|on|in)(?:\s[^\s:=]{{1,30}}){{1,5}}?)?"
            rf"{_JOIN}(?P<hidden>{_WORDS})(?=[.,;)!]|\s{{0,2}}(?:\n|\Z|[-\u2013\u2014(]\s?))"
            rf"|{START}(?i:{_PHRASE_NAMES}|phrase)\b[^\n:=]{{0,60}}?[:=\uff1a]\s{{0,4}}(?P<after_colon>{_WORDS})(?=[.,;)!]|\s{{0,2}}(?:\n|\Z|[-\u2013\u2014(]\s?))"
        ),
        confirm=_is_spoken_phrase,
        required=("phrase", "mnemonic", "answer", "wachtwoordzin"),
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            rf"{START}(?i:{_CALLED})\b(?:\s{{1,2}}(?:for|of|to|on|in)(?:\s[^\s:=]{{1,30}}){{1,5}}?)?"
            rf"(?:\s{{0,2}}[:=\uff1a]\s{{0,4}}|\s(?:is|was|ist|est|es|\u00e8|\u00e9)\s)(?P<hidden>{_WORDS})(?=[.,;)!]|\s{{0,2}}(?:\n|\Z|[-\u2013\u2014(]\s?))"
            rf"|{START}(?i:{_CALLED})\b[^\n:=]{{0,60}}?[:=\uff1a]\s{{0,4}}(?P<after_colon>{_WORDS})(?=[.,;)!]|\s{{0,2}}(?:\n|\Z|[-\u2013\u2014(]\s?))"
        ),
        confirm=_is_phrase_as_password,
        required=("pass", "pw", "kennwort", "contrase\u00f1a", "senha", "wachtwoord", "has\u0142o"),
    ),
)
