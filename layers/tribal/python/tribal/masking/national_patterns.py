"""Patterns of national identity numbers; those without a distinctive form must have a valid check digit."""

from __future__ import annotations

import re

from tribal.masking.checksums import (
    digits_of,
    is_brazilian_cpf,
    is_chinese_id,
    is_french_social_number,
    is_german_tax_id,
    is_indian_aadhaar,
    is_italian_fiscal_code,
    is_luhn,
    is_polish_pesel,
    is_spanish_id,
    is_swiss_social_number,
)
from tribal.masking.kinds import SensitiveKind
from tribal.masking.rules import END, OPENS, SEP, START, Rule

_LETTER_OR_DIGIT = "[0-9LMNP-V]"


def _is_insurance_number(number: str) -> bool:
    return number[:2].upper() not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")


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
        re.compile(rf"{START}[A-CEGHJ-PR-TW-Z]{{2}}(?: ?\d\d){{3}} ?[A-D]{END}", re.IGNORECASE),
        confirm=_is_insurance_number,
        min_digits=6,
    ),
)
_EUROPEAN_UNION = (
    Rule(
        SensitiveKind.TAX_ID,
        re.compile(rf"[1-9]{OPENS}\d(?: ?\d{{3}}){{3}}{END}"),
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
        re.compile(rf"[\dXYZ]{OPENS}-?\d{{7}}-?[A-Z]{END}", re.IGNORECASE),
        confirm=is_spanish_id,
        min_digits=7,
    ),
    Rule(
        SensitiveKind.TAX_ID,
        re.compile(
            rf"{START}[A-Z]{{6}}{_LETTER_OR_DIGIT}{{2}}[A-EHLMPR-T]{_LETTER_OR_DIGIT}{{2}}[A-Z]{_LETTER_OR_DIGIT}{{3}}[A-Z]{END}",
            re.IGNORECASE,
        ),
        confirm=is_italian_fiscal_code,
        min_digits=1,
    ),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"\d{OPENS}\d{{10}}{END}"),
        confirm=is_polish_pesel,
        min_digits=11,
    ),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"\d{OPENS}\d(?:\d\d)?(?:0[1-9]|1[0-2])[0-36-9]\d[-+]\d{{4}}{END}"),
        confirm=_ends_in_luhn_digit,
        min_digits=10,
    ),
)
_ELSEWHERE = (
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"7{OPENS}56[. ]?\d{{4}}[. ]?\d{{4}}[. ]?\d\d{END}"),
        confirm=is_swiss_social_number,
        min_digits=13,
    ),
    Rule(
        SensitiveKind.TAX_ID,
        re.compile(rf"\d{OPENS}\d\d\.?\d{{3}}\.?\d{{3}}-?\d\d{END}"),
        confirm=is_brazilian_cpf,
        min_digits=11,
    ),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"\d{OPENS}\d{{3}}({SEP})\d{{4}}\1\d{{4}}{END}"),
        confirm=is_indian_aadhaar,
        min_digits=12,
    ),
    Rule(SensitiveKind.TAX_ID, re.compile(rf"[A-Z]{OPENS}[A-Z]{{2}}[ABCFGHJLPT][A-Z]\d{{4}}[A-Z]{END}"), min_digits=4),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"\d{OPENS}\d{{16}}[\dXx]{END}"),
        confirm=is_chinese_id,
        min_digits=17,
    ),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"\d{OPENS}\d(?:0[1-9]|1[0-2])[0-3]\d-[1-8]\d{{6}}{END}"),
        min_digits=13,
    ),
    Rule(
        SensitiveKind.NATIONAL_ID,
        re.compile(rf"\d{OPENS}\d\d([ -])\d{{3}}\1\d{{3}}{END}"),
        confirm=is_luhn,
        min_digits=9,
    ),
)

NATIONAL_RULES = (*_UNITED_STATES, *_UNITED_KINGDOM, *_EUROPEAN_UNION, *_ELSEWHERE)
