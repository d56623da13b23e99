"""Check digits of cards, accounts and national numbers, which distinguish real numbers from random digits."""

from __future__ import annotations

IBAN_LENGTHS: dict[str, int] = {
    country: int(length)
    for length, countries in (
        entry.split(":")
        for entry in (
            "15:NO 16:BE 18:DK,FI,FO,GL,NL,SD,FK 19:MK,SI 20:AT,BA,EE,KZ,LT,LU,XK,MN 21:CH,HR,LI,LV "
            "22:BG,BH,CR,DE,GB,GE,IE,ME,RS,VA 23:AE,GI,IL,IQ,OM,SO,TL 24:AD,CZ,ES,MD,PK,RO,SA,SE,SK,TN,VG "
            "25:LY,PT,ST 26:IS,TR 27:BI,DJ,FR,GR,IT,MC,MR,SM 28:AL,AZ,BY,CY,DO,GT,HU,LB,NI,PL,SV 29:BR,EG,PS,QA,UA "
            "30:JO,KW,MU,YE 31:MT,SC 32:LC 33:RU"
        ).split()
    )
    for country in countries.split(",")
}
"""Length of an IBAN by country code. Source: IBAN registry (ISO 13616)."""

_VERHOEFF_PRODUCT = [
    [(column + row) % 5 if column < 5 else 5 + (column + row) % 5 for column in range(10)] for row in range(5)
] + [[(row - column) % 5 + (5 if column < 5 else 0) for column in range(10)] for row in range(5, 10)]
_VERHOEFF_SHUFFLE = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)
_FISCAL_CODE_ODD = dict(
    zip("0123456789", (1, 0, 5, 7, 9, 13, 15, 17, 19, 21), strict=True),
    **dict(
        zip(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
            strict=True,
        )
    ),
)


def digits_of(text: str) -> str:
    """Return the decimal digits of a text; digits of other scripts become 0 to 9."""
    return "".join(str(int(char)) for char in text if char.isdecimal())


def is_luhn(number: str) -> bool:
    """Whether the digits end in the check digit of payment cards."""
    digits = digits_of(number)
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return len(digits) > 1 and (sum(int(digit) for digit in digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_card_number(number: str) -> bool:
    """Whether 13 to 19 digits start like a card network's numbers and pass Luhn's check."""
    digits = digits_of(number)
    issued = digits[:1] in "3456" or "2221" <= digits[:4] <= "2720"
    return 13 <= len(digits) <= 19 and issued and len(set(digits)) > 1 and is_luhn(digits)


def is_iban(account: str) -> bool:
    """Whether the characters, not counting spaces and hyphens, have their country's length and are valid modulo 97."""
    compact = "".join(char for char in account.upper() if char.isalnum())
    if not compact.isascii() or IBAN_LENGTHS.get(compact[:2]) != len(compact):
        return False
    return int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4])) % 97 == 1


def is_german_tax_id(number: str) -> bool:
    """Whether 11 digits are a German Steuer-ID: one digit repeated among the first ten, ISO 7064 check digit."""
    digits = digits_of(number)
    if len(digits) != 11 or digits[0] == "0":
        return False
    counts = sorted(digits[:10].count(digit) for digit in set(digits[:10]))
    if counts[-1] not in (2, 3) or (len(counts) > 1 and counts[-2] > 1):
        return False
    product = 10
    for digit in digits[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def is_french_social_number(number: str) -> bool:
    """Whether 15 characters are a French NIR, whose last two digits are 97 minus the others modulo 97."""
    compact = "".join(char for char in number.upper() if char.isalnum())
    body = compact[:13].replace("2A", "19", 1) if compact[5:7] == "2A" else compact[:13]
    body = body[:5] + "18" + body[7:] if compact[5:7] == "2B" else body
    return len(compact) == 15 and (body + compact[13:]).isdecimal() and 97 - int(body) % 97 == int(compact[13:])


def is_spanish_id(number: str) -> bool:
    """Whether a DNI or NIE ends in the check letter for its number modulo 23."""
    compact = "".join(char for char in number.upper() if char.isalnum())
    body = str("XYZ".find(compact[0])) + compact[1:8] if compact[0] in "XYZ" else compact[:8]
    return len(compact) == 9 and body.isdecimal() and "TRWAGMYFPDXBNJZSQVHLCKE"[int(body) % 23] == compact[8]


def is_italian_fiscal_code(code: str) -> bool:
    """Whether 16 characters are an Italian codice fiscale, by its check letter."""
    compact = code.upper().replace(" ", "")
    if len(compact) != 16 or not compact.isascii() or not compact.isalnum():
        return False
    odd = sum(_FISCAL_CODE_ODD[char] for char in compact[0:15:2])
    even = sum(int(char) if char.isdecimal() else ord(char) - ord("A") for char in compact[1:15:2])
    return chr(ord("A") + (odd + even) % 26) == compact[15]


def is_polish_pesel(number: str) -> bool:
    """Whether 11 digits are a Polish PESEL: a date of birth and a weighted check digit."""
    digits = digits_of(number)
    if len(digits) != 11 or not (1 <= int(digits[2:4]) % 20 <= 12 and 1 <= int(digits[4:6]) <= 31):
        return False
    weighted = sum(int(digit) * weight for digit, weight in zip(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3), strict=False))
    return (10 - weighted % 10) % 10 == int(digits[10])


def is_brazilian_cpf(number: str) -> bool:
    """Whether 11 digits are a Brazilian CPF, by its two check digits."""
    digits = digits_of(number)
    if len(digits) != 11 or len(set(digits)) == 1:
        return False
    for length in (9, 10):
        weighted = sum(int(digit) * (length + 1 - position) for position, digit in enumerate(digits[:length]))
        if weighted * 10 % 11 % 10 != int(digits[length]):
            return False
    return True


def is_indian_aadhaar(number: str) -> bool:
    """Whether 12 digits are an Indian Aadhaar number, by Verhoeff's check digit."""
    digits = digits_of(number)
    check = 0
    for position, digit in enumerate(reversed(digits)):
        shuffled = int(digit)
        for _ in range(position % 8):
            shuffled = _VERHOEFF_SHUFFLE[shuffled]
        check = _VERHOEFF_PRODUCT[check][shuffled]
    return len(digits) == 12 and digits[0] not in "01" and check == 0


def is_dutch_bsn(number: str) -> bool:
    """Whether 9 digits are a Dutch BSN: weighted 9 to 2 and minus 1, they are a multiple of 11."""
    digits = digits_of(number)
    return len(digits) == 9 and _weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def is_australian_tax_number(number: str) -> bool:
    """Whether 9 digits are an Australian TFN, whose weighted sum is a multiple of 11."""
    digits = digits_of(number)
    return len(digits) == 9 and _weighted(digits, (1, 4, 3, 7, 5, 8, 6, 9, 10)) % 11 == 0


def is_korean_registration_number(number: str) -> bool:
    """Whether 13 digits are a Korean RRN: a date of birth, a digit for the century, and a check digit."""
    digits = digits_of(number)
    if len(digits) != 13 or not (1 <= int(digits[2:4]) <= 12 and 1 <= int(digits[4:6]) <= 31):
        return False
    weighted = _weighted(digits[:12], (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5))
    return digits[6] in "12345678" and (11 - weighted % 11) % 10 == int(digits[12])


def _weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def is_swiss_social_number(number: str) -> bool:
    """Whether 13 digits are a Swiss AHV number: 756 and the check digit of an EAN."""
    digits = digits_of(number)
    weighted = sum(int(digit) * (3 if position % 2 else 1) for position, digit in enumerate(digits))
    return len(digits) == 13 and digits.startswith("756") and weighted % 10 == 0


def is_chinese_id(number: str) -> bool:
    """Whether 18 characters are a Chinese resident number, by ISO 7064 modulo 11-2."""
    compact = number.upper().replace(" ", "")
    if len(compact) != 18 or not compact[:17].isdecimal():
        return False
    weighted = sum(int(digit) * (2 ** (17 - position) % 11) for position, digit in enumerate(compact[:17]))
    return "10X98765432"[weighted % 11] == compact[17]
