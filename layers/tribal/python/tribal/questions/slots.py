"""The parts of a question by what they are for: what it asks about, within what, and by what it groups."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from tribal.questions.words import QuestionWord, question_words
from tribal_contracts.retrieval.questions import QuestionIntent

SlotName = Literal["target", "scope", "first", "second", "group", "measure"]
_END = r"\s*[?.!]*$"
_IN = r"(?:in|on|of|for|from|about|within)"
_JOINED = r"(?:joined (?:to|with)|linked to|connected to|related to|relate to|connect to)"
_GROUP = r"\b(?:per|for each|for every|by each|grouped by|broken down by|by) (?:the )?(?P<group>[\w.]+(?: [\w.]+)?)"
_GROUPS = (
    rf"\b(?:top|bottom) (?:\d+ )?(?P<group>\w+(?: \w+)?) by (?P<measure>.+?){_END}",
    rf"\b(?:which|what) (?P<group>\w+(?: \w+)?) (?:has|have|had|made|placed|bought|sold|got|sent|received)"
    r"(?: \w+){0,2}? the "
    rf"(?:most|fewest|least) (?P<measure>.+?){_END}",
    rf"{_GROUP}{_END}",
    rf"{_GROUP}\b",
    r"\beach (?P<group>\w+)",
)
_SLOTS: Mapping[QuestionIntent, tuple[str, ...]] = {
    "meaning": (
        rf"\bwhat (?:does|do|did) (?P<target>.+?) (?:means?|stands? for|represents?|indicates?)"
        rf"(?:,? {_IN} (?P<scope>.+?))?{_END}",
        rf"\b(?:meaning|definition) of (?P<target>.+?)(?: {_IN} (?P<scope>.+?))?{_END}",
        rf"\bwhat is meant by (?P<target>.+?)(?: {_IN} (?P<scope>.+?))?{_END}",
        rf"\b(?:what|which) unit (?:is|are) (?P<target>.+?)(?: {_IN} (?P<scope>.+?))?{_END}",
        rf"\bhow is (?P<target>.+?) (?:computed|calculated|derived|defined)(?: {_IN} (?P<scope>.+?))?{_END}",
        rf"\b(?:explain|define) (?P<target>.+?)(?: {_IN} (?P<scope>.+?))?{_END}",
        rf"\bwhat(?:'s| is| are) (?P<target>.+?)(?: {_IN} (?P<scope>.+?))?{_END}",
    ),
    "difference": (
        rf"\bbetween (?P<first>.+?) and (?P<second>.+?){_END}",
        rf"\bhow (?:does|do|is|are) (?P<first>.+?) differ(?:ent)? from (?P<second>.+?){_END}",
        rf"^(?:compare )?(?P<first>.+?) (?:versus|vs\.?|compared (?:to|with)|with) (?P<second>.+?){_END}",
        rf"^compare (?P<first>.+?) (?:to|and) (?P<second>.+?){_END}",
        rf"^how (?:do|are) (?P<first>.+?) and (?P<second>.+?) (?:differ|different){_END}",
    ),
    "join": (
        rf"\b(?:join|link|connect|relate|combine)s? (?P<first>.+?) (?:with|to|and|onto) (?P<second>.+?){_END}",
        rf"\bhow (?:are|is|do|does) (?P<first>.+?) {_JOINED} (?P<second>.+?){_END}",
        r"\bhow (?:are|do) (?P<first>.+?) and (?P<second>.+?) "
        rf"(?:joined|linked|connected|related|relate|connect|join){_END}",
        rf"\b(?:get|find|look up|reach) (?P<second>.+?) (?:of|for|that|from|to|behind|in|which) (?P<first>.+?){_END}",
    ),
    "amount": _GROUPS,
    "other": _GROUPS,
}
_COMPILED: Mapping[QuestionIntent, tuple[re.Pattern[str], ...]] = {
    intent: tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns) for intent, patterns in _SLOTS.items()
}


@dataclass(frozen=True, slots=True)
class Slots:
    """The words of each part of a question, in lower case; a part that it does not have is missing."""

    words: Mapping[SlotName, Sequence[QuestionWord]]

    def of(self, name: SlotName) -> frozenset[str]:
        """The words of a part; empty without it."""
        return frozenset(each.text for each in self.words.get(name, ()))


def slots_of(question: str, intent: QuestionIntent) -> Slots:
    """Return the parts of a question; the first pattern of its intent that fits decides."""
    text = " ".join(question.split())
    for pattern in _COMPILED.get(intent, ()):
        if found := pattern.search(text):
            parts = {name: question_words(part) for name, part in found.groupdict().items() if part}
            return Slots(cast("Mapping[SlotName, Sequence[QuestionWord]]", parts))
    return Slots({})
