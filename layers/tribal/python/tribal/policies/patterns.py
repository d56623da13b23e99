"""Patterns of constraints: regular expressions that take linear time, and globs that are bounded.

Regular expressions are RE2's, without look-around and references back. Globs are those of shells: `**` crosses folders,
braces list alternatives, case counts. A glob without `/` names files in any folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import bracex
import re2
from wcmatch import glob

from tribal.errors import PatternInvalid

_FLAGS = glob.GLOBSTAR | glob.DOTGLOB | glob.FORCEUNIX | glob.CASE
_MOST_ALTERNATIVES = 50
_MOST_STARS = 3
"""In one segment of a glob: it is matched by trying, which takes the length of a name to that power."""
_MOST_CROSSINGS = 4
"""Of `**` in a glob; likewise."""
_BYTES_OF_EXPRESSION = 8 << 20
"""Of memory that an expression may take: RE2's own default, which some 10,000 states fit into."""
_PATTERNS_KEPT = 2_000

_SEVERAL_STARS = re.compile(r"\*+")


class Expression:
    """A regular expression.

    Args:
        pattern: as it was written.
        folded: whether case does not count.

    Raises:
        PatternInvalid: when RE2 cannot read it.
    """

    def __init__(self, pattern: str, *, folded: bool = False) -> None:
        options = re2.Options()
        options.case_sensitive = not folded
        options.log_errors = False
        options.max_mem = _BYTES_OF_EXPRESSION
        try:
            self._lines = re2.compile(f"(?m:{pattern})", options)
            self._whole = re2.compile(pattern, options)
        except re2.error as error:
            raise PatternInvalid(f"the regular expression {pattern!r} cannot be read: {_told(error)}") from error

    def is_whole(self, name: str) -> bool:
        """Whether it matches a whole name."""
        return self._whole.fullmatch(name.encode("utf-8", "surrogateescape")) is not None

    def line_in(self, text: bytes) -> int | None:
        """The line of its first match in a text, counted from 1; `^` and `$` are those of lines."""
        found = self._lines.search(text)
        return None if found is None else text.count(b"\n", 0, found.start()) + 1


@lru_cache(maxsize=_PATTERNS_KEPT)
def expression(pattern: str, *, folded: bool = False) -> Expression:
    """The expression of a pattern.

    Raises:
        PatternInvalid: when RE2 cannot read it.
    """
    return Expression(pattern, folded=folded)


@lru_cache(maxsize=_PATTERNS_KEPT)
def path_glob(pattern: str) -> Callable[[str], bool]:
    """Whether a path, relative and with `/`, is one that a glob names.

    Raises:
        PatternInvalid: when it cannot be read, or would take too long.
    """
    for segment in pattern.split("/"):
        stars = _SEVERAL_STARS.findall(segment)
        if len(stars) > _MOST_STARS and segment != "**":
            raise PatternInvalid(f"the glob {pattern!r} has more than {_MOST_STARS} stars between two slashes")
    if pattern.count("**") > _MOST_CROSSINGS:
        raise PatternInvalid(f"the glob {pattern!r} has ** more than {_MOST_CROSSINGS} times")
    whole = pattern.removeprefix("./") if "/" in pattern else f"**/{pattern}"
    try:
        alternatives = bracex.expand(whole, limit=_MOST_ALTERNATIVES)
        expressions, _ = glob.translate(alternatives, flags=_FLAGS)
        compiled: Sequence[re.Pattern[str]] = [re.compile(each) for each in expressions]
    except (re.error, ValueError, bracex.ExpansionLimitException) as error:
        raise PatternInvalid(f"the glob {pattern!r} cannot be read: {error}") from error
    return lambda path: any(each.match(path) is not None for each in compiled)


def _told(error: re2.error) -> str:
    told = error.args[0] if error.args else error
    return told.decode("utf-8", "replace") if isinstance(told, bytes) else str(told)
