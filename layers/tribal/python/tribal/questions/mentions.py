"""Finds what a question names: tables, columns, values and definitions, exactly or in another spelling."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tribal.naming import STOP_WORDS, likely_words, segment_all, split_identifier, stem
from tribal.questions.words import QuestionWord, stems
from tribal_contracts.retrieval.questions import Mention, MentionKind

_LONGEST = 8
"""The most words of a name that is looked for. By judgement."""


@dataclass(frozen=True, slots=True)
class Name:
    """Something that a question may name."""

    kind: MentionKind
    name: str
    """Its qualified name."""
    spellings: tuple[str, ...]
    """The forms that people write, the shortest first: without its schema, with it."""


class Names:
    """Names by their words.

    Args:
        names: what may be named; the first of equal names comes first.
    """

    def __init__(self, names: Iterable[Name]) -> None:
        self._by_words: defaultdict[tuple[str, ...], dict[tuple[Name, str], None]] = defaultdict(dict)
        for name in names:
            for spelling in name.spellings:
                for words in _readings(spelling):
                    self._by_words[words][name, spelling] = None

    def mentioned(self, question: str, words: Sequence[QuestionWord]) -> list[Mention]:
        """Return what a question names, in order; of overlapping names, the longest."""
        found: list[Mention] = []
        taken = [False] * len(words)
        for length in range(min(_LONGEST, len(words)), 0, -1):
            for first in range(len(words) - length + 1):
                run = words[first : first + length]
                if any(taken[first : first + length]) or not _is_whole(run, words, first):
                    continue
                named = self._by_words.get(stems(run))
                if named and not (length == 1 and run[0].text in STOP_WORDS):
                    taken[first : first + length] = [True] * length
                    found += _mentions(question, run, named)
        return sorted(found, key=lambda each: each.start)


def is_said(spelling: str, said: frozenset[str]) -> bool:
    """Whether a question with these stems may name something so."""
    return any(map(said.issuperset, _readings(spelling)))


# Tables have many columns of the same name.
@lru_cache(maxsize=32_768)
def _readings(spelling: str) -> tuple[tuple[str, ...], ...]:
    """The stems of a name as written, and with its abbreviations spelt out."""
    tokens = segment_all(split_identifier(spelling))
    readings = dict.fromkeys([tuple(map(stem, tokens)), tuple(map(stem, likely_words(tokens)))])
    return tuple(words for words in readings if 0 < len(words) <= _LONGEST)


def _is_whole(run: Sequence[QuestionWord], words: Sequence[QuestionWord], first: int) -> bool:
    """Whether a run of words cuts no identifier into parts."""
    last = first + len(run) - 1
    starts = first == 0 or words[first - 1].start != run[0].start
    ends = last + 1 == len(words) or words[last + 1].start != run[-1].start
    return starts and ends


def _mentions(question: str, run: Sequence[QuestionWord], named: Iterable[tuple[Name, str]]) -> Iterator[Mention]:
    start, end = run[0].start, run[-1].end
    text = question[start:end]
    for name, spelling in named:
        exact = text.casefold() == spelling.casefold()
        yield Mention(kind=name.kind, name=name.name, text=text, start=start, exact=exact)
