"""Finds the imports in JavaScript and TypeScript in one pass over the text.

`re` restarts its search at every character, which is quadratic on hostile text. Here every scan starts where the
previous one ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_CANDIDATE = re.compile(r"""["'/]""")
_STRING_BODY = {
    '"': re.compile(r'(?:\\.|[^"\\\n])*+', re.DOTALL),
    "'": re.compile(r"(?:\\.|[^'\\\n])*+", re.DOTALL),
}
_NOT_A_LINE_BREAK = re.compile(r"[^\n]")

_CLAUSE = re.compile(r"[\w*{}\s,$]++")
"""Everything that may be between `import` and the name."""
_MAX_CLAUSE_CHARS = 2_000
_NAME = re.compile(r"""(?P<opened>\(\s*+)?(?P<quote>["'`])(?P<name>[^"'`\s\\]{1,300})(?P=quote)""")
_CALLED = re.compile(r"\b(?:require|import)\Z")
_KEYWORD = re.compile(r"\b(?:import|export)")


def imported_names(text: str) -> Iterator[tuple[str, int]]:
    """The arguments of `import`, `export ... from` and `require`, each with its line."""
    code = "".join(_without_comments(text))
    line, counted, position = 1, 0, 0
    while (clause := _CLAUSE.search(code, position)) is not None:
        position = clause.end()
        found = _NAME.match(code, position)
        if found is None or not _is_import(clause[0], called=found["opened"] is not None):
            continue
        line += code.count("\n", counted, found.start("name"))
        counted = found.start("name")
        position = found.end()
        yield found["name"], line


def _is_import(clause: str, *, called: bool) -> bool:
    stated = clause.rstrip()
    if called:
        return _CALLED.search(stated) is not None
    if stated.endswith("import") and _is_word(stated, len(stated) - len("import")):
        return True
    start = len(stated) - len("from")
    if not stated.endswith("from") or not _is_word(stated, start):
        return False
    keywords = [each.end() for each in _KEYWORD.finditer(stated, 0, start)]
    return bool(keywords) and len(stated[keywords[-1] : start].lstrip()) <= _MAX_CLAUSE_CHARS


def _is_word(text: str, start: int) -> bool:
    return start == 0 or not (text[start - 1].isalnum() or text[start - 1] == "_")


def _without_comments(text: str) -> Iterator[str]:
    """The text in pieces, with comments outside of strings replaced by spaces."""
    kept, position = 0, 0
    # After an unclosed quote, no other quote of that kind opens a string until its scan has ended.
    unclosed = {'"': 0, "'": 0}
    while (candidate := _CANDIDATE.search(text, position)) is not None:
        start, sign = candidate.start(), candidate[0]
        position = start + 1
        if sign != "/":
            if start >= unclosed[sign]:
                body = _STRING_BODY[sign].match(text, position)
                end = position if body is None else body.end()
                if text[end : end + 1] == sign:
                    position = end + 1
                else:
                    unclosed[sign] = end
        elif (after := _comment_end(text, start)) is not None:
            yield text[kept:start]
            yield _NOT_A_LINE_BREAK.sub(" ", text[start:after])
            kept = position = after
    yield text[kept:]


def _comment_end(text: str, start: int) -> int | None:
    if text.startswith("//", start):
        end = text.find("\n", start)
        return len(text) if end < 0 else end
    if text.startswith("/*", start):
        end = text.find("*/", start + 2)
        return len(text) if end < 0 else end + 2
    return None
