"""Numbers that identify a person, an account or a card, with valid check digits, laid out as people write them."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

_LETTERS = string.ascii_uppercase


@dataclass(frozen=True, slots=True)
class Number:
    """One kind of number.

    `stem` makes all but the check characters, and `check` computes these: empty if the number has none, None if this
    stem has no valid ones. In a layout `#` takes the next character; what a layout leaves over is dropped.
    """

    stem: Callable[[Random], str]
    check: Callable[[str], str | None]
    layouts: tuple[str, ...]
    labels: tuple[str, ...]
    people: tuple[str, ...]
    check_length: int = 1
    check_at: int | None = None
    """Where the check characters begin; None if they are the last ones."""

    def generate(self, random: Random) -> str:
        """A valid number without separators."""
        while True:
            stem = self.stem(random)
            check = self.check(stem)
            if check is not None:
                return self.join(stem, check)

    def join(self, stem: str, check: str) -> str:
        at = len(stem) if self.check_at is None else self.check_at
        return stem[:at] + check + stem[at:]

    def is_valid(self, whole: str) -> bool:
        """Whether a number without separators has the check characters that the rest of it requires."""
        at = len(whole) - self.check_length if self.check_at is None else self.check_at
        end = at + self.check_length
        return self.check(whole[:at] + whole[end:]) == whole[at:end]

    def write(self, whole: str, random: Random) -> str:
        """The number in one of its layouts."""
        characters = iter(whole)
        text = ""
        for mark in random.choice(self.layouts):
            following = next(characters, "") if mark == "#" else mark
            if not following:
                break
            text += following
        return text.rstrip(" -")


def _digits(random: Random, count: int, first: str = string.digits) -> str:
    return random.choice(first) + "".join(random.choices(string.digits, k=count - 1))


def _birth(random: Random, pattern: str, *, century: int | None = None) -> str:
    year_begin, year_end = (1945, 2005) if century is None else (century + 45, century + 99)
    day = date(year_begin, 1, 1) + timedelta(days=random.randrange(365 * (year_end - year_begin)))
    return day.strftime(pattern)


def _no_check(_: str) -> str:
    return ""


def luhn(stem: str) -> str:
    total = 0
    for place, digit in enumerate(reversed(stem)):
        value = int(digit) * (2 if place % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def verhoeff(stem: str) -> str:
    """The check digit over the dihedral group of order 10."""
    permutation = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)
    state = 0
    for place, digit in enumerate(reversed(stem), start=1):
        value = int(digit)
        for _ in range(place % 8):
            value = permutation[value]
        state = _dihedral(state, value)
    return str(next(value for value in range(10) if _dihedral(state, value) == 0))


def _dihedral(left: int, right: int) -> int:
    turn = left % 5 + (right if left < 5 else -right)
    return turn % 5 + (5 if (left < 5) != (right < 5) else 0)


def _weighted(stem: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(stem, weights, strict=True))


def dni(stem: str) -> str:
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(stem.translate(str.maketrans("XYZ", "012"))) % 23]


def nir(stem: str) -> str:
    return f"{97 - int(stem) % 97:02}"


def steuer_id(stem: str) -> str | None:
    """ISO 7064 mod 11,10; exactly one digit of the stem occurs two or three times."""
    if sorted(stem.count(digit) for digit in set(stem))[-2:] not in ([1, 2], [1, 3]):
        return None
    product = 10
    for digit in stem:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return str((11 - product) % 10)


_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


def codice_fiscale(stem: str) -> str:
    values = [int(c) if c.isdigit() else _LETTERS.index(c) for c in stem]
    return _LETTERS[(sum(_ODD[value] for value in values[::2]) + sum(values[1::2])) % 26]


def cpf(stem: str) -> str:
    text = stem
    for _ in range(2):
        text += str(_weighted(text, range(len(text) + 1, 1, -1)) * 10 % 11 % 10)
    return text[9:]


def pesel(stem: str) -> str:
    return str(-_weighted(stem, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10)


def bsn(stem: str) -> str | None:
    check = _weighted(stem, range(9, 1, -1)) % 11
    return str(check) if check < 10 else None


def chinese_id(stem: str) -> str:
    return "10X98765432"[_weighted(stem, (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)) % 11]


def rrn(stem: str) -> str:
    return str((11 - _weighted(stem, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)) % 11) % 10)


def tfn(stem: str) -> str | None:
    check = _weighted(stem, (1, 4, 3, 7, 5, 8, 6, 9)) % 11
    return str(check) if check < 10 else None


def iban(stem: str) -> str:
    value = "".join(str(int(c, 36)) for c in f"{stem[2:]}{stem[:2]}00")
    return f"{98 - int(value) % 97:02}"


def _iban_stem(random: Random) -> str:
    country, bank, digits = random.choice(
        (
            ("DE", "", 18),
            ("NL", "INGB", 10),
            ("NL", "RABO", 10),
            ("GB", "NWBK", 14),
            ("AT", "", 16),
            ("CH", "", 17),
            ("PL", "", 24),
            ("DK", "", 14),
            ("SE", "", 20),
            ("IE", "AIBK", 14),
        )
    )
    return country + bank + _digits(random, digits)


def _ssn(random: Random) -> str:
    area = random.choice([number for number in range(1, 900) if number != 666])
    return f"{area:03}{random.randint(1, 99):02}{random.randint(1, 9999):04}"


def _nir_stem(random: Random) -> str:
    department = random.choice([number for number in range(1, 96) if number != 20])
    return (
        random.choice("12")
        + _birth(random, "%y%m")
        + f"{department:02}{random.randint(1, 400):03}{random.randint(1, 600):03}"
    )


def _codice_stem(random: Random) -> str:
    consonants = "".join(random.choices("BCDFGLMNPRSTVZ", k=6))
    day = random.randint(1, 28) + random.choice((0, 40))
    town = random.choice(("F205", "H501", "L219", "D612", "F839", "A944", "G273"))
    return f"{consonants}{random.randint(45, 99)}{random.choice('ABCDEHLMPRST')}{day:02}{town}"


def _nino(random: Random) -> str:
    while True:
        prefix = random.choice("ABCEGHJKLMNOPRSTWXYZ") + random.choice("ABCEGHJKLMNPRSTWXYZ")
        if prefix not in {"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"}:
            return prefix + _digits(random, 6) + random.choice("ABCD")


def _pan(random: Random) -> str:
    letters = "".join(random.choices(_LETTERS, k=3)) + "P" + random.choice(_LETTERS)
    return letters + f"{random.randint(1, 9999):04}" + random.choice(_LETTERS)


def _chinese_stem(random: Random) -> str:
    region = random.choice(("110105", "310104", "440106", "330102", "510107", "320102", "420106"))
    return region + _birth(random, "%Y%m%d") + f"{random.randint(1, 999):03}"


def _rrn_stem(random: Random) -> str:
    return _birth(random, "%y%m%d", century=1900) + random.choice("12") + _digits(random, 5)


_INDIA = ("Asha Verma", "Ravi Kumar", "S. Iyer", "Meena Nair", "Arjun Patel")
_ENGLISH = ("John Carter", "Emily Brooks", "M. Turner", "Sarah Lewis", "Peter Grant")
_SPAIN = ("Lucía Fernández", "Javier Ruiz", "Carmen Ortega", "P. Navarro")
_EUROPE = ("Anna Becker", "Luc Moreau", "Jan de Vries", "Marta Nowak", "T. Lindqvist")

NUMBERS: dict[str, Number] = {
    "aadhaar": Number(
        lambda r: _digits(r, 11, "23456789"),
        verhoeff,
        ("#### #### ####", "#### #### ####", "####-####-####", "############"),
        ("Aadhaar", "Aadhaar no", "Aadhaar number", "AADHAAR", "aadhar", "UID", "UIDAI number", "आधार"),
        _INDIA,
    ),
    "indian pan": Number(
        _pan,
        _no_check,
        ("##########",),
        ("PAN", "PAN no", "PAN card", "Permanent Account Number", "Income tax PAN"),
        _INDIA,
        check_length=0,
    ),
    "us ssn": Number(
        _ssn,
        _no_check,
        ("###-##-####", "###-##-####", "### ## ####", "#########"),
        ("SSN", "ssn", "Social Security number", "social security no.", "Soc. Sec. #"),
        _ENGLISH,
        check_length=0,
    ),
    "uk nino": Number(
        _nino,
        _no_check,
        ("## ## ## ## #", "#########", "##-##-##-##-#"),
        ("NI number", "NINO", "National Insurance number", "NI no.", "nat ins"),
        _ENGLISH,
        check_length=0,
    ),
    "canadian sin": Number(
        lambda r: _digits(r, 8, "1234567"),
        luhn,
        ("### ### ###", "###-###-###", "#########"),
        ("SIN", "Social Insurance Number", "NAS", "SIN no."),
        _ENGLISH,
    ),
    "australian tfn": Number(
        lambda r: _digits(r, 8, "12345678"),
        tfn,
        ("### ### ###", "###-###-###", "#########"),
        ("TFN", "Tax File Number", "tax file no.", "ATO TFN"),
        _ENGLISH,
    ),
    "spanish dni": Number(
        lambda r: _digits(r, 8),
        dni,
        ("#########", "########-#", "##.###.###-#", "######## #"),
        ("DNI", "NIF", "Documento de identidad", "dni"),
        _SPAIN,
    ),
    "spanish nie": Number(
        lambda r: r.choice("XYZ") + _digits(r, 7),
        dni,
        ("#########", "#-#######-#", "#########"),
        ("NIE", "número de extranjero", "nie"),
        _SPAIN,
    ),
    "french nir": Number(
        _nir_stem,
        nir,
        ("# ## ## ## ### ### ##", "############# ##", "###############"),
        ("NIR", "numéro de sécurité sociale", "n° de sécu", "N° Sécu", "numéro INSEE"),
        ("Luc Moreau", "Camille Petit", "Hélène Girard", "N. Lambert"),
        check_length=2,
    ),
    "german steuer-id": Number(
        lambda r: _digits(r, 10, "123456789"),
        steuer_id,
        ("## ### ### ###", "###########", "##-###-###-###"),
        ("Steuer-ID", "Steueridentifikationsnummer", "IdNr.", "Steuer-IdNr.", "tax id (DE)"),
        ("Anna Becker", "Jürgen Wolf", "Petra Schulz", "M. Hoffmann"),
    ),
    "italian codice fiscale": Number(
        _codice_stem,
        codice_fiscale,
        ("################", "### ### ##### #####"),
        ("codice fiscale", "C.F.", "Cod. Fisc.", "CF"),
        ("Giulia Ricci", "Marco Conti", "Paola Greco", "A. Romano"),
    ),
    "brazilian cpf": Number(
        lambda r: _digits(r, 9),
        cpf,
        ("###.###.###-##", "###.###.###-##", "###########", "### ### ### ##"),
        ("CPF", "Nº do CPF", "cpf", "CPF/MF"),
        ("João Pereira", "Ana Souza", "Bruna Costa", "R. Oliveira"),
        check_length=2,
    ),
    "polish pesel": Number(
        lambda r: _birth(r, "%y%m%d", century=1900) + _digits(r, 4),
        pesel,
        ("###########", "###### #####"),
        ("PESEL", "pesel", "Nr PESEL", "numer PESEL"),
        ("Marta Nowak", "Piotr Zieliński", "K. Wójcik", "Ewa Kamińska"),
    ),
    "dutch bsn": Number(
        lambda r: _digits(r, 8, "123"),
        bsn,
        ("#########", "####.##.###", "### ### ###", "####-##-###"),
        ("BSN", "burgerservicenummer", "bsn", "BSN-nummer", "sofinummer"),
        ("Jan de Vries", "Sanne Bakker", "P. Visser", "Lotte Smit"),
    ),
    "swedish personnummer": Number(
        lambda r: _birth(r, "%y%m%d", century=1900) + _digits(r, 3),
        luhn,
        ("######-####", "######-####", "19######-####", "19##########"),
        ("personnummer", "Personnr", "pnr", "personal identity number", "Pers.nr"),
        ("Erik Lindqvist", "Sara Nyström", "T. Bergman", "Maja Ek"),
    ),
    "chinese id": Number(
        _chinese_stem,
        chinese_id,
        ("##################", "###### ######## ####"),
        ("身份证号", "身份证", "居民身份证号码", "Resident ID", "ID card no. (CN)"),
        ("王伟", "李娜", "张敏", "Liu Yang"),
    ),
    "korean rrn": Number(
        _rrn_stem,
        rrn,
        ("######-#######", "######-#######", "#############", "###### #######"),
        ("RRN", "주민등록번호", "주민번호", "resident registration number"),
        ("김민수", "이서연", "Park Jihoon", "최유진"),
    ),
    "payment card": Number(
        lambda r: r.choice(("4" + _digits(r, 2), f"5{_digits(r, 1, '12345')}" + _digits(r, 1))) + _digits(r, 12),
        luhn,
        ("#### #### #### ####", "####-####-####-####", "################"),
        ("card", "card no.", "credit card", "Visa/MC", "card PAN", "Kartennummer", "cc"),
        (*_ENGLISH, *_EUROPE),
    ),
    "amex card": Number(
        lambda r: "3" + _digits(r, 1, "47") + _digits(r, 12),
        luhn,
        ("#### ###### #####", "####-######-#####", "###############"),
        ("card", "Amex", "American Express card", "credit card no."),
        (*_ENGLISH, *_EUROPE),
    ),
    "iban": Number(
        _iban_stem,
        iban,
        ("#### " * 8, "#### " * 8, "#" * 34, "####-" * 8),
        ("IBAN", "iban", "account (IBAN)", "Kontoverbindung", "bank account"),
        _EUROPE,
        check_length=2,
        check_at=2,
    ),
}
