"""`check_sql` finds an error exactly where PostgreSQL refuses a statement."""

from __future__ import annotations

from dataclasses import replace

from pg8000.exceptions import DatabaseError

from tests.plugins.postgres import FreshDatabase, OpenCatalog, connected
from tests.sample_shop.documented import Shop
from tests.sql.checking.verdict_statements import SCHEMA, STATEMENTS
from tribal.joins.known_tables import known_table, parents_of
from tribal.sql.checking.check import check
from tribal.sql.checking.known import KnownTables


def test_what_the_server_runs_has_no_error_and_what_it_refuses_has_one(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(SCHEMA)
    contents = open_catalog(dsn).read()
    tables = contents.tables
    shop = Shop(list(tables))
    shop.document(shop.plan())
    documents = [shop.document_of(f"{each.schema_name}.{each.table_name}") for each in tables]
    known = replace(
        KnownTables.of(map(known_table, documents), "postgres"),
        partitions=lambda: parents_of(documents),
        routines=frozenset(contents.routines),
    )
    wrong = []
    with connected(dsn) as connection:
        for sql in STATEMENTS:
            try:
                connection.run(f"EXPLAIN {sql}")
                refused = None
            except DatabaseError as error:
                refused = error.args[0]["M"]
            errors = [each.message for each in check(sql, known).findings if each.is_error]
            if bool(errors) != (refused is not None):
                wrong.append((sql, refused, errors))
    assert wrong == []
