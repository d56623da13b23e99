"""Decide which sample values of a column may be shown. Only patterns of the others are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tribal.masking.code_values import MAX_DIGITS, is_small_number, known_codes, plain_codes
from tribal.masking.column_names import detect_by_name, is_code_name, is_key_name
from tribal.masking.detectors import detect
from tribal.masking.kinds import SensitiveKind
from tribal.masking.value_shapes import is_date, is_number, pattern_of

# Limits by judgement, not measured: they bound the work per column and the length of a page.
MAX_SAMPLES = 10_000
"""Samples of a column that are read."""
MAX_SAMPLE_CHARS = 2_000
"""Characters of a sample that are read; a longer sample is never shown."""
MAX_DETECTED = 25
"""Distinct values of a column, most frequent first, that detectors check; more only if more may be shown."""
MAX_DISTINCT = 50
"""Values are shown only of columns with at most so many distinct ones."""
_FEW_DISTINCT = 12
"""In a column with at most so many distinct values, small numbers and listed codes that occur twice are shown."""
_OFTEN = 3
"""How often any other value must occur."""
MAX_PATTERNS = 5
"""Patterns of hidden values that are shown."""

_NEVER_SHOWN_TYPES = (
    *("json", "xml", "bytea", "binary", "blob", "uuid", "tsvector", "tsquery", "hstore", "variant", "object", "array"),
    *("[]", "vector", "range", "bit", "ltree", "pg_lsn", "oid"),
)
_KINDS_OF_TYPES = {
    "inet": SensitiveKind.IP_ADDRESS,
    "cidr": SensitiveKind.IP_ADDRESS,
    "macaddr": SensitiveKind.MAC_ADDRESS,
    "geometry": SensitiveKind.COORDINATES,
    "geography": SensitiveKind.COORDINATES,
    "point": SensitiveKind.COORDINATES,
}


_BY_CHECK_DIGIT = frozenset((SensitiveKind.NATIONAL_ID, SensitiveKind.TAX_ID))
"""Kinds for which one in ten unrelated numbers, such as article numbers, has the right check digit by chance."""
_LEAST_SHARE = 3
"""A column is of such a kind only if one in so many values is. The digits are hidden either way."""


@dataclass(frozen=True, slots=True)
class MaskedSamples:
    """The parts of a column's samples that may be shown.

    `values` are the safe values, most frequent first, then sorted; `patterns` are those of the hidden values, in the
    same order. `kind` is the reason for hiding, if known; `masked` says whether anything was hidden.
    """

    values: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    kind: SensitiveKind | None = None
    masked: bool = False


def mask_samples(
    column_name: str,
    table_name: str,
    values: Sequence[str | None],
    *,
    type_name: str,
    is_key: bool,
    declared: Collection[str] = (),
) -> MaskedSamples:
    """Show codes, flags and small numbers that repeat in a column of few distinct values, and mask the rest.

    A code is a value that the catalog declares (`declared`: labels of an enum, values of a check), that is in a list
    of codes, or that occurs at least three times and reads as one. No value is shown of a column whose name or type
    suggests personal data, whose values identify rows, or in which a detector recognises a value. Dates and values with
    five or more digits are never shown.
    """
    cut = [value[:MAX_SAMPLE_CHARS] for value in values[:MAX_SAMPLES] if value is not None]
    counts = Counter([value.strip() for value in cut if value.strip()])
    ranked = sorted(counts, key=lambda value: (-counts[value], value))
    kind = _kind_of_type(type_name) or detect_by_name(column_name, table_name)
    # A value that occurs once is never shown.
    repeating = min(sum(count > 1 for count in counts.values()), MAX_DISTINCT)
    if kind in (None, SensitiveKind.PERSON_NAME):
        # People are also named by their e-mail addresses.
        kind = _kind_of_values(ranked[: max(MAX_DETECTED, repeating)]) or kind
    hidden_column = kind is not None or is_key or is_key_name(column_name) or _is_never_shown(type_name)
    shown: Collection[str] = ()
    if not hidden_column and len(counts) <= MAX_DISTINCT:
        shown = _safe_booleans(ranked) if _is_boolean(type_name) else _safe_codes(counts, column_name, declared)
    hidden = [value for value in ranked if value not in shown]
    return MaskedSamples(
        values=tuple(form for value in ranked if value in shown for form in _forms(value, cut, type_name)),
        patterns=() if kind is not None and kind.is_secret else _patterns(hidden, counts),
        kind=kind,
        masked=bool(hidden),
    )


def _forms(value: str, cut: Sequence[str], type_name: str) -> list[str]:
    """How a value is stored: with spaces around it, unless the type pads its values."""
    if type_name.startswith(("character(", "char(")):
        return [value]
    return sorted({form for form in cut if form.strip() == value})


def _patterns(hidden: list[str], counts: Counter[str]) -> tuple[str, ...]:
    patterns: Counter[str] = Counter()
    for value in hidden:
        patterns[pattern_of(value)] += counts[value]
    return tuple(sorted(patterns, key=lambda pattern: (-patterns[pattern], pattern))[:MAX_PATTERNS])


def _kind_of_type(type_name: str) -> SensitiveKind | None:
    lower = type_name.lower()
    return next((kind for name, kind in _KINDS_OF_TYPES.items() if lower.startswith(name)), None)


def _is_never_shown(type_name: str) -> bool:
    lower = type_name.lower()
    return any(part in lower for part in _NEVER_SHOWN_TYPES)


def _kind_of_values(ranked: list[str]) -> SensitiveKind | None:
    """Return the most frequent kind of the recognised values; of equally frequent ones, the first by name."""
    # Small numbers and dates are most of all values, and too short for any pattern.
    detectable = [value for value in ranked if not (is_number(value) or is_date(value))]
    kinds = Counter(kind for value in detectable if (kind := detect(value)) is not None)
    for kind in _BY_CHECK_DIGIT & kinds.keys():
        if kinds[kind] * _LEAST_SHARE < len(detectable):
            del kinds[kind]
    return min(kinds, key=lambda kind: (-kinds[kind], kind)) if kinds else None


def _is_boolean(type_name: str) -> bool:
    return type_name.lower().startswith("bool")


def _safe_booleans(values: Collection[str]) -> Collection[str]:
    return {value for value in values if value.lower() in ("t", "f", "true", "false")}


def _safe_codes(counts: Counter[str], column_name: str, declared: Collection[str]) -> Collection[str]:
    is_repetitive = all(count > 1 for count in counts.values()) or len(counts) <= counts.total() / 2
    known = known_codes(counts, named_as_codes=is_code_name(column_name)) | set(declared)
    if is_repetitive and len(counts) <= _FEW_DISTINCT:
        least = 2
        known |= set(filter(is_small_number, counts))
    else:
        least = _OFTEN
    safe = {value for value in known if counts[value] >= least}
    others = {value for value, count in counts.items() if count >= _OFTEN and not is_number(value)} - safe
    if others:
        safe |= others & plain_codes(counts, column_name)
    return {value for value in safe if sum(map(str.isdecimal, value)) <= MAX_DIGITS and not is_date(value)}
