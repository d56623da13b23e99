"""Detect sensitive columns by their names, before any value is read."""

from __future__ import annotations

from functools import lru_cache

from tribal.masking.column_words import (
    CODE_HEADS,
    FREE_TEXT_PHRASES,
    LABEL_HEADS,
    LAST_WORDS,
    MISLEADING_WORDS,
    NEUTRAL_HEADS,
    PERSON_NOUNS,
    PHRASES,
    PLACE_AND_STATE_HEADS,
    REVEALING_PARTS,
    WRITTEN_TOGETHER,
)
from tribal.masking.kinds import SensitiveKind
from tribal.naming import likely_words, singular, split_identifier

_LONGEST_PHRASE = 4
_YES_OR_NO = frozenset({"is", "has", "have", "can", "allow", "allows", "was", "should", "needs"})
_COUNTS = frozenset({"number", "count"})
_KEY_HEADS = frozenset("id key uuid guid oid pk fk hash checksum digest number reference".split())
_DONE = frozenset(
    "bought brought done drawn driven found given held kept led made paid read run seen sent sold taken written".split()
)
_ENDS_IN_ID = frozenset(
    """
    acid aid amid android asteroid avoid bid centroid covid fluid grid hybrid invalid kid laid lid liquid maid mid paid
    prepaid pyramid raid rapid repaid rid said skid solid squid steroid thyroid unpaid valid void
    """.split()
)


def detect_by_name(column_name: str, table_name: str = "") -> SensitiveKind | None:
    """Return the sensitive kind that a column's name suggests. A plain `name` is judged with the table's name.

    The last word decides: `email_status` and `is_email_verified` are facts about an address, not addresses.
    """
    spelt_out = _readings(column_name)[1]
    if not spelt_out or spelt_out[0] in _YES_OR_NO or (len(spelt_out) > 1 and spelt_out[0] in _COUNTS):
        return None
    if _names_a_person(spelt_out, table_name):
        return SensitiveKind.PERSON_NAME
    return _kind_of_column(column_name)


@lru_cache(maxsize=8_192)
def _kind_of_column(column_name: str) -> SensitiveKind | None:
    written, spelt_out = _readings(column_name)
    return _kind_of_words(written) or _kind_of_words(spelt_out) or _kind_of_parts(written)


def is_code_name(column_name: str) -> bool:
    """Whether a column's name suggests one of a few codes: a status, a type, a flag, a unit."""
    words = _readings(column_name)[1]
    return bool(words) and (words[-1] in CODE_HEADS or words[0] in _YES_OR_NO)


def is_place_or_state_name(column_name: str) -> bool:
    """Whether a column is named for places, departments, or the states and kinds of a thing."""
    words = _readings(column_name)[1]
    last = words[-2:-1] if words[-1:] and words[-1] in LABEL_HEADS else words[-1:]
    return not PLACE_AND_STATE_HEADS.isdisjoint(last)


def is_key_name(column_name: str) -> bool:
    """Whether a column is named like an identifier, regardless of what the catalog declares."""
    words = _readings(column_name)[1]
    if not words:
        return False
    last = words[-1]
    return last in _KEY_HEADS or (len(last) > 4 and last.endswith("id") and last not in _ENDS_IN_ID)


@lru_cache(maxsize=8_192)
def _readings(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a name's words as written and with abbreviations spelt out, singular, without digits at the end."""
    tokens = split_identifier(name)
    while len(tokens) > 1 and tokens[-1].isdecimal():
        tokens.pop()
    spelt_out = likely_words(tokens)
    return tuple(map(singular, tokens)), tuple(map(singular, spelt_out))


def _kind_of_words(words: tuple[str, ...]) -> SensitiveKind | None:
    for length in range(_LONGEST_PHRASE, 0, -1):
        for start in range(len(words) - length, -1, -1):
            kind = PHRASES.get(words[start : start + length])
            is_mere_fact = start + length < len(words) and words[-1] in NEUTRAL_HEADS
            # The status of a disability says as much as the disability.
            if kind is not None and (kind is SensitiveKind.PERSONAL_TRAIT or not is_mere_fact):
                return kind
    if words and words[-1] in LAST_WORDS:
        return LAST_WORDS[words[-1]]
    return SensitiveKind.FREE_TEXT if _ends_in_free_text(words) else None


def _kind_of_parts(words: tuple[str, ...]) -> SensitiveKind | None:
    if not words or words[-1] in NEUTRAL_HEADS:
        return None
    if words[-1].endswith(("token", "secret")):
        return SensitiveKind.SECRET
    for word in words:
        if word in WRITTEN_TOGETHER:
            return WRITTEN_TOGETHER[word]
        for part, kind in REVEALING_PARTS.items():
            if part in word and word not in MISLEADING_WORDS:
                return kind
    return None


def _ends_in_free_text(words: tuple[str, ...]) -> bool:
    # `description_en` is prose just like `description`.
    trimmed = words[:-1] if len(words) > 1 and len(words[-1]) == 2 else words
    return any(end[-length:] in FREE_TEXT_PHRASES for end in (words, trimmed) for length in (1, 2))


def _names_a_person(words: tuple[str, ...], table_name: str) -> bool:
    if words == ("name",):
        return any(word in PERSON_NOUNS for word in _readings(table_name)[1][-1:])
    if _names_who_did_it(words[:-1] if words[-1] == "name" else words):
        return True
    return words[-1] in PERSON_NOUNS or (words[-1] == "name" and any(word in PERSON_NOUNS for word in words))


def _names_who_did_it(words: tuple[str, ...]) -> bool:
    """Whether a name ends like `closed_by`, `storedby` or `sold_by`."""
    if words[-1:] and words[-1].endswith("edby"):
        return True
    return len(words) > 1 and words[-1] == "by" and (words[-2].endswith("ed") or words[-2] in _DONE)
