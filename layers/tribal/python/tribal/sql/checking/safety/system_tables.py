"""The system tables that a checked query may read: those that describe tables."""

from __future__ import annotations

from tribal.sql.checking.safety import postgres_builtins, snowflake_builtins
from tribal_contracts import DatabaseType


def is_harmless_catalog(dialect: DatabaseType, catalog: str, schema: str | None, name: str) -> bool:
    """Whether a table of a system schema holds neither secrets nor values."""
    if dialect == "postgres":
        is_known_schema = schema in (None, "pg_catalog", "information_schema")
        return is_known_schema and name in postgres_builtins.RELATIONS
    if catalog.upper() == "SNOWFLAKE" and (schema or "").upper() != "INFORMATION_SCHEMA":
        return schema == "ACCOUNT_USAGE" and name.casefold() in snowflake_builtins.SHARED_VIEWS
    return True
