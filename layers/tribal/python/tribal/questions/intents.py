"""What a question wants, from the words that frame it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tribal_contracts.retrieval.questions import QuestionIntent

_KINDS = r"(?:value|status|state|type|kind|code|option|reason|role|class|categorie|category|level)(?:e?s)?"
_LISTS = r"(?:tables|domains|databases|topics|schemas)"
_THINGS = r"(?:tables?|domains?|databases?|topics?|schemas?|data|information|areas?|subjects?|things?)"
_ASKS_ONE = r"(?:i|we|you|one)"
_COMPUTED = (
    r"(?:total|average|(?:number|count|sum|share|percentage) of|maximum|minimum|highest|lowest|revenue|most|least|top"
    r"|per|by)"
)
_HOLDS = r"(?:has|have|holds?|tells?|says?|shows?|stores?|contains?|keeps?)"
_CAN = r"(?:can|may|might|could)"
_TWICE = (
    r"(?:without|twice|two|same|more than one|several|both|only one|at the same time|unique|exist|empty|null|have|be"
    r"|after|before|more|less|still|mandatory|required|optional|nullable)"
)
_SHORT_OBJECT = r"(?:an? |the )?(?:[\w.]+ ){0,2}[\w.-]+(?: (?:in|of|on|for) (?:an? |the )?(?:\w+ )?[\w.]+(?: table)?)?"
_FRAMES: Mapping[QuestionIntent, tuple[str, ...]] = {
    "inventory": (
        rf"\b(?:what|which)(?: (?:\w+ )?{_THINGS})?(?: and {_THINGS})? "
        r"(?:is|are) (?:there|documented|covered|available)\s*\??$",
        r"\b(?:what|which)(?: \w+){0,3} (?:is|are) in (?:here|this (?:database|catalog))\b",
        r"\bwhat is documented\b",
        rf"\b(?:what|which) {_LISTS} (?:are there|exist|do (?:we|you) have)\b",
        rf"\blist (?:me )?(?:all |the |every )*{_LISTS}\b",
    ),
    "difference": (
        r"\bdiff\w*ren\w*\b",
        r"\b(?:differs?|versus|vs\.?|compared? (?:to|with))\b",
        r"^compare\b",
    ),
    "columns": (r"\b(?:columns|fields|attributes)\b(?=.*\b(?:of|does|do|in|has|have|are|for|table)\b)",),
    "where": (
        r"\bwhere\b",
        rf"\b(?:which|what) (?:table|column|view|field)s?\b(?: {_HOLDS})?",
    ),
    "values": (
        r"\b(?:which|what) (?:\w+ ){1,3}(?:(?:is|are) (?:there|possible|allowed|valid)|exist)\s*\??$",
        rf"\b(?:which|what) (?:\w+ ){{1,3}}?{_CAN} (?:an?|the|we|\w+) .*\b(?:have|be|take|get|pay|use|go)\b",
        r"\b(?:possible|allowed|valid|permitted) \w+",
        rf"\b(?:which|what) (?:\w+ ){{0,3}}?{_KINDS}\b(?=.* (?:{_CAN}|exist|does|do|has|have|there)\b)",
        rf"\bwhat {_CAN}\b(?=.*\bbe\b)",
        rf"\bwhat are (?:the |all )?(?:\w+ ){{0,3}}{_KINDS}\s*\??$",
        r"\bwhat (?:are )?(?:the )?values of\b",
    ),
    "meaning": (
        r"\b(?:means?|meant|meanings?|stands? for|represents?|indicates?|explain|define|definition)\b",
        r"\bin (?:what|which) unit\b",
        r"\bwhat (?:does|do) .+ (?:hold|contain|record|store)\b",
        r"\bwhat (?:is|are) (?:stored|kept|recorded|held|written) (?:as|in|under)\b",
        rf"\bwhat(?:'s| is| are) (?!.*\b{_COMPUTED}\b){_SHORT_OBJECT}\s*\??$",
        r"^(?:is|are) .+ in \w+ or (?:in )?\w+\s*\??$",
        r"^(?:is|are) .+ an? \w+ or an? \w+\s*\??$",
        r"\bhow is\b.*\b(?:computed|calculated|derived|defined)\b",
    ),
    "rule": (
        r"\bwhat happens\b.*\b(?:delete|remove|erase|drop)\w*\b",
        rf"^(?:can|may|must|could|is it possible|is|does|do)\b(?=.*\b{_TWICE}\b)",
    ),
    "join": (
        r"\b(?:join|link|connect|relate)(?:s|d|ed|ing)?\b",
        rf"\bhow (?:do|can|would|should) {_ASKS_ONE} (?:get|find|look up|reach|combine)\b",
        r"^(?:get|find|look up) the \w+ (?:of|for) (?:an?|the|each) ",
    ),
    "amount": (
        r"\bhow (?:many|much|often|long)\b",
        r"\b(?:number|count|total|sum|average|percentage|share) of\b",
        r"^(?:list|show|give|count|find|display|who|which|what|get|return)\b",
    ),
}
"""Patterns of each intent; the first that fits decides."""
_COMPILED = tuple((intent, re.compile("|".join(patterns), re.IGNORECASE)) for intent, patterns in _FRAMES.items())
_FRAME_WORDS = frozenset(
    """
    mean means meant meaning stand stands represent indicate define definition explain unit difference diffrence differ
    differnce between versus vs compare compared column columns field fields attribute attributes table tables view
    where which what stored kept keep find get store tell tells say says hold holds contain contains value values
    possible allowed valid join joins joined joining link connect relate related possible exist exists database
    ways permitted happens compute
    negative positive zero same twice empty blank null mandatory optional required forbidden
    """.split()
)
"""Words with which people ask, about any database."""


@dataclass(frozen=True, slots=True)
class Intent:
    """What a question wants."""

    kind: QuestionIntent

    def frames(self, word: str) -> bool:
        """Whether a word belongs to how a question is asked rather than to what it is about."""
        return self.kind not in ("amount", "other") and word in _FRAME_WORDS


def intent_of(question: str) -> Intent:
    """Return what a question wants; the first frame that fits."""
    text = " ".join(question.split())
    return Intent(next((kind for kind, pattern in _COMPILED if pattern.search(text)), "other"))
