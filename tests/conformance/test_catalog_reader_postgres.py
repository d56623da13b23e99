"""PostgreSQL keeps the contract of `CatalogReader`, in the oldest and the newest version at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest
from pydantic import SecretStr

from tests.conformance.catalog_reader import *  # noqa: F403
from tests.conformance.catalog_reader import SALES_COMMENT, Expected, LentDatabase
from tests.conformance.catalog_reader_access import *  # noqa: F403
from tests.conformance.catalog_reader_overlaps import *  # noqa: F403
from tests.plugins.postgres import NO_ENVIRONMENT, administer, login, new_database, unique_name
from tribal.adapters.postgres import queries
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.errors import DatabaseError
from tribal.ports import CatalogReader
from tribal.settings.dsn import parse_dsn
from tribal_demo.server.installation import PostgresVersion
from tribal_demo.server.postgres import EmbeddedServer

_PASSWORD = "reads-only"
_SEED = f"""
CREATE SCHEMA sales;
CREATE SCHEMA depot;
CREATE SCHEMA vault;
COMMENT ON SCHEMA sales IS '{SALES_COMMENT}';
CREATE TABLE sales.customer (
  customer_id integer PRIMARY KEY, full_name text NOT NULL, referred_by integer REFERENCES sales.customer
);
COMMENT ON TABLE sales.customer IS 'Who buys, "on account" or not.';
COMMENT ON COLUMN sales.customer.full_name IS 'First and last name; don''t shorten.';
CREATE TABLE sales.orders (
  order_no integer NOT NULL, region text NOT NULL,
  customer_id integer NOT NULL REFERENCES sales.customer, billed_to integer REFERENCES sales.customer,
  PRIMARY KEY (region, order_no)
);
CREATE TABLE sales.order_line (
  line_no integer NOT NULL, order_no integer NOT NULL, region text NOT NULL, sku text,
  PRIMARY KEY (region, order_no, line_no),
  FOREIGN KEY (region, order_no) REFERENCES sales.orders (region, order_no)
);
CREATE VIEW sales.open_orders AS SELECT region, order_no FROM sales.orders;
COMMENT ON VIEW sales.open_orders IS 'Orders of every region.';
CREATE TABLE depot."Order Items" (id integer PRIMARY KEY, qty integer);
CREATE TABLE depot."with.dot" (id integer PRIMARY KEY);
CREATE TABLE depot."quote""inside" (id integer PRIMARY KEY);
CREATE TABLE depot.no_key (n integer, note text);
CREATE TABLE depot.closed (id integer PRIMARY KEY);
CREATE TABLE vault.secret (id integer PRIMARY KEY);
INSERT INTO sales.customer SELECT n, repeat('n', 1000), nullif(n - 1, 0) FROM generate_series(1, 30) AS n;
INSERT INTO sales.orders
  SELECT n, CASE n % 2 WHEN 0 THEN 'east' ELSE 'west' END, n, NULL FROM generate_series(1, 30) AS n;
INSERT INTO depot.no_key SELECT n, 'note ' || n FROM generate_series(1, 30) AS n;
INSERT INTO depot.closed VALUES (1);
INSERT INTO vault.secret VALUES (1);
"""


@dataclass(frozen=True)
class _Seeded:
    dsn: str
    user: str

    @property
    def reader_dsn(self) -> str:
        return login(self.dsn, self.user, _PASSWORD)


@contextmanager
def _seeded(server: EmbeddedServer) -> Iterator[_Seeded]:
    user = unique_name("reader")
    grants = f"""
    CREATE ROLE {user} LOGIN PASSWORD '{_PASSWORD}';
    GRANT USAGE ON SCHEMA sales, depot TO {user};
    GRANT SELECT ON ALL TABLES IN SCHEMA sales, depot TO {user};
    REVOKE SELECT ON depot.closed FROM {user};
    """
    with new_database(server, _SEED + grants) as dsn:
        yield _Seeded(dsn, user)


def _write_through(reader: CatalogReader, sql: str) -> None:
    assert isinstance(reader, PostgresCatalog)

    def write(begin: str) -> None:
        with reader.transaction("writing", begin) as session:
            session.run(sql)

    with pytest.raises(DatabaseError, match="SQLSTATE 25006"):
        write(queries.BEGIN)
    write(queries.BEGIN_SNAPSHOT)


@pytest.fixture(scope="module", params=[16, 18])
def server(
    request: pytest.FixtureRequest, postgres_servers: Callable[[PostgresVersion], EmbeddedServer]
) -> EmbeddedServer:
    return postgres_servers(request.param)


@pytest.fixture(scope="module")
def shared(server: EmbeddedServer) -> Iterator[_Seeded]:
    with _seeded(server) as seeded:
        yield seeded


@pytest.fixture(scope="module")
def shared_reader(shared: _Seeded) -> Iterator[CatalogReader]:
    reader = PostgresCatalog(parse_dsn(shared.reader_dsn, NO_ENVIRONMENT))
    yield reader
    reader.close()


@pytest.fixture
def own(request: pytest.FixtureRequest, server: EmbeddedServer) -> Iterator[_Seeded]:
    with _seeded(server) as seeded:
        yield seeded


@pytest.fixture
def reader(shared_reader: CatalogReader) -> CatalogReader:
    return shared_reader


@pytest.fixture
def expected(request: pytest.FixtureRequest) -> Expected:
    seeded: _Seeded = request.getfixturevalue("own" if "lent" in request.fixturenames else "shared")
    return Expected(
        server_database=seeded.dsn.rpartition("/")[2],
        user=seeded.user,
        fold=str.lower,
        types={"integer": "integer", "text": "text"},
        grantee=seeded.user,
    )


@pytest.fixture
def lent(own: _Seeded) -> Iterator[LentDatabase]:
    target = parse_dsn(own.reader_dsn, NO_ENVIRONMENT)
    reader = PostgresCatalog(target)
    yield LentDatabase(
        reader=reader,
        administer=lambda sql: administer(own.dsn, sql),
        write_through=_write_through,
        open=lambda: PostgresCatalog(target),
        open_with_password=lambda password: PostgresCatalog(replace(target, password=SecretStr(password))),
        open_at_host=lambda host: PostgresCatalog(replace(target, host=host)),
    )
    reader.close()
