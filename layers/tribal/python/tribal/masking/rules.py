"""The shape of a rule that finds one kind of sensitive text, and the one way in which rules are run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tribal.masking.kinds import SensitiveKind

SEP = r"[ \u00a0\u2007\u202f.\u2010\u2011\u2013-]"
"""A separator of groups of digits."""
START = r"(?<![^\W_])"
"""No letter or digit stands before."""
OPENS = r"(?<![^\W_].)"
"""The same, written behind the first character: patterns that open with a set of characters are searched faster."""
END = r"(?![^\W_])"
"""No letter or digit follows."""
HIDDEN = "hidden"
"""Name of the group that is hidden where a pattern needs more than that to be sure."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and what confirms a match.

    Every repetition in a pattern is bounded, or starts only where its run of characters starts: a search is linear.
    `hints` are strings of which the text in lower case must hold one, `min_digits` the digits it must hold: both spare
    the search. A group called `hidden` is the part that is hidden, else the whole match is.
    """

    kind: SensitiveKind
    pattern: re.Pattern[str]
    confirm: Callable[[str], bool] | None = None
    hints: tuple[str, ...] = ()
    min_digits: int = 0

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yields the start and end of each part to be hidden, from left to right."""
        hidden = HIDDEN if HIDDEN in self.pattern.groupindex else 0
        position = 0
        while found := self.pattern.search(text, position):
            start, end = found.span(hidden)
            if self.confirm is None or self.confirm(found.group()):
                yield start, end
                position = found.end()
            else:
                # The rest of a match that is not confirmed may still hold a real one.
                position = found.start() + 1
