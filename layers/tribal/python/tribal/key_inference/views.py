"""Which columns the definitions of views join, as PostgreSQL prints them; whatever is not simple is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tribal.sql.scanner import Token, TokenType, tokens_of

_DEFINITION_CHARS = 50_000
"""Characters of a definition that are read. By judgement: it bounds the time, and few are longer."""
_CONDITIONS = frozenset(("ON", "WHERE"))
_BEFORE = _CONDITIONS | {"AND"}
_CLAUSES = frozenset(
    """
    SELECT LEFT RIGHT INNER FULL CROSS NATURAL GROUP ORDER HAVING LIMIT OFFSET FETCH WINDOW UNION INTERSECT EXCEPT WITH
    VALUES
    """.split()
)
_SOURCES = frozenset(("FROM", "JOIN"))
_KEYWORDS = _CLAUSES | _CONDITIONS | _SOURCES | frozenset("AS AND OR NOT USING ONLY LATERAL TABLESAMPLE FOR".split())
_NOTHING = Token(TokenType.SIGN, 0, 0, "")

Place = tuple[str, str]
"""Schema and table."""
Column = tuple[str, str]
"""What its table is called in the view, and its own name."""
ViewJoin = tuple[Place, Place, frozenset[tuple[str, str]]]
"""Two tables, and the pairs of their columns that a view compares with each other, all at once."""


@dataclass
class _Frame:
    """A pair of brackets, a CASE, or the whole text."""

    is_condition: bool = False
    is_part: bool = False
    """Whether its conditions are part of those around it."""
    is_source: bool = False
    """Whether it is in FROM, where tables are named."""
    is_query: bool = False
    is_call: bool = False
    is_doubtful: bool = False
    """Whether one of several conditions suffices, so that none of them is a join."""
    found: list[tuple[Column, Column]] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    """What the tables of FROM are called so far."""


def view_joins(definition: str) -> list[ViewJoin]:
    """The joins that a definition makes, each between two tables that it names with their schemas."""
    # Of Snowflake comes the query that we wrote ourselves, whose literals are empty: read alike by both.
    return _Reader(tokens_of(definition[:_DEFINITION_CHARS], "postgres")).read()


class _Reader:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._called: dict[str, Place | None] = {}
        """The table that a name stands for; `None` if it stands for several, or for a query."""
        self._equal: dict[tuple[Column, Column], None] = {}
        self._frames = [_Frame()]

    def read(self) -> list[ViewJoin]:
        for at in range(len(self._tokens)):
            self._step(at)
        while self._frames:
            self._close()
        joined: dict[tuple[str, str], tuple[Place, Place, set[tuple[str, str]]]] = {}
        for one, other in self._equal:
            here, there = self._called.get(one[0]), self._called.get(other[0])
            if here and there and one[0] != other[0]:
                joined.setdefault((one[0], other[0]), (here, there, set()))[2].add((one[1], other[1]))
        return [(here, there, frozenset(pairs)) for here, there, pairs in joined.values()]

    def _token(self, at: int) -> Token:
        return self._tokens[at] if 0 <= at < len(self._tokens) else _NOTHING

    def _step(self, at: int) -> None:
        frame, token, before = self._frames[-1], self._token(at), self._token(at - 1)
        begins = before.type is TokenType.OPEN
        if frame.is_condition and (begins or before.word in _BEFORE):
            self._compare(at, frame)
        if token.type is TokenType.OPEN:
            is_part = frame.is_condition and (begins or before.word in _BEFORE)
            is_source = frame.is_source and (begins or before.word in _SOURCES or before.type is TokenType.COMMA)
            is_call = before.type is TokenType.NAME and before.word not in _KEYWORDS
            inner = _Frame(is_condition=is_part, is_part=is_part, is_source=is_source, is_call=is_call)
            inner.sources = frame.sources if is_source else []
            self._frames.append(inner)
        elif token.type is TokenType.CLOSE and len(self._frames) > 1:
            closed = self._close()
            if closed.is_query and self._frames[-1].is_source:
                self._call(self._alias(at + 1), None)
        elif token.type is TokenType.COMMA and frame.is_condition and not frame.is_part:
            # Behind ON, another table of FROM.
            self._flush(frame)
            frame.is_condition, frame.is_source = False, True
        elif token.type is TokenType.NAME and before.type is not TokenType.DOT:
            if token.word in _KEYWORDS:
                self._keyword(at, token.word, frame)
            elif frame.is_source and (begins or before.word in _SOURCES or before.type is TokenType.COMMA):
                self._source(at, frame)

    def _close(self) -> _Frame:
        frame = self._frames.pop()
        if frame.is_part and not frame.is_doubtful and self._frames:
            self._frames[-1].found += frame.found
        elif not frame.is_part:
            self._flush(frame)
        return frame

    def _flush(self, frame: _Frame) -> None:
        if not frame.is_doubtful:
            self._equal.update(dict.fromkeys(frame.found))
        frame.found, frame.is_doubtful = [], False

    def _keyword(self, at: int, word: str, frame: _Frame) -> None:
        if word in ("OR", "CASE"):
            # Of a CASE nothing is read, nor of what is beside it.
            frame.is_doubtful = True
        elif frame.is_call and not frame.is_query and word != "SELECT":
            # As in `extract(year FROM day)`.
            return
        elif word in _CONDITIONS:
            self._flush(frame)
            frame.is_condition, frame.is_source, frame.is_part = True, False, False
        elif word in _SOURCES and not (word == "FROM" and self._token(at - 1).word == "DISTINCT"):
            self._flush(frame)
            frame.is_condition, frame.is_source = False, True
        elif word in _CLAUSES:
            self._flush(frame)
            frame.is_condition, frame.is_source = False, False
            frame.is_query |= word == "SELECT"
            if word == "SELECT":
                frame.is_part, frame.sources = False, []
        elif word == "USING" and self._token(at + 1).type is TokenType.OPEN:
            self._using(at + 2, frame)

    def _source(self, at: int, frame: _Frame) -> None:
        parts = [self._token(at).text]
        while self._token(at + 1).type is TokenType.DOT:
            parts.append(self._token(at + 2).text)
            at += 2
        name = self._alias(at + 1) or parts[-1]
        self._call(name, (parts[-2], parts[-1]) if len(parts) > 1 else None)
        frame.sources.append(name)

    def _alias(self, at: int) -> str:
        at += self._token(at).word == "AS"
        token = self._token(at)
        return token.text if token.type is TokenType.NAME and token.word not in _KEYWORDS else ""

    def _call(self, name: str, place: Place | None) -> None:
        self._called[name] = place if self._called.get(name, place) == place else None

    def _using(self, at: int, frame: _Frame) -> None:
        """Columns of the same name in both of two tables; of more tables nobody knows which has them."""
        while len(frame.sources) == 2 and self._token(at).type is TokenType.NAME:
            column = self._token(at).text
            one, other = sorted(frame.sources)
            self._equal[(one, column), (other, column)] = None
            at += 1 + (self._token(at + 1).type is TokenType.COMMA)

    def _compare(self, at: int, frame: _Frame) -> None:
        """Note two columns that are said to be equal, if nothing else is said of either."""
        one = self._operand(at)
        if one is None or self._token(one[1]).text != "=":
            return
        other = self._operand(one[1] + 1)
        if other is None:
            return
        after = self._token(other[1])
        if after is _NOTHING or after.type in (TokenType.CLOSE, TokenType.COMMA) or after.word in _KEYWORDS:
            first, second = sorted((one[0], other[0]))
            frame.found.append((first, second))

    def _operand(self, at: int) -> tuple[Column, int] | None:
        """A column, with or without a cast, and where it ends."""
        brackets = self._token(at).type is TokenType.OPEN
        at += brackets
        kinds = [self._token(at + ahead).type for ahead in range(3)]
        if kinds != [TokenType.NAME, TokenType.DOT, TokenType.NAME]:
            return None
        column, at = (self._token(at).text, self._token(at + 2).text), at + 3
        if brackets:
            if self._token(at).type is not TokenType.CLOSE:
                return None
            at += 1
        if self._token(at).type is TokenType.CAST:
            at += 1
            while self._token(at).type is TokenType.NAME and self._token(at).word not in _KEYWORDS:
                at += 1
        return column, at
