"""Finds the imports in JavaScript and TypeScript in one pass over the text.

What is within a string, a template, a regular expression or a comment is text, not an import. Every scan starts where
the previous one ended, so that the time is proportional to the text, whatever it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_MARK = re.compile(r"""["'`/]""")
_MARK_OR_BRACE = re.compile(r"""["'`/{}]""")
_STRING_BODY = {
    '"': re.compile(r'(?:\\.|[^"\\\n])*+', re.DOTALL),
    "'": re.compile(r"(?:\\.|[^'\\\n])*+", re.DOTALL),
}
_TEMPLATE_TEXT = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*+", re.DOTALL)
_EXPRESSION = re.compile(r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n]){0,200}+\]|[^/\\\[\n]){1,200}+/")
"""A regular expression; a longer one is not known as such, because each slash may begin one."""
_NOT_A_LINE_BREAK = re.compile(r"[^\n]")
_BEFORE_AN_EXPRESSION = frozenset("(,=:[!&|?{;+-*%^~<>")
_WORDS_BEFORE_AN_EXPRESSION = frozenset(
    "await case delete do else in instanceof new of return throw typeof void yield".split()
)
_LAST_WORD = re.compile(r"[\w$]+\Z")
_LONGEST_WORD = 12

_CLAUSE = re.compile(r"[\w*{}\s,$]++")
"""Everything that may be between `import` and the name."""
_MAX_CLAUSE_CHARS = 2_000
_OPENED = re.compile(r"(?P<opened>\(\s*+)?(?=[\"'`])")
_NAME = re.compile(r"""[^"'`\s\\]{1,300}""")
_CALLED = re.compile(r"\b(?:require|import)\Z")
_KEYWORD = re.compile(r"\b(?:import|export)")


def imported_names(text: str) -> Iterator[tuple[str, int]]:
    """The arguments of `import`, `export ... from` and `require`, each with its line."""
    code, strings = _Scanner(text).scan()
    line, counted, position = 1, 0, 0
    while (clause := _CLAUSE.search(code, position)) is not None:
        position = clause.end()
        found = _OPENED.match(code, position)
        name = None if found is None else strings.get(found.end())
        if found is None or name is None or not _NAME.fullmatch(name):
            continue
        if not _is_import(clause[0], called=found["opened"] is not None):
            continue
        line += code.count("\n", counted, found.end())
        counted = found.end()
        position = found.end() + len(name) + 2
        yield name, line


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


class _Scanner:
    """Replaces everything that is not code by spaces, and keeps the strings by their places."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._pieces: list[str] = []
        self._strings: dict[int, str] = {}
        self._kept = self._position = 0
        """Where the next piece begins, and how far the text has been scanned."""
        self._value = False
        """Whether what comes before is a value, so that a slash divides it."""
        self._templates: list[tuple[int, int, int]] = []
        """Of each open template its place, the pieces before it, and the open braces in its expression."""
        self._without_templates = False
        self._unclosed = {'"': 0, "'": 0}
        """After a quote that is not closed, no other one of its kind opens a string until its scan has ended."""

    def scan(self) -> tuple[str, dict[int, str]]:
        """The code, and the strings in it by the places of their quotes."""
        while True:
            mark = (_MARK_OR_BRACE if self._templates else _MARK).search(self._text, self._position)
            if mark is None and self._templates:
                self._give_up_templates()
                continue
            if mark is None:
                break
            self._look_at(mark[0], mark.start())
        self._pieces.append(self._text[self._kept :])
        return "".join(self._pieces), self._strings

    def _look_at(self, mark: str, start: int) -> None:
        self._see_code(self._text[self._position : start])
        self._position = start + 1
        if mark == "`":
            if not self._without_templates:
                self._templates.append((start, len(self._pieces), 0))
                self._skip_template_text(start)
        elif mark == "{" or mark == "}":
            self._see_brace(mark, start)
        elif mark == "/":
            self._see_slash(start)
        elif start >= self._unclosed[mark]:
            body = _STRING_BODY[mark].match(self._text, start + 1)
            end = start + 1 if body is None else body.end()
            if self._text[end : end + 1] == mark:
                self._add_string(start, end)
            else:
                self._unclosed[mark] = end

    def _see_code(self, code: str) -> None:
        """Remember whether code ends with a value."""
        code = code.rstrip()
        if code:
            word = _LAST_WORD.search(code[-_LONGEST_WORD:])
            is_operator = code[-1] in _BEFORE_AN_EXPRESSION or (word and word[0] in _WORDS_BEFORE_AN_EXPRESSION)
            self._value = not is_operator

    def _see_slash(self, start: int) -> None:
        if self._text.startswith("//", start):
            end = self._text.find("\n", start)
            self._blank(start, len(self._text) if end < 0 else end)
        elif self._text.startswith("/*", start):
            end = self._text.find("*/", start + 2)
            self._blank(start, len(self._text) if end < 0 else end + 2)
        elif not self._value and self._text[max(0, start - 1) : start] != "<":
            # `</` closes a tag.
            found = _EXPRESSION.match(self._text, start)
            if found is not None:
                self._blank(start, found.end())
            self._value = found is not None
        else:
            self._value = False

    def _see_brace(self, mark: str, start: int) -> None:
        place, pieces, depth = self._templates[-1]
        if mark == "}" and depth == 0:
            self._skip_template_text(start)
        else:
            self._templates[-1] = (place, pieces, depth + (1 if mark == "{" else -1))
            self._value = mark == "}"

    def _skip_template_text(self, start: int) -> None:
        """Skip the text of a template from a backtick or a brace to the next expression in it, or to its end."""
        found = _TEMPLATE_TEXT.match(self._text, start + 1)
        end = start + 1 if found is None else found.end()
        if self._text.startswith("${", end):
            self._blank(start + 1, end)
            self._position = end + 2
            self._value = False
        elif end >= len(self._text):
            self._give_up_templates()
        else:
            place, _, _ = self._templates.pop()
            if place == start:
                self._add_string(start, end)
            else:
                self._blank(start + 1, end)
                self._position = end + 1
                self._value = True

    def _give_up_templates(self) -> None:
        """Take the backtick of a template that is not closed for something else, such as text between tags."""
        place, pieces, _ = self._templates[0]
        self._templates.clear()
        self._without_templates = True
        del self._pieces[pieces:]
        self._kept = sum(map(len, self._pieces))
        self._strings = {start: name for start, name in self._strings.items() if start < place}
        self._position = place + 1
        self._value = False

    def _add_string(self, start: int, end: int) -> None:
        self._strings[start] = self._text[start + 1 : end]
        self._blank(start + 1, end)
        self._position = end + 1
        self._value = True

    def _blank(self, start: int, end: int) -> None:
        self._pieces += (self._text[self._kept : start], _NOT_A_LINE_BREAK.sub(" ", self._text[start:end]))
        self._kept = self._position = end
