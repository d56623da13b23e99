"""Checks a query, or an expression over given tables, against what is known of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tribal.sql.checking.findings import Checked, Notes
from tribal.sql.checking.known import KnownTables
from tribal.sql.checking.language.recursion import take_tracking
from tribal.sql.checking.language.refusals import Refusals
from tribal.sql.checking.queries import Queries
from tribal.sql.checking.relations import Column, Item, Level, Relation
from tribal.sql.checking.safety.judgement import Safety
from tribal.sql.checking.sources import Around
from tribal.sql.checking.values import Values
from tribal.sql.parsing import NotParsed, Token, TokenType, exp, parse_statement, split_statements
from tribal.sql.references import TableName
from tribal.sql.statements.templates import read_template

MAX_CHECKED_BYTES = 64 * 1024
"""Source: docs/contracts.md, Checking SQL."""
_TOO_DEEP = "the query is nested too deeply to be checked; split it into common table expressions"
_BEFORE_EXPRESSIONS = frozenset("SELECT DISTINCT WHERE AND OR NOT ON WHEN THEN ELSE BETWEEN BY HAVING".split())
_TYPES_BEFORE_LITERALS = frozenset(
    """
    box circle cidr citext jsonpath line lseg ltree macaddr macaddr8 path pg_lsn polygon tsquery tsvector varbit
    """.split()
)
_ESCAPED = re.compile(r"\\(?:([0-9a-fA-F]{4})|\+([0-9a-fA-F]{6}))")
_BEFORE = "SELECT "


def check(sql: str, known: KnownTables) -> Checked:
    """Check one query, which may be a template of dbt.

    Args:
        sql: one SELECT.
        known: the tables of its database that the caller may see.
    """
    template = read_template(sql, known.dialect)
    if template.texts == [sql]:
        return _check_text(sql, known)
    template.unknown += [each for each in template.placeholders if each is not None]
    checked = [_check_text(each, known, is_template=True) for each in template.texts]
    unread = [f"{each.reason} (line {each.line})" for each in template.unread]
    return _together(checked, unread)


def check_expression(expression: str, tables: Sequence[TableName], known: KnownTables) -> Checked:
    """Check an expression, such as that of a metric or a filter, whose columns are those of given tables.

    Args:
        expression: a SQL expression over the tables, as in a SELECT list or a WHERE.
        tables: schema and table of each.
        known: has those tables.
    """
    text = _BEFORE + expression
    notes = Notes(text, len(_BEFORE))
    if read_template(expression, known.dialect).texts != [expression]:
        notes.report(len(_BEFORE), "parse_error", "a template such as {{ ... }} is not filled in here; write plain SQL")
        return notes.checked()
    tree = _parse(text, known, notes)
    if tree is None:
        return notes.checked()
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1 or _parts(tree) - {"expressions", "kind"}:
        notes.report(len(_BEFORE), "parse_error", "this is not one expression; leave out FROM, WHERE and commas")
        return notes.checked()
    known.prepare(tables)
    item = Item()
    for name in tables:
        table = known.table(name)
        if table is None:
            notes.report(len(_BEFORE), "unknown_table", f"there is no table {'.'.join(name)} in the documentation")
            continue
        notes.tables[table.name] = None
        columns = [Column(each.name, (table, each)) for each in table.columns]
        item = item.with_(Item.of(Relation(table.table, columns, table=table, schema=table.schema)))
    return _read(tree.expressions[0], Queries(known, notes), Around(Level(item)))


def _check_text(sql: str, known: KnownTables, *, is_template: bool = False) -> Checked:
    notes = Notes(sql)
    if len(sql.encode("utf-8", "surrogatepass")) > MAX_CHECKED_BYTES:
        notes.report(0, "limit_exceeded", f"the SQL is larger than {MAX_CHECKED_BYTES:,} bytes; check it in parts")
        return notes.checked()
    tree = _parse(sql, known, notes)
    if tree is None:
        return notes.checked()
    if not isinstance(tree, exp.Query | exp.Values):
        notes.report(0, "not_a_query", f"this is {_kind(tree)}, and only SELECT is checked; check the query in it")
        return notes.checked()
    names = [each for each in tree.find_all(exp.Table) if isinstance(each.this, exp.Identifier)]
    queries = Queries(known, notes, is_template=is_template)
    known.prepare(queries.sources.named(names))
    return _read(tree, queries, Around())


def _read(tree: exp.Expr, queries: Queries, around: Around) -> Checked:
    notes = queries.names.notes
    try:
        queries.expressions([tree], around)
        Values(queries.names, queries.types).check(tree)
        Safety(queries.names).check(tree)
    except RecursionError:
        notes.report(0, "limit_exceeded", _TOO_DEEP)
    return notes.checked()


def _parse(text: str, known: KnownTables, notes: Notes) -> exp.Expr | None:
    try:
        statements = split_statements(text, known.dialect)
        if len(statements) == 1 and _begins(statements[0][0].text):
            if known.dialect != "postgres":
                return parse_statement(statements[0], text, known.dialect)
            tokens, notes.tracking = take_tracking(list(_parsable(statements[0])))
            tree = parse_statement(tokens, text, known.dialect)
            Refusals(tokens, notes).check(tree)
            return tree
    except NotParsed as error:
        is_limit = error.reason.startswith(("it ", "its ", "the SQL is nested"))
        offset = _line_start(text, error.line)
        notes.report(offset, "limit_exceeded" if is_limit else "parse_error", error.reason)
        return None
    if not statements:
        notes.report(0, "not_a_query", "the text has no statement; write one SELECT")
    elif len(statements) == 1:
        first = statements[0][0]
        word = f" and this begins with {first.text.upper()}" if first.text[:40].isidentifier() else ""
        notes.report(first.start, "not_a_query", f"only SELECT is checked{word}; write the query alone")
    else:
        offset = statements[1][0].start
        notes.report(offset, "not_a_query", f"the text has {len(statements)} statements; check them one by one")
    return None


def _together(checked: Sequence[Checked], unread: Sequence[str]) -> Checked:
    """What was found in any of several readings of a template."""
    findings = dict.fromkeys(finding for each in checked for finding in each.findings)
    return replace(
        checked[0],
        findings=sorted(findings, key=lambda each: (each.line, each.column, each.code)),
        tables=list(dict.fromkeys(table for each in checked for table in each.tables)),
        columns=list(dict.fromkeys(column for each in checked for column in each.columns)),
        not_checked=list(dict.fromkeys([*(text for each in checked for text in each.not_checked), *unread])),
        partitions=list(dict.fromkeys(pair for each in checked for pair in each.partitions)),
    )


def _parsable(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens in a form that the parser knows.

    Names of types before a literal are left out, as in `circle '<(0,0),1>'`; `U&"d\\0061t\\+000061"` is one name.
    """
    place = 0
    while place < len(tokens):
        token, after = tokens[place], tokens[place + 1 : place + 3]
        kinds = [each.token_type for each in after]
        before = tokens[place - 1].text.upper() if place else ""
        # In `COLUMNS (a int PATH '$.a')` the word is not a type.
        begins = not before[:1].isalnum() or before in _BEFORE_EXPRESSIONS
        is_type = begins and token.token_type is TokenType.VAR and token.text.lower() in _TYPES_BEFORE_LITERALS
        if is_type and kinds[:1] == [TokenType.STRING]:
            place += 1
        elif token.text.upper() == "U" and kinds == [TokenType.AMP, TokenType.IDENTIFIER]:
            name = after[1]
            text = _ESCAPED.sub(lambda found: chr(int(found[1] or found[2], 16)), name.text)
            yield Token(name.token_type, text, name.line, name.col, name.start, name.end)
            place += 3
        else:
            yield token
            place += 1


def _begins(word: str) -> bool:
    return word.upper() in ("SELECT", "WITH", "VALUES", "TABLE", "(")


def _parts(tree: exp.Expr) -> set[str]:
    return {key for key, part in tree.args.items() if part}


def _kind(tree: exp.Expr) -> str:
    return tree.name.upper()[:40] or "a command" if isinstance(tree, exp.Command) else tree.key.upper()


def _line_start(text: str, line: int | None) -> int:
    lines = text.split("\n")
    return sum(len(each) + 1 for each in lines[: line - 1]) if line and line <= len(lines) else 0
