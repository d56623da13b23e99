"""Find secrets in fields whose name ends in a word for one: `"webhookSecret": "…"`, `encryption_key: …`, a header."""

from __future__ import annotations

import re

from tribal.masking.kinds import SensitiveKind
from tribal.masking.rules import Rule
from tribal.masking.secrets.values import (
    has_name_form,
    has_sign_or_digit,
    is_description,
    is_phrase,
    is_reference,
    is_uuid,
    is_word_and_digits,
    looks_chosen,
)
from tribal.naming import is_word

_LAST_WORD = (
    r"(?:[Ss]ecret|SECRET|[Pp]ass(?:word|wd|phrase|code)|PASS(?:WORD|WD|PHRASE|CODE)|[Pp]wd|PWD|[Tt]oken|TOKEN"
    r"|[Cc]redential|CREDENTIAL|(?:[Aa]pi|[Aa]ccess|[Pp]rivate|[Ss]igning|[Ee]ncryption|[Mm]aster|[Aa]uth|[Aa]ccount)_?[Kk]ey"
    r"|(?:API|ACCESS|PRIVATE|SIGNING|ENCRYPTION|MASTER|AUTH|ACCOUNT)_?KEY)"
)
_FIELD = rf"(?<![\w.-])(?:[A-Za-z][\w.-]{{0,60}}?)??{_LAST_WORD}\\?[\"'`]?"
_SIGN = r"(?:\s{0,3}(?:[:=]|=>|:=)\s{0,3}|\s[-\u2013\u2014]\s)"
_VALUE_OF_ELEMENT = r">(?=[^\s<>]{4,256}</)"
_VALUE_ATTRIBUTE = r"\s{1,3}(?:value|default|content)\s?=\s?"
_LEAST_MIXED = 8
_LEAST_OF_WORD = 3
_DIGITS_AND_LETTERS = re.compile(r"\d{2,8}[a-z]{4,}")
_NAMES_ITSELF = re.compile(r"(?:[\w.-]{0,40})(?:pwd|pass|password|passwd|secret)(?:[\w.-]{0,10})", re.IGNORECASE)


_QUOTED = re.compile(r"(?:[:=>]\s{0,3}|\s)\\?[\"'](.+)\Z")


def _is_quoted_secret(found: str) -> bool:
    quoted = _QUOTED.search(found)
    value = quoted[1] if quoted else ""
    if not value or is_reference(value) or is_description(value) or " " in value:
        return False
    return has_sign_or_digit(value) or is_phrase(value) or not (has_name_form(value) and _is_plain(value))


def _is_plain(value: str) -> bool:
    parts = [part for part in re.split(r"[-_.:]|(?<=[a-z])(?=[A-Z])", value) if len(part) >= _LEAST_OF_WORD]
    return bool(parts) and all(is_word(part.lower()) for part in parts)


def _is_bare_secret(found: str) -> bool:
    value = re.split(r"[:=>]\s{0,3}(?=\S)|\s[-\u2013\u2014]\s", found, maxsplit=1)[-1]
    is_mixed = len(value) >= _LEAST_MIXED and (
        (value not in (value.lower(), value.upper()) and not _is_plain(value)) or _DIGITS_AND_LETTERS.fullmatch(value)
    )
    return looks_chosen(value) or is_phrase(value) or is_uuid(value) or is_word_and_digits(value) or bool(is_mixed)


def _is_credential(found: str) -> bool:
    value = found.split()[-1].strip("\"'`")
    return not is_reference(value) and not is_description(value) and not is_word(value.lower())


def _is_in_connection_string(found: str) -> bool:
    value = found.partition("=")[2].strip(" {}")
    return not is_reference(value) and not is_description(value) and not _NAMES_ITSELF.fullmatch(value)


FIELD_RULES = (
    Rule(
        SensitiveKind.SECRET,
        # ODBC, JDBC and ADO.NET: this field always holds a password, whatever it looks like.
        re.compile(
            r";\s?(?:pwd|pass(?:word|wd)?)\s?=\s?(?:\{(?P<braced>[^}\n]{2,256})\}|(?P<hidden>[^\s;\"'{}<>$%]{2,256}))",
            re.IGNORECASE,
        ),
        confirm=_is_in_connection_string,
        required=("pwd", "pass"),
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            rf"{_FIELD}(?:{_SIGN}|{_VALUE_ATTRIBUTE}|\s)\\?(?:\"(?P<double>[^\"\\\n]{{4,256}})|'(?P<single>[^'\\\n]{{4,256}}))"
        ),
        confirm=_is_quoted_secret,
        required=("secret", "pass", "pwd", "token", "credential", "key"),
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(rf"{_FIELD}(?:{_SIGN}|{_VALUE_OF_ELEMENT})(?P<hidden>[^\s\"'`,;&<>(){{}}\[\]]{{5,256}})"),
        confirm=_is_bare_secret,
        required=("secret", "pass", "pwd", "token", "credential", "key"),
    ),
    Rule(
        SensitiveKind.SECRET,
        # `ENV API_TOKEN …` of a Dockerfile, `setx`, `SetEnv`; the second argument of `auth=(…)`.
        re.compile(
            rf"\b(?i:env|arg|setx|setenv)\s{{1,3}}{_FIELD}\s{{1,3}}(?P<hidden>[^\s\"'$<{{]{{4,256}})"
            r"|\bauth\s?=\s?\(\s?[\"'][^\"'\n]{1,64}[\"']\s?,\s?[\"'](?P<second>[^\"'\n]{3,256})"
        ),
        confirm=_is_credential,
        required=("env", "arg", "setx", "auth"),
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            r"\bauthorization\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?(?:basic|bearer|token|digest|api-?key|negotiate|ntlm)\s{1,3}"
            r"(?P<hidden>[^\s\"'`<>{}$\[\]]{6,4096})",
            re.IGNORECASE,
        ),
        confirm=_is_credential,
        required=("authorization",),
    ),
)
