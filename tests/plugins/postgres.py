"""Embedded PostgreSQL servers for every test, by way of `tests/conftest.py`.

A server of each version is started once a session, when the first test asks for it.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

import pytest
from pg8000.native import Connection, identifier

from tests.plugins.skips import skip_or_fail
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.settings.dsn import parse_dsn
from tribal_contracts import DatabaseLimits
from tribal_demo import COMPANY_SQL
from tribal_demo.server.installation import PostgresVersion
from tribal_demo.server.postgres import EmbeddedServer, EmbeddedServerUnavailable

SHOP_SQL = """
CREATE SCHEMA crm; CREATE SCHEMA sales; CREATE SCHEMA billing;
CREATE TABLE crm.customer (id bigint PRIMARY KEY, name text, since date);
CREATE TABLE crm.contact (id bigint PRIMARY KEY, customer_id bigint NOT NULL REFERENCES crm.customer, at timestamptz);
CREATE TABLE sales.orders (id bigint PRIMARY KEY, customer_id bigint NOT NULL REFERENCES crm.customer, at timestamptz);
CREATE TABLE sales.line (id bigint PRIMARY KEY, order_id bigint NOT NULL REFERENCES sales.orders, quantity int);
CREATE TABLE billing.invoice (id bigint PRIMARY KEY, order_id bigint REFERENCES sales.orders, due date);
CREATE TABLE billing.payment (id bigint PRIMARY KEY, invoice_id bigint NOT NULL REFERENCES billing.invoice, cents int);
"""
NO_ENVIRONMENT: Mapping[str, str] = {}
_numbers = itertools.count(1)


class FreshDatabase(Protocol):
    """Creates a database, runs SQL (a script's path or its text) in it, and returns its DSN."""

    def __call__(self, sql: Path | str = "", *, server: EmbeddedServer | None = None) -> str: ...


class OpenCatalog(Protocol):
    """Opens a reader of a database, with limits by their names in `DatabaseLimits`."""

    def __call__(self, dsn: str, **limits: float) -> PostgresCatalog: ...


def start_server(data_directory: Path, version: PostgresVersion = 18, **options: str) -> EmbeddedServer:
    """Start a server, or skip where there can be none."""
    try:
        return EmbeddedServer.start(data_directory, version=version, options=options)
    except EmbeddedServerUnavailable as unavailable:
        skip_or_fail(str(unavailable))


def unique_name(stem: str) -> str:
    """A name that no other test of this machine uses: roles belong to a whole server."""
    return f"{stem}_{os.getpid()}_{next(_numbers)}"


@contextmanager
def connected(dsn: str) -> Iterator[Connection]:
    """A plain connection of the driver, outside of the product."""
    parts = urlsplit(dsn)
    connection = Connection(
        unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        host=parts.hostname,
        port=parts.port,
        database=unquote(parts.path.removeprefix("/")),
        ssl_context=False,
    )
    try:
        yield connection
    finally:
        connection.close()


def administer(dsn: str, sql: str) -> list[Any]:
    """Run SQL as the superuser of the DSN and return the rows of its last statement."""
    with connected(dsn) as connection:
        return connection.run(sql) or []


def login(dsn: str, user: str, password: str) -> str:
    """The same database as another user."""
    parts = urlsplit(dsn)
    return parts._replace(netloc=f"{user}:{password}@{parts.hostname}:{parts.port}").geturl()


@contextmanager
def new_database(server: EmbeddedServer, sql: Path | str = "") -> Iterator[str]:
    """A uniquely named database filled by `sql`; dropped at the end, even with open connections."""
    name = unique_name("fresh")
    server.create_database(name)
    try:
        if sql:
            server.load(name, sql)
        yield server.dsn(name)
    finally:
        administer(server.dsn(), f"DROP DATABASE {identifier(name)} WITH (FORCE)")


@pytest.fixture(scope="session")
def postgres_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[PostgresVersion], EmbeddedServer]]:
    """The session's server of a version."""
    running: dict[PostgresVersion, EmbeddedServer] = {}

    def server(version: PostgresVersion) -> EmbeddedServer:
        if version not in running:
            running[version] = start_server(tmp_path_factory.mktemp(f"postgres-{version}"), version)
        return running[version]

    yield server
    for started in running.values():
        started.stop()


@pytest.fixture(scope="session")
def postgres_server(postgres_servers: Callable[[PostgresVersion], EmbeddedServer]) -> EmbeddedServer:
    """The session's server of PostgreSQL 18."""
    return postgres_servers(18)


@pytest.fixture
def fresh_database(request: pytest.FixtureRequest) -> Iterator[FreshDatabase]:
    """Makes databases that are dropped after the test."""
    with ExitStack() as databases:

        def make(sql: Path | str = "", *, server: EmbeddedServer | None = None) -> str:
            host: EmbeddedServer = server or request.getfixturevalue("postgres_server")
            return databases.enter_context(new_database(host, sql))

        yield make


@pytest.fixture
def open_catalog() -> Iterator[OpenCatalog]:
    """Opens readers that are closed after the test."""
    with ExitStack() as readers:

        def open_reader(dsn: str, **limits: float) -> PostgresCatalog:
            target = parse_dsn(dsn, NO_ENVIRONMENT)
            return readers.enter_context(closing(PostgresCatalog(target, DatabaseLimits.model_validate(limits))))

        yield open_reader


@pytest.fixture(scope="session")
def company_dsn(postgres_server: EmbeddedServer) -> str:
    """The sample company, loaded once a session; only to be read."""
    postgres_server.ensure_database("company", COMPANY_SQL)
    return postgres_server.dsn("company")


@pytest.fixture(scope="session")
def shop_dsn(postgres_server: EmbeddedServer) -> str:
    """Six tables of a shop, loaded once a session; only to be read."""
    postgres_server.ensure_database("six_tables", SHOP_SQL)
    return postgres_server.dsn("six_tables")
