"""Literals that tell nothing, whatever they stand beside: separators, patterns, formats, lengths, names of settings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tribal.masking.kinds import PLACEHOLDER, SensitiveKind

_FEW_SIGNS = 4
"""Characters without any letter or digit that are a separator and no password; by judgement, not measured."""
_FEW_DIGITS = 3
"""Digits of a number of characters, bytes or rounds; by judgement, not measured."""

_FLAGS = frozenset({"true", "false", "yes", "no", "on", "off", "null"})
_FORMAT = re.compile(r"(?:YYYY|YY|MM|DD|HH24|HH12|HH|MI|SS|MS|US|TZ|OF|Mon|Month|Day|FM|[^\w]){2,20}")
# A pattern whose classes are ranges or names of classes and that holds no letter or digit by itself fits anything of a
# certain form. A set such as [abc] may spell something.
_PATTERN_PART = re.compile(
    r"\[\^?(?:\[:[a-z]{5,6}:\]|A-Z|a-z|A-F|a-f|0-9|\\[dwsDWS]|[^\w\[\]\\]|_|\\[^\w])*\](?:\{\d{1,2}(?:,\d{0,2})?\})?"
    r"|(?:\\[dwsDWSmMyYAZ]|\.|\))(?:\{\d{1,2}(?:,\d{0,2})?\})?"
    r"|\(\?[:=!]|\\[^\w]|[^\w\[\]{}\\]"
)
_LONGEST_PATTERN = 400
_PLAIN_PATH = re.compile(r"(?:(?:strict|lax) )?\$(?:\.(?:\w{1,64}|\"[^\"]{1,64}\")|\[\d?\*?\]){0,20}")
_EARTH = frozenset({"90", "180", "360"})

_NAMING_TYPES = frozenset(
    "REGCLASS REGTYPE REGPROC REGPROCEDURE REGROLE REGNAMESPACE REGCONFIG REGDICTIONARY REGOPER REGOPERATOR "
    "REGCOLLATION".split()
)
_NAMING_CALLS = frozenset("current_setting nextval currval setval lastval to_regclass pg_get_serial_sequence".split())
_COUNTING_CALLS = frozenset(
    "left right substr substring lpad rpad overlay split_part round trunc repeat gen_random_bytes gen_salt".split()
)
_OPTIONS = {
    call: frozenset(words.split())
    for calls, words in (
        ("encode decode", "hex base64 escape"),
        ("convert_from convert_to convert", "utf8 latin1 sql_ascii"),
        ("digest hmac", "md5 sha1 sha224 sha256 sha384 sha512"),
        ("gen_salt", "bf md5 xdes des sha256crypt sha512crypt"),
        ("timezone", "utc gmt"),
        (
            "date_part date_trunc extract",
            "microseconds milliseconds second minute hour day week month quarter year decade century millennium epoch "
            "dow doy isodow isoyear timezone",
        ),
        ("regexp_replace regexp_match regexp_matches regexp_split_to_array regexp_split_to_table", "gi ig"),
    )
    for call in calls.split()
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a literal stands: what it is cast to, and in which argument (from 0) of which call."""

    cast: str = ""
    call: str = ""
    argument: int = 0


def is_harmless_text(text: str, place: Place, kind: SensitiveKind) -> bool:
    """Whether a string can be no value of a kind."""
    if place.cast in _NAMING_TYPES or place.call in _NAMING_CALLS:
        return True
    if place.cast == "INTERVAL" and not kind.is_secret:
        return True
    left = PLACEHOLDER.sub("", text)
    if len(left.lstrip("+-")) <= 1 or left.lower() in _FLAGS or left.lower() in _OPTIONS.get(place.call, ()):
        return True
    if len(left) <= _FEW_SIGNS and not any(map(str.isalnum, left)):
        return True
    if kind is SensitiveKind.COORDINATES and left.lstrip("+-") in _EARTH:
        return True
    if (place.call.startswith("json") or place.call == "columns") and _PLAIN_PATH.fullmatch(left):
        return True
    return _FORMAT.fullmatch(left) is not None or _is_pattern(left)


def is_harmless_number(number: str, place: Place, kind: SensitiveKind) -> bool:
    """Whether a number can be no value of a kind."""
    if len(number) == 1 or not number.strip("0."):
        return True
    if place.call in _COUNTING_CALLS and len(number) <= _FEW_DIGITS:
        return place.argument > 0 or place.call == "gen_random_bytes"
    return kind is SensitiveKind.COORDINATES and number in _EARTH


def _is_pattern(text: str) -> bool:
    if len(text) > _LONGEST_PATTERN:
        return False
    position = 0
    while position < len(text):
        found = _PATTERN_PART.match(text, position)
        if found is None:
            return False
        position = found.end()
    return any(char in "[\\%" for char in text)
