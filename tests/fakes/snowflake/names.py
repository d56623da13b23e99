"""Identifiers and tokens of Snowflake's SQL.

Unquoted names fold to upper case, quoted ones stay as written:
https://docs.snowflake.com/en/sql-reference/identifiers-syntax
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.fakes.snowflake.errors import SqlError, syntax_error

Path = tuple[str, ...]

_PLAIN = re.compile(r"[A-Z_][A-Z0-9_$]*\Z")
_TOKEN = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/\*.*?\*/)
      | (?P<quoted>"(?:[^"]|"")*")
      | (?P<text>'(?:[^'\\]|''|\\.)*')
      | (?P<number>\d+(?:\.\d+)?)
      | (?P<word>[A-Za-z_][A-Za-z0-9_$]*)
      | (?P<mark>[().,;=*?])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"''|\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}


def written(path: Path) -> str:
    """A path as Snowflake prints it: quoted where it must be."""
    return ".".join(part if _PLAIN.match(part) else '"' + part.replace('"', '""') + '"' for part in path)


def unescaped(literal: str) -> str:
    """The value of a string literal, its quotes included.

    https://docs.snowflake.com/en/sql-reference/data-types-text#escape-sequences-in-single-quoted-string-constants
    """

    def value(found: re.Match[str]) -> str:
        letter = found[1]
        return "'" if letter is None else _ESCAPED.get(letter, letter)

    return _ESCAPE.sub(value, literal[1:-1])


def split(script: str) -> list[str]:
    """The statements of a script, each without its semicolon; comments and empty ones are left out."""
    found: list[str] = []
    start = at = 0
    bare = ""
    while at < len(script):
        match = _TOKEN.match(script, at)
        text = match[0] if match else script[at]
        if text == ";":
            found.extend([script[start:at].strip()] if bare else [])
            start, bare = at + 1, ""
        elif match is None or match.lastgroup != "space":
            bare += text
        at += len(text)
    return [*found, script[start:].strip()] if bare else found


@dataclass(frozen=True)
class Token:
    """One token, and where it begins."""

    kind: str
    text: str
    position: int

    @property
    def name(self) -> str:
        """What an identifier names."""
        return self.text[1:-1].replace('""', '"') if self.kind == "quoted" else self.text.upper()


class Tokens:
    """The tokens of one statement, taken from the left."""

    def __init__(self, sql: str) -> None:
        self._tokens: list[Token] = []
        at = 0
        while at < len(sql):
            found = _TOKEN.match(sql, at)
            if found is None:
                raise syntax_error(at, sql[at])
            kind = found.lastgroup or ""
            if kind != "space":
                self._tokens.append(Token(kind, found[0], at))
            at = found.end()
        if self._tokens and self._tokens[-1].text == ";":
            self._tokens.pop()
        self._at = 0
        self._end = len(sql)

    @property
    def next(self) -> Token:
        """The token that comes; one without text at the end."""
        return self._tokens[self._at] if self._at < len(self._tokens) else Token("end", "<EOF>", self._end)

    def error(self) -> SqlError:
        """That the token that comes is not in the grammar."""
        return syntax_error(self.next.position, self.next.text)

    def take(self, *words: str) -> bool:
        """Take these keywords or marks if they all come."""
        coming = self._tokens[self._at : self._at + len(words)]
        found = [token.text.upper() for token in coming if token.kind in ("word", "mark")]
        if found != list(words):
            return False
        self._at += len(words)
        return True

    def expect(self, *words: str) -> None:
        """Take these keywords or marks."""
        if not self.take(*words):
            raise self.error()

    def word(self) -> str:
        """Any keyword."""
        return self._of("word").text.upper()

    def name(self) -> str:
        """An identifier."""
        return self._of("word", "quoted").name

    def path(self) -> Path:
        """An identifier of one to three parts."""
        parts = [self.name()]
        while self.take("."):
            parts.append(self.name())
        return tuple(parts)

    def text(self) -> str:
        """A string literal's value."""
        return unescaped(self._of("text").text)

    def number(self) -> int:
        """A whole number."""
        token = self._of("number")
        if "." in token.text:
            raise syntax_error(token.position, token.text)
        return int(token.text)

    def finish(self) -> None:
        """No more input."""
        if self.next.kind != "end":
            raise self.error()

    def rest(self) -> list[Token]:
        """All that comes."""
        coming = self._tokens[self._at :]
        self._at = len(self._tokens)
        return coming

    def _of(self, *kinds: str) -> Token:
        token = self.next
        if token.kind not in kinds:
            raise self.error()
        self._at += 1
        return token
