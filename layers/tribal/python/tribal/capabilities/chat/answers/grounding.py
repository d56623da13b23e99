"""Check each sentence of a model against the sources it cites. Source: docs/contracts.md, Chat."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tribal.capabilities.chat.answers.claims import changes_unit, strengthens, turns_around
from tribal.capabilities.chat.answers.sentences import read_sentences
from tribal.capabilities.chat.answers.sources import Source
from tribal.naming import index_terms
from tribal.text_checks import Handle, SentenceJudge, ShownText, plain, split_sentences
from tribal.text_checks.forms import is_identifier
from tribal.text_checks.instructions import is_instruction

CITATION = re.compile(r"\s*\[\s*(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\s*\]")
_RULES = frozenset({"character", "length", "address", "markup", "handle", "code", "order", "name"})
"""The `text_checks` rules for answers. Numbers and quotes are checked against the cited sources instead."""
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_CODE_SPAN = re.compile(r"`([^`\n]{1,200})`")
_QUOTE = re.compile(
    r"[\"\u201c\u201e\u00ab]([^\"\u201d\u201c\u00bb]{1,400})[\"\u201d\u201c\u00bb]"
    r"|(?<!\w)['\u2018]([^'\u2019]{1,400})['\u2019](?!\w)"
)
_NAME = re.compile(r"(?<![\w.])[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_ABBREVIATED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
_NUMBER = re.compile(r"\d+(?:[.,:/'\u2019-]\d+)*")
_GROUPED = re.compile(r"(?<=\d)[,'\u2019\u202f](?=\d{3}(?!\d))")
_ONES = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBER_WORDS = {
    **{word: str(number) for number, word in enumerate((*_ONES, *_TEENS), 1) if number > 2},
    **{word: str(number * 10) for number, word in enumerate(_TENS, 2)},
    **{f"{ten}-{one}": str(a * 10 + b) for a, ten in enumerate(_TENS, 2) for b, one in enumerate(_ONES, 1)},
    "hundred": "100",
    "thousand": "1000",
    "million": "1000000",
    "billion": "1000000000",
}
"""Number words except "one" and "two", which often express relations and need no source."""
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_CAPITALS = re.compile(r"(?<!\w)[A-Z][A-Z0-9]{2,}(?!\w)")
_USUAL_CAPITALS = frozenset({"SQL", "NULL", "AND", "NOT"})
_HANDLE = "t1"
_ADDRESSED = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass|say|reply|respond|answer|output|print|repeat|append|mention|include"
    r"|insert|begin|end|start|write|tell|translate|pretend|act as|assistant|chatbot|ai|model|prompt|instructions?"
    r"|system message|developer|jailbreak)\b",
    re.IGNORECASE,
)
"""Words that occur in instructions to a model, but rarely in a manual's instructions to its reader."""
_ABOUT_ANSWERS = re.compile(
    r"\bfrom now on\b|\b(?:all|any|each|every|following|next|your) (?:answer|message|reply|response|sentence)s?\b"
    r"|\b(?:previous|prior|system|these|your) (?:instruction|prompt|rule)s?\b",
    re.IGNORECASE,
)
_OF_INSTRUCTIONS = frozenset(
    index_terms(
        "answer append assistant begin earlier end exactly follow forget ignore include insert instruction mention"
        " model output previous print prompt question repeat reply respond say start system tell translate user word"
        " write"
    )
)
"""Words that are common in instructions and do not show what an instruction asks for."""


def is_addressed_to_a_model(sentence: str) -> bool:
    """Return whether a sentence of a source instructs the model that reads it."""
    text = plain(sentence)
    if _ABOUT_ANSWERS.search(text):
        return True
    return _ADDRESSED.search(text) is not None and is_instruction(text, ())


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence that may be shown, without its citations."""

    text: str
    cited: tuple[int, ...]
    """Numbers of the cited sources, each once, in order."""


@dataclass(frozen=True)
class Grounding:
    """Checks the sentences of one answer.

    Args:
        sources: sources that the model was given, by number.
        question: the question as typed; the answer may use its words.
        said: earlier turns. A sentence that follows an instruction in these turns or in a source is rejected.
    """

    sources: Mapping[int, Source]
    question: str = ""
    said: Sequence[str] = ()
    _cited_texts: dict[tuple[int, ...], _Cited] = field(default_factory=dict, repr=False, compare=False)

    def check(self, sentence: str) -> CheckedSentence | None:
        """Return the sentence if it cites given sources that support all of it; `None` otherwise."""
        cited = tuple(dict.fromkeys(int(each) for found in CITATION.findall(sentence) for each in _digits(found)))
        if not cited or any(each not in self.sources for each in cited):
            return None
        text = _EMPHASIS.sub("", CITATION.sub("", sentence)).strip()
        if (
            not any(map(str.isalnum, text))
            or self.carries_out_instruction(text)
            or not self._cited(cited).supports(text)
        ):
            return None
        return CheckedSentence(text, cited)

    def carries_out_instruction(self, text: str) -> bool:
        """Return whether the text uses words that occur only in instructions to the model."""
        return not self._only_instructed.isdisjoint(index_terms(text))

    @cached_property
    def _only_instructed(self) -> frozenset[str]:
        orders, others = list[str](), [self.question]
        for text in (*(each.text for each in self.sources.values()), *self.said):
            for each in read_sentences(text):
                (orders if is_addressed_to_a_model(each.text) else others).append(each.text)
        instructed = frozenset(term for each in orders for term in index_terms(each))
        return instructed.difference(_OF_INSTRUCTIONS, *map(index_terms, others)) if orders else frozenset()

    def _cited(self, numbers: tuple[int, ...]) -> _Cited:
        if numbers not in self._cited_texts:
            texts = [self.sources[each].text for each in numbers]
            names = [self.sources[each].shown.title for each in numbers if not self.sources[each].is_passage]
            self._cited_texts[numbers] = _Cited("\n".join((*texts, *names)))
        return self._cited_texts[numbers]


class _Cited:
    """The texts that a sentence cites."""

    def __init__(self, text: str) -> None:
        self._raw = text
        self._text = _squeezed(text)
        numbers = {_plain_number(each) for each in _NUMBER.findall(_GROUPED.sub("", text))}
        words = {_NUMBER_WORDS[each] for each in _WORD.findall(self._text) if each in _NUMBER_WORDS}
        self._numbers = numbers | words
        self._judge = SentenceJudge(
            ShownText(human_text=(text,)), {_HANDLE: Handle("table", ("name",))}, None, rules=_RULES
        )

    def supports(self, text: str) -> bool:
        """Return whether the text follows the rules and takes its numbers, quotes and names from the cited texts."""
        spans = _CODE_SPAN.findall(text)
        bare = _CODE_SPAN.sub(r"\1", text)
        quotes = [one or other for one, other in _QUOTE.findall(bare)]
        names = [each for each in _NAME.findall(bare) if is_identifier(each) and not _ABBREVIATED.fullmatch(each)]
        if not all(map(self._has, (*spans, *quotes))) or not all(map(self._has_name, names)):
            return False
        capitals = [each for each in _CAPITALS.findall(bare) if each not in _USUAL_CAPITALS]
        if not all(map(self._has, capitals)) or not self._has_numbers(bare) or self._is_beyond(bare):
            return False
        return not self._judge.broken_rule(self._without_names(bare, names))

    @cached_property
    def _sentences(self) -> list[str]:
        """The cited sentences. In the SQL of a table, each line is about another column."""
        if "CREATE " not in self._raw:
            return [each.text for each in read_sentences(self._raw)]
        return [each for line in self._raw.splitlines() for each in split_sentences(line)]

    def _is_beyond(self, text: str) -> bool:
        return changes_unit(text, self._raw) or strengthens(text, self._raw) or turns_around(text, self._sentences)

    def _without_names(self, text: str, names: Sequence[str]) -> str:
        """Replace names and quotes, so that the rules do not mistake them for code, addresses or markup."""
        for name in sorted({*names}, key=len, reverse=True):
            text = re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w)", f"[{_HANDLE}]", text)
        return _QUOTE.sub(lambda found: found[1] or found[2], text)

    def _has(self, text: str) -> bool:
        wanted = _squeezed(text).strip(" .,;:!?")
        return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", self._text) is not None

    def _has_name(self, name: str) -> bool:
        """Return whether the sources contain the name, or each of its parts."""
        return self._has(name) or all(map(self._has, name.split(".")))

    def _has_numbers(self, text: str) -> bool:
        listed = [_plain_number(each) for each in _NUMBER.findall(_GROUPED.sub("", text))]
        listed += [_NUMBER_WORDS[each] for each in _WORD.findall(text.casefold()) if each in _NUMBER_WORDS]
        # Fractions, circled digits and digits of other scripts.
        others = [char for char in text if unicodedata.category(char).startswith("N") and not char.isascii()]
        return all(each in self._numbers for each in listed) and all(char in self._raw for char in others)


def _digits(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _plain_number(text: str) -> str:
    return text.strip(".,:/'-").lstrip("0") or "0"


def _squeezed(text: str) -> str:
    return " ".join(plain(text).casefold().replace('"', "").split())
