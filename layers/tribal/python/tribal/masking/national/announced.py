"""Find national numbers by the words around them: their label, or the name of their owner."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tribal.masking.kinds import SensitiveKind
from tribal.masking.personal_names import GIVEN_NAMES, SURNAMES
from tribal.masking.rules import END, START
from tribal.naming import is_word

_BEFORE, _AFTER = 60, 40
"""Characters before and after a number that are searched for its label or its owner."""
_LEAST_DIGITS = 8
_NUMBER = re.compile(rf"{START}(?:[A-Z]{{1,3}}[ -]?)?\d(?:[ .-]?\d){{6,17}}(?:[ -]?[A-Z])?{END}")
_DIGIT_RUN = re.compile(r"\d(?:.*\d)?")
_NINE = re.compile(r"\d{3}([ .-]?)\d{3}\1\d{3}")
_DATE = re.compile(
    r"(?:19|20)\d\d-\d\d-\d\d|\d{1,2}[.-]\d{1,2}[.-](?:19|20)\d\d|(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d(?!\d)"
)
_LABEL = re.compile(
    r"(?<![^\W_])(?:SSN|SIN|NAS|TIN|UID|DNI|NIF|NIE|RRN|NI (?:no|number)|pnr"
    r"|(?i:ssn|soc(?:ial|\.) ?(?:sec|insurance)|nat(?:ional|\.)? ?ins|nino|tfn|tax file|tax(?:payer)?[ -]?(?:id"
    r"|no|number)"
    r"|bsn|burgerservice|sofi|personn|pers\.? ?n|personal (?:identity )?n|national id|aadhaar|uidai|steuer|idnr"
    r"|codice fiscale|cod\. ?fisc|cpf|pesel|resident (?:registration|id)|identity (?:card|n)|id card|citizen"
    r"|documento de identidad))|\u8eab\u4efd\u8bc1|\uc8fc\ubbfc|\u0906\u0927\u093e\u0930"
)
_CAPITAL = r"[A-Z\u00c0-\u00de\u0100-\u017f]"
_NAME = rf"{_CAPITAL}[^\W\d_]{{1,24}}(?:[-'\u2019]{_CAPITAL}?[^\W\d_]{{1,24}})?"
_PARTICLES = r"(?:(?:van|von|de|der|den|di|da|dos|del|la|le|el|al|bin) ){0,2}"
_PERSON = re.compile(
    rf"{START}(?P<first>{_CAPITAL}\.|{_NAME}) (?=(?P<last>(?:{_CAPITAL}\. ?)?{_PARTICLES}{_NAME}){END})"
)


@dataclass(frozen=True, slots=True)
class AnnouncedNumberRule:
    """Finds numbers of eight or more digits next to a word for a national number, and of nine next to a name."""

    kind: SensitiveKind = SensitiveKind.NATIONAL_ID
    required: tuple[str, ...] = ()
    min_digits: int = _LEAST_DIGITS

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each part to hide, from left to right."""
        for number in _NUMBER.finditer(text):
            digits = _DIGIT_RUN.search(number.group())
            if digits is None or sum(map(str.isdecimal, number.group())) < _LEAST_DIGITS or _DATE.match(digits.group()):
                continue
            start, end = number.start() + digits.start(), number.start() + digits.end()
            around = text[max(0, start - _BEFORE) : start], text[end : end + _AFTER]
            if any(map(_LABEL.search, around)) or (_NINE.fullmatch(digits.group()) and any(map(_has_name, around))):
                yield (start if text[start - 1 : start] == " " else number.start()), number.end()


def _has_name(text: str) -> bool:
    return any(map(_is_name, _PERSON.finditer(text)))


def _is_name(found: re.Match[str]) -> bool:
    first, last = found["first"].lower(), found["last"].lower().rpartition(" ")[2]
    if first.endswith("."):
        return last in SURNAMES or not is_word(last)
    return (first in GIVEN_NAMES and not is_word(first)) or last in SURNAMES or not (is_word(first) or is_word(last))


ANNOUNCED_NUMBERS = (AnnouncedNumberRule(),)
