"""Find names of people in text: after a title, a full name with a common given name or surname, or after "ask".

Deliberately cautious: comments in catalogs are full of capitals, so a common database word is never part of a name.
Names that are on no list and names in lower case are not found.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tribal.masking.kinds import SensitiveKind
from tribal.masking.personal_names import GIVEN_NAMES, SURNAMES
from tribal.masking.rules import END, START, Rule
from tribal.naming import is_word

_CAPITAL = r"[A-Z\u00c0-\u00d6\u00d8-\u00de\u0100-\u017f]"
_WORD = rf"{_CAPITAL}[^\W\d_]{{1,24}}(?:['\u2019-]{_CAPITAL}?[^\W\d_]{{1,24}})?"
_PARTICLE = r"(?:(?:von|van|de|der|den|di|da|dos|del|la|le|el|al|bin) ){0,2}"
_TITLES = ("mr", "mrs", "ms", "mx", "dr", "prof", "herr", "frau", "mme", "monsieur", "madame", "signor", "se\u00f1or")

# Also months, places, products and terms.
_NO_GIVEN_NAMES = frozenset("angel christian florence jan jordan madison max roman ron victoria virginia".split())
_NO_SURNAMES = frozenset("costa kim lang park santiago vega ward washington".split())
_NO_FIRST_WORDS = frozenset(
    "a an and any as ask at by call contact each every fort for from if in inc lake mount new no not of on only or our "
    "owner port saint san santa see sent st tell the their this to upon we when with".split()
)


@lru_cache(maxsize=4_096)
def _is_full_name(text: str) -> bool:
    first, *_, last = (word.lower() for word in re.split(r"[ .]+", text))
    if is_word(first) or is_word(last) or first in _NO_FIRST_WORDS:
        return False
    if first in GIVEN_NAMES and first not in _NO_GIVEN_NAMES:
        return True
    return re.split(r"['\u2019-]", last)[-1] in SURNAMES - _NO_SURNAMES


def _is_titled_name(text: str) -> bool:
    last = text.rpartition(" ")[2].lower()
    return not is_word(last) and last not in _TITLES


def _is_name_after_initial(text: str) -> bool:
    return text.rpartition(" ")[2].lower() in SURNAMES - _NO_SURNAMES


def _is_asked_for(text: str) -> bool:
    names = [word.lower() for word in text.split()[-2:]]
    return not any(is_word(name) or name in _NO_FIRST_WORDS for name in names)


NAME_RULES = (
    Rule(
        SensitiveKind.PERSON_NAME,
        re.compile(
            rf"{START}(?:Mr|Mrs|Ms|Mx|Dr|Prof|Herrn?|Frau|Mme|Monsieur|Madame|Signora?|Se\u00f1ora?)\.? "
            rf"(?:(?:Dr|Prof)\.? ){{0,2}}(?P<hidden>(?:{_CAPITAL}\. ?)?(?:{_WORD} )?{_PARTICLE}{_WORD}){END}"
        ),
        confirm=_is_titled_name,
        required=_TITLES,
    ),
    Rule(
        SensitiveKind.PERSON_NAME,
        re.compile(rf"{START}{_WORD} (?:{_CAPITAL}\. ?)?{_PARTICLE}{_WORD}{END}"),
        confirm=_is_full_name,
    ),
    Rule(
        SensitiveKind.PERSON_NAME,
        re.compile(rf"{START}{_CAPITAL}\. {_WORD}{END}"),
        confirm=_is_name_after_initial,
    ),
    Rule(
        SensitiveKind.PERSON_NAME,
        re.compile(rf"{START}(?:[Aa]sk|[Cc]ontact|[Cc]all|[Oo]wner|[Aa]uthor)[:=]? (?P<hidden>{_WORD} {_WORD}){END}"),
        confirm=_is_asked_for,
        required=("ask", "contact", "call", "owner", "author"),
    ),
)
