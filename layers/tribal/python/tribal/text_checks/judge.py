"""Checks one sentence of an answer against all rules."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tribal.naming import STOP_WORDS, singular, split_identifier
from tribal.text_checks.forms import broken_forms, is_identifier
from tribal.text_checks.instructions import is_instruction
from tribal.text_checks.languages import is_foreign
from tribal.text_checks.plain_names import KnownNames, PlainNames, split_words, words_of
from tribal.text_checks.sentences import (
    HANDLE,
    fill_handles,
    handles_in,
    hide_handles,
    is_plain,
    plain,
    split_sentences,
    written,
)
from tribal.text_checks.shown import MAX_SAMPLE_CHARS, Handle, ShownText

UNSUPPORTED = "unsupported"
"""The only rule for whole texts; `text_checks.evidence` checks it."""
RULES = {
    "handle": "it has a handle that was not given, or whose name cannot be repeated",
    "character": "it has invisible or disguised characters",
    "length": "it, or the whole text, is too long",
    "address": "it has a link, an address or a path",
    "markup": "it has Markdown, HTML or other marks",
    "code": "it has code, SQL or a command",
    "quoted": "it quotes something; a value is named by its handle alone",
    "identifier": "it names something that was not shown by an identifier",
    "figure": "it has a figure",
    "sample": "it repeats a sample value",
    "order": "it speaks to the reader, or about this request",
    "copied": "it repeats what was read from the database, or says what that orders",
    "name": "it names a table or column that was not shown",
    "language": "it is not in the language that was asked for",
    UNSUPPORTED: "the whole text has nothing to do with what was shown",
}
"""The rules, with the texts that the model gets."""
_COPIED_WORDS = 5
"""The number of consecutive words that a sentence does not share with a comment by chance; a judgement."""

_HARMFUL = ("address", "character")
_DOTTED = re.compile(r"(?<![\w.])[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
"""A name as in SQL, perhaps with those of its table and schema."""
_WORDS_OF_A_NOUN = 3
_NOTHING = re.compile(
    r"(?:unknown|none|n/?a|not (?:known|evident|available|applicable)|unclear|empty|blank)\.?", re.IGNORECASE
)


@dataclass(frozen=True)
class SentenceJudge:
    """Checks the sentences of one answer."""

    shown: ShownText
    handles: Mapping[str, Handle]
    """By handle, without brackets."""
    known: KnownNames | None
    """The names of the catalog; without them, names in plain words are only found before a word such as "table"."""
    language: str = "English"
    rules: Collection[str] = frozenset(RULES)
    """The rules that apply, of `RULES`."""

    def broken_rule(self, sentence: str) -> str:
        """The first rule that a sentence breaks; empty if none."""
        return next((rule for rule in self._broken_rules(sentence) if rule in self.rules), "")

    def _broken_rules(self, sentence: str) -> Iterator[str]:
        if HANDLE in sentence:
            yield "character"
        text = _DOTTED.sub(self._hide_shown_identifier, plain(hide_handles(sentence)))
        for rule in broken_forms(text):
            yield "handle" if rule == "markup" and re.search(r"\[[^\W\d_]{1,2}\d*\]", text) else rule
        yield from self._broken_by_words(text)
        if not all(map(self._can_be_shown, handles_in(sentence))):
            yield "handle"
        # Adjacent names may form an address together.
        elif next(broken_forms(plain(self.filled(sentence))), "") in _HARMFUL:
            yield "address"

    def _hide_shown_identifier(self, found: re.Match[str]) -> str:
        """A handle's placeholder for an identifier that was shown; words stay."""
        parts = found.group().lower().split(".")
        return HANDLE if is_identifier(found.group()) and self._identifiers.issuperset(parts) else found.group()

    @cached_property
    def _identifiers(self) -> frozenset[str]:
        """All parts of shown names, in lower case."""
        parts = [part for handle in self.handles.values() if handle.kind != "value" for part in handle.parts]
        return frozenset(part.lower() for part in parts)

    def filled(self, sentence: str) -> str:
        """A valid sentence with handles replaced by names and values."""
        return fill_handles(sentence, lambda handle: written(self.handles[handle]))

    def _can_be_shown(self, name: str) -> bool:
        """Whether a handle was given and reads like a plain name or value."""
        handle = self.handles.get(name)
        if handle is None or not is_plain(handle):
            return False
        if handle.kind != "value":
            return True
        value = plain(handle.parts[0])
        # A value may look like an identifier.
        if next(broken_forms(value), "") not in ("", "identifier") or is_instruction(value, ()):
            return False
        return len(value.split()) == 1 or not (
            self.names.occur_in(value) or _has_figure(value, ShownText(own=(value,)))
        )

    def _broken_by_words(self, text: str) -> Iterator[str]:
        shown = self.shown
        if _has_figure(text, shown):
            yield "figure"
        if any(_holds(text, value, self.names.given_words) for value in shown.samples):
            yield "sample"
        if is_instruction(text, self._noun_words, english=self._is_english):
            yield "order"
        words = split_words(text)
        if not self._copied.isdisjoint(_runs(words)) or any(_has_run(words, ordered) for ordered in self._ordered):
            yield "copied"
        if self._is_english and is_foreign(text, words):
            yield "language"
        if self.names.occur_in(text):
            yield "name"

    @cached_property
    def names(self) -> PlainNames:
        """The finder of names in plain words."""
        return PlainNames(self.shown, self.known, self._is_english)

    @property
    def _is_english(self) -> bool:
        return self.language.lower().startswith("english")

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
        shown = self.shown
        names = [name for name in (*shown.own, *shown.others) if len(split_words(name)) <= _WORDS_OF_A_NOUN]
        return words_of(names)

    @cached_property
    def _copied(self) -> frozenset[tuple[str, ...]]:
        return frozenset(run for text in (*self.shown.texts, *self.shown.samples) for run in _runs(split_words(text)))

    @cached_property
    def _ordered(self) -> frozenset[tuple[str, ...]]:
        shown = self.shown
        names = [part for handle in self.handles.values() for part in handle.parts]
        return _instructed_words([*shown.texts, *shown.samples, *names])


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


_NUMBER_WORDS = re.compile(
    r"\b(?:three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundreds?|thousands?|[mb]illions?|trillions?|dozens?|two-thirds?"
    r"|(?:one|a|two|three) (?:half|third|quarter|fifth|tenth)s?(?= of)|half of|per ?cent of)\b",
    re.IGNORECASE,
)
_CURRENCY = re.compile(r"[$\u00a2-\u00a5\u20a0-\u20cf]|%|\u2030")
_NUMBER = re.compile(r"(?<![\w.,:-])[0-9]+(?:[.,:-][0-9]+)*(?!\w)")
_STANDARD = re.compile(r"(?<!\w)[A-Z]{2,}[0-9]{1,2}[A-Z]*(?!\w)")
_RANGE = re.compile(r">= ([0-9]{1,4})\b[^<>]*<= ([0-9]{1,4})\b")
"""How PostgreSQL writes `BETWEEN`."""
_LONGEST_RANGE = 10
"""The most values of a range of codes, rather than of amounts; a judgement."""
_MOST_DIGITS = 1
"""The most digits of a number in a name, such as `addr_line2`."""


def _has_figure(sentence: str, shown: ShownText) -> bool:
    """Whether a sentence has a number in digits or English words.

    No evidence supports a number: it is a row count, a range, a sample value or invented.
    None, one and two do not count, for they say how things relate, nor do digits in the name of a standard (`ICD10`),
    numbers that the catalog declares, and those that follow the same word in a name (`addr_line2`: "line 2") or in a
    person's text.
    """
    if _CURRENCY.search(sentence) or _NUMBER_WORDS.search(sentence):
        return True
    if not any(map(_is_digit, sentence)):
        return False
    allowed = {pair for name in shown.own for pair in _pairs(name, _MOST_DIGITS)}
    allowed |= {pair for text in shown.human_text for pair in _pairs(text, len(text))}
    declared = {number for text in shown.declared for number in _declared_numbers(text)} | {"0", "1"}
    text = _NUMBER.sub(lambda found: "" if found.group() in declared else found.group(), _STANDARD.sub("", sentence))
    words = split_identifier(text)
    return any(_has_digit(word) and pair not in allowed for word, pair in zip(words, _all_pairs(words), strict=True))


def _declared_numbers(text: str) -> Iterable[str]:
    """The numbers in a check or default, without those in literals, which may be messages; all of a short range."""
    code = _LITERAL.sub("", text)
    if found := _RANGE.search(code):
        low, high = map(int, found.groups())
        if high - low <= _LONGEST_RANGE:
            return map(str, range(low, high + 1))
    return _NUMBER.findall(code)


def _pairs(text: str, most_digits: int) -> set[tuple[str, str]]:
    words = split_identifier(text)
    pairs = zip(words, _all_pairs(words), strict=True)
    return {pair for word, pair in pairs if _has_digit(word) and len(word) <= most_digits and pair[0]}


def _all_pairs(words: list[str]) -> list[tuple[str, str]]:
    return list(zip(["", *words], words, strict=False))


def _has_digit(word: str) -> bool:
    return any(map(_is_digit, word))


def _is_digit(char: str) -> bool:
    return unicodedata.category(char).startswith("N")


_MAX_INSTRUCTED_WORDS = 5
"""The longest run of words to look for; longer ones are found as copied."""
_MAX_CHARS = 5_000
"""The part of a text that is searched; questions show far less."""

_SAYING = re.compile(
    r"\b(?:add|answer|append|call|include|insert|mention|name|output|print|put|repeat|reply|respond|say|state|tell|type"
    r"|write)\b[^\w\"'<]*(.*?)(?=[.;!?\"'\\)]|$)",
    re.IGNORECASE,
)
_NOT_SAID = STOP_WORDS | {"exactly", "following", "word", "words"}
_SQL = re.compile(r"\s*(?:SELECT|WITH)\b|\s*\(|.*::", re.IGNORECASE | re.DOTALL)
_LITERAL = re.compile(r"'((?:[^']|'')*)'|\"((?:[^\"]|\"\")*)\"")


def _instructed_words(texts: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """The runs of words that instructions in these texts ask for; in SQL, those in literals and names.

    An answer with them has obeyed the instructions.
    """
    pieces = (piece for text in texts for piece in _pieces(plain(text[:_MAX_CHARS])))
    sentences = (each for piece in pieces for each in split_sentences(piece) if is_instruction(each, ()))
    return frozenset(words for each in sentences for words in _wanted(each))


def _pieces(text: str) -> Iterator[str]:
    if not _SQL.match(text):
        yield text
    for literal, name in _LITERAL.findall(text):
        yield literal or name


def _wanted(order: str) -> Iterator[tuple[str, ...]]:
    position = 0
    while found := _SAYING.search(order, position):
        position = found.start(1)
        words = split_words(found[1])
        while words and words[0] in _NOT_SAID:
            words.pop(0)
        if words:
            yield tuple(words[:_MAX_INSTRUCTED_WORDS])
