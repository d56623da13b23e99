"""The supervisor, which decides by rules what kind of question is asked. Source: chat specification, 1 and 6."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tribal.capabilities.chat.laws.normalising import normalised
from tribal_contracts.chat.settings import Intent, IntentRule

_WHAT_EXISTS = re.compile(
    r"\b(?:what|which)(?: \w+){0,3} (?:is|are|do you|does this|can you|can i)(?: there| \w+)? "
    r"(?:covered|documented|available|exist|contained|included|uploaded|in (?:this|the) (?:collection|course|catalog"
    r"|documentation|database|syllabus)|know|have|cover|contain|ask|answer)\b"
    r"|\b(?:what|which) (?:tables|domains|databases|topics|documents|files|chapters|subjects|sources)"
    r"(?: and (?:tables|domains|databases|topics))? (?:are there|exist|do (?:we|you|i) have|does (?:it|this) have)\b"
    r"|\blist (?:me )?(?:all |the |every )*(?:tables|domains|databases|topics|documents|files|chapters|sources)\b"
    r"|\b(?:syllabus|table of contents|course outline|overview of (?:the )?(?:collection|catalog|course|documentation"
    r"|database|material)s?)\b"
    r"|\bwhat (?:can|do) (?:you|i) (?:know|ask|tell me)\b"
)
_CODER = re.compile(
    r"\b(?:sql|query|queries|join(?:s|ed|ing)?|select|where clause|group by|cte|subquery|code|snippet|script|function"
    r"|regex|statement)\b|\bhow (?:do|can|would|should) (?:i|we|you|one) (?:query|compute|calculate|count|join|get|find"
    r"|filter|combine|aggregate|look up)\b"
)
_REASONING = re.compile(
    r"\b(?:why|compare|comparison|differences?|differ|versus|vs|trade-?offs?|explain how|step by step|derive|prove"
    r"|calculate|compute|implications?|impact|depends?|consequences?|what happens (?:if|when)|relate[ds]?|relationship"
    r"|how does .+ (?:affect|influence|change)|first .+ then|and then|both .+ and)\b"
)


def intent_of(question: str, rules: Iterable[IntentRule] = ()) -> Intent:
    """Return the intent of a question. The project's own rules are tried first.

    Raises:
        PatternsUnusable: when the pattern of a rule cannot be compiled.
    """
    text = normalised(question)
    listed = list(rules)
    if listed:
        from tribal.capabilities.chat.laws.integrity import compiled

        for rule, pattern in zip(listed, compiled(rule.pattern for rule in listed), strict=True):
            if pattern.search(text) or pattern.search(question):
                return rule.intent
    if _WHAT_EXISTS.search(text):
        return "syllabus_query"
    if _CODER.search(text):
        return "coder"
    return "reasoning" if _REASONING.search(text) else "fast"
