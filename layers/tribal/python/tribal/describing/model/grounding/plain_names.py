"""Names of the catalog written in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tribal.describing.model.grounding.known_names import KnownNames, joined, joined_forms, words_of
from tribal.describing.model.grounding.sentences import HANDLE
from tribal.describing.model.questions import Shown
from tribal.naming import STOP_WORDS, is_word, segment, singular, split_identifier

MAX_NAME_WORDS = 6
"""Words of a name that are looked for together."""

_RUN = re.compile(rf"[^\w'\u2019 /-]+|{HANDLE}")
_POSSESSIVE = re.compile(r"['\u2019]s\b|['\u2019]")
_KINDS = frozenset({"table", "view", "column", "field", "attribute", "relation", "entity"})
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
    """Finds names in a sentence that the question did not show."""

    shown: Shown
    known: KnownNames | None

    def found(self, sentence: str) -> bool:
        """Whether a sentence names a table or column in plain words that was not shown."""
        for run in _RUN.split(sentence):
            words = split_words(run)
            if any(self._is_strange(words[start:end]) for start, end in _spans(len(words))):
                return True
            if any(self._is_called(words, at) for at, word in enumerate(words) if singular(word) in _KINDS):
                return True
        return False

    @cached_property
    def given_words(self) -> frozenset[str]:
        """Words of the names that were shown and of persons, in the singular."""
        told = {singular(word) for text in self.shown.told for word in split_identifier(text)}
        return words_of((*self.shown.own, *self.shown.others)) | told

    @cached_property
    def _given(self) -> frozenset[str]:
        return joined_forms((*self.shown.own, *self.shown.others))

    def _is_strange(self, words: list[str]) -> bool:
        if self.known is None or not words or words[0] in STOP_WORDS or words[-1] in STOP_WORDS:
            return False
        forms = _forms_of(words)
        if len(words) == 1 and (is_word(singular(words[0])) or is_word(words[0])) and len(segment(words[0])) == 1:
            return False
        if forms.isdisjoint(self.known.tables) and forms.isdisjoint(self.known.columns):
            return False
        return not self._is_given(words)

    def _is_given(self, words: list[str]) -> bool:
        return not _forms_of(words).isdisjoint(self._given) or all(singular(word) in self.given_words for word in words)

    def _is_called(self, words: list[str], at: int) -> bool:
        """Whether the word for a kind of object has a name before it that was not shown: "the X table"."""
        start = at
        while start and at - start < MAX_NAME_WORDS and words[start - 1] not in STOP_WORDS:
            start -= 1
        name = words[start:at]
        return bool(name) and name[-1] not in _ROLES and not self._is_given(name[-1:])


def split_words(text: str) -> list[str]:
    """The words of a text in lower case, without possessive endings."""
    return split_identifier(_POSSESSIVE.sub("", text))


def _spans(length: int) -> Iterator[tuple[int, int]]:
    for start in range(length):
        for end in range(start + 1, min(length, start + MAX_NAME_WORDS) + 1):
            yield start, end


def _forms_of(words: list[str]) -> frozenset[str]:
    return frozenset((joined(words), "".join(words[:-1]) + singular(words[-1])))
