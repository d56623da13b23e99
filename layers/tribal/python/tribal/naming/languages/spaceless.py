"""Text in scripts that put no spaces between words, which is indexed and searched by its characters.

A run of such characters is indexed by its pairs. Chinese characters and Korean syllables are indexed one by one too,
because each may be a word. Letters, such as kana and Thai, are also indexed by threes: two letters are in too many
words. A question looks for the pairs with a character or a syllable, and for three letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import lru_cache

_CHARACTERS = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters, which other languages use too."""
_SYLLABLES = "\uac00-\ud7a3"
"""Of Korean, whose words have spaces between them, but also endings."""
_LETTERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u31f0-\u31ff"
"""Thai, Lao, Burmese, Khmer and kana."""
_SPACELESS = re.compile(f"[{_CHARACTERS}{_SYLLABLES}{_LETTERS}]")
_MEANINGFUL = re.compile(f"[{_CHARACTERS}{_SYLLABLES}]")
_FIRST = "\u0e00"
"""No such character comes before this one."""
_HIRAGANA = re.compile("[\u3041-\u309f]+")

FUNCTION_WORDS = frozenset(
    """
    的 吗 呢 没有 哪些 哪个 什么 多少 怎么 如何 每个 我们 以及 请问
    の は が を に で と も へ から まで より です ます ました ません した して している する される いる ある ない
    この その どの など について ください ですか
    어떤 모든 있는 없는 무엇 얼마나
    ที่ ไม่ การ ของ และ ใน มี เป็น ได้ ให้ จาก กับ หรือ อะไร ทั้งหมด ยัง
    """.split()
)
"""Words that do not help to find anything. Single ones that are often a part of other words are not among them."""
_BETWEEN = re.compile("|".join(sorted(map(re.escape, FUNCTION_WORDS), key=len, reverse=True)))


def is_spaceless(text: str) -> bool:
    """Whether a text begins with a character of such a script."""
    return text[:1] >= _FIRST and _SPACELESS.match(text) is not None


def content_parts(run: str) -> list[str]:
    """The parts of a run between its function words; the whole run if nothing else is in it."""
    parts = [part for part in _BETWEEN.split(run) if len(_units(part)) > 1 or _MEANINGFUL.match(part)]
    return parts or [run]


@lru_cache(maxsize=4_096)
def terms_to_index(run: str) -> tuple[str, ...]:
    """The terms of a run of at least one character, with repetitions."""
    units = _units(run)
    if len(units) == 1:
        return units
    return (*filter(_MEANINGFUL.match, units), *_joined(units, 2), *filter(_is_of_letters, _joined(units, 3)))


@lru_cache(maxsize=4_096)
def terms_to_find(run: str) -> tuple[str, ...]:
    """The terms of a run that a question looks for, in order without repetitions."""
    return tuple(dict.fromkeys(term for term, _, _ in _looked_for(run)))


def said_in(run: str, terms: Collection[str]) -> list[str]:
    """The stretches of a run that consist of some of its terms."""
    found: list[tuple[int, int]] = []
    for term, start, end in _looked_for(run):
        if term not in terms:
            continue
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    units = _units(run)
    return list(dict.fromkeys("".join(units[start:end]) for start, end in found))


def _looked_for(run: str) -> list[tuple[str, int, int]]:
    """The terms of a run with the positions of their first and after their last unit."""
    units = _units(run)
    if len(units) < 2:
        return [(run, 0, len(units))]
    pairs = [(term, start, start + 2) for start, term in enumerate(_joined(units, 2))]
    threes = [(term, start, start + 3) for start, term in enumerate(_joined(units, 3)) if _is_of_letters(term)]
    found = [*(each for each in pairs if not _is_of_letters(each[0])), *threes]
    telling = [each for each in found if not _HIRAGANA.fullmatch(each[0])]
    return sorted(telling or found or pairs, key=lambda each: each[1:])


def _is_of_letters(text: str) -> bool:
    return _MEANINGFUL.search(text) is None


def _joined(units: tuple[str, ...], length: int) -> Iterator[str]:
    return ("".join(units[start : start + length]) for start in range(len(units) - length + 1))


def _units(run: str) -> tuple[str, ...]:
    """Its characters, each with the marks above and below it."""
    units: list[str] = []
    for char in run:
        if units and unicodedata.category(char).startswith("M"):
            units[-1] += char
        else:
            units.append(char)
    return tuple(units)
