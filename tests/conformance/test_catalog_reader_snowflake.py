"""Snowflake keeps the contract of `CatalogReader`, with `OBJECT_VIEWER` and without, however one logs in.

The account is the stand-in's. Workload identity is taken to Snowflake's own hosts alone, so a proxy leads there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_der_private_key
from pydantic import SecretStr

from tests.conformance.catalog_reader import *  # noqa: F403
from tests.conformance.catalog_reader import SALES_COMMENT, SEED, Expected, LentDatabase, SeedTable
from tests.conformance.catalog_reader_access import *  # noqa: F403
from tests.fakes.snowflake import Column, FakeSnowflake, ForeignKey, Key
from tests.fakes.snowflake.connecting import key_pair
from tests.fakes.snowflake.workloads import AUDIENCE, ForwardProxy
from tribal.adapters.snowflake import statements
from tribal.adapters.snowflake.catalog import SnowflakeCatalog
from tribal.ports import CatalogReader
from tribal.settings.snowflake.target import SnowflakeTarget

_DATABASE = "SHOP"
_ROLE = "READER"
_USER = "READER_USER"
_WAREHOUSE = "READER_WH"
_ISSUER, _SUBJECT = "https://issuer.example", "reader"
_TYPES = {"integer": "NUMBER(38,0)", "text": "VARCHAR(16777216)"}
_ROWS: dict[str, list[tuple[Any, ...]]] = {
    "customer": [(n, "n" * 1000, n - 1 or None) for n in range(1, 31)],
    "orders": [(n, "west" if n % 2 else "east", n, None) for n in range(1, 31)],
    "no_key": [(n, f"note {n}") for n in range(1, 31)],
    "closed": [(1,)],
    "secret": [(1,)],
}
_SECRET = SeedTable("vault", "secret", SEED[1].columns, primary_key=("id",), selectable=False)


@dataclass(frozen=True)
class Way:
    """How a reader logs in, and whether it may know what was dropped."""

    login: str
    viewer: bool

    def __str__(self) -> str:
        return f"{self.login}-{'viewer' if self.viewer else 'no viewer'}"


WAYS = [Way(login, viewer) for login in ("key_pair", "workload_identity") for viewer in (True, False)]


def _key() -> RSAPrivateKey:
    key = load_der_private_key(key_pair().private, None)
    assert isinstance(key, RSAPrivateKey)
    return key


def _key_pem() -> SecretStr:
    return SecretStr(_key().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode())


def _workload_token() -> SecretStr:
    in_an_hour = datetime.now(UTC) + timedelta(hours=1)
    claims = {"iss": _ISSUER, "sub": _SUBJECT, "aud": AUDIENCE, "exp": in_an_hour}
    return SecretStr(jwt.encode(claims, _key(), algorithm="RS256"))


def _target(fake: FakeSnowflake, login: str, proxy: ForwardProxy) -> SnowflakeTarget:
    shared: dict[str, Any] = {"database": _DATABASE, "role": _ROLE, "warehouse": _WAREHOUSE, "protocol": "http"}
    if login == "workload_identity":
        return SnowflakeTarget(
            account=fake.account.name,
            login="workload_identity",
            workload_provider="oidc",
            secret=_workload_token(),
            host=f"{fake.account.name}.snowflakecomputing.com",
            port=80,
            proxy_host="127.0.0.1",
            proxy_port=proxy.port,
            **shared,
        )
    return SnowflakeTarget(
        account=fake.account.name,
        login="key_pair",
        user=_USER,
        secret=_key_pem(),
        host="127.0.0.1",
        port=fake.port,
        **shared,
    )


def _seed(fake: FakeSnowflake, way: Way) -> None:
    account = fake.account
    account.user(_USER, _ROLE, public_keys=[key_pair().public], workloads={("OIDC", f"{_ISSUER} {_SUBJECT}")})
    fake.workloads.issuers[_ISSUER] = _key().public_key()
    account.warehouse(_WAREHOUSE)
    account.grant(_ROLE, "USAGE", "WAREHOUSE", _WAREHOUSE)
    account.grant(_ROLE, "USAGE", "DATABASE", account.database(_DATABASE).name)
    for name, comment in (("SALES", SALES_COMMENT), ("DEPOT", None), ("VAULT", None)):
        account.database(_DATABASE).schema(name, comment=comment)
    for name in ("SALES", "DEPOT"):
        account.grant(_ROLE, "USAGE", "SCHEMA", _DATABASE, name)
    account.role(_ROLE).database_roles.add(("SNOWFLAKE", "GOVERNANCE_VIEWER"))
    if way.viewer:
        account.role(_ROLE).database_roles.add(("SNOWFLAKE", "OBJECT_VIEWER"))
    for table in (*SEED, _SECRET):
        _make(fake, table)


def _make(fake: FakeSnowflake, seed: SeedTable) -> None:
    schema, name = seed.schema.upper(), seed.name if seed.quoted else seed.name.upper()
    relation = (
        fake.account.database(_DATABASE)
        .schema(schema)
        .table(
            name,
            [Column(c.name.upper(), _TYPES[c.type], nullable=c.nullable, comment=c.comment) for c in seed.columns],
            kind=seed.kind,
            text="create view open_orders as select region, order_no from orders" if seed.kind == "view" else "",
            primary_key=Key(tuple(map(str.upper, seed.primary_key)), f"{name}_PK") if seed.primary_key else None,
            foreign_keys=[
                ForeignKey(
                    tuple(map(str.upper, key.columns)),
                    (_DATABASE, schema, key.table.upper()),
                    tuple(map(str.upper, key.references)),
                    f"{name}_FK{place}",
                )
                for place, key in enumerate(seed.foreign_keys)
            ],
            comment=seed.comment,
            rows=_ROWS.get(seed.name, []),
        )
    )
    if schema != "VAULT":
        privilege = "SELECT" if seed.selectable else "REFERENCES"
        fake.account.grant(_ROLE, privilege, relation.granted_on, _DATABASE, schema, name)


def _administer(fake: FakeSnowflake, sql: str) -> None:
    fake.administer(re.sub(rf"(?<!\.)\b(?!{_DATABASE}\b)(sales|depot|vault)\.", rf"{_DATABASE}.\1.", sql))


def _opened(fake: FakeSnowflake, target: SnowflakeTarget) -> SnowflakeCatalog:
    return SnowflakeCatalog(target, may_sample=True, pause=lambda _: None)


def _no_write_through(_: CatalogReader, sql: str) -> None:
    raise AssertionError(f"there is no read-only transaction to try {sql!r} in")


@pytest.fixture(scope="module", params=WAYS, ids=str)
def way(request: pytest.FixtureRequest) -> Way:
    found: Way = request.param
    return found


@pytest.fixture(scope="module")
def shared(way: Way) -> Iterator[FakeSnowflake]:
    fake = FakeSnowflake()
    _seed(fake, way)
    yield fake
    fake.stop()
    assert (fake.telemetry, fake.broken) == ([], [])


@pytest.fixture(scope="module")
def shared_reader(shared: FakeSnowflake, way: Way) -> Iterator[CatalogReader]:
    proxy = ForwardProxy(shared.handle)
    reader = _opened(shared, _target(shared, way.login, proxy))
    yield reader
    reader.close()
    proxy.stop()


@pytest.fixture
def reader(shared_reader: CatalogReader) -> CatalogReader:
    return shared_reader


@pytest.fixture
def expected(way: Way) -> Expected:
    return Expected(
        server_database=_DATABASE,
        user=_USER,
        fold=str.upper,
        types=_TYPES,
        grantee=f"ROLE {_ROLE}",
        tells_gone_from_hidden=False,
        remembers_drops=way.viewer,
        lists_hidden_schemas=way.viewer,
        has_read_only_transactions=False,
    )


@pytest.fixture
def lent(snowflake: FakeSnowflake, way: Way) -> Iterator[LentDatabase]:
    _seed(snowflake, way)
    proxy = ForwardProxy(snowflake.handle)
    target = _target(snowflake, way.login, proxy)
    reader = _opened(snowflake, target)
    yield LentDatabase(
        reader=reader,
        administer=lambda sql: _administer(snowflake, sql),
        write_through=_no_write_through,
        open=lambda: _opened(snowflake, target),
        open_with_password=lambda password: _opened(snowflake, replace(target, secret=SecretStr(password))),
        open_at_host=lambda host: _opened(snowflake, replace(target, host=host, proxy_host=None, proxy_port=None)),
    )
    reader.close()
    proxy.stop()


def test_no_values_are_compared_for_that_would_cost_credits(reader: CatalogReader, shared: FakeSnowflake) -> None:
    table = reader.read().tables[0]
    before = len(shared.statements)
    assert reader.overlaps(table, 100, []) == {}
    assert len(shared.statements) == before


def test_what_needs_a_warehouse_is_known_by_name() -> None:
    of_warehouse = {
        statement.sql for statement in statements.STATEMENTS if statement.purpose.startswith("With the ware")
    }
    assert of_warehouse == statements.NEEDS_WAREHOUSE
