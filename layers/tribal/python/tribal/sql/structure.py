"""Read the structure of an expression or a query: what is compared, called or selected together.

This covers as much SQL as is needed to decide which names a literal belongs to. It uses no recursion, accepts any text,
and takes time linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import tribal.sql.keywords as words
from tribal.sql.scanner import Token, TokenType, scan, tokens_of
from tribal.sql.segments import Literal, Name, Place, Segment, Structure
from tribal_contracts import DatabaseType

MAX_TOKENS = 60_000
"""A longer text, some 250 kB, is over the limit. By judgement: it bounds the memory to about 50 MB."""
_NOTHING = Token(TokenType.SIGN, 0, 0, "")
_A_SECRET = Name("secret")
"""The name given to the key argument of a cipher."""
_JSON_PATH = re.compile(r"(?:(?:strict|lax) )?\$[.\[]")
_DEEPEST = 500
"""Brackets and CASEs in each other that are followed. By judgement: PostgreSQL's own stack ends at some thousands."""
_LONGEST_TYPE = 7
"""Tokens of the brackets behind a type, as in `numeric(10,2)`."""


@dataclass(slots=True, eq=False)
class _Query:
    """A SELECT or VALUES, or several of them put together, with a segment for each of its columns."""

    base: Segment
    is_operand: bool
    """Whether its value is part of an expression."""
    columns: list[Segment] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Frame:
    """A pair of brackets, a CASE, or the whole text."""

    base: Segment | None
    """What the parts of a condition hang under."""
    current: Segment
    clause: str = ""
    """The part of a query that is read, or `CASE`, `ROW` of VALUES, `NAMES` of columns, `SUBSCRIPT`."""
    query: _Query | None = None
    call: str = ""
    argument: int = 0
    operand: Segment | None = None
    """Of a CASE, what each WHEN is compared with."""
    between: bool = False
    source: str = ""
    """Of FROM, the table or function whose alias may come next."""
    names: list[str] = field(default_factory=list)
    inner: _Query | None = None
    """The query in brackets that ended last; names of its columns may follow."""


def structure_of(
    sql: str, dialect: DatabaseType, columns: Sequence[str] = (), hidden: re.Pattern[str] | None = None
) -> Structure:
    """The structure of an expression or, given columns, of a view with these columns.

    A text over `MAX_TOKENS` is returned as broken, with all its names and literals in one segment.

    Args:
        sql: any text.
        dialect: its dialect.
        columns: the columns of the view.
        hidden: the placeholder of a hidden number, as for `scan`.
    """
    tokens = list(islice(scan(sql, dialect, hidden), MAX_TOKENS + 1))
    if len(tokens) <= MAX_TOKENS:
        return _Reader([token for token in tokens if token.type is not TokenType.COMMENT], hidden).read(columns)
    found = Structure(broken=True)
    everything = found.new()
    names: set[str] = set()
    for token in scan(sql, dialect, hidden):
        if token.type in (TokenType.STRING, TokenType.NUMBER):
            everything.literals.append(Literal(token, Place()))
        elif token.type is TokenType.NAME:
            names.add(token.text)
    everything.names += map(Name, sorted(names))
    return found


class _Reader:
    def __init__(self, tokens: Sequence[Token], hidden: re.Pattern[str] | None) -> None:
        self._tokens = tokens
        self._hidden = hidden
        self._at = 0
        self._call = ""
        self._ignored = 0
        """Open brackets that are nested too deeply to be followed."""
        self._found = Structure()
        root = self._found.new()
        self._frames = [_Frame(root, self._found.new(root))]
        self._begins = _first_words(tokens)

    def read(self, columns: Sequence[str]) -> Structure:
        frame = self._top
        if columns or (self._begins and self._begins[0] in words.QUERIES):
            frame.query = _Query(self._found.new(), is_operand=False)
            self._name_columns(frame.query, columns)
        while self._at < len(self._tokens):
            self._step()
            self._at += 1
        self._found.broken |= len(self._frames) > 1
        return self._found

    @property
    def _top(self) -> _Frame:
        return self._frames[-1]

    def _token(self, ahead: int) -> Token:
        at = self._at + ahead
        return self._tokens[at] if 0 <= at < len(self._tokens) else _NOTHING

    def _column(self, query: _Query, place: int) -> Segment:
        while len(query.columns) <= place:
            column = self._found.new(query.base, linked=query.is_operand)
            column.is_column = True
            query.columns.append(column)
        return query.columns[place]

    def _step(self) -> None:
        token = self._token(0)
        match token.type:
            case TokenType.STRING | TokenType.NUMBER:
                self._literal(token)
            case TokenType.NAME:
                self._name(token)
            case TokenType.OPEN:
                self._open(token)
            case TokenType.CLOSE:
                self._close()
            case TokenType.COMMA:
                self._comma(self._top)
            case TokenType.CAST:
                self._skip_type()
            case TokenType.SIGN if token.text == ":":
                # The colon between key and value of JSON_OBJECT.
                self._top.argument += self._top.call in words.BUILDING_CALLS
            case TokenType.SIGN if token.text not in words.VALUE_SIGNS:
                self._top.current.cut()

    def _literal(self, token: Token) -> None:
        frame, before = self._top, self._token(-1)
        looked_up = frame.clause == "SUBSCRIPT" or (before.type is TokenType.SIGN and before.text in words.ARROWS)
        begins = before.type in (TokenType.OPEN, TokenType.COMMA)
        is_key = frame.call in words.BUILDING_CALLS and frame.argument % 2 == 0 and begins
        if token.type is TokenType.STRING and (looked_up or is_key):
            # Of a path, as in `#>> '{login,password}'`, the last part says what is found there.
            frame.current.names.append(Name(token.text.strip("{}").rpartition(",")[2].strip('" ')))
        elif not looked_up:
            if token.type is TokenType.STRING and _JSON_PATH.match(token.text):
                # A path quotes names as PostgreSQL does, whatever SQL it is in.
                path = tokens_of(token.text, "postgres", self._hidden)
                frame.current.names.extend(Name(each.text) for each in path if each.type is TokenType.NAME)
            cast = self._token(2).word if self._token(1).type is TokenType.CAST else ""
            frame.current.literals.append(Literal(token, Place(cast, frame.call, frame.argument)))

    def _name(self, token: Token) -> None:
        frame, before, after = self._top, self._token(-1), self._token(1)
        is_part = TokenType.DOT in (before.type, after.type)
        is_called = after.type is TokenType.OPEN and after.text == "("
        if frame.clause == "NAMES":
            # Behind a name there may be its type.
            if before.type in (TokenType.OPEN, TokenType.COMMA):
                frame.names.append(token.text)
        elif token.word in words.KEYWORDS and not is_part and not (is_called and token.word in ("LEFT", "RIGHT")):
            self._keyword(token.word)
        elif after.type is TokenType.DOT or frame.clause == "WITH":
            pass
        elif frame.clause == "FROM" and frame.source:
            self._found.tables[token.text] = frame.source
            frame.current.names.append(Name(token.text))
        elif is_called:
            self._call = token.text.lower()
            frame.source = frame.source or self._call
        elif frame.clause == "FROM":
            frame.source = self._found.tables[token.text] = token.text
        else:
            self._mention(token, before)

    def _mention(self, token: Token, before: Token) -> None:
        frame = self._top
        is_type = before.word == "AS" and frame.call in ("cast", "try_cast", "xmlserialize")
        is_type = is_type or before.word == "RETURNING"
        follows_name = frame.call == "columns" and before.type not in (TokenType.OPEN, TokenType.COMMA)
        if before.word == "COLLATE" or is_type or follows_name:
            return
        if before.word == "AS" and frame.clause == "SELECT" and frame.query is not None:
            self._column(frame.query, frame.argument).names.append(Name(token.text))
        else:
            qualifier = self._token(-2).text if before.type is TokenType.DOT else ""
            frame.current.names.append(Name(token.text, qualifier))

    def _keyword(self, word: str) -> None:
        frame = self._top
        if word == "AND" and frame.between:
            frame.between = False
        elif word in ("AND", "OR"):
            frame.current.cut()
            frame.current = self._found.new(frame.base, linked=False)
        elif word in words.CASES:
            self._case(word)
        elif word == "BETWEEN" or word in words.CONDITIONS:
            frame.between = word == "BETWEEN"
            frame.current.cut()
        else:
            self._clause(word)

    def _case(self, word: str) -> None:
        frame = self._top
        if word == "CASE" and len(self._frames) <= _DEEPEST:
            base = self._found.new(frame.current)
            operand = self._found.new(base, linked=False)
            self._frames.append(_Frame(base, operand, "CASE", operand=operand))
        elif frame.clause != "CASE":
            self._found.broken = True
        elif word == "END":
            self._frames.pop()
        elif word == "WHEN":
            if self._token(-1).word == "CASE":
                frame.operand = None
            above = frame.base if frame.operand is None else frame.operand
            frame.current = self._found.new(above, linked=frame.operand is not None)
        else:
            frame.current = self._found.new(frame.base)

    def _clause(self, word: str) -> None:
        """Start the next clause of a query if the word begins one here."""
        frame = self._top
        if word == "WHERE":
            self._condition(frame, word)
        elif frame.query is None or frame.clause == "ROW":
            return
        elif word == "SELECT":
            frame.clause, frame.argument = word, 0
            self._item(frame, frame.query)
        elif word == "VALUES" or word in words.SETS or (word == "WITH" and not frame.clause):
            frame.clause, frame.argument = word, 0
        elif word in words.JOINS or (word == "FROM" and self._token(-1).word != "DISTINCT"):
            if word == "JOIN" or frame.clause != "FROM":
                frame.clause = "FROM"
                self._next_source(frame)
        elif word in words.CLAUSES and word != "FROM" and (word != "ON" or frame.clause == "FROM"):
            self._condition(frame, word)

    def _condition(self, frame: _Frame, clause: str) -> None:
        frame.clause, frame.base, frame.current = clause, None, self._found.new()

    def _item(self, frame: _Frame, query: _Query) -> None:
        frame.base = self._column(query, frame.argument)
        frame.current = self._found.new(frame.base)

    def _row_item(self, frame: _Frame, query: _Query) -> None:
        is_new = frame.argument >= len(query.columns)
        self._item(frame, query)
        if is_new and frame.base is not None:
            # The names that PostgreSQL gives to unnamed columns of VALUES.
            frame.base.names.append(Name(f"column{frame.argument + 1}"))

    def _next_source(self, frame: _Frame) -> None:
        frame.base, frame.current, frame.source, frame.inner = None, self._found.new(), "", None

    def _comma(self, frame: _Frame) -> None:
        frame.argument += frame.clause in ("", "SELECT", "ROW")
        if frame.query is not None and frame.clause in ("SELECT", "ROW"):
            add = self._row_item if frame.clause == "ROW" else self._item
            add(frame, frame.query)
        elif frame.query is not None and frame.clause == "FROM":
            self._next_source(frame)
        elif frame.query is not None and frame.clause in words.CLAUSES:
            frame.current = self._found.new()
        elif frame.call in words.BUILDING_CALLS:
            if frame.argument % 2 == 0:
                frame.current = self._found.new(frame.base, linked=False)
        elif not frame.clause:
            # A condition among arguments has nothing to do with the others.
            frame.current = self._found.new(frame.base, linked=frame.call != "columns")

    def _open(self, token: Token) -> None:
        host, before, call = self._top, self._token(-1), self._call
        self._call = ""
        if len(self._frames) > _DEEPEST:
            self._found.broken = True
            self._ignored += 1
        elif call:
            self._open_call(host, call)
        elif token.text == "[" and self._follows_value(before):
            self._frames.append(_Frame(host.current, host.current, "SUBSCRIPT"))
        elif self._begins[self._at] in words.QUERIES:
            self._open_query(host)
        elif host.clause == "VALUES" and host.query is not None:
            row = _Frame(None, host.current, "ROW", host.query)
            self._row_item(row, host.query)
            self._frames.append(row)
        elif host.clause in ("FROM", "WITH") and (before.type is TokenType.NAME and before.word != "USING"):
            self._open_names(host)
        else:
            self._open_call(host, "")

    def _follows_value(self, before: Token) -> bool:
        is_name = before.type is TokenType.NAME and before.word not in words.KEYWORDS
        return is_name or before.type is TokenType.CLOSE

    def _open_call(self, host: _Frame, call: str) -> None:
        takes_key = any(part in call for part in words.CIPHER_PARTS)
        base = self._found.new(host.current, linked=not (takes_key or call in words.MEASURING_CALLS))
        if takes_key:
            base.names.append(_A_SECRET)
        current = self._found.new(base, linked=call != "columns" and call not in words.BUILDING_CALLS)
        self._frames.append(_Frame(base, current, call=call))

    def _open_query(self, host: _Frame) -> None:
        if host.query is not None and (not host.clause or host.clause in words.SETS):
            query = host.query
        elif host.query is not None and host.clause in ("FROM", "WITH"):
            query = host.inner = _Query(self._found.new(), is_operand=False)
            host.source = host.source or "()"
            self._name_columns(query, host.names)
            host.names = []
        else:
            query = _Query(self._found.new(host.current), is_operand=True)
        self._frames.append(_Frame(query.base, query.base, query=query))

    def _open_names(self, host: _Frame) -> None:
        """Open a list of names, as in `t(id, email)`, or joined tables in brackets."""
        if host.clause == "WITH" or host.source:
            self._frames.append(_Frame(host.base, host.current, "NAMES"))
        else:
            query = _Query(self._found.new(), is_operand=False)
            host.source = "()"
            self._frames.append(_Frame(None, self._found.new(), "FROM", query))

    def _name_columns(self, query: _Query, names: Sequence[str]) -> None:
        for place, name in enumerate(names):
            self._column(query, place).names.append(Name(name))

    def _close(self) -> None:
        if self._ignored:
            self._ignored -= 1
            return
        while self._top.clause == "CASE":
            self._found.broken = True
            self._frames.pop()
        if len(self._frames) == 1:
            self._found.broken = True
            return
        closed = self._frames.pop()
        if closed.clause == "NAMES":
            host = self._top
            if host.clause == "WITH":
                host.names = closed.names
            elif host.inner is not None:
                self._name_columns(host.inner, closed.names)
            else:
                host.current.names.extend(map(Name, closed.names))

    def _skip_type(self) -> None:
        """Go to the last token of the type behind `::`, whose words name no column."""
        if self._token(1).type is not TokenType.NAME:
            return
        self._at += 1
        while self._token(1).type is TokenType.DOT and self._token(2).type is TokenType.NAME:
            self._at += 2
        while True:
            if self._token(1).word in words.TYPE_WORDS:
                self._at += 1
            elif self._token(1).text in ("(", "[") and (length := self._brackets()):
                self._at += length
            else:
                return

    def _brackets(self) -> int:
        """Number of tokens of the brackets behind a type; 0 if they are none of its."""
        closing = "]" if self._token(1).text == "[" else ")"
        for length in range(2, _LONGEST_TYPE + 1):
            token = self._token(length)
            if token.type is TokenType.CLOSE:
                return length if token.text == closing else 0
            if token.type in (TokenType.STRING, TokenType.OPEN):
                return 0
        return 0


def _first_words(tokens: Sequence[Token]) -> list[str]:
    """For each token the word that it is, or with which the brackets that it opens begin."""
    begins = [token.word for token in tokens]
    for place in range(len(tokens) - 2, -1, -1):
        if tokens[place].type is TokenType.OPEN:
            begins[place] = begins[place + 1]
    return begins
