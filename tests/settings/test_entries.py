"""A DSN alone makes an entry; what is written down of it holds no password."""

from __future__ import annotations

import re

import pytest

from tests.cases import each_case
from tribal.errors import ConfigurationError
from tribal.settings.entries import dsn_without_password, entry_from_dsn


@each_case(
    ("dsn", "environment", "name"),
    [
        ("postgresql://u:pw@h:1/my%20db", {}, "my db"),
        ("postgres://u@h/shop?sslmode=require", {"PGDATABASE": "other"}, "shop"),
        ("POSTGRESQL://h/shop", {}, "shop"),
        ("postgresql:///?dbname=shop&host=/run/postgresql", {}, "shop"),
        ("postgresql://u@h", {"PGDATABASE": "shop"}, "shop"),
        ("postgresql://u@h", {"PGUSER": "other"}, "u"),
        ("postgresql://h/?user=u", {}, "u"),
        ("postgresql://h", {"PGUSER": "u"}, "u"),
    ],
)
def test_an_entry_is_named_after_the_database_that_libpq_would_choose(
    dsn: str, environment: dict[str, str], name: str
) -> None:
    entry = entry_from_dsn(dsn, environment)
    assert (entry.name, entry.type) == (name, "postgres")
    assert entry.dsn is not None
    assert entry.dsn.get_secret_value() == dsn


@each_case(
    ("dsn", "hint"),
    [
        ("mysql://u:hunter2@h/d", "a DSN of 'mysql'; PostgreSQL and Snowflake are read: write postgresql://"),
        ("mssql+pyodbc://u:hunter2@h/d", "a DSN of 'mssql'; PostgreSQL and Snowflake are read"),
        ("sqlite:shop.db", "a DSN of 'sqlite'; PostgreSQL and Snowflake are read"),
        ("jdbc:oracle:thin:u/hunter2@h", "a DSN of 'oracle'; PostgreSQL and Snowflake are read"),
        ("postgresql+psycopg2://u:hunter2@h/d", "write postgresql:// alone"),
        ("host=h password=hunter2", "not a DSN; PostgreSQL and Snowflake are read"),
        ("password=hunter2://", "not a DSN; PostgreSQL and Snowflake are read"),
        ("postgresql://h:1", "names no database"),
        ("postgresql://u:a/hunter2@h/d", "percent-encoded"),
        (f"postgresql://u:hunter2@h/{'x' * 200}", "the database name in the DSN is longer than 128 characters"),
    ],
)
def test_what_is_no_usable_dsn_is_refused_without_its_password(dsn: str, hint: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(hint)) as raised:
        entry_from_dsn(dsn, {})
    assert "hunter2" not in raised.value.message


@each_case(
    ("dsn", "replaced", "removed"),
    [
        (
            "postgresql://u:hunter2@h:1/d?sslmode=require",
            "postgresql://u:${PW}@h:1/d?sslmode=require",
            "postgresql://u@h:1/d?sslmode=require",
        ),
        ("postgresql://u:hunter2%40@h", "postgresql://u:${PW}@h", "postgresql://u@h"),
        (
            "postgresql://h/d?user=u&password=hunter2",
            "postgresql://h/d?user=u&password=${PW}",
            "postgresql://h/d?user=u",
        ),
        ("postgresql://h/d?p%61ssword=hunter2", "postgresql://h/d?p%61ssword=${PW}", "postgresql://h/d"),
        ("postgresql://u@h/d", "postgresql://u@h/d", "postgresql://u@h/d"),
        ("postgresql:///d", "postgresql:///d", "postgresql:///d"),
    ],
)
def test_a_password_is_left_out_wherever_it_stands(dsn: str, replaced: str, removed: str) -> None:
    assert dsn_without_password(dsn, "${PW}") == replaced
    assert dsn_without_password(dsn) == removed
