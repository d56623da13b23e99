"""Made-up personal and secret values of every class, as many as a test likes, the same each time."""

from __future__ import annotations

import base64
import hashlib
import string
from collections.abc import Callable
from random import Random

from tests.attack.made_people import number_plate, passport

FIRST = (
    "Maria Ahmed Chen Olga Pierre Fatima John Aiko Lars Ngozi Sofia Ivan Priya Tomas Elena Kwame Hannah Diego".split()
)
LAST = "Silva Haddad Wang Ivanova Dubois Khan Miller Tanaka Berg Okafor Rossi Petrov Sharma Novak Garcia Mensah".split()
STREETS = "Oak Elm Maple High Church Station Park Mill Victoria Garden".split()


def _digits(seed: str, count: int) -> str:
    return str(int(hashlib.sha256(seed.encode()).hexdigest(), 16))[-count:].zfill(count)


def _letters(seed: str, count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    number = int(hashlib.sha512(seed.encode()).hexdigest(), 16)
    letters = []
    for _ in range(count):
        number, place = divmod(number, len(alphabet))
        letters.append(alphabet[place])
    return "".join(letters)


def card(n: int) -> str:
    """A number with a right check digit by Luhn."""
    body = "4" + _digits(f"card{n}", 14)
    total = sum(
        sum(divmod(int(digit) * 2, 10)) if place % 2 == 0 else int(digit) for place, digit in enumerate(body[::-1])
    )
    return body + str(-total % 10)


def iban(n: int) -> str:
    """A German account with right check digits."""
    account = _digits(f"iban{n}", 18)
    check = 98 - int(account + "131400") % 97
    return f"DE{check:02}{account}"


def _name(n: int) -> str:
    return f"{FIRST[n % len(FIRST)]} {LAST[n // len(FIRST) % len(LAST)]}{'' if n < 288 else n}"


WITH_PATTERN: dict[str, Callable[[int], str]] = {
    "email": lambda n: f"{_letters(f'm{n}', 8).lower()}.{n}@mail{n % 7}.example.com",
    "phone": lambda n: f"+49 170 {_digits(f'p{n}', 7)}",
    "card": card,
    "iban": iban,
    "national_id": lambda n: f"{100 + n % 500}-{11 + n % 80}-{1000 + n:04}",
    "aws_key": lambda n: "AKIA" + _letters(f"a{n}", 16, string.ascii_uppercase + "234567"),
    "token": lambda n: "ghp_" + _letters(f"g{n}", 36),
    "jwt": lambda n: ".".join(
        base64.urlsafe_b64encode(part.encode()).decode().rstrip("=")
        for part in ('{"alg":"HS256"}', f'{{"sub":"user-{n}"}}', _letters(f"j{n}", 32))
    ),
    "password_hash": lambda n: "$2b$12$" + _letters(f"h{n}", 53, "./" + string.ascii_letters + string.digits),
    "credentials": lambda n: f"postgresql://svc{n}:{_letters(f'c{n}', 12)}@db{n}.example.com/app",
    "ip": lambda n: f"10.{n % 250}.{(n * 7) % 250}.{(n * 13) % 250 + 1}",
}
"""Classes that a pattern or a checksum can recognise."""

WITHOUT_PATTERN: dict[str, Callable[[int], str]] = {
    "person": _name,
    "given_name": lambda n: (
        FIRST[n % len(FIRST)] if n < len(FIRST) else f"{FIRST[n % len(FIRST)]}{_letters(f'n{n}', 3).lower()}"
    ),
    "address": lambda n: f"{n + 1} {STREETS[n % 10]} Street, {10000 + n} Springfield",
    "free_text": lambda n: f"Customer {_name(n)} called about case {n} and was upset",
    "password": lambda n: _letters(f"w{n}", 11) + "!",
    "passport": lambda n: passport(Random(n)),
    "number_plate": lambda n: number_plate(Random(n)),
}
"""Classes that only context tells."""
