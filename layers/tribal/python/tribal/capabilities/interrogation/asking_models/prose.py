"""Check texts of a model, and leave out invented names, instructions, links and markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property

from tribal.text_checks import Handle, SentenceJudge, ShownText, split_sentences
from tribal.text_checks.forms import is_identifier

Resolve = Callable[[str], str | None]
"""Returns the full name of a table or column that the caller may see; `None` for any other name."""

STATEMENTS = frozenset({"character", "length", "address", "markup", "handle", "code", "order", "name"})
"""The `text_checks` rules for statements about the documentation."""
QUESTIONS = STATEMENTS - {"name"}
"""The rules for questions, which may describe a table without its name."""
ANSWERS = frozenset({"character", "address"})
"""The rules for answers of a witness, which may repeat what it was shown."""
LONGEST_NAME = 300
_NAME = re.compile(r"(?<![\w.])[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_ABBREVIATED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
_HANDLE = "[t1]"
_EMPHASIS = re.compile(r"[`*]+")
_THIS_SESSION = re.compile(r"\b(the|this|that) (?:answer|request)s?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CheckedProse:
    """The sentences to keep, and the invented names in the others."""

    sentences: tuple[str, ...]
    invented: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The sentences on one line."""
        return " ".join(self.sentences)


@dataclass(frozen=True)
class ProseCheck:
    """Checks texts against what the request showed."""

    resolve: Resolve
    shown: tuple[str, ...]
    """Texts of the request. Names from these texts may be repeated."""
    _judges: dict[frozenset[str], SentenceJudge] = field(default_factory=dict, repr=False, compare=False)

    def check(self, text: str, rules: Collection[str]) -> CheckedProse:
        """Keep the sentences that follow the rules and name only what exists or was shown."""
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

    def _broken_rule(self, sentence: str, existing: Collection[str], rules: Collection[str]) -> str:
        if "markup" in rules and "[" in sentence:
            return "markup"
        # Names that exist are no code, address or word that is too long.
        text = _NAME.sub(lambda found: _HANDLE if found.group() in existing else found.group(), sentence)
        # Gaps are about answers, unlike descriptions of tables, where that is talk about the request.
        return self._judge(frozenset(rules)).broken_rule(_THIS_SESSION.sub(r"\1 text", text))

    def _judge(self, rules: frozenset[str]) -> SentenceJudge:
        if rules not in self._judges:
            handles = {_HANDLE.strip("[]"): Handle("table", ("name",))}
            self._judges[rules] = SentenceJudge(ShownText(human_text=self.shown), handles, None, rules=rules)
        return self._judges[rules]


def _identifiers(sentence: str) -> list[str]:
    """Return the parts of a sentence that look like names rather than words."""
    found = (match.group() for match in _NAME.finditer(sentence))
    return [name for name in found if is_identifier(name) and not _ABBREVIATED.fullmatch(name)]
