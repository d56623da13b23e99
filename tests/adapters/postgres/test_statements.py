"""What the server's own log says was sent, compared with what the reader says that it sends."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes import MemoryStore, application, options
from tests.plugins.postgres import (
    NO_ENVIRONMENT,
    FreshDatabase,
    administer,
    connected,
    login,
    start_server,
    unique_name,
)
from tests.waiting import wait_until
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.errors import AccessDenied
from tribal.identity.table_names import TableIdentity
from tribal.key_inference import KeyPair
from tribal.planning import read_catalog
from tribal.ports import DocumentingOptions, Statement
from tribal.settings.dsn import parse_dsn
from tribal_contracts import CatalogTable, DatabaseEntry, DatabaseLimits
from tribal_demo.server.postgres import EmbeddedServer


class LoggingServer:
    """A server that logs every statement."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.server: EmbeddedServer = start_server(
            folder,
            log_statement="all",
            log_destination="jsonlog",
            logging_collector="on",
        )

    def statements(self, database: str) -> list[str]:
        """What the product sent to a database, oldest first."""
        # The collector writes in order: when the marker is there, so is everything before it.
        marker = unique_name("marker")
        administer(self.server.dsn(), f"SELECT '{marker}'")
        logs = (self._folder / "cluster" / "log").glob

        def told() -> str:
            text = "".join(path.read_text() for path in sorted(logs("*.json")))
            return text if marker in text else ""

        text = wait_until(told)
        entries = [json.loads(line) for line in text.splitlines()]
        said = [
            str(entry["message"])
            for entry in entries
            if entry.get("application_name") == "tribal" and entry.get("dbname") == database
        ]
        found = [re.match(r"(?:statement|execute [^:]*): (.*)", message, re.DOTALL) for message in said]
        return [match.group(1) for match in found if match]


@pytest.fixture(scope="module")
def logging_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoggingServer]:
    logging = LoggingServer(tmp_path_factory.mktemp("logging"))
    yield logging
    logging.server.stop()


def _pattern(statement: Statement) -> re.Pattern[str]:
    parts = re.split(r"\{[a-z_]+\}", statement.sql)
    return re.compile(".+".join(map(re.escape, parts)), re.DOTALL)


def compare_with_keyed(catalog: PostgresCatalog, table: CatalogTable) -> None:
    name, keyed = (str(TableIdentity("any", "public", each)) for each in (table.table_name, "keyed"))
    first = table.columns[0].name
    pairs = [KeyPair(name, (first,), keyed, ("id",)), KeyPair(name, (first,), name, (first,))]
    assert set(catalog.overlaps(table, 200_000, pairs)) == set(pairs)


def test_every_statement_that_the_server_logged_is_one_that_the_reader_tells(
    logging_server: LoggingServer, fresh_database: FreshDatabase
) -> None:
    user = unique_name("logged")
    dsn = fresh_database(
        f"""CREATE TABLE keyed (id int PRIMARY KEY, "no: $1 {{x}}" text); CREATE TABLE loose (id int CHECK (id > 0));
        CREATE TABLE partly (id int, pay int); CREATE TABLE closed (id int);
        CREATE TABLE big AS SELECT n FROM generate_series(1, 200000) n; ANALYZE big;
        CREATE ROLE {user} LOGIN PASSWORD 'p'; GRANT SELECT ON keyed, loose, big TO {user};
        CREATE TABLE gone (id int); CREATE VIEW broken AS SELECT id FROM gone;
        GRANT SELECT (id) ON partly TO {user}; CREATE VIEW hidden WITH (security_invoker) AS SELECT id FROM closed;
        GRANT SELECT ON hidden TO {user}""",
        server=logging_server.server,
    )
    catalog = PostgresCatalog(
        parse_dsn(login(dsn, user, "p"), NO_ENVIRONMENT), DatabaseLimits(lock_timeout_seconds=0.1)
    )
    contents = catalog.read()
    administer(dsn, "DELETE FROM pg_depend WHERE refobjid = 'gone'::regclass AND classid = 'pg_rewrite'::regclass")
    administer(dsn, "DROP TABLE gone")
    assert [each.table for each in catalog.read().broken] == ["broken"]
    for table in contents.tables:
        if table.table_name in ("gone", "broken"):
            continue
        if table.table_name in ("closed", "hidden"):
            with pytest.raises(AccessDenied):
                catalog.sample(table, 3)
        else:
            catalog.sample(table, 3)
            compare_with_keyed(catalog, table)
    catalog.presence([("public", "keyed"), ("public", "x'y")])
    catalog.access()
    catalog.databases()
    with connected(dsn) as other:
        other.run("BEGIN")
        other.run("LOCK TABLE loose IN ACCESS EXCLUSIVE MODE")
        catalog.read()
    catalog.close()
    logged = logging_server.statements(dsn.rpartition("/")[2])
    patterns = {statement.sql: _pattern(statement) for statement in catalog.statements()}
    used = set()
    for sql in logged:
        matching = [told for told, pattern in patterns.items() if pattern.fullmatch(sql)]
        assert matching, f"not told: {sql}"
        used.update(matching)
    assert used == set(patterns), "told, and never sent by what this test does"


def test_values_are_compared_once_and_never_where_samples_are_off(
    logging_server: LoggingServer, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database(
        """CREATE TABLE customers (id int PRIMARY KEY); CREATE TABLE orders (id int PRIMARY KEY, customer_id int);
        CREATE TABLE invoices (id int PRIMARY KEY, customer_id int, order_id int)""",
        server=logging_server.server,
    )
    entry = DatabaseEntry(name="shop")

    def compared(store: MemoryStore, *, samples: bool) -> int:
        before = len(logging_server.statements(dsn.rpartition("/")[2]))
        opts = replace(options(entry), documenting=DocumentingOptions(take_samples=samples))
        target = parse_dsn(dsn, NO_ENVIRONMENT)
        app = application(store=store, open_reader=lambda _: PostgresCatalog(target), opts=opts)
        assert read_catalog(entry, app, "run").status == "reachable"
        sent = logging_server.statements(dsn.rpartition("/")[2])[before:]
        return sum(sql.startswith("WITH sample AS MATERIALIZED") for sql in sent)

    store = MemoryStore()
    assert [compared(store, samples=True), compared(store, samples=True)] == [2, 0]
    assert compared(MemoryStore(), samples=False) == 0


def test_reading_a_thousand_tables_takes_no_more_statements_than_reading_one(
    logging_server: LoggingServer, fresh_database: FreshDatabase
) -> None:
    counts = []
    for tables in (1, 1000):
        create = "; ".join(
            f"CREATE TABLE t{number} (id int PRIMARY KEY, parent int REFERENCES t{max(0, number - 1)}, v int DEFAULT 1)"
            for number in range(tables)
        )
        dsn = fresh_database(create, server=logging_server.server)
        catalog = PostgresCatalog(parse_dsn(dsn, NO_ENVIRONMENT))
        assert len(catalog.read().tables) == tables
        catalog.presence([("public", f"t{number}") for number in range(tables)])
        catalog.access()
        catalog.close()
        counts.append(len(logging_server.statements(dsn.rpartition("/")[2])))
    assert counts[0] == counts[1] <= 47


def test_no_statement_opens_a_tables_files_or_counts_its_rows() -> None:
    catalog = PostgresCatalog(parse_dsn("postgresql://u@localhost/d", NO_ENVIRONMENT))
    for statement in catalog.statements():
        assert not re.search(r"pg_(total_)?relation_size|pg_table_size", statement.sql)
    counting = [each.sql for each in catalog.statements() if "count(" in each.sql.lower()]
    bounded = [sql for sql in counting if "LIMIT {rows}" in sql]
    assert len(bounded) == 1, "values of some rows are counted"
    assert all("FROM member" in sql for sql in counting if sql not in bounded), "and partitions"
