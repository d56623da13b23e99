"""Checks what a model writes: names that do not exist, instructions, links and markup are left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from tribal.text_checks import Handle, SentenceJudge, ShownText, split_sentences
from tribal.text_checks.forms import is_identifier

Resolve = Callable[[str], str | None]
"""The full name of a table or column that the caller may see; `None` for any other name."""

STATEMENTS = frozenset({"character", "length", "address", "markup", "handle", "code", "order", "name"})
"""The rules of `text_checks` for statements about the documentation."""
QUESTIONS = STATEMENTS - {"name"}
"""A question may ask for a table in words of its own."""
ANSWERS = frozenset({"character", "address"})
"""A witness may repeat what it was shown."""
LONGEST_NAME = 300
_NAME = re.compile(r"(?<![\w.])[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_ABBREVIATED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
_EMPHASIS = re.compile(r"[`*]+")
_THIS_SESSION = re.compile(r"\b(the|this|that) (?:answer|request)s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CheckedProse:
    """The sentences that may be kept, and the names in others that do not exist."""

    sentences: tuple[str, ...]
    invented: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The sentences on one line."""
        return " ".join(self.sentences)


@dataclass(frozen=True)
class ProseCheck:
    """Checks texts about what a request showed."""

    resolve: Resolve
    shown: tuple[str, ...]
    """The texts of the request, whose names may be repeated."""

    def check(self, text: str, rules: Collection[str]) -> CheckedProse:
        """Keep the sentences that keep the rules and name nothing that was neither shown nor exists."""
        kept: list[str] = []
        invented: dict[str, None] = {}
        for sentence in split_sentences(_EMPHASIS.sub("", text)):
            names = _identifiers(sentence)
            existing = [name for name in names if len(name) <= LONGEST_NAME and self.resolve(name)]
            if self._broken_rule(sentence, existing, rules):
                continue
            unknown = [name for name in names if name not in existing and not self._was_shown(name)]
            invented.update(dict.fromkeys(unknown))
            if not unknown:
                kept.append(sentence)
        return CheckedProse(tuple(kept), tuple(invented))

    def _was_shown(self, name: str) -> bool:
        return re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", self._shown) is not None

    @cached_property
    def _shown(self) -> str:
        return "\n".join(self.shown).lower()

    def _broken_rule(self, sentence: str, names: Iterable[str], rules: Collection[str]) -> str:
        # Names that exist are no code, address or word that is too long.
        handles = {f"name {number}": Handle("table", tuple(name.split("."))) for number, name in enumerate(names)}
        judge = SentenceJudge(ShownText(human_text=self.shown), handles, None, rules=rules)
        # Gaps are about answers, unlike descriptions of tables, where that is talk about the request.
        return judge.broken_rule(_THIS_SESSION.sub(r"\1 text", sentence))


def _identifiers(sentence: str) -> list[str]:
    """What reads as a name rather than as words."""
    found = (match.group() for match in _NAME.finditer(sentence))
    return [name for name in found if is_identifier(name) and not _ABBREVIATED.fullmatch(name)]
