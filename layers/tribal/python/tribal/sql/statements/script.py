"""Reads all statements of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from tribal.sql.parsing import NotParsed, Token, parse_statement, split_statements
from tribal.sql.references import MAX_SQL_NAMES, StatementReferences, UnreadStatement
from tribal.sql.statements.commands import LITERALS, command_of, name_parts, select, simpler_statement, word
from tribal.sql.statements.names import NameCollector
from tribal.sql.statements.routines import Block, read_routine
from tribal.sql.statements.templates import Template, read_template

_CACHED_CHARS = 20_000
"""Longer texts are read each time, which bounds the cache to some 10 MB."""
_MOST_LEVELS = 5
"""Bodies in literals of bodies."""
_PSQL = re.compile(
    r"^\\(?:restrict|unrestrict|connect|c|set|unset|echo|pset|timing|encoding|i|ir|include|if|elif|else|endif|q)\b.*$",
    re.MULTILINE,
)
"""Commands of psql that name no table. An included file is checked by itself."""
_COPY = re.compile(r"^COPY [^\n;]*;$", re.MULTILINE | re.IGNORECASE)
_NOT_A_LINE_BREAK = re.compile(r"[^\n]")


def references_in(text: str, dialect: str) -> StatementReferences:
    """The tables and columns that statements name, and what cannot be read of them.

    Queries in bodies of functions and procedures count, as do `ref` and `source` in templates of dbt.

    Args:
        text: statements, separated by semicolons.
        dialect: as sqlglot names it.
    """
    return (_cached if len(text) <= _CACHED_CHARS else _references_in)(text, dialect)


def _references_in(text: str, dialect: str) -> StatementReferences:
    text = text if dialect == "snowflake" else _without_psql(text)
    template = read_template(text, dialect)
    names = NameCollector(dialect)
    unread: list[UnreadStatement] = []
    for parts, line in template.tables:
        names.add_table(parts, line)
    for each in template.texts:
        _Script(each, dialect, names, unread, template).read()
    if template.texts != [text]:
        # What only looks like a tag, such as one that begins in a literal, hides no statement.
        _Script(text, dialect, names, [], None).read()
    unread += template.unread
    unread += (UnreadStatement("the name of a table is computed", line) for line in names.computed)
    if max(len(names.tables), len(names.columns)) > MAX_SQL_NAMES:
        return StatementReferences(unread=[UnreadStatement(f"it has more than {MAX_SQL_NAMES:,} different names")])
    return StatementReferences(
        [each for each in names.tables.values() if not any(map(template.is_placeholder, each.parts))],
        [
            each
            for each in names.columns.values()
            if not any(map(template.is_placeholder, (*(each.table or ()), each.name)))
        ],
        list(dict.fromkeys(unread)),
    )


_cached = lru_cache(maxsize=64)(_references_in)


def _without_psql(text: str) -> str:
    """The text without commands of psql, and without the rows that follow a `COPY ... FROM stdin`."""
    if "\n\\" not in f"\n{text}":
        return text
    pieces, start = [], 0
    for found in _COPY.finditer(text):
        if found.start() < start or "from stdin" not in found[0].casefold():
            continue
        if (end := text.find("\n\\.", found.end())) >= 0:
            pieces += [text[start : found.end()], _NOT_A_LINE_BREAK.sub("", text[found.end() : end + 3])]
            start = end + 3
    return _PSQL.sub("", "".join([*pieces, text[start:]]))


def _is_brace(token: Token) -> bool:
    return token.token_type not in LITERALS and ("{" in token.text or "}" in token.text)


class _Script:
    """A text, or the body of a routine in it.

    Args:
        text: its statements.
        dialect: as sqlglot names it.
        names: receives what it names.
        unread: receives what cannot be read.
        template: which the text was made from; without it, statements with tags are skipped.
    """

    def __init__(
        self, text: str, dialect: str, names: NameCollector, unread: list[UnreadStatement], template: Template | None
    ) -> None:
        self.dialect = dialect
        self._text = text
        self._names = names
        self._unread = unread
        self._template = template
        self._above = 0
        """Lines of the file above the text."""
        self._level = 0
        self._block: Block | None = None

    def read(self, *, is_block: bool = False) -> None:
        """Read all statements; in a block they may be parts of procedural ones."""
        for tokens in self._statements():
            if is_block and self._block is None:
                self._block = Block(self)
            if self._block is None:
                self.read_statement(tokens)
                continue
            self._block.read(tokens)
            if not is_block and not self._block.is_open:
                self._block = None

    def read_statement(self, tokens: Sequence[Token]) -> None:
        """Read one statement."""
        if not tokens or read_routine(tokens, self):
            return
        try:
            tree = parse_statement([*tokens], self._text, self.dialect)
        except NotParsed as error:
            self._read_command(tokens, error)
        else:
            self._names.collect(tree, tokens[0].line, self._above)

    def read_literal(self, token: Token, *, is_block: bool) -> None:
        """Read the statements, or the procedural code, in a literal."""
        if (script := self._inside(token)) is not None:
            script.read(is_block=is_block)

    def read_expression(self, token: Token) -> None:
        """Read a literal that is a query or an expression."""
        if (script := self._inside(token)) is not None:
            for tokens in script._statements():
                script.read_statement(tokens if word(tokens[0]) in ("SELECT", "WITH") else select(tokens))

    def open_block(self, block: Block) -> None:
        """Give the block the statements that follow, up to its end."""
        self._block = block

    def add_table(self, name: Sequence[Token]) -> None:
        """Add a table that is named outside of a statement."""
        self._names.add_table(name_parts(name, self.dialect), name[0].line + self._above)

    def report(self, reason: str, token: Token) -> None:
        """Report what cannot be read."""
        self._unread.append(UnreadStatement(reason, token.line + self._above))

    def _read_command(self, tokens: Sequence[Token], error: NotParsed) -> None:
        if (inner := simpler_statement(tokens)) is not None and len(inner) < len(tokens):
            self.read_statement(inner)
        elif (command := command_of(tokens)) is not None:
            for name in command.tables:
                self.add_table(name)
            for query in command.queries:
                self.read_statement(query)
        else:
            line = error.line or tokens[0].line
            self._unread.append(UnreadStatement(error.reason, line + self._above))

    def _statements(self) -> list[list[Token]]:
        try:
            statements = split_statements(self._text, self.dialect)
        except NotParsed as error:
            self._unread.append(UnreadStatement(error.reason, self._above + 1 if self._level else None))
            return []
        if self._template is None:
            return [tokens for tokens in statements if not any(map(_is_brace, tokens))]
        if self._template.placeholders:
            for token in (token for tokens in statements for token in tokens if token.token_type not in LITERALS):
                self._template.look_at(token.text)
        return statements

    def _inside(self, token: Token) -> _Script | None:
        """The text in a literal."""
        if self._level == _MOST_LEVELS:
            self.report("its literals of SQL are nested too deeply", token)
            return None
        script = _Script(token.text, self.dialect, self._names, self._unread, self._template)
        script._above = self._above + token.line - token.text.count("\n") - 1
        script._level = self._level + 1
        return script
