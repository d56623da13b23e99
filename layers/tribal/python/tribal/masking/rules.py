"""Rules that find one kind of sensitive text each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from tribal.masking.kinds import SensitiveKind

SEP = r"[ \u00a0\u2007\u202f.\u2010\u2011\u2013-]"
"""Separates groups of digits."""
START = r"(?<![^\W_])"
"""No letter or digit before."""
OPENS = r"(?<![^\W_].)"
"""The same, placed after the first character, since patterns that start with a character set are faster."""
END = r"(?![^\W_])"
"""No letter or digit after."""


_REREAD = 8
"""How often, on average, a rule may reread a character after unconfirmed matches."""
_REREAD_CHARS = 20_000
"""The same for short texts. Both are a judgement: harmless texts stay far below."""


class AnyRule(Protocol):
    """Finds one kind of sensitive text.

    The search is skipped unless the lower-case text contains one of `required` (if not empty) and `min_digits` digits.
    """

    @property
    def kind(self) -> SensitiveKind: ...

    @property
    def required(self) -> tuple[str, ...]: ...

    @property
    def min_digits(self) -> int: ...

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each part to hide, in time linear in the length of the text."""
        ...


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and a check that confirms a match.

    Every repetition in a pattern is bounded, or starts only where its run of characters starts, so a search is linear.
    The part to hide is the first named group that matched, else the whole match.
    """

    kind: SensitiveKind
    pattern: re.Pattern[str]
    confirm: Callable[[str], bool] | None = None
    required: tuple[str, ...] = ()
    min_digits: int = 0

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each part to hide, from left to right."""
        hides_part = bool(self.pattern.groupindex)
        may_reread = _REREAD_CHARS + _REREAD * len(text)
        position = 0
        while found := self.pattern.search(text, position):
            # Only hostile text reaches the reread limit. From there on, every match counts as confirmed.
            if may_reread < 0 or self.confirm is None or self.confirm(found.group()):
                yield found.span(found.lastgroup or 0) if hides_part else found.span()
                position = found.end()
            else:
                # The rest of an unconfirmed match may still contain a real one.
                position = found.start() + 1
                may_reread -= found.end() - position
