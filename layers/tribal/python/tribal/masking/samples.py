"""Decide which sample values of a column, and which look-up lists, may be shown. Only patterns of the others are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tribal.masking.code_values import MAX_DIGITS, is_listed, is_small_number, known_codes, plain_codes
from tribal.masking.column_names import detect_by_name, is_code_name, is_key_name
from tribal.masking.detectors import detect
from tribal.masking.kinds import SensitiveKind
from tribal.masking.personal_names import has_common_name
from tribal.masking.redaction import redact_text
from tribal.masking.value_shapes import is_date, is_number, pattern_of
from tribal.naming import is_noun, is_word, split_identifier
from tribal_contracts import CatalogColumn, CatalogTable

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


_AS_OFTEN = 3
"""A code of a look-up table occurs once. It is judged like a sample that occurs as often as any shown sample must."""
_PERSONS = frozenset(
    {
        SensitiveKind.BANK_ACCOUNT,
        SensitiveKind.BIRTH_DATE,
        SensitiveKind.EMAIL,
        SensitiveKind.IBAN,
        SensitiveKind.NATIONAL_ID,
        SensitiveKind.PERSON_NAME,
        SensitiveKind.PHONE,
        SensitiveKind.TAX_ID,
        SensitiveKind.USERNAME,
    }
)
_WORD = re.compile(r"[^\W\d_]+")
_SHORT_WORD = 3
_PROSE = frozenset({None, SensitiveKind.FREE_TEXT})


@dataclass(frozen=True, slots=True)
class LookupRows:
    """What may be shown of a look-up table; empty if nothing may. A list is never shown in part."""

    codes: Sequence[str] = ()
    meanings: Mapping[str, str] | None = None
    """By code."""


def mask_lookup(
    table: CatalogTable, code: CatalogColumn, codes: Sequence[str], meaning: str = "", texts: Sequence[str] = ()
) -> LookupRows:
    """What of a look-up table may be shown, given its codes and, in the same order, the texts of another column.

    Codes are masked like samples. Numbers are shown only next to their meanings: alone they are keys of rows. Texts are
    shown if none contains a personal value or a common name of people, and everyday words occur in at least half of
    them, or the codes are from a public list, such as that of countries. Nothing is shown of a table that holds persons
    or accounts by the names of its columns, or of which the database marks a column as sensitive.
    """
    if not may_be_lookup(table):
        return LookupRows()
    shows_texts = bool(texts) and detect_by_name(meaning, table.table_name) in _PROSE and _are_harmless(texts, codes)
    are_numbers = all(is_small_number(each) or (each.isdecimal() and len(each) <= MAX_DIGITS) for each in codes)
    if not (shows_texts if are_numbers else _are_codes(table.table_name, code, codes)):
        return LookupRows()
    return LookupRows(codes, dict(zip(codes, texts, strict=True)) if shows_texts else None)


def may_be_lookup(table: CatalogTable) -> bool:
    """Whether nothing of a table's columns, by name or mark, forbids showing its rows."""
    return not any(column.sensitive or _is_personal(column, table.table_name) for column in table.columns)


def _is_personal(column: CatalogColumn, table: str) -> bool:
    if split_identifier(column.name)[-1:] == ["by"]:
        # `created_by` names who wrote a row, not what the row is.
        return False
    kind = detect_by_name(column.name, table)
    return kind is not None and (kind in _PERSONS or kind.is_secret)


def _are_codes(table: str, column: CatalogColumn, codes: Sequence[str]) -> bool:
    shown = mask_samples(
        column.name, table, [*codes] * _AS_OFTEN, type_name=column.base_type or column.type, is_key=False
    )
    return set(codes) <= set(shown.values)


def _are_harmless(texts: Sequence[str], codes: Iterable[str]) -> bool:
    if any(map(_may_be_personal, texts)):
        return False
    everyday = sum(map(_has_everyday_word, texts))
    return 2 * everyday >= len(texts) or is_listed(codes)


def _may_be_personal(text: str) -> bool:
    return (
        sum(map(str.isdecimal, text)) > MAX_DIGITS
        or detect(text) is not None
        or redact_text(text) != text
        or has_common_name(text, may_be_place=True)
    )


def _has_everyday_word(text: str) -> bool:
    return any(
        len(word) > _SHORT_WORD and (is_word(word.lower()) or is_noun(word.lower())) for word in _WORD.findall(text)
    )
