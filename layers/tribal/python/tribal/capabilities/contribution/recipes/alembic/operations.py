"""What a revision's `upgrade` does to tables, views and comments, as far as it says so in literals."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

from tribal.capabilities.contribution.recipes.alembic.revisions import Revision, literal
from tribal.capabilities.contribution.recipes.recipe import RecipeBlocked
from tribal.sql.comments import SchemaChange, changes_in
from tribal.sql.dialect import quote_identifier
from tribal_contracts import DatabaseType

RelationName = tuple[str, str]
_UNSET = object()


def stored_name(name: str, dialect: DatabaseType) -> str:
    """Return the name that the server stores for one in SQLAlchemy: lower case means any case in Snowflake."""
    is_any_case = dialect == "snowflake" and name == name.lower() and quote_identifier(name.upper(), dialect)[0] != '"'
    return name.upper() if is_any_case else name


def operations_of(revision: Revision, dialect: DatabaseType, schema: str) -> list[SchemaChange]:
    """Return the changes that a revision makes, in order.

    Args:
        revision: whose `upgrade` is read; functions that it calls are not.
        dialect: of the database.
        schema: of tables without one.

    Raises:
        RecipeBlocked: it is nested too deeply.
    """
    reader = _Reader(revision.constants, dialect, schema)
    try:
        for statement in revision.upgrade:
            reader.visit(statement)
    except RecursionError as error:
        raise RecipeBlocked(f"{revision.path!r} is nested too deeply to be read; simplify it, and try again") from error
    return reader.changes


class _Call:
    """The arguments of a call by position or name."""

    def __init__(self, node: ast.Call, constants: Mapping[str, str], names: Sequence[str]) -> None:
        self.line = node.lineno
        self._constants = constants
        given = dict(zip(names, node.args, strict=False))
        self._given = given | {each.arg: each.value for each in node.keywords if each.arg}

    def value(self, name: str) -> object:
        """Return a literal argument; `_UNSET` if it was not given."""
        return literal(self._given[name], self._constants) if name in self._given else _UNSET

    def text(self, name: str) -> str | None:
        """Return an argument that is a string."""
        value = self.value(name)
        return value if isinstance(value, str) else None


class _Reader(ast.NodeVisitor):
    """Collects changes from calls of `op`, or of the object of `op.batch_alter_table`."""

    def __init__(self, constants: Mapping[str, str], dialect: DatabaseType, schema: str) -> None:
        self.changes: list[SchemaChange] = []
        self._constants = constants
        self._dialect = dialect
        self._schema = schema
        self._batches: dict[str, RelationName] = {}

    def visit_With(self, node: ast.With) -> None:
        """Note which table the object of a batch alters."""
        for item in node.items:
            call = item.context_expr
            if isinstance(call, ast.Call) and _method(call) == "batch_alter_table":
                relation = self._relation(_Call(call, self._constants, ("table", "schema")), "table")
                if relation and isinstance(item.optional_vars, ast.Name):
                    self._batches[item.optional_vars.id] = relation
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Read a call, then those in its arguments."""
        method = _method(node)
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            if method == "execute":
                self._read_sql(node)
            elif method in _OPERATIONS:
                names, read = _OPERATIONS[method]
                batch = self._batches.get(node.func.value.id)
                call = _Call(node, self._constants, names if batch is None else names[1:])
                if relation := batch or self._relation(call, names[0]):
                    self.changes += read(self, node, call, relation)
        self.generic_visit(node)

    def stored(self, name: str) -> str:
        """Return the name that the server stores."""
        return stored_name(name, self._dialect)

    def columns(self, node: ast.Call, relation: RelationName) -> Iterator[SchemaChange]:
        """Yield the comments of the columns among the arguments."""
        for each in node.args:
            if isinstance(each, ast.Call) and _method(each) == "Column":
                call = _Call(each, self._constants, ("name",))
                name, text = call.text("name"), call.text("comment")
                if name and text:
                    yield SchemaChange("comment", relation, self.stored(name), text, line=each.lineno)

    def _relation(self, call: _Call, name: str) -> RelationName | None:
        table, schema = call.text(name), call.text("schema")
        return (self.stored(schema) if schema else self._schema, self.stored(table)) if table else None

    def _read_sql(self, node: ast.Call) -> None:
        """Read a statement in a literal, or in a literal in `text(...)`; `\\:` is a colon there."""
        argument = node.args[0] if node.args else None
        if isinstance(argument, ast.Call) and _method(argument) in ("text", "DDL") and argument.args:
            argument = argument.args[0]
        sql = literal(argument, self._constants)
        if argument is not None and isinstance(sql, str):
            changes = changes_in(sql.replace("\\:", ":"), self._dialect, self._schema)
            self.changes += (each._replace(line=argument.lineno) for each in changes)


def _method(call: ast.Call) -> str:
    function = call.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _create_table(reader: _Reader, node: ast.Call, call: _Call, relation: RelationName) -> Iterator[SchemaChange]:
    yield SchemaChange("create", relation, line=call.line)
    if text := call.text("comment"):
        yield SchemaChange("comment", relation, None, text, line=call.line)
    yield from reader.columns(node, relation)


def _drop_table(_: _Reader, __: ast.Call, call: _Call, relation: RelationName) -> Iterator[SchemaChange]:
    yield SchemaChange("drop", relation, line=call.line)


def _rename_table(reader: _Reader, _: ast.Call, call: _Call, relation: RelationName) -> Iterator[SchemaChange]:
    if new := call.text("new_table_name"):
        yield SchemaChange("rename", relation, new_relation=(relation[0], reader.stored(new)), line=call.line)


def _comment_table(_: _Reader, __: ast.Call, call: _Call, relation: RelationName) -> Iterator[SchemaChange]:
    # A comment that is computed is unknown, and the one before it is no longer there.
    yield SchemaChange("comment", relation, None, call.text("comment"), line=call.line)


def _alter_column(reader: _Reader, _: ast.Call, call: _Call, relation: RelationName) -> Iterator[SchemaChange]:
    column, new, comment = call.text("column_name"), call.text("new_column_name"), call.value("comment")
    if not column:
        return
    column = reader.stored(column)
    if comment is not _UNSET and comment is not False:
        yield SchemaChange("comment", relation, column, call.text("comment"), line=call.line)
    if new:
        yield SchemaChange("rename", relation, column, new_column=reader.stored(new), line=call.line)


def _add_column(reader: _Reader, node: ast.Call, _: _Call, relation: RelationName) -> Iterator[SchemaChange]:
    yield from reader.columns(node, relation)


def _drop_column(reader: _Reader, _: ast.Call, call: _Call, relation: RelationName) -> Iterator[SchemaChange]:
    if column := call.text("column_name"):
        yield SchemaChange("drop", relation, reader.stored(column), line=call.line)


_Read = Callable[[_Reader, ast.Call, _Call, RelationName], Iterator[SchemaChange]]
_OPERATIONS: Mapping[str, tuple[tuple[str, ...], _Read]] = {
    "create_table": (("table_name",), _create_table),
    "drop_table": (("table_name",), _drop_table),
    "rename_table": (("old_table_name", "new_table_name"), _rename_table),
    "create_table_comment": (("table_name", "comment"), _comment_table),
    "drop_table_comment": (("table_name",), _comment_table),
    "alter_column": (("table_name", "column_name"), _alter_column),
    "add_column": (("table_name", "column"), _add_column),
    "drop_column": (("table_name", "column_name"), _drop_column),
}
"""Operations by name: their positional arguments, of which a batch leaves out the first, and their readers."""
