"""Parts of a description that may claim something, and the words that turn a claim into something weaker."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tribal.naming import segment_all, singular, split_identifier
from tribal.text_checks.sentences import plain, split_sentences

MAX_TEXT_CHARS = 4_000
"""The rest of a longer text is not read."""
MAX_SENTENCE_CHARS = 400
"""A longer sentence is not read: what it says depends on too many other words."""

NEGATED = re.compile(r"\b(?:not|no|non|never|neither|nor|without|cannot|instead|rather)\b|n't\b", re.IGNORECASE)
HEDGED = re.compile(
    r"\?|\b(?:should|shall|ought|would|could|might|may(?! (?:not|never)\b)|will|usually|often|mostly"
    r"|generally|normally|typically"
    r"|sometimes|ideally|probably|possibly|perhaps|almost|nearly|practically|assum\w+|suppos\w+|expect\w*|intend\w*"
    r"|planned|wants?|hopefully|todo|fixme|tbd|eventually|future|unclear|theoretically|in (?:theory|principle))\b",
    re.IGNORECASE,
)
PAST = re.compile(
    r"\b(?:used to|until|till|before|former(?:ly)?|previous(?:ly)?|historic\w*|original(?:ly)?"
    r"|earlier|old(?:er)?|legacy|deprecated|obsolete|unused|reserved|no longer|any ?more|currently"
    r"|at present|so far|for now|at the moment|nowadays|migrat\w+"
    r"|import(?:s|ed|ing)?|removed)\b",
    re.IGNORECASE,
)
WAS = re.compile(r"\b(?:was|were|had|been)\b", re.IGNORECASE)
"""The past of a claim; after "when" or "which" it is that of what happened, as in "day on which it was opened"."""
_EVENT = re.compile(r"\b(?:when|which|that|who|whom|where|how|whether|after)\b.*", re.IGNORECASE)
CONDITION = re.compile(
    r"(?:and |but |or )?(?:if|when|whenever|unless|where|while|except|only|for|at|on|since|after|once|from|within"
    r"|in(?! (?:whole )?(?:euros?|dollars|cents|percent|kg|km|grams|met(?:er|re)s|hours|minutes|seconds|days)\b)"
    r"|inside|per|across|among|depend\w*|provided|as (?:long|soon)|together|combined)\b",
    re.IGNORECASE,
)
"""How a part begins that limits the one before or after it."""
_LIMIT = re.compile(r"(?:only|unless|except|but|if|when|apart)\b", re.IGNORECASE)
"""How a sentence begins that limits the one before it."""
EXCEPTED = re.compile(
    r"\b(?:except\w*|however|(?:apart|aside) from|other than|not (?:\w+ )?enforced"
    r"|(?:in|by) the (?:application|app|code))\b",
    re.IGNORECASE,
)
_OF_END = re.compile(r"(?<=\d) \([^()]{1,30}\)(?= to -?\d)")
"""What a range says of its lower end: "1 (lowest) to 5"."""
_PART = re.compile(
    r"\s*(?:[,;:()]|\s[-\u2013\u2014]\s|\u2014)\s*"
    r"|\s+(?:and|but|so)\s+(?=(?:(?:it|they|is|are|must|has to|can|cannot|can't|may|never|always|unique|mandatory"
    r"|required|optional|not null|\w+ (?:columns?|(?:foreign|primary) keys?))\b))",
    re.IGNORECASE,
)
_HEAD_WORDS = 4
_NUMBER_OF = "number of"
_VERB = re.compile(r"\b(?:is|are|has|have|can|must|may|points?|refers|links?|holds|contains)\b", re.IGNORECASE)
_JOINED = re.compile(r"\A(?:and|but|so|thus|hence|therefore|then) ", re.IGNORECASE)
_LABELS = ("number", "numbers", "code", "codes", "id", "ids")
_BELONGING = re.compile(r" (?:of|for|in|on|from|by|to|at|with|per) ", re.IGNORECASE)
ARTICLE = re.compile(r"\b(?:(?:a|an|the|each|every|this|one|given|single|combination of) )+", re.IGNORECASE)
_ROW = frozenset(
    f"{word}{place}"
    for word in ("row", "rows", "record", "records", "entry", "entries", "of them")
    for place in ("", " in this table", " of this table", " in the table", " of the table")
)
PRONOUNS = frozenset("it this that one they these which each value column field entry attribute".split())


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence between commas, brackets or dashes, or before another predicate."""

    text: str
    head: str
    """What the whole text says its subject is, by its first words: "address" of "Address of the employee"."""
    before: str
    """What comes before it in its sentence."""
    after: str
    """What comes after it in its sentence."""
    following: str
    """The sentences after its own."""
    sentence: str

    @property
    def follows_past(self) -> bool:
        """Whether what comes before it in its sentence says what was once so."""
        return WAS.search(_EVENT.sub("", self.before)) is not None or PAST.search(self.before) is not None

    @property
    def is_firm(self) -> bool:
        """Whether nothing in its sentence denies, weakens, limits or dates the claim."""
        others = [part for around in (self.before, self.after) for part in _PART.split(around) if part]
        return not (
            HEDGED.search(self.sentence)
            or PAST.search(self.sentence)
            or WAS.search(self.text)
            or self.follows_past
            or any(map(CONDITION.match, others))
            or _LIMIT.match(self.following)
        )


def sentences_of(text: str) -> list[str]:
    """The sentences that are short enough to be read."""
    found = [part for line in split_sentences(plain(text)) for part in re.split(r";\s+", line)]
    return [sentence for sentence in found if len(sentence) <= MAX_SENTENCE_CHARS]


def clauses_of(text: str) -> Iterator[Clause]:
    """The parts of a text; none if it speaks of exceptions, or says what the database does not enforce."""
    if EXCEPTED.search(text):
        return
    sentences = sentences_of(text)
    head = _head(sentences[0]) if sentences else ""
    for number, whole in enumerate(sentences):
        sentence = _OF_END.sub("", whole)
        later = " ".join(sentences[number + 1 :])
        start = 0
        ends = [(end.start(), end.end()) for end in _PART.finditer(sentence)] + [(len(sentence), len(sentence))]
        for end, following in ends:
            if part := _JOINED.sub("", sentence[start:end].strip(" .!"), count=1):
                yield Clause(part, head, sentence[:start], sentence[following:], later, sentence)
            start = following


def _head(sentence: str) -> str:
    """The noun that a sentence without a verb begins with, in the singular; `number of` for a number of things."""
    first = _PART.split(sentence)[0].strip(" .!")
    words = _BELONGING.split(first, maxsplit=1)[0].split()
    if not words or len(words) > _HEAD_WORDS or _VERB.search(sentence):
        return ""
    return _NUMBER_OF if re.match(r"(?:the )?number of ", first, re.IGNORECASE) else singular(words[-1].lower())


def words_of_name(name: str) -> tuple[str, ...]:
    """The words of a name in the singular; those written as one are split."""
    return tuple(singular(word) for word in segment_all(split_identifier(name)))


def same_name(left: str, right: str) -> bool:
    """Whether two names or phrases have the same letters, apart from case, separators and the plural."""
    return _letters(left) == _letters(right)


def _letters(name: str) -> str:
    return "".join(words_of_name(name))


def is_about(subject: str | None, name: str, head: str = "", table: str = "") -> bool:
    """Whether the subject of a clause is the column of that name; a clause without a subject is about its column.

    Args:
        subject: what a clause is about, by its own words.
        name: the column.
        head: what the text says that the column is.
        table: its table; "the number of the parcel" is about a parcel's number.
    """
    if not subject or not subject.strip():
        return True
    if same_name(subject, name):
        return True
    noun, *owners = _BELONGING.split(subject.strip(' `"'))
    if any(not is_row(owner, table) and {*words_of_name(owner)}.isdisjoint(words_of_name(name)) for owner in owners):
        return False
    words = ARTICLE.sub("", noun + " ").lower().split()
    if len(words) > 1 and words[-1] in _LABELS:
        words.pop()
    if head == _NUMBER_OF:
        # "Number of lines": a line is not the column.
        return not words or singular(words[-1]) in {"number", *PRONOUNS}
    # "This one" is nothing but words before a noun.
    return not words or ((last := singular(words[-1])) in PRONOUNS or last in (head, *words_of_name(name)))


def is_row(entity: str, table: str) -> bool:
    """Whether words mean a row of the table of that name, by its whole name or its last words."""
    bare = ARTICLE.sub("", entity.strip() + " ").strip().lower()
    if bare in _ROW or same_name(bare, table):
        return True
    words, name = words_of_name(bare), words_of_name(table)
    return bool(words) and name[-len(words) :] == words
