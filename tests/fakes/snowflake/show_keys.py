"""SHOW of keys and grants."""

from __future__ import annotations

from collections.abc import Iterator

from tests.fakes.snowflake.account import Grant
from tests.fakes.snowflake.catalog import Key, Relation
from tests.fakes.snowflake.errors import missing
from tests.fakes.snowflake.names import Tokens, written
from tests.fakes.snowflake.results import Field, Result, Row, encoded, fixed, moment
from tests.fakes.snowflake.showing import ToolClient, bounded, page, relations, scope, true

KEYS = [
    moment("created_on"),
    *map(Field, "database_name schema_name table_name column_name".split()),
    fixed("key_sequence"),
    *map(Field, "constraint_name rely comment".split()),
]
IMPORTED_KEYS = [
    moment("created_on"),
    *map(Field, "pk_database_name pk_schema_name pk_table_name pk_column_name".split()),
    *map(Field, "fk_database_name fk_schema_name fk_table_name fk_column_name".split()),
    fixed("key_sequence"),
    *map(Field, "update_rule delete_rule fk_name pk_name deferrability rely comment".split()),
]
GRANTS = [
    moment("created_on"),
    *map(Field, "privilege granted_on name granted_to grantee_name grant_option granted_by".split()),
]
_SCOPES = ("DATABASE", "SCHEMA", "TABLE")


def _primary(table: Relation) -> list[Key]:
    return [table.primary_key] if table.primary_key else []


def primary_keys(tokens: Tokens, asker: ToolClient) -> Result:
    """https://docs.snowflake.com/en/sql-reference/sql/show-primary-keys ; a row for a column, no LIMIT."""
    return _keys(tokens, asker, unique=False)


def unique_keys(tokens: Tokens, asker: ToolClient) -> Result:
    """https://docs.snowflake.com/en/sql-reference/sql/show-unique-keys ; a row for a column, no LIMIT."""
    return _keys(tokens, asker, unique=True)


def _keys(tokens: Tokens, asker: ToolClient, *, unique: bool) -> Result:
    asked = scope(tokens, *_SCOPES)
    tokens.finish()
    rows: list[Row] = []
    for database, schema, table in relations(asker.sight, asked):
        for number, key in enumerate(table.unique_keys if unique else _primary(table), start=1):
            name = key.name or f"SYS_CONSTRAINT_{table.name}_{number}"
            for sequence, column in enumerate(key.columns, start=1):
                path = [database.name, schema.name, table.name, column]
                rows.append([encoded(table.created), *path, str(sequence), name, true(key.rely), key.comment])
    return bounded(KEYS, rows, asker.limits.show_rows)


def imported_keys(tokens: Tokens, asker: ToolClient) -> Result:
    """No page of the vendor lists its columns: as several tools were seen to read them."""
    asked = scope(tokens, *_SCOPES)
    tokens.finish()
    rows: list[Row] = []
    for database, schema, table in relations(asker.sight, asked):
        for number, key in enumerate(table.foreign_keys, start=1):
            names = [key.name or f"SYS_CONSTRAINT_FK_{table.name}_{number}", key.to_name or "SYS_CONSTRAINT_PK"]
            here = [database.name, schema.name, table.name]
            for sequence, (column, to) in enumerate(zip(key.columns, key.to_columns, strict=True), start=1):
                ends = [*key.to, to, *here, column]
                rules = ["NO ACTION", "NO ACTION", *names, "NOT DEFERRABLE", true(key.rely), key.comment]
                rows.append([encoded(table.created), *ends, str(sequence), *rules])
    return bounded(IMPORTED_KEYS, rows, asker.limits.show_rows)


def grants(tokens: Tokens, asker: ToolClient) -> Result:
    """https://docs.snowflake.com/en/sql-reference/sql/show-grants : what a role was granted, not what it inherits."""
    tokens.expect("TO")
    kind = "DATABASE_ROLE" if tokens.take("DATABASE") else "ROLE"
    tokens.expect("ROLE")
    path = tokens.path()
    name = path[0] if kind == "ROLE" else written(path)
    limit = page(tokens, asker.limits.show_rows)
    tokens.finish()
    if path[0] == "SNOWFLAKE" and path[-1] in asker.sight.viewers():
        # What Snowflake's own roles hold is not reported: assumed.
        return Result(GRANTS, [])
    # A role is seen by those who hold it: https://docs.snowflake.com/en/sql-reference/sql/show-grants, usage notes.
    if name not in asker.sight.roles:
        raise missing("Role", written(path))
    to = [kind, path[-1]]
    rows: list[Row] = [_grant(each, to) for each in sorted(_held(asker, name), key=_order)]
    return bounded(GRANTS, rows, asker.limits.show_rows, limit, name=3)


def _order(grant: Grant) -> tuple[object, ...]:
    return grant.since, grant.granted_on, grant.path, grant.privilege


def _grant(grant: Grant, to: list[str]) -> Row:
    # Grants of roles show no grantor: assumed.
    by = "" if grant.granted_on.endswith("ROLE") else "SYSADMIN"
    what = [grant.privilege, grant.granted_on.replace(" ", "_"), written(grant.path)]
    return [encoded(grant.since), *what, *to, true(grant.option), by]


def _held(asker: ToolClient, name: str) -> Iterator[Grant]:
    account = asker.sight.account
    role = account.roles[name]
    yield from role.grants.values()
    for each in role.roles:
        yield Grant("USAGE", "ROLE", "ROLE", (each,))
    for path in role.database_roles:
        yield Grant("USAGE", "DATABASE_ROLE", "DATABASE ROLE", path)
    for owner, where, path in account.owners():
        if owner == name:
            granted_on = where if where != "RELATION" else _kind(asker, path)
            yield Grant("OWNERSHIP", where, granted_on, path, option=True)


def _kind(asker: ToolClient, path: tuple[str, ...]) -> str:
    return asker.sight.account.databases[path[0]].schemas[path[1]].relations[path[2]].granted_on
