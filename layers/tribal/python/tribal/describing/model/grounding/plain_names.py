"""Names of the catalog written in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tribal.describing.model.grounding.known_names import KnownNames, joined, joined_forms, words_of
from tribal.describing.model.grounding.noun_places import (
    GRAMMAR,
    has_function_word_at_edge,
    is_used_as_noun,
    lacks_article,
)
from tribal.describing.model.grounding.sentences import HANDLE
from tribal.describing.model.questions import ShownText
from tribal.naming import is_word, segment, singular, split_identifier

MAX_NAME_WORDS = 6
"""The most words of a name to look for together."""

_SHORTEST_NAME = 3
"""The fewest letters of a one-word name; shorter ones are ambiguous."""

_OWN_NAME_WORDS = 3
"""From this many words on, a column's name counts as that column even if all its words were shown."""

_RUN = re.compile(rf"[^\w'\u2019 -]+|{HANDLE}")
_POSSESSIVE = re.compile(r"['\u2019]s\b|['\u2019]")
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
        told = {singular(word) for text in self.shown.human_text for word in split_identifier(text)}
        return words_of((*self.shown.own, *self.shown.others)) | told

    @cached_property
    def _given(self) -> frozenset[str]:
        return joined_forms((*self.shown.own, *self.shown.others))

    def _is_unshown_name(self, run: list[str], start: int, end: int) -> bool:
        """Whether words are a name that was not shown and is not made of words of shown names."""
        words = run[start:end]
        if self.known is None or (has_function_word_at_edge(words) and not is_used_as_noun(run, start, end)):
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
        """Whether one word can be told from ordinary text: by its letters or its place in the sentence."""
        if len(run[at]) < _SHORTEST_NAME:
            return False
        return not _reads_as_a_word(run[at]) or (self.english and lacks_article(run, at))

    def _is_given(self, forms: frozenset[str]) -> bool:
        return not forms.isdisjoint(self._given) or self._is_in_a_given_name(forms)

    def _is_in_a_given_name(self, forms: frozenset[str]) -> bool:
        """Whether a shown name begins or ends with these words, or has them as one: "e-mail"."""
        if not forms.isdisjoint(self.given_words):
            return True
        return any(given.startswith(form) or given.endswith(form) for form in forms for given in self._given)

    def _has_given_words(self, words: list[str]) -> bool:
        return all(word in GRAMMAR or singular(word) in self.given_words for word in words)

    def _is_labelled(self, words: list[str], at: int) -> bool:
        """Whether a name that was not shown precedes a word such as "table": "the X table"."""
        tails = [words[start:at] for start in range(max(0, at - MAX_NAME_WORDS), at)]
        # Names may begin or end with function words: "the updated at column". "In the table" has no name.
        forms = [_forms_of(tail) for tail in tails if not all(word in GRAMMAR for word in tail)]
        if not forms or any(not each.isdisjoint(self._given) for each in forms):
            return False
        if self.known:
            is_known = self.known.has_column if singular(words[at]) in _COLUMNS else self.known.has_table
            if any(map(is_known, forms)):
                return True
        last = words[at - 1]
        return last not in _ROLES and last not in GRAMMAR and not self._has_given_words([last])


def _reads_as_a_word(token: str) -> bool:
    return len(segment(token)) == 1 and (is_word(token) or is_word(singular(token)))


def split_words(text: str) -> list[str]:
    """The words of a text in lower case, without possessive endings."""
    return split_identifier(_POSSESSIVE.sub("", text))


def _spans(length: int) -> Iterator[tuple[int, int]]:
    for start in range(length):
        for end in range(start + 1, min(length, start + MAX_NAME_WORDS) + 1):
            yield start, end


def _forms_of(words: list[str]) -> frozenset[str]:
    return frozenset((joined(words), "".join(words[:-1]) + singular(words[-1])))
