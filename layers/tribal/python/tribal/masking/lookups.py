"""Decide whether the rows of a look-up table may be shown: codes and what they mean, never people or their things."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tribal.masking.code_values import MAX_DIGITS, is_listed, is_small_number
from tribal.masking.column_names import detect_by_name
from tribal.masking.detectors import detect
from tribal.masking.kinds import SensitiveKind
from tribal.masking.personal_names import has_common_name
from tribal.masking.redaction import redact_text
from tribal.masking.samples import mask_samples
from tribal.naming import is_noun, is_word, split_identifier
from tribal_contracts import CatalogColumn, CatalogTable

_OFTEN = 3
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
_SHORT = 3
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
    shown = mask_samples(column.name, table, [*codes] * _OFTEN, type_name=column.base_type or column.type, is_key=False)
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
    return any(len(word) > _SHORT and (is_word(word.lower()) or is_noun(word.lower())) for word in _WORD.findall(text))
