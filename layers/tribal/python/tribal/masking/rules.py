"""A rule that finds one kind of sensitive text, and how rules are applied."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from tribal.masking.kinds import SensitiveKind

SEP = r"[ \u00a0\u2007\u202f.\u2010\u2011\u2013-]"
"""A separator of groups of digits."""
START = r"(?<![^\W_])"
"""No letter or digit stands before."""
OPENS = r"(?<![^\W_].)"
"""The same, placed after the first character: patterns that begin with a set of characters are searched faster."""
END = r"(?![^\W_])"
"""No letter or digit follows."""


_REREAD = 8
"""How often, on average, a rule may read a character again after matches that were not confirmed."""
_REREAD_CHARS = 20_000
"""The same for short texts. Both by judgement: harmless texts stay far below."""


class AnyRule(Protocol):
    """What finds one kind of sensitive text.

    The search is skipped unless the text in lower case has one of `required`, if there is any, and `min_digits` digits.
    """

    @property
    def kind(self) -> SensitiveKind: ...

    @property
    def required(self) -> tuple[str, ...]: ...

    @property
    def min_digits(self) -> int: ...

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yields the start and end of each part to be hidden, in time linear in the length of the text."""
        ...


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and what confirms a match.

    Every repetition in a pattern is bounded, or starts only where its run of characters starts: a search is linear.
    The part to hide is that of the first group with a name, wherever there is one, else the whole match.
    """

    kind: SensitiveKind
    pattern: re.Pattern[str]
    confirm: Callable[[str], bool] | None = None
    required: tuple[str, ...] = ()
    min_digits: int = 0

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yields the start and end of each part to be hidden, from left to right."""
        hides_part = bool(self.pattern.groupindex)
        may_reread = _REREAD_CHARS + _REREAD * len(text)
        position = 0
        while found := self.pattern.search(text, position):
            # Only a text made to keep a rule busy uses up what it may read again; from there on nothing is confirmed.
            if may_reread < 0 or self.confirm is None or self.confirm(found.group()):
                yield found.span(found.lastgroup or 0) if hides_part else found.span()
                position = found.end()
            else:
                # The rest of a match that is not confirmed may still hold a real one.
                position = found.start() + 1
                may_reread -= found.end() - position
