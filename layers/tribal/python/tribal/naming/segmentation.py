"""Splits names written without separators: `purchaseorderheader` reads "purchase order header"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache

from tribal.naming.abbreviation_evidence import EVIDENCE
from tribal.naming.abbreviation_table import ABBREVIATIONS, ACRONYMS
from tribal.naming.closed_compounds import CLOSED_COMPOUNDS
from tribal.naming.english_words import WORDS
from tribal.naming.inflection import singular

# Letters of a name, and of a word in it. Chosen by judgement: shorter ones split names that are one word. Not measured.
_SHORTEST = 6
_LONGEST = 48
_SHORTEST_PART = 3
# Words of two letters count only where they cannot be the end or the start of another word.
_FIRST_ONLY = frozenset({"is", "to", "on"})
_MIDDLE_ONLY = frozenset({"of", "to", "id"})
_LAST_ONLY = frozenset({"id", "no"})
_AFTER_PARTICIPLE = frozenset({"at", "by", "on"})
_SHORT_FORMS = frozenset(
    """
    acct addr amt avg bom cfg cnt cust dept desc dob doc emp exp guid hrs html iban img info inv isbn json lat lng lon
    max mfg min msg num org pct pkg prod pwd qty ref seq sku sql ssn std tel txn txt uid upc uri url usd uuid vat xml
    ytd
    """.split()
)
# Computing terms. They and acronyms only split names; `is_word` also separates words from secrets and people's names.
_COMPUTING = frozenset(
    """
    async auth avatar badge banner boolean cached config cookie cron daemon debug enum font footer gzip hashed hook
    icon inbox init listener log logout meta mutex oauth outbox parser plugin regex render replica repo router
    scheduler shard slug snapshot socket subnet sync thumbnail tuple unicode webhook widget
    """.split()
)
# Acronyms with which at least five of the 39,095 words up to size 35 of SCOWL begin or end, as `sin` and `mac`.
_NO_ACRONYMS = frozenset(
    """
    ach bic dea ean edi eft ein eur guid irs iso mac ngo oid pep pin poi ram sic sim sin sku sla sms tin uri vin
    """.split()
)
# Three-letter words that begin or end too many others.
_NO_PARTS = frozenset(
    """
    act aid aim air arm art eat ear ion lap law leg lot low man men oil odd out red rid sea see son sun tab tap tie tip
    ton
    """.split()
)
# Suffixes that make a word of another: `targetable` and `roofless` are words even if no dictionary lists them.
_SUFFIXES = frozenset({"able", "ably", "aged", "hood", "less", "like", "ship", "some", "ward", "wards", "wise"})


def _vocabulary() -> frozenset[str]:
    meanings = [word for several in ABBREVIATIONS.values() for meaning in several for word in meaning.split()]
    evidence = [word for meaning, words in EVIDENCE.items() for word in (*meaning.split(), *words)]
    found = {word for word in (*meanings, *evidence) if len(word) > _SHORTEST_PART and word not in ABBREVIATIONS}
    return frozenset(found | WORDS | _SHORT_FORMS | {"tax", "day", "key", "job", "zip", "sex", "map", "pay", "due"})


_VOCABULARY = _vocabulary()
_ACRONYMS = frozenset(word for word in ACRONYMS if len(word) > 2) - _NO_ACRONYMS - _VOCABULARY
_PARTS = _VOCABULARY | _COMPUTING | _ACRONYMS
LISTED_WORDS = _PARTS | CLOSED_COMPOUNDS
"""Every English word that is listed, in one of its forms."""


@lru_cache(maxsize=16_384)
def segment(token: str) -> tuple[str, ...]:
    """Split a lower-case token into known words; a word, or a token that cannot be split, is returned whole.

    The split with the fewest words wins. If two are equally short, the token is returned whole.
    """
    if not _SHORTEST <= len(token) <= _LONGEST or not (token.isascii() and token.isalpha()):
        return (token,)
    if token in ABBREVIATIONS or token in ACRONYMS or _is_listed(token, _PARTS) or _is_compound(token):
        return (token,)
    return _cut(token) or (token,)


def segment_all(tokens: Sequence[str]) -> list[str]:
    """Split each token of an identifier into its words."""
    return [word for token in tokens for word in segment(token)]


def _cut(token: str) -> tuple[str, ...] | None:
    """Return the only split into the fewest words, or `None`. Found for each tail, from the shortest to the whole.

    `dropstone` would be "drops tone" as well as "drop stone".
    """
    best: dict[int, tuple[str, ...]] = {len(token): ()}
    doubtful: set[int] = set()
    for start in range(len(token) - 2, -1, -1):
        for stop in range(len(token), start + 1, -1):
            rest = best.get(stop)
            if rest is None or not _may_stand(token, start, stop, rest):
                continue
            words = (token[start:stop], *rest)
            if start not in best or len(words) < len(best[start]):
                best[start] = words
                doubtful.discard(start)
                if stop in doubtful:
                    doubtful.add(start)
            elif len(words) == len(best[start]):
                doubtful.add(start)
    return None if 0 in doubtful else best.get(0)


def _may_stand(token: str, start: int, stop: int, rest: tuple[str, ...]) -> bool:
    part = token[start:stop]
    first, last = start == 0, stop == len(token)
    if len(part) >= _SHORTEST_PART:
        if part in _NO_PARTS or (not first and singular(part) in _SUFFIXES):
            return False
        if first and len(rest) == 1 and rest[0] in _ACRONYMS:  # `moderna` is not "mode rna"
            return False
        return _is_listed(part, _PARTS) or _is_compound(part)
    if last:
        return part in _LAST_ONLY or (part in _AFTER_PARTICIPLE and token[:start].endswith("ed"))
    if first:
        return part in _FIRST_ONLY and (part != "on" or len(rest) > 1)
    return part in _MIDDLE_ONLY


def _is_compound(part: str) -> bool:
    """Whether the word or its singular is in the dictionary although it looks like two words."""
    return part in CLOSED_COMPOUNDS or singular(part) in CLOSED_COMPOUNDS


def is_word(part: str) -> bool:
    """Whether this lower-case word is in the list of business words, which is far from all of English."""
    return _is_listed(part, _VOCABULARY)


def _is_listed(part: str, words: frozenset[str]) -> bool:
    """Whether the word or its singular is in the list."""
    if part in words:
        return True
    return part.endswith("s") and len(part) > _SHORTEST_PART and singular(part) in words


_LONGEST_PREFIX = 5
_FEWEST_PREFIXED = 8
_PREFIXED_SHARE = 0.1
_FEWEST_LETTERS = 5
# By judgement. A prefix only adds a name to a table, which matters where a column has exactly that name.


def glued_prefixes(tables: Collection[str]) -> list[str]:
    """Prefixes that many names of tables share without a separator, such as `rhn` in `rhnserver`; none begins another.

    What follows a prefix has to begin with many different letters, or it is a part of a word.
    """
    following: defaultdict[str, list[str]] = defaultdict(list)
    for name in map(str.lower, tables):
        for end in range(2, min(_LONGEST_PREFIX, len(name) - 1) + 1):
            if name[end].isalpha() and name[:end].isalpha():
                following[name[:end]].append(name[end])
    fewest = max(_FEWEST_PREFIXED, len(tables) * _PREFIXED_SHARE)
    found: list[str] = []
    for prefix in sorted(following, key=len):
        letters = following[prefix]
        is_diverse = len(letters) >= fewest and len(set(letters)) >= _FEWEST_LETTERS
        if is_diverse and not is_word(prefix) and not prefix.startswith(tuple(found)):
            found.append(prefix)
    return found
