"""A rule that finds one kind of sensitive text, and how rules are applied."""

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
"""The same, placed after the first character: patterns that begin with a set of characters are searched faster."""
END = r"(?![^\W_])"
"""No letter or digit follows."""
HIDDEN = "hidden"
"""Name of the group to hide, if a pattern needs more context than that to be sure."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and what confirms a match.

    Every repetition in a pattern is bounded, or starts only where its run of characters starts: a search is linear.
    The text in lower case must contain one of `required` and at least `min_digits` digits; otherwise the search is
    skipped. A group called `hidden` is the part to hide, else the whole match is.
    """

    kind: SensitiveKind
    pattern: re.Pattern[str]
    confirm: Callable[[str], bool] | None = None
    required: tuple[str, ...] = ()
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
