"""Names of the catalog written in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tribal.naming import STOP_WORDS, is_word, read_name, segment, segment_all, singular, split_identifier
from tribal.text_checks.sentences import HANDLE
from tribal.text_checks.shown import ShownText
from tribal_contracts import CatalogNames

MAX_NAME_WORDS = 6
"""The most words of a name to look for together."""

_SHORTEST_NAME = 3
"""The fewest letters of a one-word name; shorter ones are ambiguous."""

_OWN_NAME_WORDS = 3
"""From this many words on, a column's name counts as that column even if all its words were shown."""

_RUN = re.compile(rf"[^\w'\u2019 -]+|{HANDLE}")
_INSIDE_WORDS = re.compile(r"['\u2019]s\b|['\u2019]|(?<=\b[a-z])-(?=[a-z])", re.IGNORECASE)
"""What is no boundary between words: "customer's", "e-mail"."""
_COLUMNS = frozenset({"column", "field", "attribute"})
_KINDS = _COLUMNS | {"table", "view", "relation", "entity"}
# Tables and columns have these roles in any database.
_ROLES = frozenset(
    """
    additional all another any associated association associative audit base boolean bridge central child code composite
    computed cross current data database date decimal default denormalized dependent derived detail different dimension
    each either entire every external fact first flag foreign free generated header hierarchical historical history
    identifier identity individual integer intermediate internal intersection its join junction key last link linking
    log lookup main many mapping master materialized matching natural new nullable number numeric one only
    optional original other outer own parent partitioned primary reference referenced referencing related required same
    second self separate shared single source staging string structured sub summary surrogate system target technical
    temporary text that the their this time timestamp transaction type unique unstructured various which whole xml
    """.split()
)


@dataclass(frozen=True)
class PlainNames:
    """Finds names in a sentence that were not shown."""

    shown: ShownText
    known: KnownNames | None
    english: bool = True
    """Whether sentences are in English; missing articles are only checked there."""

    def occur_in(self, sentence: str) -> bool:
        """Whether a sentence names a table or column in plain words that was not shown."""
        for run in _RUN.split(sentence):
            words = split_words(run)
            if any(self._is_unshown_name(words, start, end) for start, end in _spans(len(words))):
                return True
            if any(self._is_labelled(words, at) for at, word in enumerate(words) if singular(word) in _KINDS):
                return True
        return False

    @cached_property
    def given_words(self) -> frozenset[str]:
        """Words of the shown names and of people's texts, in the singular."""
        human_words = {singular(word) for text in self.shown.human_text for word in split_identifier(text)}
        return words_of((*self.shown.own, *self.shown.others)) | human_words

    @cached_property
    def _given(self) -> frozenset[str]:
        return _joined_forms((*self.shown.own, *self.shown.others))

    def _is_unshown_name(self, run: list[str], start: int, end: int) -> bool:
        """Whether words are a name that was not shown and is not made of words of shown names."""
        words = run[start:end]
        if self.known is None or (_has_function_word_at_edge(words) and not _is_used_as_noun(run, start, end)):
            return False
        if len(words) == 1 and not self._may_be_a_name(run, start):
            return False
        forms = _forms_of(words)
        is_table = self.known.has_table(forms)
        if not (is_table or self.known.has_column(forms)) or self._is_given(forms):
            return False
        # Shown words may also form another column's name, but a name of several words means that table or column.
        return len(words) >= (2 if is_table else _OWN_NAME_WORDS) or not self._has_given_words(words)

    def _may_be_a_name(self, run: list[str], at: int) -> bool:
        """Whether one word differs from ordinary text: by its letters or its place in the sentence."""
        if len(run[at]) < _SHORTEST_NAME:
            return False
        return not _reads_as_a_word(run[at]) or (self.english and _lacks_article(run, at))

    def _is_given(self, forms: frozenset[str]) -> bool:
        return not forms.isdisjoint(self._given) or self._is_in_a_given_name(forms)

    def _is_in_a_given_name(self, forms: frozenset[str]) -> bool:
        """Whether a shown name begins or ends with these words, or has them as one: "e-mail"."""
        if not forms.isdisjoint(self.given_words):
            return True
        return any(given.startswith(form) or given.endswith(form) for form in forms for given in self._given)

    def _has_given_words(self, words: list[str]) -> bool:
        return all(word in _GRAMMAR or singular(word) in self.given_words for word in words)

    def _is_labelled(self, words: list[str], at: int) -> bool:
        """Whether a name that was not shown precedes a word such as "table": "the X table"."""
        tails = [words[start:at] for start in range(max(0, at - MAX_NAME_WORDS), at)]
        # Names may begin or end with function words: "the updated at column". "In the table" has no name.
        forms = [_forms_of(tail) for tail in tails if not all(word in _GRAMMAR for word in tail)]
        if not forms or any(not each.isdisjoint(self._given) for each in forms):
            return False
        if self.known:
            is_known = self.known.has_column if singular(words[at]) in _COLUMNS else self.known.has_table
            if any(map(is_known, forms)):
                return True
        if singular(words[at]) != words[at]:
            # "The event tables" are a group of tables, without a name.
            return False
        last = words[at - 1]
        return last not in _ROLES and last not in _GRAMMAR and not self._has_given_words([last])


def _reads_as_a_word(token: str) -> bool:
    return len(segment(token)) == 1 and (is_word(token) or is_word(singular(token)))


def split_words(text: str) -> list[str]:
    """The words of a text in lower case, without possessive endings; "e-mail" is one word."""
    return split_identifier(_INSIDE_WORDS.sub("", text))


def _spans(length: int) -> Iterator[tuple[int, int]]:
    for start in range(length):
        for end in range(start + 1, min(length, start + MAX_NAME_WORDS) + 1):
            yield start, end


def _forms_of(words: list[str]) -> frozenset[str]:
    return frozenset((_joined(words), "".join(words[:-1]) + singular(words[-1])))


_GRAMMAR = STOP_WORDS - {"find", "give", "list", "return", "show", "tell"}
"""Function words, next to which a name begins or ends."""

_VERBS = frozenset(
    "am are be been being can could did do does had has have is may might must should was were will would".split()
)
_ARTICLES = frozenset({"a", "an", "its", "the", "their"})
_BEFORE_A_NOUN = _ARTICLES | {"each", "every", "for", "from", "into", "of", "per", "with"}
_NOUN_BEGINS = _ARTICLES | frozenset(
    """
    all any each every her him his how it me my our some such that them these this those us what when where whether
    which who whom whose why you your
    """.split()
)
_JOINING = frozenset({"and", "as", "but", "nor", "not", "or", "than", "to"})

# After other prepositions the article is often missing: "by name", "in stock", "on hold", "into account".
_SOURCES = frozenset({"from", "of"})
# "Method of payment", "free of charge": no article is missing after these.
_BEFORE_OF = frozenset(
    """
    amount because cause choice class code cost country currency date day degree exclusive form free inclusive instead
    irrespective kind lack level line means method mode net number out period piece place point proof rate reason
    regardless sort source state term terms time type unit way year
    """.split()
)
# Uncountable nouns and activities.
_WITHOUT_ARTICLE = frozenset(
    """
    access age arrival birth care cash change charge content copyright credit data death debit debt delivery demand
    departure dispatch entry evidence expiry food freight fuel gender growth health income information interest issue
    labor labour land law mail material media money music news oil order origin paper postage power profit progress
    purchase receipt release rent research residence return revenue risk sale sex software space staff start stock
    storage supply support tax text time trade traffic transfer transport travel trust use value vat volume waste water
    wealth weight work
    """.split()
)
_ABSTRACT = ("ance", "ence", "ing", "ism", "ment", "ness", "ship", "sion", "tion")


def _has_function_word_at_edge(words: Sequence[str]) -> bool:
    """Whether words begin or end with a function word, which is rare in names: "updated at"."""
    return words[0] in _GRAMMAR or words[-1] in _GRAMMAR


def _is_used_as_noun(run: Sequence[str], start: int, end: int) -> bool:
    """Whether words such as "updated at" are used as a noun: "the updated at of an order"."""
    if not start or all(word in _GRAMMAR for word in run[start:end]):
        return False
    # "What it belongs to is deleted": a preposition may precede a verb.
    before = _ARTICLES if run[start] in _VERBS else _BEFORE_A_NOUN
    return run[start - 1] in before and _ends_a_noun(run, end)


def _lacks_article(run: Sequence[str], at: int) -> bool:
    """Whether a singular noun lacks its article: "copied from address at night"."""
    word, before = run[at], run[at - 1] if at else ""
    if before not in _SOURCES or singular(word) != word or word in _WITHOUT_ARTICLE or word.endswith(_ABSTRACT):
        return False
    if before == "of" and (at < 2 or singular(run[at - 2]) in _BEFORE_OF):
        return False
    return _ends_a_noun(run, at + 1) and (at + 1 == len(run) or run[at + 1] not in _JOINING)


def _ends_a_noun(run: Sequence[str], end: int) -> bool:
    """Whether the next word neither continues a noun nor begins another."""
    return end == len(run) or (run[end] in _GRAMMAR and run[end] not in _NOUN_BEGINS)


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The names of all tables and columns of a database; slow to build, so built once per run and database.

    Separators and case are ignored: `order_lines`, `OrderLines` and `orderlines` are the same name.
    """

    tables: frozenset[str]
    columns: frozenset[str]

    @classmethod
    def of(cls, names: CatalogNames) -> KnownNames:
        """Build from a names file."""
        return cls(_joined_forms(names.tables), _joined_forms(names.columns))

    def has_table(self, forms: frozenset[str]) -> bool:
        """Whether any of the forms is a table's."""
        return not forms.isdisjoint(self.tables)

    def has_column(self, forms: frozenset[str]) -> bool:
        """Whether any of the forms is a column's."""
        return not forms.isdisjoint(self.columns)


def _joined_forms(names: Iterable[str]) -> frozenset[str]:
    """The forms by which names are found: their words in the singular, as written and with abbreviations spelt out."""
    return frozenset(form for name in names for form in _forms(name) if form)


def _forms(name: str) -> tuple[str, ...]:
    words = split_identifier(name)
    if all(map(is_word, words)):
        # Nothing to split or spell out; a catalog may have 100,000 names.
        return (_joined(words),)
    return _joined(words), _joined(segment_all(words)), _joined(read_name(name)[0])


def _joined(words: Iterable[str]) -> str:
    """The words in the singular, concatenated."""
    return "".join(singular(word) for word in words)


def words_of(names: Iterable[str]) -> frozenset[str]:
    """The words of names in the singular, as written and with abbreviations spelt out."""
    found: set[str] = set()
    for name in names:
        words = split_identifier(name)
        found.update(singular(word) for word in (*words, *segment_all(words), *read_name(name)[1]))
    return frozenset(found)
