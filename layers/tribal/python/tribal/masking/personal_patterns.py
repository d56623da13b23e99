"""Patterns of personal data: e-mail addresses, phone numbers, cards, accounts, network and postal addresses.

Digits may be in any script. Groups of digits are separated by a space, a no-break space, a dot or a hyphen.
"""

from __future__ import annotations

import ipaddress
import re

from tribal.masking.checksums import IBAN_LENGTHS, digits_of, is_card_number, is_iban
from tribal.masking.kinds import SensitiveKind
from tribal.masking.rules import END, OPENS, SEP, START, Rule

_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_HEX = "[0-9A-Fa-f]"

_LIMITS_OF_INTEGERS = frozenset({"2147483647", "2147483648", "4294967295", "4294967296"})
_DATE = re.compile(r"\d{2}[./-]\d{2}[./-]\d{4}")
_PLAIN_STREETS = (
    "street",
    "avenue",
    "ave",
    "road",
    "rd",
    "boulevard",
    "blvd",
    "lane",
    "ln",
    "highway",
    "hwy",
    "parkway",
)
_OTHER_STREETS = (
    *("st", "drive", "dr", "court", "ct", "place", "pl", "square", "sq", "terrace", "way", "close", "crescent"),
    *("circle", "cir", "trail", "pike", "mews", "row", "alley", "grove", "gardens"),
)
_PARTICLES = r"(?:(?:de|du|des|del|della|di|da|do|la|le|les|el|los|las|l['\u2019]|d['\u2019]) ?){0,3}"
_NOT_A_RECORD_NUMBER = "".join(
    f"(?i:(?<!{word}.))"
    for word in (
        "po ",
        "order ",
        "invoice ",
        "ticket ",
        "epoch ",
        "batch ",
        "no. ",
        "account ",
        "shipment ",
        "parcel ",
        "article ",
        "item ",
        "contract ",
        "document ",
        "reference ",
        "serial ",
        "receipt ",
    )
)
"""Excludes numbers of records; placed after the first digit."""
_NAMES = r"[A-Z\u00c0-\u00de][\w'\u2019-]{1,30}(?: [A-Z\u00c0-\u00de][\w'\u2019-]{1,30}){0,3}"


def _is_bare_phone(number: str) -> bool:
    return number not in _LIMITS_OF_INTEGERS and not number.endswith("00000")


def _is_international_phone(number: str) -> bool:
    return not re.fullmatch(r"\+\d\.\d+", number)


def _is_grouped_phone(number: str) -> bool:
    return len(digits_of(number)) >= 9 and not _DATE.match(number)


def _is_ipv6(candidate: str) -> bool:
    groups = [group for group in candidate.split(":") if group]
    if not any(char.isdecimal() for char in candidate) or (len(groups) != 8 and candidate.count("::") != 1):
        return False
    # `a1::dec` is a cast in PostgreSQL, not an address.
    if len(groups) < 3 and not groups[0].lower().startswith(("2", "3", "fc", "fd", "fe")):
        return False
    try:
        ipaddress.IPv6Address(candidate)
    except ValueError:
        return False
    return True


def _has_letter(candidate: str) -> bool:
    return any(char.isalpha() for char in candidate)


def _is_street(candidate: str) -> bool:
    """Whether the words are capitalised: an address, and not just a number and words before `way` or `place`."""
    number, *words, ending = candidate.replace(",", " ").split()
    plain = ending.lower().rstrip(".") in _PLAIN_STREETS and len(number) > 1
    return plain or all(not word[0].islower() for word in words)


def _any_iban() -> str:
    """Build one alternative per length, so that a match ends with its country's format and not in the next word."""
    countries: dict[int, list[str]] = {}
    for country, length in IBAN_LENGTHS.items():
        countries.setdefault(length, []).append(country)
    return "|".join(
        rf"(?:{'|'.join(codes)})\d\d(?:[ \u00a0-]?[A-Z0-9]){{{length - 4}}}" for length, codes in countries.items()
    )


EMAIL_RULES = (
    Rule(
        SensitiveKind.EMAIL,
        re.compile(
            r"(?<![\w.+%&-])[\w.+%&-]+(?:@|%40)(?:[^\W_][\w-]{0,62}\.){1,8}(?:xn--[\w-]{2,40}|[^\W\d_]{2,24})",
            re.IGNORECASE,
        ),
        required=("@", "%40"),
    ),
)

ACCOUNT_RULES = (
    Rule(
        SensitiveKind.IBAN,
        re.compile(rf"{START}(?=[A-Z]{{2}}\d\d)(?:{_any_iban()}){END}", re.IGNORECASE),
        confirm=is_iban,
        min_digits=8,
    ),
    Rule(
        SensitiveKind.CARD,
        re.compile(
            rf"\d(?<!\d\d)(?:\d{{12,18}}|\d{{3}}({SEP})\d{{4}}\1\d{{4}}\1\d{{1,4}}|\d{{3}}{SEP}\d{{6}}{SEP}\d{{4,5}})(?!\d)"
        ),
        confirm=is_card_number,
        min_digits=13,
    ),
    Rule(
        SensitiveKind.CARD,
        re.compile(rf"\d(?<!\d\d)\d{{3}}({SEP})\d{{4}}\1\d{{4}}\1\d{{4}}\1\d{{3}}(?!\d)"),
        confirm=is_card_number,
        min_digits=19,
    ),
)

MACHINE_RULES = (
    Rule(
        SensitiveKind.MAC_ADDRESS,
        re.compile(
            rf"{_HEX}{OPENS}{_HEX}([:-])(?:{_HEX}{{2}}\1){{4}}(?:{_HEX}{{2}}\1{_HEX}{{2}}\1)?{_HEX}{{2}}{END}", re.ASCII
        ),
    ),
    Rule(
        SensitiveKind.MAC_ADDRESS,
        re.compile(rf"{_HEX}{OPENS}{_HEX}{{3}}\.{_HEX}{{4}}\.{_HEX}{{4}}{END}", re.ASCII),
        confirm=_has_letter,
    ),
    Rule(
        SensitiveKind.IP_ADDRESS,
        re.compile(rf"{_HEX}{OPENS}{_HEX}{{0,3}}(?::{{1,2}}{_HEX}{{1,4}}){{1,7}}(?:::)?{END}", re.ASCII),
        confirm=_is_ipv6,
        required=(":",),
        min_digits=1,
    ),
    Rule(
        SensitiveKind.IP_ADDRESS,
        re.compile(rf"(?=\d){START}(?<!\d\.)(?:{_OCTET}\.){{3}}{_OCTET}{END}(?!\.\d)"),
        required=(".",),
        min_digits=4,
    ),
)

PHONE_RULES = (
    Rule(
        SensitiveKind.PHONE,
        re.compile(rf"\+(?<![\w+].)[1-9](?:[()/]?{SEP}?[()]?\d){{7,14}}(?!\d)"),
        confirm=_is_international_phone,
        required=("+",),
        min_digits=8,
    ),
    Rule(
        SensitiveKind.PHONE,
        re.compile(rf"0{OPENS}0(?=[1-9]\d{{0,2}}{SEP})[1-9](?:[()/]?{SEP}?[()]?\d){{7,14}}(?!\d)"),
        min_digits=10,
    ),
    Rule(
        SensitiveKind.PHONE,
        re.compile(rf"\d{OPENS}(?<!\d[./-].)(?:{SEP}\d{{3}}|\d\d)(?:{SEP}|/)\d{{3}}{SEP}\d{{4}}{END}"),
        confirm=_is_grouped_phone,
        min_digits=10,
    ),
    Rule(
        SensitiveKind.PHONE,
        re.compile(rf"\((?<![\w)].)\d{{2,5}}\){SEP}?\d{{3,5}}{SEP}?\d{{3,5}}{END}"),
        confirm=_is_grouped_phone,
        required=("(",),
        min_digits=9,
    ),
    Rule(
        SensitiveKind.PHONE,
        re.compile(rf"0{OPENS}(?<!\d[./-].)(?=\d{{1,5}}(?:{SEP}|/))(?:(?:{SEP}|/){{0,3}}\d){{8,11}}{END}"),
        confirm=_is_grouped_phone,
        min_digits=9,
    ),
    Rule(
        SensitiveKind.PHONE,
        re.compile(rf"[67]{OPENS}\d\d (?:\d{{3}} \d{{3}}|\d\d \d\d \d\d){END}|[6-9]{OPENS}\d{{4}}[ -]\d{{5}}{END}"),
        min_digits=9,
    ),
    Rule(
        SensitiveKind.PHONE,
        re.compile(
            rf"\d{OPENS}(?<!\d\..){_NOT_A_RECORD_NUMBER}(?:(?<=[2-9])\d{{9}}|(?<=0)[1-9]\d{{8,9}}|(?<=1)[3-9]\d{{9}}){END}(?!\.\d)"
        ),
        confirm=_is_bare_phone,
        min_digits=10,
    ),
)

HOME_RULES = (
    Rule(
        SensitiveKind.ADDRESS,
        re.compile(
            rf"\d{OPENS}\d{{0,5}}[A-Z]?,? {{1,3}}(?:\w[\w.'\u2019-]{{0,30}} {{1,3}}){{1,4}}"
            rf"(?:{'|'.join(_PLAIN_STREETS + _OTHER_STREETS)})\b\.?",
            re.IGNORECASE,
        ),
        confirm=_is_street,
        required=_PLAIN_STREETS + _OTHER_STREETS,
        min_digits=1,
    ),
    Rule(
        SensitiveKind.ADDRESS,
        re.compile(
            r"(?<![\w-])[^\W\d_][\w-]{2,40}(?:stra\u00dfe|strasse|str\.|weg|platz|allee|gasse|damm|ufer) \d{1,4}\b",
            re.IGNORECASE,
        ),
        required=("stra\u00dfe", "strasse", "str.", "weg", "platz", "allee", "gasse", "damm", "ufer"),
        min_digits=1,
    ),
    Rule(
        SensitiveKind.ADDRESS,
        re.compile(
            rf"\d{OPENS}\d{{0,4}}(?: ?(?:bis|ter))?,? (?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Cc]hemin|[Aa]ll\u00e9e"
            rf"|[Ii]mpasse|[Qq]uai|[Rr]oute|[Pp]lace|[Cc]ours) {_PARTICLES}{_NAMES}"
        ),
        required=(
            "rue",
            "avenue",
            "boulevard",
            "chemin",
            "all\u00e9e",
            "impasse",
            "quai",
            "route",
            "place",
            "cours",
        ),
        min_digits=1,
    ),
    Rule(
        SensitiveKind.ADDRESS,
        re.compile(
            rf"{START}(?:[Cc]alle|[Aa]venida|Avda\.?|Plaza|Paseo|Via|Viale|Piazza|Corso|Rua) "
            rf"{_PARTICLES}{_NAMES},? \d{{1,5}}\b"
        ),
        required=("calle", "avenida", "avda", "plaza", "paseo", "via", "piazza", "corso", "rua"),
        min_digits=1,
    ),
    Rule(
        SensitiveKind.ADDRESS,
        re.compile(rf"{START}(?:p\.? ?o\.? ?box|postfach) {{0,2}}\d{{1,8}}\b", re.IGNORECASE),
        required=("box", "postfach"),
        min_digits=1,
    ),
)
