"""What people are known by, made by a seed in the public formats, with check digits wherever a format has them."""

from __future__ import annotations

import importlib.metadata
import re
import string
from collections.abc import Callable
from datetime import date, timedelta
from random import Random

from tests.attack.made_secrets import letters, password, word

Make = Callable[[Random], str]
_UPPER = string.ascii_uppercase
_DIGITS = string.digits
_PERSON = re.compile(
    r"(?!.*(?:Team|Developers|Inc|Authors|Contributors|Admins|Face|Ecosystem|Authority)$)[^\W\d_]+ [^\W\d_]+"
)
_WITHOUT_VOWELS = "BCDFGHJKLMNPRSTVWXYZ"


def _digits(random: Random, count: int) -> str:
    """Digits of which the first is not zero."""
    return str(random.randint(10 ** (count - 1), 10**count - 1))


def _filled(random: Random, form: str) -> str:
    """A form with `A` for a capital, `9` for a digit, and every other character for itself."""
    choices = {"A": _UPPER, "9": _DIGITS, "B": _WITHOUT_VOWELS}
    return "".join(random.choice(choices[char]) if char in choices else char for char in form)


def _born(random: Random) -> date:
    return date(1935, 1, 1) + timedelta(days=random.randrange(27_000))


def passport(random: Random) -> str:
    """Numbers of passports of several countries."""
    return _filled(
        random,
        random.choice(["A99999999", "99AA99999", "A9999999", "AA9999999", "999999999", "AAA999999", "C9BB9B9B9"]),
    )


def number_plate(random: Random) -> str:
    """Number plates of several countries, with the separators that people use or without."""
    forms = (
        "B-AA 999", "AA-BB 9999", "BBB-B 99", "AA-999-AA", "AA99 AAA", "AA 999 AA", "9999 BBB", "9AAA999", "AAA-9999",
        "AAA 999", "AAA 99A", "99-AA-AA", "AA 99999", "A 999 AA 99",
    )  # fmt: skip
    made = _filled(random, random.choice(forms))
    return random.choice([made, made.replace(" ", ""), re.sub(r"[ -]", "", made)])


def social_security(random: Random) -> str:
    """The United States': area, group, serial."""
    return f"{random.randint(1, 665):03}-{random.randint(1, 99):02}-{random.randint(1, 9999):04}"


def insurance_number(random: Random) -> str:
    """The United Kingdom's."""
    prefix = random.choice("ABCEHJLMPRSWXY") + random.choice("ABCEHJKLMPRSTWXYZ")
    return prefix + letters(random, 6, _DIGITS) + random.choice("ABCD")


def german_tax_id(random: Random) -> str:
    """Eleven digits: one of the first ten twice, the last by ISO 7064."""
    while True:
        chosen = random.sample(_DIGITS, 9)
        body = [*chosen, random.choice(chosen)]
        random.shuffle(body)
        if body[0] != "0":
            break
    product = 10
    for digit in body:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return "".join(body) + str((11 - product) % 10)


def french_nir(random: Random) -> str:
    """Sex, year, month, department, commune, number, and a key of two digits."""
    born = _born(random)
    place = f"{random.randint(1, 95):02}{random.randint(1, 990):03}"
    body = f"{random.randint(1, 2)}{born:%y%m}{place}{random.randint(1, 999):03}"
    return f"{body}{97 - int(body) % 97:02}"


def spanish_dni(random: Random) -> str:
    """Eight digits and the letter of their remainder."""
    number = random.randrange(10**8)
    return f"{number:08}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def italian_code(random: Random) -> str:
    """Letters of the names, date of birth, place, and a check letter."""
    born = _born(random)
    body = (
        _filled(random, "BBBBBB") + f"{born:%y}{'ABCDEHLMPRST'[born.month - 1]}{born.day:02}" + _filled(random, "A999")
    )
    odd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]
    total = sum(odd[_place(char)] if index % 2 == 0 else _place(char) for index, char in enumerate(body))
    return body + _UPPER[total % 26]


def _place(char: str) -> int:
    return int(char) if char.isdecimal() else _UPPER.index(char)


def polish_pesel(random: Random) -> str:
    """Date of birth, number, check digit."""
    born = _born(random)
    month = born.month + (20 if born.year >= 2000 else 0)
    body = f"{born:%y}{month:02}{born:%d}{random.randrange(10_000):04}"
    total = sum(int(digit) * weight for digit, weight in zip(body, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3), strict=True))
    return body + str(-total % 10)


def brazilian_cpf(random: Random) -> str:
    """Nine digits and two check digits, with dots or without."""
    digits = [random.randrange(10) for _ in range(9)]
    for _ in range(2):
        total = sum(digit * (len(digits) + 1 - place) for place, digit in enumerate(digits))
        digits.append(total * 10 % 11 % 10)
    plain = "".join(map(str, digits))
    return random.choice([plain, f"{plain[:3]}.{plain[3:6]}.{plain[6:9]}-{plain[9:]}"])


def swedish_number(random: Random) -> str:
    """Date of birth, number, Luhn's digit."""
    body = f"{_born(random):%y%m%d}{random.randrange(1_000):03}"
    total = sum(sum(divmod(int(digit) * (2 - place % 2), 10)) for place, digit in enumerate(body))
    return f"{body[:6]}-{body[6:]}{-total % 10}"


def chinese_id(random: Random) -> str:
    """Region, date of birth, number, check character by ISO 7064."""
    body = f"{_digits(random, 6)}{_born(random):%Y%m%d}{random.randrange(1_000):03}"
    return body + "10X98765432"[sum(int(digit) * (2 ** (17 - place) % 11) for place, digit in enumerate(body)) % 11]


def dutch_bsn(random: Random) -> str:
    """Nine digits that pass the test of eleven."""
    while True:
        body = _digits(random, 8)
        check = sum(int(digit) * (9 - place) for place, digit in enumerate(body)) % 11
        if check < 10:
            return body + str(check)


def birth_date(random: Random) -> str:
    """A day, as several countries and systems write it."""
    return _born(random).strftime(
        random.choice(["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y%m%d", "%d%m%y", "%Y-%m", "%d %b %Y"])
    )


def birth_year(random: Random) -> str:
    """Four digits."""
    return str(_born(random).year)


def pin(random: Random) -> str:
    """Four to six digits."""
    return letters(random, random.choice([4, 4, 5, 6]), _DIGITS)


def account_number(random: Random) -> str:
    """Of a bank: six to twelve digits, or the code of a bank and the number of an account."""
    return random.choice([_digits(random, random.randint(6, 12)), f"{_digits(random, 8)} {_digits(random, 7)}"])


def salary(random: Random) -> str:
    """A month's or a year's pay."""
    amount = random.randint(1_200, 240_000)
    return random.choice(
        [str(amount), f"{amount}.00", f"{amount:,}", f"{amount / 1000:.3f}", f"EUR {amount}", f"${amount:,}"]
    )


def iban(random: Random) -> str:
    """A German account, check digits included."""
    account = letters(random, 18, _DIGITS)
    return f"DE{98 - int(account + '131400') % 97:02}{account}"


def card(random: Random) -> str:
    """Sixteen digits of a card network, the last by Luhn."""
    body = random.choice("45") + letters(random, 14, _DIGITS)
    body = ("51" + body[2:]) if body[0] == "5" else body
    total = sum(sum(divmod(int(digit) * (2 - place % 2), 10)) for place, digit in enumerate(body))
    return body + str(-total % 10)


def phone(random: Random) -> str:
    """With a country's code, in several groupings."""
    return random.choice(
        [
            f"+49 {random.randint(150, 179)} {_digits(random, 7)}",
            f"+1 {_digits(random, 3)}-{_digits(random, 3)}-{_digits(random, 4)}",
            f"0{_digits(random, 3)}/{_digits(random, 6)}",
            f"+33 6 {' '.join(_digits(random, 2) for _ in range(4))}",
        ]
    )


def email(random: Random) -> str:
    """At a domain that is reserved for examples."""
    return f"{word(random, 2)}.{word(random, 2)}{random.randint(1, 99)}@{word(random, 2)}.example"


def ip_address(random: Random) -> str:
    """Of version 4."""
    return ".".join(str(random.randint(1, 254)) for _ in range(4))


def vehicle_number(random: Random) -> str:
    """Seventeen letters and digits without I, O and Q."""
    return letters(random, 17, "ABCDEFGHJKLMNPRSTUVWXYZ0123456789")


def imei(random: Random) -> str:
    """Fifteen digits, the last by Luhn."""
    body = _digits(random, 14)
    total = sum(sum(divmod(int(digit) * (1 + place % 2), 10)) for place, digit in enumerate(body))
    return body + str(-total % 10)


def driving_licence(random: Random) -> str:
    """In several countries' forms."""
    return _filled(
        random, random.choice(["A9999999", "A999-9999-9999", "BBBBB999999AA9AA", "B99BB999A99", "AA9999999A"])
    )


def postcode(random: Random) -> str:
    """Of several countries."""
    return _filled(random, random.choice(["99999", "A99 9AA", "AA9 9AA", "9999 AA", "A9A 9A9", "99-999", "99999-9999"]))


def patient_number(random: Random) -> str:
    """Of a hospital, a member, a customer, an employee: letters or none, and at least five digits."""
    return _filled(random, random.choice(["MRN999999", "P99999", "99999999", "M-999999", "AA99999"]))


def coordinates(random: Random) -> str:
    """To five places."""
    return f"{random.uniform(-90, 90):.5f}, {random.uniform(-180, 180):.5f}"


def street(random: Random) -> str:
    """A number and a street."""
    return random.choice(
        [
            f"{random.randint(1, 220)} {word(random).capitalize()} Street",
            f"{word(random).capitalize()}straße {random.randint(1, 220)}",
        ]
    )


def _authors() -> list[str]:
    """Names of people: those who wrote the packages that are installed here."""
    found = set()
    for distribution in importlib.metadata.distributions():
        for field in ("Author", "Author-email", "Maintainer", "Maintainer-email"):
            for entry in distribution.metadata.get_all(field) or []:
                people = (re.sub(r"[<(].*", "", part).strip(' "') for part in entry.split(","))
                found |= {name for name in people if _PERSON.fullmatch(name)}
    return sorted(found)


def surname(random: Random) -> str:
    """A person's, or one that could be."""
    return random.choice([random.choice(_authors_once()).split()[1], word(random, 2).capitalize()])


def given_name(random: Random) -> str:
    """Likewise."""
    return random.choice([random.choice(_authors_once()).split()[0], word(random, 2).capitalize()])


def full_name(random: Random) -> str:
    """A given name and a surname, in one order or the other."""
    given, family = given_name(random), surname(random)
    return random.choice([f"{given} {family}", f"{family}, {given}", f"{given}.{family}".lower()])


_KNOWN: list[str] = []


def _authors_once() -> list[str]:
    if not _KNOWN:
        _KNOWN.extend(_authors())
    return _KNOWN


WITH_A_FORM: dict[str, Make] = {
    "passports": passport,
    "number plates": number_plate,
    "social security numbers": social_security,
    "national insurance numbers": insurance_number,
    "German tax numbers": german_tax_id,
    "French NIR": french_nir,
    "Spanish DNI": spanish_dni,
    "Italian codici fiscali": italian_code,
    "Polish PESEL": polish_pesel,
    "Brazilian CPF": brazilian_cpf,
    "Swedish personal numbers": swedish_number,
    "Chinese resident numbers": chinese_id,
    "Dutch BSN": dutch_bsn,
    "dates of birth": birth_date,
    "years of birth": birth_year,
    "PINs": pin,
    "account numbers": account_number,
    "salaries": salary,
    "IBAN": iban,
    "cards": card,
    "telephone numbers": phone,
    "e-mail addresses": email,
    "IP addresses": ip_address,
    "vehicle numbers": vehicle_number,
    "IMEI": imei,
    "driving licences": driving_licence,
    "postcodes": postcode,
    "patient numbers": patient_number,
    "coordinates": coordinates,
    "streets": street,
    "passwords": password,
}
"""By class; none of them may be shown, however often it repeats."""

NAMES: dict[str, Make] = {"surnames": surname, "given names": given_name, "full names": full_name}
