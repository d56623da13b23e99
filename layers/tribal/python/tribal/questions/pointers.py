"""Finds the pronouns of a question that refer to an earlier one, and writes what they mean in their place. No I/O."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from tribal.naming import STOP_WORDS
from tribal.naming.thesaurus.lookup import is_noun
from tribal.questions.intents import intent_of
from tribal.questions.mentions import Name, Names
from tribal.questions.ordinary import is_ordinary
from tribal.questions.words import question_words
from tribal_contracts.retrieval.questions import Mention

_MOST_POINTERS = 4
"""The most pronouns of a question that are replaced. By judgement."""
THINGS = frozenset(
    """
    table tables view views column columns field fields attribute attributes value values row rows record records key
    keys primary foreign unique index indexes constraint constraints type types unit units name names owner description
    code codes meaning join joins sql query null empty example examples default range format
    """.split()
)
"""Words for parts of any database, which say nothing about a subject."""
_POINTER = re.compile(
    r"\b(?:(?P<owner>its|their)(?! own\b) (?P<owned>\w+(?: \w+)?)|(?P<place>(?:in|from) there|there(?=\W*$))"
    r"|(?P<part>of )?(?P<word>it|they|them|this|that|these|those"
    r"|the(?= (?:table|view|column|field)(?:\W*$|,| (?:is|was|has|have|can|does|be|to|and|or|mean|hold|store)\b))"
    r"|(?<=of )the(?= (?:columns|fields|values)(?! (?:of|in|for|from)\b))))\b(?P<short>['\u2019]s\b)?",
    re.IGNORECASE,
)
_VERBS = frozenset(
    "may must might mean means contain contains hold holds store stores change changes need needs".split()
)
"""Verbs that could be nouns, as in "its columns mean"."""
_PLURAL = frozenset(("they", "them", "these", "those"))
_HERE = re.compile(
    r"\s+(?:year|quarter|month|week|day|morning|time|database|catalog|collection|documentation|company|project)s?\b"
)
"""What follows "this" where it means the present or the whole."""
_DESCRIBED_NEXT = re.compile(r"\s+(?:\w+ )?(?:who|that|which|whose|with|without|where)\b", re.IGNORECASE)
"""What follows "those" or "that" where the same question says which."""
_EXPLETIVE = re.compile(
    r"\s+(?:takes?\b|(?:is |was )?(?:possible|true|allowed|necessary|common|ok)\b(?!\W*$)|mean (?:if|when|that|for)\b)"
)
"""What follows "it" where it means nothing."""
_BEFORE_THAT = frozenset(
    """
    and or but with to of for in on from by into about than as at is are was were do does did can could should would
    will has have what's not join link connect compute calculate count use read find get filter group sort
    query write mean
    """.split()
)
"""Words before a "that" that refers to something; elsewhere it begins a clause."""
_THING_NEXT = re.compile(r"\s+(tables?|views?|columns?|fields?|values?|ones?)\b", re.IGNORECASE)
_CLAUSE = re.compile(
    r"[,;]|\b(?:and|or|but|when|if|while|before|after|because|until|unless|who|whose)\b", re.IGNORECASE
)
_DEFINED = re.compile(
    r"^(?:how is|what is|what are|what does|define|explain) (?:an? |the |our )?(\w+(?: \w+){0,2}?)"
    r"(?: (?:computed|calculated|derived|defined|measured|mean))?\W*$",
    re.IGNORECASE,
)
"""A question about one thing, which may be a metric rather than a table."""
_ABOUT_TABLES = re.compile(r"\b(?:columns?|fields?|rows?|records?|primary|foreign|keys?|join\w*|link|connect)\b")


@dataclass(frozen=True)
class Topic:
    """What an earlier question was about."""

    tables: Mapping[str, Sequence[str]]
    """The columns of each main table by its name, the most relevant first."""
    columns: Sequence[str] = ()
    """The columns of the first table that matter, the most relevant first."""

    def mentions(self, text: str, kind: str) -> list[Mention]:
        """Return where a text names one of its tables, or one of their columns."""
        return [each for each in self._names.mentioned(text, question_words(text)) if each.kind == kind]

    @cached_property
    def _names(self) -> Names:
        names = [Name("table", table, (table.rpartition(".")[2], table)) for table in self.tables]
        for table, columns in self.tables.items():
            short = table.rpartition(".")[2]
            for column in columns:
                full = f"{table}.{column}"
                names.append(Name("column", full, (column, f"{short}.{column}", full)))
        return Names(names)


def has_subject(text: str) -> bool:
    """Whether a text says what it is about, rather than only how much, when, or which part of it."""
    return any(is_noun(word) or not is_ordinary(word) for word in specific_words(text))


def specific_words(text: str) -> list[str]:
    """Return the words of a text that are not about time, quantities or parts of any database."""
    words = [word for word in question_words(text) if not (word.about_time or word.about_quantity)]
    return [word.text for word in words if word.text not in STOP_WORDS and word.text not in THINGS]


def pointers(question: str) -> list[re.Match[str]]:
    """Return the first pronouns that refer to nothing in the question itself."""
    return list(islice((each for each in _POINTER.finditer(question) if _points_back(question, each)), _MOST_POINTERS))


def _points_back(question: str, found: re.Match[str]) -> bool:
    before, after = question[: found.start()], question[found.end() :]
    word = (found["word"] or "").casefold()
    if word in ("this", "these") and _HERE.match(after):
        return False
    if word in ("that", "those", "these") and _DESCRIBED_NEXT.match(after):
        return False
    last = before.split()[-1].casefold() if before.strip() else ""
    if word == "it" and (_EXPLETIVE.match(after) or last == "means"):
        return False
    if word == "that" and last and not found["part"] and last not in _BEFORE_THAT:
        return False
    if found["place"] and last in ("is", "are", "was", "were"):
        return False
    return not _has_antecedent(before, is_owner=found["owner"] is not None)


def _has_antecedent(before: str, *, is_owner: bool) -> bool:
    """Whether an earlier clause of the question, or for a possessive anything before it, has a subject."""
    if is_owner:
        return has_subject(before)
    clauses = [each.start() for each in _CLAUSE.finditer(before)]
    return bool(clauses) and has_subject(before[: clauses[-1]])


def replace_pointers(question: str, previous: str, topic: Topic) -> str:
    """Write the names of what an earlier question was about in place of the pronouns that refer to it.

    Args:
        question: with pronouns.
        previous: the earlier question, complete.
        topic: what that was about; it has a table.
    """
    pieces, end = list[str](), 0
    for found in pointers(question):
        if found.start() < end:
            continue
        pieces.append(question[end : found.start()])
        text, end = _replaced(question, found, previous, topic)
        pieces.append(text)
    return "".join((*pieces, question[end:]))


def _replaced(question: str, found: re.Match[str], previous: str, topic: Topic) -> tuple[str, int]:
    """Return what is written for a pronoun, and where the rest of the question begins."""
    table, end = subject_table(previous, topic), found.end()
    if found["owner"]:
        owned = found["owned"].split()
        if len(owned) > 1 and (owned[1] in _VERBS or not (owned[1] in THINGS or has_subject(owned[1]))):
            end -= len(owned.pop()) + 1
        is_table = bool(_ABOUT_TABLES.match(" ".join(owned)))
        return f"the {' '.join(owned)} of {table if is_table else _subject(question, previous, topic)}", end
    if found["place"]:
        return f"in {table}", end
    part, word, rest = found["part"] or "", found["word"].casefold(), question[end:]
    if word not in ("it", "they", "them") and (named := _named_next(rest, topic)):
        return f"{part}{named[0]}", end + named[1]
    thing = None if word in ("it", "they", "them") else _THING_NEXT.match(rest)
    end += thing.end() if thing else 0
    noun = thing[1].casefold() if thing else ""
    if word in _PLURAL or noun.endswith("s"):
        return _plural(part, noun, previous, topic), end
    if noun in ("table", "view"):
        named_so = table
    elif noun in ("column", "field"):
        named_so = subject_column(previous, topic) or table
    else:
        named_so = _subject(question, previous, topic)
    return f"{part}{named_so}{' is' if found['short'] else ''}", end


def _named_next(rest: str, topic: Topic) -> tuple[str, int] | None:
    """Return the table or column that the words after "that" name, with the length of those words."""
    for kind in ("table", "column"):
        for each in topic.mentions(rest, kind):
            if each.start == 1:
                return each.name, each.start + len(each.text)
    return None


def subject_table(previous: str, topic: Topic) -> str:
    """Return the table that an earlier question was about: the first that it names, else the most relevant one."""
    named = topic.mentions(previous, "table")
    return named[0].name if named else next(iter(topic.tables))


def subject_column(previous: str, topic: Topic) -> str | None:
    """Return the column that an earlier question was about: the one that it names, or that answers it."""
    table = subject_table(previous, topic)
    tables = {each.start for each in topic.mentions(previous, "table")}
    named = [each.name for each in topic.mentions(previous, "column") if each.start not in tables]
    if named:
        return next((each for each in named if each.startswith(f"{table}.")), named[0])
    answers = intent_of(previous).kind == "where" and topic.columns and not tables
    return f"{table}.{topic.columns[0]}" if answers else None


def _subject(question: str, previous: str, topic: Topic) -> str:
    if _ABOUT_TABLES.search(question.casefold()):
        return subject_table(previous, topic)
    if column := subject_column(previous, topic):
        return column
    defined = _DEFINED.match(previous)
    if defined and not topic.mentions(previous, "table") and is_noun(defined[1].split()[0].casefold()):
        return defined[1]
    return subject_table(previous, topic)


def _plural(part: str, noun: str, previous: str, topic: Topic) -> str:
    """Return what "them" or "those" means: columns or values if the earlier question asked for them, else tables."""
    table, asked = subject_table(previous, topic), asked_parts(previous)
    lead = "" if part else "the "
    if noun in ("columns", "fields") or (asked == "columns" and noun not in ("tables", "views")):
        return f"{lead}columns of {table}"
    column = subject_column(previous, topic)
    if noun == "values" or asked == "values" or (part and not noun and column):
        return f"{lead}values of {column or table}"
    named = dict.fromkeys(each.name for each in topic.mentions(previous, "table"))
    return part + " and ".join(named or [table])


def asked_parts(question: str) -> str | None:
    """Return "columns" or "values" if a question asks for those of something."""
    intent = intent_of(question).kind
    if intent == "columns" or re.search(r"\b(?:columns|fields)\b", question, re.IGNORECASE):
        return "columns"
    return "values" if intent == "values" or re.search(r"\bvalues\b", question, re.IGNORECASE) else None
