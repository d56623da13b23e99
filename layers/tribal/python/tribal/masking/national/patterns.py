"""Patterns of national identity numbers. Those without a distinctive form need a valid check digit."""

from __future__ import annotations

import re

from tribal.masking.checksums import (
    digits_of,
    is_australian_tax_number,
    is_brazilian_cpf,
    is_chinese_id,
    is_dutch_bsn,
    is_french_social_number,
    is_german_tax_id,
    is_indian_aadhaar,
    is_italian_fiscal_code,
    is_korean_registration_number,
    is_luhn,
    is_polish_pesel,
    is_spanish_id,
    is_swiss_social_number,
)
from tribal.masking.kinds import SensitiveKind
from tribal.masking.rules import END, OPENS, SEP, START, Rule

_TIMESTAMP = re.compile(r"20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d")
_LETTER_OR_DIGIT = "[0-9LMNP-V]"


def _is_insurance_number(number: str) -> bool:
    return number[:2].upper() not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")


def _is_aadhaar(number: str) -> bool:
    return is_indian_aadhaar(number) and not _TIMESTAMP.match(number)


def _is_swedish(number: str) -> bool:
    return _ends_in_luhn_digit(number) and not _TIMESTAMP.match(number)


def _is_korean(number: str) -> bool:
    """Whether the check digit is right. Numbers issued since 2020 have none, but are written with a hyphen."""
    return "-" in number or is_korean_registration_number(number)


def _is_grouped_number(number: str) -> bool:
    return is_luhn(number) or ("-" in number and (is_australian_tax_number(number) or is_dutch_bsn(number)))


def _ends_in_luhn_digit(number: str) -> bool:
    return is_luhn(digits_of(number)[-10:])


_UNITED_STATES = (
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"\d(?<!\d\d)(?<!9)\d\d(?<!000)(?<!666)({SEP})(?!00)\d\d\1(?!0000)\d{{4}}(?!\d)"),
        min_digits=9,
    ),
)
_UNITED_KINGDOM = (
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"{START}[A-Z]{{2}}(?:[ -]?\d\d){{3}}[ -]?[A-D]{END}", re.IGNORECASE),
        confirm=_is_insurance_number,
        min_digits=6,
    ),
)
_EUROPEAN_UNION = (
    Rule(
        SensitiveKind.TAX_ID,
        re.compile(rf"[1-9]{OPENS}\d(?:[ -]?\d{{3}}){{3}}{END}"),
        confirm=is_german_tax_id,
        min_digits=11,
    ),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(
            rf"[12]{OPENS} ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d\d|2[AB]) ?\d{{3}} ?\d{{3}} ?\d\d{END}", re.IGNORECASE
        ),
        confirm=is_french_social_number,
        min_digits=14,
    ),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"[\dXYZ]{OPENS}(?:[ -]?\d{{7}}|\d\.?\d{{3}}\.?\d{{3}})[ -]?[A-Z]{END}", re.IGNORECASE),
        confirm=is_spanish_id,
        min_digits=7,
    ),
    Rule(
        SensitiveKind.TAX_ID,
        re.compile(
            rf"{START}[A-Z]{{3}} ?[A-Z]{{3}} ?{_LETTER_OR_DIGIT}{{2}}[A-EHLMPR-T]{_LETTER_OR_DIGIT}{{2}} ?"
            rf"[A-Z]{_LETTER_OR_DIGIT}{{3}}[A-Z]{END}",
            re.IGNORECASE,
        ),
        confirm=is_italian_fiscal_code,
        min_digits=1,
    ),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"\d{OPENS}\d{{5}} ?\d{{5}}{END}"),
        confirm=is_polish_pesel,
        min_digits=11,
    ),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"\d{OPENS}\d(?:\d\d)?(?:0[1-9]|1[0-2])[0-36-9]\d[-+]\d{{4}}{END}"),
        confirm=_ends_in_luhn_digit,
        min_digits=10,
    ),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"[12]{OPENS}[90]\d\d(?:0[1-9]|1[0-2])[0-36-9]\d ?\d{{4}}{END}"),
        confirm=_is_swedish,
        min_digits=12,
    ),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"\d{OPENS}\d{{3}}([.-])\d\d\1\d{{3}}{END}"),
        confirm=is_dutch_bsn,
        min_digits=9,
    ),
)
_OTHER_COUNTRIES = (
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"7{OPENS}56[. ]?\d{{4}}[. ]?\d{{4}}[. ]?\d\d{END}"),
        confirm=is_swiss_social_number,
        min_digits=13,
    ),
    Rule(
        SensitiveKind.TAX_ID,
        re.compile(rf"\d{OPENS}\d\d[. ]?\d{{3}}[. ]?\d{{3}}[ -]?\d\d{END}"),
        confirm=is_brazilian_cpf,
        min_digits=11,
    ),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"\d{OPENS}(?<![+.].)\d{{3}}({SEP}?)\d{{4}}\1\d{{4}}{END}(?!\.\d)"),
        confirm=_is_aadhaar,
        min_digits=12,
    ),
    Rule(SensitiveKind.TAX_ID, re.compile(rf"[A-Z]{OPENS}[A-Z]{{2}}[ABCFGHJLPT][A-Z]\d{{4}}[A-Z]{END}"), min_digits=4),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"\d{OPENS}\d{{5}} ?(?:19|20)\d{{6}} ?\d{{3}}[\dXx]{END}"),
        confirm=is_chinese_id,
        min_digits=17,
    ),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"\d{OPENS}\d(?:0[1-9]|1[0-2])[0-3]\d[ -]?[1-8]\d{{6}}{END}"),
        confirm=_is_korean,
        min_digits=13,
    ),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"\d{OPENS}\d\d([ -])\d{{3}}\1\d{{3}}{END}"),
        confirm=_is_grouped_number,
        min_digits=9,
    ),
)

PATTERN_RULES = (
    *_UNITED_STATES,
    *_UNITED_KINGDOM,
    *_EUROPEAN_UNION,
    *_OTHER_COUNTRIES,
)
