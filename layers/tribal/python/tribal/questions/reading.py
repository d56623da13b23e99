"""Reads a question once: what it wants, what it names, and what explains each of its words. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tribal.naming import STOP_WORDS
from tribal.questions.intents import Intent, intent_of
from tribal.questions.mentions import Names
from tribal.questions.ordinary import is_ordinary
from tribal.questions.words import QuestionWord, question_words
from tribal_contracts.retrieval.questions import Explanation, Mention, MentionKind, QuestionReading, ReadWord

_OF_MENTION: Mapping[MentionKind, Explanation] = {
    "table": "name",
    "domain": "name",
    "column": "column",
    "value": "value",
}

_ALIKE = 3
"""How many things of the same name a reading lists: many tables have a column `status`. By judgement."""
FRAMING: frozenset[Explanation] = frozenset(("time", "quantity", "question", "ordinary"))
"""Explanations of words that need no documentation."""


def _unknown(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a question may be about."""

    names: Names
    terms: Mapping[str, Explanation] = field(default_factory=dict)
    """What each stem occurs in: a name before a column, a value and a text."""
    is_similar: Callable[[str], bool] = _unknown
    """Whether a word has a synonym, another spelling or a long form that is documented."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question that was read."""

    intent: Intent
    mentions: Sequence[Mention]
    words: Sequence[ReadWord]
    """Its content words, each once."""

    @property
    def about(self) -> list[str]:
        """Its subject words: all but those of time, quantity and phrasing, and ordinary ones."""
        return [each.word for each in self.words if each.explained_by not in FRAMING]

    @property
    def reading(self) -> QuestionReading:
        """The same as a contract, with the first of the things that are named alike."""
        counts = Counter[int]()
        shown = []
        for each in self.mentions:
            counts[each.start] += 1
            if counts[each.start] <= _ALIKE:
                shown.append(each)
        return QuestionReading(intent=self.intent.kind, mentions=shown, words=list(self.words))


def read(question: str, vocabulary: Vocabulary) -> Question:
    """Read a question against a vocabulary; the same input gives the same reading."""
    words = question_words(question)
    intent = intent_of(question)
    mentions = vocabulary.names.mentioned(question, words)
    mentioned: dict[int, Explanation] = {}
    for each in mentions:
        for place in range(each.start, each.start + len(each.text)):
            mentioned.setdefault(place, _OF_MENTION.get(each.kind, "text"))
    content = [word for word in words if word.text not in STOP_WORDS] or words
    read_words: dict[str, ReadWord] = {}
    for word in content:
        why = mentioned.get(word.start) or _explanation(word, intent, vocabulary)
        read_words.setdefault(
            word.text, ReadWord(word=word.text, explained_by=why, negated=True if word.negated else None)
        )
    return Question(intent, mentions, list(read_words.values()))


def _explanation(word: QuestionWord, intent: Intent, vocabulary: Vocabulary) -> Explanation | None:
    if why := vocabulary.terms.get(word.stem):
        return why
    if word.about_time:
        return "time"
    if word.about_quantity:
        return "quantity"
    if intent.frames(word.text):
        return "question"
    if vocabulary.is_similar(word.text):
        return "synonym"
    return "ordinary" if is_ordinary(word.text) else None


def is_telling(mention: Mention) -> bool:
    """Whether a mention by itself says what a question is about: it is no everyday word that happens to be a name."""
    return " " in mention.text or is_identifier(mention) or not is_ordinary(mention.text.casefold())


def is_identifier(mention: Mention) -> bool:
    """Whether a mention is written as only identifiers are, or is exactly the name of a table, and no everyday word."""
    if mention.kind == "table" and mention.exact and not is_ordinary(mention.text.casefold()):
        return True
    return "_" in mention.text or "." in mention.text or not (mention.text.islower() or mention.text.istitle())
