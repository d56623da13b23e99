"""Light English stemming, so that `orders`, `ordered` and `ordering` are one term."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from tribal.naming.inflection import singular

_VOWELS = frozenset("aeiou")

_STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "abli": "able",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
}
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = dict.fromkeys(
    (
        *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion"),
        *("ou", "ism", "ate", "iti", "ous", "ive", "ize"),
    ),
    "",
)


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the stem that the forms of a lower-case English word share; other words are returned unchanged.

    Nouns are made singular first, because Porter's rules alone separate `status` from `statuses`, do not know `people`,
    and drop the last letter of `gps`.
    """
    if not (word.isascii() and word.isalpha()):
        return word
    noun = singular(word)
    return _without_suffixes(noun) if noun.endswith("s") else porter(noun)


def porter(word: str) -> str:
    """Strip the suffixes of a lower-case word of ASCII letters; words of one or two letters are returned unchanged.

    Source: M. F. Porter, "An algorithm for suffix stripping", Program 14 (3), 1980, steps 1a to 5b.
    """
    return _without_suffixes(_without_plural(word)) if len(word) > 2 else word


def _without_suffixes(word: str) -> str:
    if len(word) <= 2:
        return word
    word = _final_y(_without_past_or_progressive(word))
    word = _replace_longest(word, _STEP_2, above=0)
    word = _replace_longest(word, _STEP_3, above=0)
    word = _replace_longest(word, _STEP_4, above=1)
    return _without_final_e_or_double_l(word)


def _shape(word: str) -> list[bool]:
    """For each letter, whether it is a consonant; `y` is one unless it follows a consonant."""
    shape: list[bool] = []
    for position, letter in enumerate(word):
        if letter == "y":
            shape.append(position == 0 or not shape[-1])
        else:
            shape.append(letter not in _VOWELS)
    return shape


def _measure(stem_part: str) -> int:
    """The number of vowel runs followed by a consonant run, the paper's `m`."""
    shape = _shape(stem_part)
    return sum(1 for before, now in pairwise(shape) if now and not before)


def _has_vowel(stem_part: str) -> bool:
    return not all(_shape(stem_part))


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1]


def _ends_short_syllable(word: str) -> bool:
    return len(word) > 2 and _shape(word)[-3:] == [True, False, True] and word[-1] not in "wxy"


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past_or_progressive(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            stem_part = word[: -len(suffix)]
            return _restore_end(stem_part) if _has_vowel(stem_part) else word
    return word


def _restore_end(stem_part: str) -> str:
    if stem_part.endswith(("at", "bl", "iz")):
        return stem_part + "e"
    if _ends_double(stem_part) and stem_part[-1] not in "lsz":
        return stem_part[:-1]
    return stem_part + "e" if _measure(stem_part) == 1 and _ends_short_syllable(stem_part) else stem_part


def _final_y(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _replace_longest(word: str, replacements: dict[str, str], *, above: int) -> str:
    """Replace the longest matching suffix if the measure of the part before it is above `above`."""
    for length in range(min(7, len(word)), 1, -1):
        suffix = word[-length:]
        if suffix in replacements:
            stem_part = word[:-length]
            if _measure(stem_part) <= above or (suffix == "ion" and not stem_part.endswith(("s", "t"))):
                return word
            return stem_part + replacements[suffix]
    return word


def _without_final_e_or_double_l(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short_syllable(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
