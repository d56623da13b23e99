"""The tables and columns that SQL names.

A name that a `WITH` defines is no table where it is visible; functions, sequences and schemas are none either. Names
are folded as the dialect folds them. What cannot be parsed is told, statement by statement.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
from sqlglot.tokenizer_core import Token, TokenType

from tribal.policies.picture import Found, Named, Unread
from tribal_contracts.knowledge import Target

logging.getLogger("sqlglot").setLevel(logging.ERROR)

_TARGETS: frozenset[Target] = frozenset({"table", "column"})
_RELATIONS = frozenset({"TABLE", "VIEW", "INDEX", "TRIGGER"})
"""Kinds whose `CREATE` and `DROP` name a relation."""
_MOST_BYTES = 4 << 20
_MOST_DEPTH = 400
"""Of parentheses: deeper ones exhaust the stack of a parser by recursive descent."""

Resolve = Callable[[Sequence[str]], tuple[str, ...]]
"""Of the parts of a name, as they are written, every spelling of the table, the longest first."""


@dataclass(frozen=True, slots=True)
class SqlNames:
    """What a text of SQL names."""

    tables: Sequence[Named] = ()
    columns: Sequence[Named] = ()
    unread: Sequence[Unread] = ()

    def found(self) -> tuple[Found, Found]:
        """Tables and columns, each with what could not be read."""
        return Found(self.tables, self.unread), Found(self.columns, self.unread)


def suffixes(parts: Sequence[str]) -> tuple[str, ...]:
    """The spellings of a name that is not known any better: `a.b.c`, `b.c`, `c`."""
    return tuple(".".join(parts[start:]) for start in range(len(parts)))


def names_in(text: str, dialect: str, file: str | None = None, resolve: Resolve = suffixes) -> SqlNames:
    """The tables and columns that statements name, in order of appearance.

    Args:
        text: statements, separated by semicolons.
        dialect: one of sqlglot's.
        file: where they stand.
        resolve: spellings of a table.
    """
    try:
        if len(text) > _MOST_BYTES:
            raise ValueError("it is too long")
        statements = [*_statements(sqlglot.tokenize(text, dialect=dialect))]
    except (SqlglotError, ValueError) as error:
        return SqlNames(unread=[Unread(file, _TARGETS, f"it is no SQL that can be read: {_first_line(error)}")])
    tables: list[Named] = []
    columns: list[Named] = []
    unread: list[Unread] = []
    for tokens in statements:
        line = tokens[0].line
        try:
            parsed = _parsed(tokens, text, dialect)
            collector = _Collector(file, line, resolve)
            collector.collect(normalize_identifiers(parsed, dialect=dialect))
        except (SqlglotError, ValueError, RecursionError) as error:
            unread.append(Unread(file, _TARGETS, f"the SQL cannot be read: {_first_line(error)}", line))
            continue
        tables += collector.tables
        columns += collector.columns
    return SqlNames(tables, columns, unread)


def _statements(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Tokens up to each semicolon that is in no parentheses."""
    statement: list[Token] = []
    depth = 0
    for token in tokens:
        if token.token_type in (TokenType.L_PAREN, TokenType.R_PAREN):
            depth += 1 if token.token_type is TokenType.L_PAREN else -1
            if depth > _MOST_DEPTH:
                raise ValueError("its parentheses are nested too deep")
        if token.token_type is TokenType.SEMICOLON:
            if statement:
                yield statement
            statement = []
        else:
            statement.append(token)
    if statement:
        yield statement


def _parsed(tokens: list[Token], text: str, dialect: str) -> exp.Expr:
    parsed = sqlglot.Dialect.get_or_raise(dialect).parser().parse(tokens, text)
    statement = next((each for each in parsed if each is not None), None)
    if statement is None:
        raise ValueError("there is no statement")
    if isinstance(statement, exp.Command) and not _names_nothing(statement):
        raise ValueError(f"{statement.name} is not understood")
    return statement


def _names_nothing(command: exp.Command) -> bool:
    return command.name.upper() in ("BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "SHOW", "USE", "VACUUM")


def _first_line(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    lines = str(error).splitlines()
    return lines[0].rstrip(".")[:200] if lines else "it has no form"


class _Collector:
    """Gathers the names of a statement."""

    def __init__(self, file: str | None, line: int, resolve: Resolve) -> None:
        self._file = file
        self._line = line
        self._resolve = resolve
        self.tables: list[Named] = []
        self.columns: list[Named] = []

    def collect(self, statement: exp.Expr) -> None:
        """Gather all of it."""
        for node in statement.walk(bfs=False):
            if isinstance(node, exp.Table) and _is_relation(node):
                self.tables.append(self._named(self._resolve(_parts(node)), node.this))
            elif isinstance(node, exp.Column):
                self._add_column(node)
            elif isinstance(node, exp.ColumnDef):
                self._add_definition(node)

    def _add_column(self, column: exp.Column) -> None:
        name = column.name
        if isinstance(column.this, exp.Star) or not name or _is_alias(column):
            return
        table = _table_of(column)
        of = [f"{each}.{name}" for each in self._resolve(_parts(table))] if table is not None else []
        self.columns.append(self._named((*of, name), column.this))

    def _add_definition(self, column: exp.ColumnDef) -> None:
        change = column.find_ancestor(exp.Create, exp.Alter)
        table = change.find(exp.Table) if change is not None else None
        if table is None:
            return
        of = [f"{each}.{column.name}" for each in self._resolve(_parts(table))]
        self.columns.append(self._named((*of, column.name), column.this))

    def _named(self, spellings: tuple[str, ...], node: exp.Expr) -> Named:
        return Named(spellings, self._file, node.meta.get("line", self._line))


def _parts(table: exp.Table) -> list[str]:
    return [part.name for part in table.parts]


def _is_relation(table: exp.Table) -> bool:
    """Whether it is a table or a view, and not what a `WITH` defines, a function or the like."""
    if not isinstance(table.this, exp.Identifier):
        return False
    parent = table.parent
    if isinstance(parent, exp.Schema):
        parent = parent.parent
    if isinstance(parent, exp.UserDefinedFunction):
        return False
    if isinstance(parent, exp.Create | exp.Drop) and str(parent.args.get("kind", "")).upper() not in _RELATIONS:
        return False
    return bool(table.db) or not _is_defined_above(table)


def _is_defined_above(table: exp.Table) -> bool:
    """Whether its name is that of a common table expression that it can see."""
    inside: exp.Expr = table
    own: exp.CTE | None = None
    while inside.parent is not None:
        inside = inside.parent
        if isinstance(inside, exp.CTE):
            own = inside
        with_ = inside if isinstance(inside, exp.With) else inside.args.get("with_")
        if not isinstance(with_, exp.With):
            continue
        for cte in with_.expressions:
            if own is not None and cte is own:
                if with_.recursive and own.alias == table.name:
                    return True
                # What stands after it is not visible, unless all may refer to each other.
                if not with_.recursive:
                    break
            elif cte.alias == table.name:
                return True
        if isinstance(inside, exp.With):
            # Its statement has the same list.
            own = None
            if inside.parent is None:
                return False
            inside = inside.parent
    return False


def _sources(column: exp.Column) -> Iterator[list[exp.Expr]]:
    """What each query around a column selects from, the nearest first."""
    node: exp.Expr | None = column.parent
    while node is not None:
        if isinstance(node, exp.Select):
            from_ = node.args.get("from_")
            joined = [join.this for join in node.args.get("joins") or ()]
            yield ([from_.this] if from_ is not None else []) + joined
        elif isinstance(node, exp.Update | exp.Delete | exp.Insert | exp.Merge):
            target = node.this.this if isinstance(node.this, exp.Schema) else node.this
            yield [target] if isinstance(target, exp.Expr) else []
        node = node.parent


def _table_of(column: exp.Column) -> exp.Table | None:
    """The table that a column is surely of."""
    for sources in _sources(column):
        if not column.table:
            one = sources[0] if len(sources) == 1 else None
            return one if isinstance(one, exp.Table) and _is_relation(one) else None
        for source in sources:
            if source.alias_or_name == column.table:
                return source if isinstance(source, exp.Table) and _is_relation(source) else None
    return None


def _is_alias(column: exp.Column) -> bool:
    """Whether an unqualified name is one that the query itself gives to a result."""
    select = column.find_ancestor(exp.Select)
    if column.table or select is None:
        return False
    in_list = any(column is inner for each in select.expressions for inner in each.find_all(exp.Column))
    return not in_list and column.name in {each.alias for each in select.expressions if isinstance(each, exp.Alias)}
