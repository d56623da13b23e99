"""Roots that English words of one family share: ship, shipped and shipment; pay, paid, payer and payment.

They are only compared with each other. Two words that share a root by accident support a text that nothing else does,
so roots are generous.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from tribal.naming import is_word, singular, stem

_FAMILIES = """
analyse: analysis analyze analytic; able: ability; apply: application applicant; bear: born birth; begin: began begun
break: broken broke; bring: brought; build: built; buy: bought; catch: caught; certify: certificate certification
choose: chosen chose choice; class: classify classification; close: closure; compare: comparison; decide: decision
deep: depth; describe: description descriptive; die: dead death died; divide: division; do: done; draw: drawn drew
drive: driven drove; eat: eaten; expand: expansion; extend: extension extent; fall: fallen fell; find: found
fly: flight flown flew; get: got gotten; give: given gave; go: gone went; grow: grown growth; high: height; hold: held
identify: id identity identification identifier ident; keep: kept; know: known knew; lead: led; leave: left
lend: lent loan; long: length; lose: lost loss; make: made; meet: met; modify: modification; multiply: multiplication
notify: notification; number: numeric numerical; pay: paid; permit: permission; proceed: procedure
produce: product production; publish: publication; qualify: qualification qualifier; receive: receipt recipient
reduce: reduction; ride: ridden rode; run: ran; say: said; see: seen saw; sell: sold sale; send: sent; show: shown
speak: spoken speech; specify: specification; spend: spent; stand: stood; strong: strength; submit: submission
succeed: success; take: taken took; teach: taught; tell: told; think: thought; true: truth; use: usage
vary: variant variety variation; verify: verification; weigh: weight; wide: width; win: won; write: written wrote
"""
"""Forms that no suffix explains, by a word of their family."""
_FAMILY_OF = {
    form: head.strip()
    for family in _FAMILIES.replace("\n", ";").split(";")
    if family.strip()
    for head, forms in (family.split(":"),)
    for form in forms.split()
}
_SUFFIXES = """
abl ag age al anc ance ant ate at ee enc ence ent er eri hood ibl ic ion ism ist it iv less ment ness or ori ship ur e i
""".split()
"""What stemming leaves of suffixes that derive one word from another."""
_SHORTEST = 4
_SHORTEST_WORD = 3
"""The fewest letters of a root, and of one that is a word itself, such as "pay"."""


@lru_cache(maxsize=65_536)
def roots(word: str) -> frozenset[str]:
    """Return the roots of a word in any form, in lower case and without accents."""
    plain = without_accents(word.lower())
    base = _FAMILY_OF.get(plain) or singular(plain)
    found = {base, stem(_FAMILY_OF.get(base, base))}
    left = list(found)
    while left:
        longer = left.pop()
        shorter = {form for rest in _without_suffix(longer) for form in (rest, stem(rest))} - found
        found |= shorter
        left.extend(shorter)
    return frozenset(found)


def roots_of(words: Iterable[str]) -> frozenset[str]:
    """Return the roots of several words."""
    return frozenset(root for word in words for root in roots(word))


def without_accents(text: str) -> str:
    """The text without accents and other marks on letters: `résumé` is `resume`."""
    if text.isascii():
        return text
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def _without_suffix(word: str) -> Iterable[str]:
    for suffix in _SUFFIXES:
        rest = word.removesuffix(suffix)
        if rest == word:
            continue
        is_long = len(rest) >= _SHORTEST + (len(suffix) == 1)
        if is_long or (len(rest) == _SHORTEST_WORD and len(suffix) > 1 and is_word(rest)):
            yield rest
