"""SHOW of databases, schemas, tables, views, columns, indexes and warehouses: columns in the documented order.

Each function names the page that documents its columns; `Y`/`N`, `true`/`false` and nulls are as its examples print.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.fakes.snowflake import datatypes, information_schema
from tests.fakes.snowflake.catalog import Database, Relation, Schema
from tests.fakes.snowflake.names import Tokens
from tests.fakes.snowflake.results import Field, Result, Row, encoded, fixed, moment
from tests.fakes.snowflake.showing import Scope, ToolClient, bounded, like, page, relations, scope, true, yes

_RETENTION = "1"


def _fields(text: str) -> list[Field]:
    kinds = {"@": moment, "#": fixed}
    return [kinds[name[0]](name[1:]) if name[0] in kinds else Field(name) for name in text.split()]


DATABASES = _fields(
    "@created_on name is_default is_current origin owner comment options retention_time kind owner_role_type"
)
SCHEMAS = _fields(
    "@created_on name is_default is_current database_name owner comment options retention_time owner_role_type"
    " classification_profile_database classification_profile_schema classification_profile"
)
TABLES = _fields(
    "@created_on name database_name schema_name kind comment cluster_by #rows #bytes owner retention_time"
    " automatic_clustering change_tracking is_external enable_schema_evolution owner_role_type is_event budget"
    " is_hybrid is_iceberg is_dynamic is_immutable"
)
VIEWS = _fields(
    "@created_on name reserved database_name schema_name owner comment text is_secure is_materialized"
    " owner_role_type change_tracking"
)
COLUMNS = _fields(
    "table_name schema_name column_name data_type null? default kind expression comment database_name autoincrement"
    " schema_evolution_record"
)
INDEXES = _fields(
    "@created_on name is_unique columns included_columns table database_name schema_name owner owner_role_type"
)
WAREHOUSES = _fields(
    "name state type size #min_cluster_count #max_cluster_count #started_clusters #running #queued is_default"
    " is_current #auto_suspend auto_resume available provisioning quiescing other @created_on @resumed_on @updated_on"
    " owner comment enable_query_acceleration #query_acceleration_max_scale_factor resource_monitor #actives #pendings"
    " #failed #suspended uuid scaling_policy budget owner_role_type resource_constraint"
)


def databases(tokens: Tokens, asker: ToolClient) -> Result:
    """https://docs.snowflake.com/en/sql-reference/sql/show-databases ; SNOWFLAKE is there for all: assumed."""
    tokens.finish()
    seen = [*asker.sight.databases()]
    if all(each.name != "SNOWFLAKE" for each in seen):
        seen.append(Database("SNOWFLAKE", owner="", origin="SNOWFLAKE.ACCOUNT_USAGE"))
    rows: list[Row] = [
        [
            encoded(each.created),
            each.name,
            "N",
            yes(each.name == asker.database),
            each.origin,
            each.owner,
            each.comment or "",
            "",
            _RETENTION,
            "APPLICATION" if each.name == "SNOWFLAKE" else "IMPORTED DATABASE" if each.origin else "STANDARD",
            "ROLE" if each.owner else None,
        ]
        for each in sorted(seen, key=lambda each: each.name)
    ]
    return bounded(DATABASES, rows, asker.limits.show_rows)


def schemas(tokens: Tokens, asker: ToolClient) -> Result:
    """https://docs.snowflake.com/en/sql-reference/sql/show-schemas"""
    asked = scope(tokens, "DATABASE")
    tokens.finish()
    database = asker.sight.database(asked.path[0])
    seen = sorted([*asker.sight.schemas(database), information_schema.schema()], key=lambda each: each.name)
    rows: list[Row] = [
        [
            encoded(each.created),
            each.name,
            "N",
            "N",
            database.name,
            each.owner,
            each.comment or "",
            "MANAGED ACCESS" if each.managed_access else "",
            _RETENTION,
            "ROLE" if each.owner else "",
            None,
            None,
            None,
        ]
        for each in seen
    ]
    return bounded(SCHEMAS, rows, asker.limits.show_rows)


def tables(tokens: Tokens, asker: ToolClient) -> Result:
    """https://docs.snowflake.com/en/sql-reference/sql/show-tables ; one list for tables of all kinds."""
    fits = like(tokens.text()) if tokens.take("LIKE") else None
    asked = scope(tokens, "DATABASE", "SCHEMA")
    limit = page(tokens, asker.limits.show_rows)
    tokens.finish()
    found = ((at, schema, each) for at, schema, each in relations(asker.sight, asked) if not each.is_view)
    rows = [_table(*each) for each in found if fits is None or fits(each[2].name)]
    return bounded(TABLES, rows, asker.limits.show_rows, limit)


def _table(database: Database, schema: Schema, table: Relation) -> Row:
    return [
        encoded(table.created),
        table.name,
        database.name,
        schema.name,
        "TRANSIENT" if table.kind == "transient" else "TABLE",
        table.comment or "",
        table.cluster_by,
        encoded(table.counted_rows),
        None if table.kind in ("external", "hybrid") else encoded(table.bytes),
        table.owner,
        _RETENTION,
        "ON" if table.cluster_by else "OFF",
        "OFF",
        yes(table.kind == "external"),
        "N",
        "ROLE",
        yes(table.kind == "event"),
        None,
        yes(table.kind == "hybrid"),
        yes(table.kind == "iceberg"),
        yes(table.kind == "dynamic"),
        "N",
    ]


def views(tokens: Tokens, asker: ToolClient) -> Result:
    """https://docs.snowflake.com/en/sql-reference/sql/show-views ; INFORMATION_SCHEMA's views count in a database."""
    asked = scope(tokens, "DATABASE", "SCHEMA")
    limit = page(tokens, asker.limits.show_rows)
    tokens.finish()
    rows = [_view(asker, *found) for found in relations(asker.sight, asked) if found[2].is_view]
    return bounded(VIEWS, rows, asker.limits.show_rows, limit)


def _view(asker: ToolClient, database: Database, schema: Schema, view: Relation) -> Row:
    secure = view.kind == "secure_view"
    # Only the owner reads how a secure view was made: https://docs.snowflake.com/en/user-guide/views-secure
    hidden = secure and view.owner not in asker.sight.roles
    return [
        encoded(view.created),
        view.name,
        "",
        database.name,
        schema.name,
        view.owner,
        view.comment or "",
        "" if hidden else view.text,
        true(secure),
        true(view.kind == "materialized"),
        "ROLE" if view.owner else "",
        "OFF",
    ]


def columns(tokens: Tokens, asker: ToolClient) -> Result:
    """https://docs.snowflake.com/en/sql-reference/sql/show-columns ; it knows no LIMIT."""
    asked = scope(tokens, "DATABASE", "SCHEMA", "TABLE", "VIEW")
    tokens.finish()
    return bounded(COLUMNS, list(_columns(asker, asked)), asker.limits.show_rows)


def _columns(asker: ToolClient, asked: Scope) -> Iterator[Row]:
    for database, schema, relation in relations(asker.sight, asked):
        for column in relation.columns:
            yield [
                relation.name,
                schema.name,
                column.name,
                datatypes.shown(column.type, column.nullable),
                true(column.nullable),
                column.default or "",
                "VIRTUAL_COLUMN" if column.expression else "COLUMN",
                column.expression or "",
                column.comment or "",
                database.name,
                column.identity or "",
                None,
            ]


def indexes(tokens: Tokens, asker: ToolClient) -> Result:
    """https://docs.snowflake.com/en/sql-reference/sql/show-indexes ; hybrid tables alone have some."""
    asked = scope(tokens, "TABLE")
    tokens.finish()
    database, schema, table = asker.sight.relation(asked.path, "Table")
    rows: list[Row] = [
        [
            encoded(table.created),
            index.name,
            yes(index.unique),
            f"[{', '.join(index.columns)}]",
            f"[{', '.join(index.included)}]",
            table.name,
            database.name,
            schema.name,
            table.owner,
            "ROLE",
        ]
        for index in sorted(table.indexes, key=lambda each: each.name)
    ]
    return bounded(INDEXES, rows, asker.limits.show_rows)


def warehouses(tokens: Tokens, asker: ToolClient) -> Result:
    """https://docs.snowflake.com/en/sql-reference/sql/show-warehouses"""
    fits = like(tokens.text()) if tokens.take("LIKE") else like("%")
    tokens.finish()
    rows: list[Row] = []
    for each in asker.sight.warehouses():
        if not fits(each.name):
            continue
        told: dict[str, object] = dict.fromkeys((field.name for field in WAREHOUSES), None)
        told |= {"name": each.name, "state": "SUSPENDED" if each.suspended else "STARTED", "type": each.kind}
        told |= {"size": each.size, "min_cluster_count": 1, "max_cluster_count": 1, "running": 0, "queued": 0}
        told |= {"started_clusters": 0 if each.suspended else 1, "is_default": "N", "owner": each.owner}
        told |= {"is_current": yes(each.name == asker.warehouse), "auto_suspend": each.auto_suspend, "comment": ""}
        told |= {"auto_resume": true(each.auto_resume), "resource_monitor": "QUOTA" if each.quota_spent else "null"}
        told |= {"enable_query_acceleration": "false", "query_acceleration_max_scale_factor": 8, "uuid": "0"}
        told |= {"available": "" if each.suspended else "100", "provisioning": "", "quiescing": "", "other": ""}
        told |= {"actives": 0, "pendings": 0, "failed": 0, "suspended": 0, "scaling_policy": "STANDARD"}
        told |= {"owner_role_type": "ROLE"}
        rows.append([encoded(value) for value in told.values()])
    return bounded(WAREHOUSES, rows, asker.limits.show_rows)
