"""Patterns of constraints: regular expressions and globs, both matched in linear time.

Regular expressions are RE2's, without look-around and references back. Globs are those of shells: `**` crosses folders,
braces list alternatives, case counts. A glob without `/` names files in any folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import bracex
import re2

from tribal.capabilities.knowledge.errors import PatternInvalid

_MOST_ALTERNATIVES = 50
_MOST_STARS = 3
"""Limit for one segment of a glob."""
_MOST_CROSSINGS = 4
"""Limit of `**` in a glob."""
_BYTES_OF_EXPRESSION = 8 << 20
"""Memory limit of an expression: RE2's default, enough for about 10,000 states."""
_PATTERNS_KEPT = 2_000

_SEVERAL_STARS = re.compile(r"\*+")
_POSIX = r"\[:[a-z]+:\]"
_SEGMENT_PART = re.compile(
    rf"""\*++|\?|\[(?P<not>[!^]?)(?P<class>\]?(?:{_POSIX}|\\.|[^\]\\])*+)(?<!\[)(?<!\[[!^])\]|\\.|.""", re.DOTALL
)
"""Stars, a question mark, a class of characters, an escaped character, or any other one."""
_CLASS_PART = re.compile(rf"(?P<kept>{_POSIX}|-)|\\.|.", re.DOTALL)


class Expression:
    """A regular expression.

    Args:
        pattern: the pattern as written.
        folded: whether to ignore case.

    Raises:
        PatternInvalid: when RE2 cannot read it.
    """

    def __init__(self, pattern: str, *, folded: bool = False) -> None:
        options = _options(folded=folded)
        try:
            self._lines = re2.compile(f"(?m:{pattern})", options)
            self._whole = re2.compile(pattern, options)
        except re2.error as error:
            raise PatternInvalid(f"cannot parse the regular expression {pattern!r}: {_reason(error)}") from error

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
    """A function that tests whether a path, relative and with `/`, matches a glob.

    Raises:
        PatternInvalid: when it cannot be read, or has too many stars or alternatives.
    """
    for segment in pattern.split("/"):
        stars = _SEVERAL_STARS.findall(segment)
        if len(stars) > _MOST_STARS and segment != "**":
            raise PatternInvalid(f"the glob {pattern!r} has more than {_MOST_STARS} stars between two slashes")
    if pattern.count("**") > _MOST_CROSSINGS:
        raise PatternInvalid(f"the glob {pattern!r} has more than {_MOST_CROSSINGS} **")
    whole = pattern.removeprefix("./") if "/" in pattern else f"**/{pattern}"
    try:
        alternatives = bracex.expand(whole, limit=_MOST_ALTERNATIVES)
        compiled = re2.compile(f"(?s:{'|'.join(map(_expression_of_glob, alternatives))})", _options())
    except (re2.error, ValueError, bracex.ExpansionLimitException) as error:
        raise PatternInvalid(f"cannot parse the glob {pattern!r}: {_reason(error)}") from error
    return lambda path: compiled.fullmatch(path.encode("utf-8", "replace")) is not None


def _options(*, folded: bool = False) -> re2.Options:
    options = re2.Options()
    options.case_sensitive = not folded
    options.log_errors = False
    options.max_mem = _BYTES_OF_EXPRESSION
    return options


def _expression_of_glob(glob: str) -> str:
    *folders, last = glob.split("/")
    # Several slashes count as one, except at the start: no path begins with a slash.
    kept = [each for number, each in enumerate(folders) if each or not number]
    above = "".join("(?:[^/]+/)*" if each == "**" else f"{_expression_of_segment(each)}/" for each in kept)
    return above + (".*" if last == "**" else _expression_of_segment(last))


def _expression_of_segment(segment: str) -> str:
    if segment and not segment.strip("*"):
        return "[^/]+"
    return _SEGMENT_PART.sub(_expression_of_part, segment)


def _expression_of_part(part: re.Match[str]) -> str:
    written = part[0]
    if written[0] == "*":
        return "[^/]*"
    if written == "?":
        return "[^/]"
    if part["class"] is None:
        return re.escape(written[-1])
    content = _CLASS_PART.sub(lambda each: each["kept"] or re.escape(each[0][-1]), part["class"])
    return f"[^/{content}]" if part["not"] else f"[{content}]"


def _reason(error: Exception) -> str:
    detail = error.args[0] if error.args else error
    return detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)
