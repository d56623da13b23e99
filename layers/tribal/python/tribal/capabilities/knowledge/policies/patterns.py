"""Patterns of constraints: regular expressions and globs, both matched in linear time.

Regular expressions are RE2's, without look-around and references back. Globs are those of `.gitignore`, with braces for
alternatives: `**` crosses folders, case counts, a name without `/` may be in any folder, and a folder means everything
in it. Unlike there, `*` at the end names no folders, and `!` means everything else.
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

_BACKSLASH = re.compile(r"\\[A-Za-z0-9]")
"""As in paths of Windows; before another character it takes that as it is."""
_WILDCARD = re.compile(r"[*?\[]")
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
        PatternInvalid: when it cannot be read, can match no path, or has too many stars or alternatives.
    """
    for segment in pattern.split("/"):
        stars = _SEVERAL_STARS.findall(segment)
        if len(stars) > _MOST_STARS and segment != "**":
            raise PatternInvalid(f"the glob {pattern!r} has more than {_MOST_STARS} stars between two slashes")
    if pattern.count("**") > _MOST_CROSSINGS:
        raise PatternInvalid(f"the glob {pattern!r} has more than {_MOST_CROSSINGS} **")
    if _BACKSLASH.search(pattern):
        raise PatternInvalid(f"the glob {pattern!r} has a backslash; write / between folders")
    is_negated = pattern.startswith("!")
    try:
        alternatives = bracex.expand(pattern[is_negated:], limit=_MOST_ALTERNATIVES)
        expressions = [_expression_of_glob(each, pattern) for each in alternatives]
        compiled = re2.compile(f"(?s:{'|'.join(expressions)})", _options())
    except (re2.error, ValueError, bracex.ExpansionLimitException) as error:
        raise PatternInvalid(f"cannot parse the glob {pattern!r}: {_reason(error)}") from error
    return lambda path: (compiled.fullmatch(path.encode("utf-8", "replace")) is not None) != is_negated


def _options(*, folded: bool = False) -> re2.Options:
    options = re2.Options()
    options.case_sensitive = not folded
    options.log_errors = False
    options.max_mem = _BYTES_OF_EXPRESSION
    return options


def _expression_of_glob(glob: str, pattern: str) -> str:
    segments = [each for each in glob.split("/") if each not in ("", ".")]
    if ".." in segments:
        raise PatternInvalid(f"the glob {pattern!r} has `..`; write it relative to the root of the project")
    if not segments:
        return ".*"
    if "/" not in glob.rstrip("/"):
        segments.insert(0, "**")
    *folders, last = segments
    above = "".join("(?:[^/]+/)*" if each == "**" else f"{_expression_of_segment(each)}/" for each in folders)
    if last == "**":
        return f"{above}.*"
    inside = "/.+" if glob.endswith("/") else "" if _WILDCARD.search(last) else "(?:/.+)?"
    return f"{above}{_expression_of_segment(last)}{inside}"


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
