"""Checks one sentence of an answer against all rules."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tribal.describing.model.grounding.figures import has_figure
from tribal.describing.model.grounding.filling import fill_handles, handles_in, hide_handles, is_plain, written
from tribal.describing.model.grounding.forms import broken_form
from tribal.describing.model.grounding.instructed_words import instructed_words
from tribal.describing.model.grounding.instructions import is_instruction
from tribal.describing.model.grounding.known_names import KnownNames, words_of
from tribal.describing.model.grounding.plain_names import PlainNames, split_words
from tribal.describing.model.grounding.sentences import HANDLE, plain
from tribal.describing.model.questions import MAX_SAMPLE_CHARS, Question
from tribal.naming import STOP_WORDS, singular

RULES = {
    "handle": "it has a handle that was not given, or whose name cannot be repeated",
    "character": "it has invisible or disguised characters",
    "length": "it, or the whole text, is too long",
    "address": "it has a link, an address or a path",
    "markup": "it has Markdown, HTML or other marks",
    "code": "it has code, SQL or a command",
    "quoted": "it quotes something; a value is named by its handle alone",
    "identifier": "it names something by an identifier instead of a handle",
    "figure": "it has a figure",
    "sample": "it repeats a sample value",
    "order": "it speaks to the reader, or about this request",
    "copied": "it repeats what was read from the database, or says what that orders",
    "name": "it names a table or column that was not shown",
}
"""The rules, with the texts that the model gets."""
_COPIED_WORDS = 5
"""The number of consecutive words that a sentence does not share with a comment by chance; a judgement."""

_HARMFUL = ("address", "character")
_WORDS_OF_A_NOUN = 3
_NOTHING = re.compile(
    r"(?:unknown|none|n/?a|not (?:known|evident|available|applicable)|unclear|empty|blank)\.?", re.IGNORECASE
)


@dataclass(frozen=True)
class SentenceJudge:
    """Checks the sentences of the answer to one question."""

    question: Question
    known: KnownNames | None

    def broken_rule(self, sentence: str) -> str:
        """The first rule that a sentence breaks; empty if none."""
        if HANDLE in sentence:
            return "character"
        text = plain(hide_handles(sentence))
        if rule := broken_form(text):
            return "handle" if rule == "markup" and re.search(r"\[[^\W\d_]{1,2}\d*\]", text) else rule
        if rule := self._broken_by_words(text):
            return rule
        if not all(map(self._can_be_shown, handles_in(sentence))):
            return "handle"
        # Adjacent names may form an address together.
        return "address" if broken_form(plain(self.filled(sentence))) in _HARMFUL else ""

    def filled(self, sentence: str) -> str:
        """A valid sentence with handles replaced by names and values."""
        return fill_handles(sentence, lambda handle: written(self.question.handles[handle]))

    def _can_be_shown(self, name: str) -> bool:
        """Whether a handle was given and reads like a plain name or value."""
        handle = self.question.handles.get(name)
        if handle is None or not is_plain(handle):
            return False
        if handle.kind != "value":
            return True
        value = plain(handle.parts[0])
        # A value may look like an identifier.
        if broken_form(value) not in ("", "identifier") or is_instruction(value, ()):
            return False
        return len(value.split()) == 1 or not (self.names.occur_in(value) or has_figure(value, [value], ()))

    def _broken_by_words(self, text: str) -> str:
        shown = self.question.shown
        if has_figure(text, shown.own, shown.human_text):
            return "figure"
        if any(_holds(text, value, self.names.given_words) for value in shown.samples):
            return "sample"
        if is_instruction(text, self._noun_words, english=self._is_english):
            return "order"
        words = split_words(text)
        if not self._copied.isdisjoint(_runs(words)) or any(_has_run(words, ordered) for ordered in self._ordered):
            return "copied"
        return "name" if self.names.occur_in(text) else ""

    @cached_property
    def names(self) -> PlainNames:
        """The finder of names in plain words."""
        return PlainNames(self.question.shown, self.known, self._is_english)

    @property
    def _is_english(self) -> bool:
        return self.question.language.lower().startswith("english")

    def says_nothing(self, sentence: str, name: str) -> bool:
        """Whether a sentence only repeats its subject's name or says that nothing is known."""
        text = plain(sentence)
        if not any(map(str.isalpha, text)) or _NOTHING.fullmatch(text.strip()):
            return True
        words = set(split_words(text)) - STOP_WORDS
        return bool(words) and {singular(word) for word in words} <= words_of([name])

    @cached_property
    def _noun_words(self) -> frozenset[str]:
        """Words that are nouns since they occur in names; long names may be sentences."""
        shown = self.question.shown
        names = [name for name in (*shown.own, *shown.others) if len(split_words(name)) <= _WORDS_OF_A_NOUN]
        return words_of(names)

    @cached_property
    def _copied(self) -> frozenset[tuple[str, ...]]:
        return frozenset(
            run
            for text in (*self.question.shown.texts, *self.question.shown.samples)
            for run in _runs(split_words(text))
        )

    @cached_property
    def _ordered(self) -> frozenset[tuple[str, ...]]:
        shown = self.question.shown
        names = [part for handle in self.question.handles.values() for part in handle.parts]
        return instructed_words([*shown.texts, *shown.samples, *names])


def _has_run(words: list[str], run: tuple[str, ...]) -> bool:
    return any(tuple(words[at : at + len(run)]) == run for at in range(len(words) - len(run) + 1))


def _runs(words: list[str]) -> Iterable[tuple[str, ...]]:
    return (tuple(words[at : at + _COPIED_WORDS]) for at in range(len(words) - _COPIED_WORDS + 1))


def _holds(text: str, value: str, given_words: frozenset[str]) -> bool:
    """Whether a text contains a sample value that is not a word of the shown names."""
    value = plain(value).strip()
    words = split_words(value)
    if not words or all(singular(word) in given_words for word in words):
        return False
    if len(value) == 1 and not (value.isupper() and value not in "AI"):
        return False
    flags = re.NOFLAG if len(value) < 3 else re.IGNORECASE
    # Long values were cut when shown.
    end = r"(?!\w)" if len(value) < MAX_SAMPLE_CHARS else ""
    return re.search(rf"(?<!\w){re.escape(value)}{end}", text, flags) is not None
