"""Read what values mean from a text such as "0 = draft, 1 = sent"."""

from __future__ import annotations

import re
from collections.abc import Collection

_MOST_CHARS = 4_000
"""Of a text that is read. By judgement."""
_GENERIC = r"-?\d{1,9}|'[^'\n]{1,20}'|\"[^\"\n]{1,20}\"|`[^`\n]{1,20}`|[A-Z][A-Z0-9_]{0,9}"
_SIGN = r"\s*=>?\s*|\s*->\s*|\s*:\s+|:(?=[^\W\d_])|\s+[-–—]\s+"  # noqa: RUF001 - dashes that people write
_BEFORE = re.compile(r"(?:[,;.|/(\[{:]|\n|\b(?:and|or)|^)\s*$")
_NO_VALUES = frozenset("EG FK IE NB NOTE NULL PK PS SEE TODO TBD WARNING".split())
_END = re.compile(r"[;|\n]|\.\s|\.$|\s/\s")
_LEAST_CODES = 2
_WORD = re.compile(r"[^\W\d_]{2}")


def meanings_in(text: str, known: Collection[str] = ()) -> dict[str, str]:
    """Return the meanings that a text gives to values, in order; empty unless it lists at least two in the same form.

    Args:
        known: the column's values; empty if unknown.
    """
    text = text[:_MOST_CHARS]
    if listed := _listed(text, known):
        return listed
    value = "|".join([*map(re.escape, sorted(known, key=len, reverse=True)), _GENERIC])
    heads = [
        found
        for found in re.finditer(rf"(?<![\w.<>=+*-])(?P<value>{value})(?P<sign>{_SIGN})(?=['\"(]?[^\W_])", text)
        if found["sign"].strip() in ("=", "=>", "->") or _BEFORE.search(text, 0, found.start()) or not found.start()
    ]
    heads = [each for each in heads if each["value"] in known or each["value"] not in _NO_VALUES]
    heads = [each for each in heads if not text[: each.start()].rstrip().endswith(("<", ">", "=", "≤", "≥"))]
    values = [each["value"].strip("'\"`") for each in heads]
    if len(heads) < 2 or len(set(values)) != len(values) or len({each["sign"].strip() for each in heads}) > 1:
        return {}
    if len({each.lstrip("-").isdecimal() for each in values}) > 1 and not known:
        return {}
    found: dict[str, str] = {}
    separators = [text[each.start() - 1 : each.start()] + text[: each.start()].rstrip()[-1:] for each in heads[1:]]
    for number, head in enumerate(heads):
        is_last = number + 1 == len(heads)
        said = text[head.end() : None if is_last else heads[number + 1].start()]
        if is_last:
            said = _last(said, "," if any("," in each for each in separators) else "")
        said = re.sub(r"[\s,;.|/(\[{]+(?:and|or)?\s*$", "", " ".join(said.split())).strip("'\"` ")
        if _WORD.search(said) and said.casefold() != values[number].casefold():
            found[values[number]] = said
    return found if len(found) > 1 else {}


def _listed(text: str, known: Collection[str]) -> dict[str, str]:
    """The meanings of codes that a text lists without a sign: "B business, P private person"; of all codes but one."""
    codes = [each for each in known if each.isdecimal() or (each.isupper() and each.isalpha())]
    if len(codes) < len(known) or len(codes) < _LEAST_CODES:
        return {}
    any_code = "|".join(map(re.escape, sorted(codes, key=len, reverse=True)))
    parts = list(re.finditer(rf"(?:^|[,;.:]\s+|\s(?:and|or)\s)(?P<value>{any_code})\s+(?=[a-z])", text))
    found: dict[str, str] = {}
    for place, part in enumerate(parts):
        end = parts[place + 1].start() if place + 1 < len(parts) else len(text)
        said = re.split(r"\.(?:\s|$)", text[part.end() : end])[0]
        found.setdefault(part["value"], said.strip(" ,;"))
    is_prose = bool(parts) and parts[0].start() > 0 and not text[: parts[0].start()].rstrip().endswith(":")
    return found if not is_prose and len(found) >= max(_LEAST_CODES, len(codes) - 1) else {}


def _last(said: str, separator: str) -> str:
    """The text of the last value, without what follows it."""
    end = _END.search(said)
    said = said[: end.start()] if end else said
    if separator:
        said = said.split(separator)[0]
    depth = 0
    for place, sign in enumerate(said):
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            return said[:place]
    return said
