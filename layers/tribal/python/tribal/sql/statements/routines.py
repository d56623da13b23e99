"""Read the statements in the bodies of functions, procedures and blocks.

In such code queries are parts of other statements. A part without a query names no table, so it is not read. SQL that
is put together at run time cannot be read.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

from tribal.sql.parsing import Token, TokenType
from tribal.sql.statements.commands import LITERALS, kind_of, name_end, select, word

_QUERIES = frozenset({"SELECT", "WITH", "VALUES", "INSERT", "UPDATE", "DELETE", "MERGE", "SHOW", "EXPLAIN"})
_IN_QUERIES = frozenset({"SELECT", "FROM", "EXECUTE"})
"""Words without which an expression holds no query."""
_WITHOUT_SQL = frozenset({"c", "internal"})
_TRANSACTIONS = frozenset({"TRANSACTION", "WORK", "NAME", "ISOLATION", "READ"})
_ENDED = frozenset({"IF", "LOOP", "CASE", "FOR", "WHILE", "REPEAT"})
_LOOP = ("LOOP",)
_THEN = ("THEN",)
_CONDITIONS = {
    "IF": _THEN,
    "ELSIF": _THEN,
    "ELSEIF": _THEN,
    "WHEN": _THEN,
    "CASE": ("THEN", "WHEN"),
    "FOR": _LOOP,
    "FOREACH": _LOOP,
    "WHILE": _LOOP,
    "UNTIL": ("END",),
}
"""Words before a condition, and those after it."""
_EXPRESSIONS = frozenset({"EXIT", "CONTINUE", "BREAK", "ASSERT", "CALL"})
_WITHOUT_TABLES = frozenset({"NULL", "GET", "FETCH", "MOVE", "CLOSE"})
_NOT_TARGETS = frozenset({"INSERT", "MERGE", "OVERWRITE", "COPY", "THEN", "ELSE", "ALL", "FIRST"})
"""Words before an `INTO` that names a table."""


class SqlText(Protocol):
    """The text whose statements are read."""

    @property
    def dialect(self) -> str:
        """As sqlglot names it."""
        ...

    def read_statement(self, tokens: Sequence[Token]) -> None:
        """Read one statement."""
        ...

    def read_literal(self, token: Token, *, is_block: bool) -> None:
        """Read the statements, or the procedural code, in a literal."""
        ...

    def read_expression(self, token: Token) -> None:
        """Read a literal that is a query or an expression."""
        ...

    def open_block(self, block: Block) -> None:
        """Give the block the statements that follow, up to its end."""
        ...

    def add_table(self, name: Sequence[Token]) -> None:
        """Add a table that is named outside of a statement."""
        ...

    def report(self, reason: str, token: Token) -> None:
        """Report what cannot be read."""
        ...


def read_routine(tokens: Sequence[Token], text: SqlText) -> bool:
    """Read a statement that defines or is a routine; `False` if it is another one."""
    words, kind = [word(token) for token in tokens[:3]], kind_of(tokens)
    if words[0] == "EXECUTE" and words[1:2] == ["IMMEDIATE"]:
        Block(text).read_dynamic(tokens[2:], tokens[0])
    elif words[0] == "DO":
        _read_body(tokens, text, is_procedure=True)
    elif words[0] == "CREATE" and kind in ("FUNCTION", "PROCEDURE"):
        # What an external function runs is behind a URL.
        if "EXTERNAL" not in words:
            _read_body(tokens, text, is_procedure=kind == "PROCEDURE")
    elif _starts_block(words, len(tokens), text.dialect):
        _open(tokens, text)
    else:
        return False
    return True


def _starts_block(words: Sequence[str], length: int, dialect: str) -> bool:
    if dialect != "snowflake":
        return False
    return words[0] == "DECLARE" or (words[0] == "BEGIN" and length > 1 and words[1] not in _TRANSACTIONS)


def _open(tokens: Sequence[Token], text: SqlText) -> None:
    block = Block(text)
    block.read(tokens)
    if block.is_open:
        text.open_block(block)


def _read_body(tokens: Sequence[Token], text: SqlText, *, is_procedure: bool) -> None:
    is_snowflake = text.dialect == "snowflake"
    language = _language(tokens) or ("sql" if is_snowflake or word(tokens[0]) == "CREATE" else "plpgsql")
    body = next((place for place, token in enumerate(tokens) if _is_body(tokens, place, token)), None)
    if language in _WITHOUT_SQL or (is_snowflake and language != "sql" and not is_procedure):
        return
    if language not in ("sql", "plpgsql"):
        text.report(f"the body of a routine in {language[:40]!r} is not read", tokens[0])
    elif body is None:
        text.report("cannot find the body of the routine", tokens[0])
    elif tokens[body].token_type not in LITERALS:
        if word(tokens[body]) == "RETURN":
            Block(text).read_expression(tokens[body + 1 :])
        else:
            _open(tokens[body:], text)
    elif is_snowflake and not is_procedure:
        text.read_expression(tokens[body])
    else:
        text.read_literal(tokens[body], is_block=language == "plpgsql")


def _is_body(tokens: Sequence[Token], place: int, token: Token) -> bool:
    before = word(tokens[place - 1]) if place else ""
    if token.token_type in LITERALS:
        return before in ("AS", "DO") or (before not in ("LANGUAGE", "") and word(tokens[0]) == "DO")
    if word(token) == "BEGIN":
        return before == "AS" or word(tokens[min(place + 1, len(tokens) - 1)]) == "ATOMIC"
    return (word(token) == "DECLARE" and before == "AS") or (word(token) == "RETURN" and place > 1)


def _language(tokens: Sequence[Token]) -> str | None:
    return next(
        (after.text.lower() for token, after in pairwise(tokens) if word(token) == "LANGUAGE"),
        None,
    )


class Block:
    """Procedural code, which is given statement by statement; semicolons end statements inside of others too.

    Args:
        text: which holds it.
    """

    def __init__(self, text: SqlText) -> None:
        self._text = text
        self._depth = 0
        self._declares = False
        self._handles = False
        """Whether `WHEN` begins a handler of exceptions."""

    @property
    def is_open(self) -> bool:
        """Whether its end has not come yet."""
        return self._depth > 0 or self._declares

    def read(self, tokens: Sequence[Token]) -> None:
        """Read what is between two semicolons."""
        place = 0
        while place < len(tokens):
            place = self._read_part(tokens, place)

    def read_expression(self, tokens: Sequence[Token]) -> None:
        """Read an expression, which may hold a query."""
        words = {word(token) for token in tokens}
        if "EXECUTE" in words and "IMMEDIATE" in words:
            place = next(place for place, token in enumerate(tokens) if word(token) == "IMMEDIATE")
            inside = [token for token in tokens[place + 1 :] if token.token_type is not TokenType.R_PAREN]
            self.read_dynamic(inside, tokens[place])
        elif words & _IN_QUERIES:
            self._text.read_statement(select(tokens))

    def read_dynamic(self, tokens: Sequence[Token], execute: Token) -> None:
        """Read SQL that is executed from a text: only a literal is known."""
        if tokens and tokens[0].token_type in LITERALS and (len(tokens) == 1 or word(tokens[1]) in ("INTO", "USING")):
            self._text.read_literal(tokens[0], is_block=False)
        else:
            self._text.report("SQL that is put together at run time cannot be read", execute)

    def _read_part(self, tokens: Sequence[Token], place: int) -> int:
        """Read the part of some code that begins at a place, and return its end."""
        head, after = word(tokens[place]), place + 1
        follows = word(tokens[after]) if after < len(tokens) else ""
        if tokens[place].text == follows == "<":
            return next((end + 2 for end in range(after, len(tokens)) if tokens[end].text == ">"), len(tokens))
        if head == "#":
            # A directive such as `#variable_conflict use_column` has no semicolon.
            return place + 3
        if head == "BEGIN":
            self._depth += 1
            self._declares = self._handles = False
            return after + (follows == "ATOMIC")
        if head == "END":
            if follows not in _ENDED:
                self._depth -= 1
                self._handles = False
            return len(tokens)
        if head == "DECLARE":
            self._declares = True
            return after
        if self._declares:
            self._read_declaration(tokens[place:])
            return len(tokens)
        if head == "EXCEPTION":
            self._handles = True
            return after
        if head in ("ELSE", "LOOP", "REPEAT", "THEN", "DO"):
            return after
        if head in _CONDITIONS:
            return self._read_condition(head, tokens, after)
        self._read_simple(head, tokens[place:])
        return len(tokens)

    def _read_condition(self, head: str, tokens: Sequence[Token], start: int) -> int:
        ends = _CONDITIONS[head]
        if ends == _LOOP and self._text.dialect == "snowflake":
            ends = (*_LOOP, "DO")
        end = _place_of(tokens, ends, start)
        condition = tokens[start:end]
        if head == "FOR":
            self._read_source(condition[_place_of(condition, ("IN",), 0) + 1 :])
        elif not (head == "WHEN" and self._handles):
            self.read_expression(condition)
        is_next = end < len(tokens) and word(tokens[end]) == "WHEN"
        return end if is_next else end + 1

    def _read_source(self, tokens: Sequence[Token]) -> None:
        """Read what a loop runs over, or a cursor."""
        head = word(tokens[0]) if tokens else ""
        if head == "EXECUTE":
            self.read_dynamic(tokens[1:], tokens[0])
        elif head in _QUERIES:
            self._text.read_statement(tokens)
        else:
            self.read_expression(tokens)

    def _read_simple(self, head: str, tokens: Sequence[Token]) -> None:
        rest = tokens[1:]
        if head == "RETURN":
            if [word(token) for token in rest[:2]] == ["QUERY", "EXECUTE"]:
                self.read_dynamic(rest[2:], tokens[0])
            elif rest and word(rest[0]) == "QUERY":
                self._text.read_statement(rest[1:])
            else:
                self.read_expression(rest)
        elif head == "PERFORM" and rest:
            self._text.read_statement(select(rest))
        elif head == "EXECUTE":
            is_immediate = bool(rest) and word(rest[0]) == "IMMEDIATE"
            self.read_dynamic(rest[1:] if is_immediate else rest, tokens[0])
        elif head == "RAISE":
            self.read_expression(tokens[_place_of(tokens, (",", "USING"), 1) + 1 :])
        elif head == "OPEN":
            self._read_source(tokens[_place_of(tokens, ("FOR",), 1) + 1 :])
        elif head == "LET":
            self._read_declaration(rest)
        elif head in _EXPRESSIONS:
            self.read_expression(rest)
        elif (place := _assigned(tokens)) is not None:
            self.read_expression(tokens[place + 1 :])
        elif head not in _WITHOUT_TABLES:
            self._text.read_statement(_without_targets(tokens))

    def _read_declaration(self, tokens: Sequence[Token]) -> None:
        for place, token in enumerate(tokens[1:], 1):
            if token.text == "%" and place + 1 < len(tokens):
                is_row = word(tokens[place + 1]) == "ROWTYPE"
                start = place - 1
                while start > 1 and tokens[start - 1].token_type is TokenType.DOT:
                    start -= 2
                if name := tokens[start : place if is_row else max(start, place - 2)]:
                    self._text.add_table(name)
        if (cursor := _place_of(tokens, ("CURSOR",), 1)) < len(tokens):
            self._read_source(tokens[_place_of(tokens, ("FOR", "IS"), cursor) + 1 :])
        else:
            self.read_expression(tokens[_place_of(tokens, (":=", "=", "DEFAULT"), 1) + 1 :])


def _place_of(tokens: Sequence[Token], wanted: Sequence[str], start: int) -> int:
    """The first of some words, not inside of parentheses or of a CASE; the length of the tokens if it is missing."""
    depth = 0
    for place in range(start, len(tokens)):
        found = word(tokens[place])
        if depth == 0 and found in wanted:
            return place
        if found in ("(", "[", "CASE"):
            depth += 1
        elif found in (")", "]", "END"):
            depth -= 1
    return len(tokens)


def _assigned(tokens: Sequence[Token]) -> int | None:
    """The place of the sign that assigns a value."""
    end = name_end(tokens, 0)
    while end < len(tokens) and tokens[end].token_type is TokenType.L_BRACKET:
        end = _place_of(tokens, ("]",), end + 1) + 1
    return end if 0 < end < len(tokens) and tokens[end].text in (":=", "=") else None


def _without_targets(tokens: Sequence[Token]) -> Sequence[Token]:
    """A statement without the variables that receive its result."""
    start = 1
    while (into := _place_of(tokens, ("INTO",), start)) < len(tokens):
        if word(tokens[into - 1]) not in _NOT_TARGETS:
            break
        start = into + 1
    else:
        return tokens
    end = into + 1
    if end < len(tokens) and word(tokens[end]) == "STRICT":
        end += 1
    while end < len(tokens):
        if tokens[end].token_type is TokenType.COLON:
            end += 1
        after = name_end(tokens, end)
        if after < len(tokens) and tokens[after].token_type is TokenType.L_BRACKET:
            after = _place_of(tokens, ("]",), after + 1) + 1
        if after >= len(tokens) or tokens[after].token_type is not TokenType.COMMA:
            return [*tokens[:into], *tokens[after:]]
        end = after + 1
    return tokens[:into]
