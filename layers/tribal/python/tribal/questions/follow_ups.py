"""Completes a question that continues a conversation: what it leaves out is in the questions before it. No I/O."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from tribal.questions.intents import intent_of
from tribal.questions.pointers import (
    THINGS,
    Topic,
    asked_parts,
    has_subject,
    pointers,
    replace_pointers,
    specific_words,
    subject_column,
    subject_table,
)

TURNS = 6
"""How many questions back a follow-up may refer. By judgement."""
_LONGEST = 300
"""The most characters of a follow-up: a longer question says what it is about. By judgement."""
_MOST_CHARS = 1_000
"""The most characters of an earlier question that a follow-up is joined to. By judgement."""
_COURTESY = re.compile(
    r"\W*(?:(?:many |ok(?:ay)?,? )?thank(?:s| you)\b[\w ,!.]{0,20}"
    r"|ok(?:ay)?|hi|hello|hey|great|cool|nice|perfect|bye|yes|no)\W*",
    re.IGNORECASE,
)
_LINK = re.compile(r"^(?:(?:ok(?:ay)?|so|now)\b[\s,]*)?(?:and|but|or|also|then)\b", re.IGNORECASE)
_CONNECTIVE = re.compile(
    r"^(?:(?:and|but|so|or|ok(?:ay)?|then|also|now|please|actually|sorry)\b[\s,.:;-]*)+", re.IGNORECASE
)
_PLEASE = re.compile(r"(?:,?\s+please)?[\s?!.]*$", re.IGNORECASE)
_ABOUT = re.compile(
    r"^(?:(?:what|how) about|(?:and )?(?:the )?same(?: question)? (?:for|with|of|in))\s+(?:the\s+)?", re.IGNORECASE
)
_CLAUSE = re.compile(
    r"^(?:(?:to|from|in|on|at|by|with|for|of|since|until|under|through) )?"
    r"(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|should|may"
    r"|might|must|will|would|shall|list|show|give|count|find|get|return|display|tell|explain|describe|define|compare"
    r"|write|draft|create|join|i|we|you|there|it|they)\b",
    re.IGNORECASE,
)
"""How a clause begins; anything else is a fragment."""
_LIMIT = re.compile(
    r"^(?:only|just|without|except|excluding|including|not|with|in|for|from|by|per|on|at|of|during|since|before|after"
    r"|between|under|over|above|below|as|(?:sorted|ordered|grouped|split|broken down) by|those|the ones)\b",
    re.IGNORECASE,
)
"""How a fragment begins that limits, groups or extends the question before it."""
_PREPOSITION = re.compile(
    r"^(?:with|without|in|for|from|by|per|on|at|of|during|since|before|after|between|under|over|above|below|sorted"
    r"|ordered|grouped)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(?:in|for|of|from) (?:the )?([a-z][\w.]*)")
_ASKS_LATER = re.compile(
    r"\b(?:how (?:many|much)|what|which|show|list|count|(?:is|are) there|do (?:we|you))\b", re.IGNORECASE
)
"""Makes a whole question of what begins like a fragment: "per country, how many customers are there"."""
_ONLY = re.compile(r"^(?:only|just)\s+(?:the\s+)?|\s+only(?=\W*$)", re.IGNORECASE)
_ONES = re.compile(r"\bones\b|\bonly\W*$", re.IGNORECASE)
_PHRASE_WORDS = r"(?: (?!(?:in|for|from|by|per|on|at|with|without|and|or|of)\b)[^\s,?]+){1,3}"
_TIME = re.compile(
    r"\b(?:(?:in|on|for|during|since) )?(?:(?:this|last|next|past|previous|current) \w+|yesterday|today|tomorrow"
    r"|(?:19|20)\d\d|(?:january|february|march|april|may|june|july|august|september|october|november|december)"
    r"(?: (?:19|20)\d\d)?)\b",
    re.IGNORECASE,
)
_GROUP = rf"(?:per|by|for each|for every){_PHRASE_WORDS}"
_VALUE = re.compile(r"(?<=[\w,] )[A-Z][\w-]*(?: [A-Z][\w-]*)*")
_WHICH_OF = re.compile(
    r"^(which|what|who|how many)(?: ones)? of (?:them|those|these)(?: ones)?\s+(.+?)\W*$", re.IGNORECASE
)
_LISTS = re.compile(
    r"^(?:which|what(?! (?:is|are)\b)|how many|(?:list|show|give)(?: me| us)?(?: all| the)*)\b", re.IGNORECASE
)
_LISTED = re.compile(rf"{_LISTS.pattern} (\w+)", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|that|this)\b", re.IGNORECASE)
_IN_UNIT = re.compile(r"in (?:what|which) unit\W*$", re.IGNORECASE)
_YES_OR_NO = re.compile(r"^(?:is|are|was|were|do|does|did|can|could|must|may|has|have)\b", re.IGNORECASE)
_PART = re.compile(
    r"\b(?:columns?|fields?|values?|rows?|(?:primary |foreign |unique )?keys?|index(?:es)?|constraints?|units?|types?"
    r"|owner|description|comment)\b",
    re.IGNORECASE,
)


def standalone(question: str, earlier: Sequence[str], topic_of: Callable[[str], Topic | None]) -> str:
    """Return the question that is meant, complete; a question that refers to nothing earlier stays as it is.

    Args:
        question: as it was typed.
        earlier: what the user asked before, oldest first.
        topic_of: looks up what a complete question is about; called only for questions that need its names.
    """
    asked = [each for each in earlier if not _COURTESY.fullmatch(each)][-TURNS:]
    # If all of them are incomplete, what they are about is too far back, or was never said.
    return _completed(question, asked, _unknown if all(map(continues, asked)) else topic_of)


def _completed(question: str, earlier: Sequence[str], topic_of: Callable[[str], Topic | None]) -> str:
    if not earlier or not continues(question):
        return question
    previous = _completed(earlier[-1].strip(), earlier[:-1], topic_of)[-_MOST_CHARS:]
    body = _CONNECTIVE.sub("", question.strip())
    is_clause = _CLAUSE.match(body) or (pointers(body) and not _LIMIT.match(body))
    if is_clause and not _ABOUT.match(body):
        return _completed_clause(body, previous, topic_of)
    return _completed_fragment(body, previous, topic_of)


def _unknown(_: str) -> None:
    return None


def continues(question: str) -> bool:
    """Whether a question needs an earlier one to be understood."""
    text = question.strip()
    if len(text) > _LONGEST or _COURTESY.fullmatch(text):
        return False
    body = _CONNECTIVE.sub("", text)
    if pointers(body) or _ABOUT.match(body) or _ONES.search(body):
        return True
    if _CLAUSE.match(body):
        return intent_of(body).kind != "inventory" and not has_subject(body)
    limits = _LIMIT.match(body) is not None and _ASKS_LATER.search(body) is None
    return limits or _LINK.match(text) is not None or not has_subject(body)


def _completed_clause(body: str, previous: str, topic_of: Callable[[str], Topic | None]) -> str:
    """Complete a clause: by the names that its pronouns mean, or as a condition of the previous question."""
    if _selects(previous) and (narrowed := _narrowed(body, previous)) is not None:
        return narrowed
    points, part = pointers(body), _PART.search(body) or re.match("how many(?= are there)", body, re.IGNORECASE)
    if intent_of(previous).kind == "join" != intent_of(body).kind and not part and _IT.search(body):
        # It is the join, which has no name.
        return _appended(previous, body, ", ")
    topic = topic_of(previous) if points or part else None
    if topic is None or not topic.tables:
        if not points and re.fullmatch(r"why\W*", body, re.IGNORECASE) and _YES_OR_NO.match(previous):
            return f"why {previous}"
        return _appended(previous, body, ", ")
    if points:
        return replace_pointers(body, previous, topic)
    assert part is not None, "a topic is looked up for a pronoun or for a part of a table"
    whole = _whole_of(part[0], previous, topic)
    if _IN_UNIT.match(body):
        return f"{body[: part.end()]} is {whole}{body[part.end() :]}"
    return f"{body[: part.end()]} {'' if part[0].endswith('many') else 'of '}{whole}{body[part.end() :]}"


def _whole_of(part: str, previous: str, topic: Topic) -> str:
    """Return the column or the table that has a part such as "unit" or "columns"."""
    of_column = re.match(r"values?|units?|types?", part, re.IGNORECASE)
    return (subject_column(previous, topic) if of_column else None) or subject_table(previous, topic)


def _selects(previous: str) -> bool:
    """Whether a question asks for rows or tables, some of which the next one may ask for."""
    if _LISTS.match(previous) is None:
        return False
    asks_rows = intent_of(previous).kind in ("amount", "other") and not asked_parts(previous)
    return asks_rows or re.search(r"\b(?:tables|views|domains)\b", previous, re.IGNORECASE) is not None


def _narrowed(body: str, previous: str) -> str | None:
    """Ask for a part, the number or the total of what the previous question selects; `None` for anything else."""
    counted = _LISTS.sub("how many", previous, count=1)
    if re.fullmatch(
        r"how many(?: (?:of (?:them|those|these)|are (?:there|they|those|these)))?\W*", body, re.IGNORECASE
    ):
        return counted
    if chosen := _WHICH_OF.match(body):
        return _appended(counted if chosen[1].casefold() == "how many" else previous, chosen[2], " and ")
    return _appended(previous, body, ", ") if re.match(r"how (?:many|much)\b", body, re.IGNORECASE) else None


def _completed_fragment(body: str, previous: str, topic_of: Callable[[str], Topic | None]) -> str:
    """Complete a fragment: in place of the part of the previous question that it changes, else after it."""
    changed = _PLEASE.sub("", _ABOUT.sub("", body)).strip()
    if not changed:
        return previous
    if (replaced := _replaced_phrase(changed, previous)) is not None:
        return replaced
    place = _PLACE.fullmatch(changed)
    named = place[1] if place else re.sub(r"^(?:the|its|their) ", "", changed)
    limits = _LIMIT.match(changed) or _ONES.search(changed) or changed[0].isupper()
    says_what = specific_words(named) or not THINGS.isdisjoint(named.casefold().split())
    if place or (says_what and not limits):
        replaced = _other_subject(named, previous, topic_of(previous) or Topic({}), place=place is not None)
        if replaced is not None:
            return replaced
    more = _ONLY.sub("", changed)
    return _appended(previous, more, " " if _PREPOSITION.match(more) else ", ")


def _replaced_phrase(changed: str, previous: str) -> str | None:
    """Replace the time, grouping or value of the previous question; `None` if it has none of that kind."""
    if re.fullmatch(_GROUP, changed, re.IGNORECASE):
        return _swapped(re.compile(rf"\b{_GROUP}", re.IGNORECASE), changed, previous)
    if _TIME.fullmatch(changed):
        return _swapped(_TIME, changed, previous)
    if value := re.fullmatch(r"(?:(?:in|for|from|at|of) )?([A-Z][\w-]*(?: [A-Z][\w-]*)*)", changed):
        return _swapped(_VALUE, value[1], previous)
    return None


def _swapped(pattern: re.Pattern[str], changed: str, previous: str) -> str | None:
    found = list(pattern.finditer(previous))
    return f"{previous[: found[-1].start()]}{changed}{previous[found[-1].end() :]}" if found else None


def _other_subject(changed: str, previous: str, topic: Topic, *, place: bool) -> str | None:
    """Ask the same about another column or table; `None` if the previous question does not name its own.

    Args:
        changed: names the other one.
        previous: the question before, complete.
        topic: what that is about.
        place: whether the other one is named as a place ("in invoices"), which takes the place of another place.
    """
    other = next((each.name for each in topic.mentions(changed, "column")), None)
    tables = topic.mentions(previous, "table")
    columns = [each for each in topic.mentions(previous, "column") if each.start not in {one.start for one in tables}]
    if place:
        tables = [each for each in tables if _PREPOSITION.search(previous[: each.start].rstrip().rpartition(" ")[2])]
    elif other is not None and not topic.mentions(changed, "table"):
        if not columns:
            return f"what is {other}?"
        named = columns[0]
        return f"{previous[: named.start]}{other}{previous[named.start + len(named.text) :]}"
    elif topic.tables and not specific_words(changed) and (part := _PART.search(changed)):
        return (
            f"what {'are' if part[0].endswith('s') else 'is'} the {changed} of {_whole_of(part[0], previous, topic)}?"
        )
    if tables:
        start, end = tables[0].start, tables[0].start + len(tables[0].text)
    elif columns and not place:
        start = columns[0].start
        end = start + (columns[0].text.rfind(".") if "." in columns[0].text else len(columns[0].text))
    elif not place and (listed := _LISTED.match(previous)) and has_subject(listed[1]):
        start, end = listed.span(1)
    else:
        return None
    return f"{previous[:start]}{changed}{previous[end:]}"


def _appended(previous: str, more: str, sign: str) -> str:
    ended = "?" if previous.rstrip().endswith("?") else ""
    return f"{previous.rstrip(' ?.!')}{sign}{more.rstrip(' ?.!')}{ended}"
