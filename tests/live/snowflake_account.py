"""The contract of `CatalogReader` on a real Snowflake account, and how its listings differ from the stand-in's.

`TRIBAL_LIVE=1 TRIBAL_LIVE_SNOWFLAKE='snowflake://admin@account/ANY?...' make live` runs it; pytest does not collect it
by itself. The user of that DSN has to be allowed to create databases, roles and users (`ACCOUNTADMIN`); its warehouse
is used for some minutes. What is made is named `TRIBAL_LIVE_...` and dropped in the end.
"""

from __future__ import annotations

import os
import re
import uuid
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from pydantic import SecretStr

from tests.conformance.catalog_reader import *  # noqa: F403
from tests.conformance.catalog_reader import SALES_COMMENT, SEED, Expected, LentDatabase, SeedTable
from tests.conformance.catalog_reader_access import *  # noqa: F403
from tests.fakes.snowflake import FakeSnowflake
from tests.fakes.snowflake.connecting import ask, connect, shop
from tribal.adapters.snowflake import statements
from tribal.adapters.snowflake.catalog import SnowflakeCatalog
from tribal.adapters.snowflake.connections.connection import SnowflakeConnection, open_connection
from tribal.ports import CatalogReader
from tribal.settings.snowflake.dsn import parse_snowflake_dsn
from tribal.settings.snowflake.target import SnowflakeTarget
from tribal.sql.dialect import quote_identifier

SWITCH, ADDRESS = "TRIBAL_LIVE", "TRIBAL_LIVE_SNOWFLAKE"
_TYPES = {"integer": "NUMBER(38,0)", "text": "VARCHAR(16777216)"}
_LONGEST_SECONDS = 120.0
_BETWEEN_STATEMENTS = re.compile(r";(?=(?:[^']*'[^']*')*[^']*\Z)")
pytestmark = pytest.mark.skipif(
    os.environ.get(SWITCH) != "1" or not os.environ.get(ADDRESS), reason=f"set {SWITCH}=1 and {ADDRESS}"
)


@dataclass
class Account:
    """A seeded database of a real account, with a role and a user that reads it."""

    admin: SnowflakeConnection
    target: SnowflakeTarget

    @property
    def database(self) -> str:
        """Its name, which is that of its role and its user too."""
        return self.target.database

    def administer(self, script: str) -> None:
        """Run statements as the administrator, in the database."""
        for sql in filter(str.strip, _BETWEEN_STATEMENTS.split(script)):
            self.admin.ask(sql, "administering", _LONGEST_SECONDS)

    def open(self, **more: Any) -> SnowflakeCatalog:
        """A reader."""
        return SnowflakeCatalog(replace(self.target, **more), may_sample=True, settled_after_hours=0)


def _made() -> Account:
    admin_target = parse_snowflake_dsn(os.environ[ADDRESS])
    if admin_target.key_file is not None:
        admin_target = replace(admin_target, secret=SecretStr(admin_target.key_file.read_text()))
    elif admin_target.secret_name is not None:
        admin_target = replace(admin_target, secret=SecretStr(os.environ[admin_target.secret_name]))
    admin, _ = open_connection(admin_target, _LONGEST_SECONDS, _LONGEST_SECONDS)
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = f"TRIBAL_LIVE_{uuid.uuid4().hex[:8].upper()}"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    target = replace(
        admin_target,
        database=name,
        role=name,
        user=name,
        login="key_pair",
        secret=SecretStr(private),
        secret_name=None,
        key_file=None,
        passphrase_name=None,
        workload_provider=None,
    )
    account = Account(admin, target)
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    account.administer(_seed(name, target.warehouse or "", b64encode(public).decode()))
    return account


def _seed(name: str, warehouse: str, public_key: str) -> str:
    parts = [
        f"CREATE DATABASE {name}; USE DATABASE {name}; CREATE ROLE {name}",
        f"CREATE USER {name} TYPE = SERVICE DEFAULT_ROLE = {name} RSA_PUBLIC_KEY = '{public_key}'",
        f"GRANT ROLE {name} TO USER {name}; GRANT USAGE ON DATABASE {name} TO ROLE {name}",
        f"GRANT USAGE ON WAREHOUSE {quote_identifier(warehouse, 'snowflake')} TO ROLE {name}",
        f"GRANT DATABASE ROLE SNOWFLAKE.GOVERNANCE_VIEWER TO ROLE {name}",
        f"CREATE SCHEMA sales COMMENT = '{SALES_COMMENT}'; CREATE SCHEMA depot; CREATE SCHEMA vault",
        f"GRANT USAGE ON SCHEMA sales TO ROLE {name}; GRANT USAGE ON SCHEMA depot TO ROLE {name}",
        *(_created(seed) for seed in SEED if seed.kind == "table"),
        "CREATE VIEW sales.open_orders COMMENT = 'Orders of every region.' "
        "AS SELECT region, order_no FROM sales.orders",
        "CREATE TABLE vault.secret (id NUMBER(38,0) PRIMARY KEY)",
        *(_references(seed) for seed in SEED if seed.foreign_keys),
        "INSERT INTO sales.customer SELECT n, REPEAT('n', 1000), NULLIF(n - 1, 0) FROM "
        "(SELECT ROW_NUMBER() OVER (ORDER BY SEQ4()) AS n FROM TABLE(GENERATOR(ROWCOUNT => 30)))",
        "INSERT INTO sales.orders SELECT n, IFF(n % 2 = 0, 'east', 'west'), n, NULL FROM "
        "(SELECT ROW_NUMBER() OVER (ORDER BY SEQ4()) AS n FROM TABLE(GENERATOR(ROWCOUNT => 30)))",
        "INSERT INTO depot.no_key SELECT n, 'note ' || n FROM "
        "(SELECT ROW_NUMBER() OVER (ORDER BY SEQ4()) AS n FROM TABLE(GENERATOR(ROWCOUNT => 30)))",
        "INSERT INTO depot.closed VALUES (1); INSERT INTO vault.secret VALUES (1)",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA sales TO ROLE {name}",
        f"GRANT SELECT ON ALL VIEWS IN SCHEMA sales TO ROLE {name}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA depot TO ROLE {name}",
        f"REVOKE SELECT ON TABLE depot.closed FROM ROLE {name}",
        f"GRANT REFERENCES ON TABLE depot.closed TO ROLE {name}",
    ]
    return ";".join(parts)


def _name(seed: SeedTable) -> str:
    return f"{seed.schema}.{quote_identifier(seed.name, 'snowflake') if seed.quoted else seed.name}"


def _text(text: str | None) -> str:
    return "" if text is None else " COMMENT '" + text.replace("'", "''") + "'"


def _created(seed: SeedTable) -> str:
    columns = [f"{c.name} {_TYPES[c.type]}{'' if c.nullable else ' NOT NULL'}{_text(c.comment)}" for c in seed.columns]
    key = [f"PRIMARY KEY ({', '.join(seed.primary_key)})"] if seed.primary_key else []
    comment = _text(seed.comment).replace(" COMMENT ", " COMMENT = ", 1)
    return f"CREATE TABLE {_name(seed)} ({', '.join([*columns, *key])}){comment}"


def _references(seed: SeedTable) -> str:
    return ";".join(
        f"ALTER TABLE {_name(seed)} ADD FOREIGN KEY ({', '.join(key.columns)}) "
        f"REFERENCES {seed.schema}.{key.table} ({', '.join(key.references)})"
        for key in seed.foreign_keys
    )


@pytest.fixture(scope="module")
def shared() -> Iterator[Account]:
    account = _made()
    yield account
    _remove(account)


def _remove(account: Account) -> None:
    name = account.database
    account.administer(f"DROP DATABASE {name}; DROP USER {name}; DROP ROLE {name}")
    account.admin.close()


@pytest.fixture
def own() -> Iterator[Account]:
    account = _made()
    yield account
    _remove(account)


@pytest.fixture
def reader(shared: Account) -> Iterator[CatalogReader]:
    reader = shared.open()
    yield reader
    reader.close()


@pytest.fixture
def expected(request: pytest.FixtureRequest) -> Expected:
    account: Account = request.getfixturevalue("own" if "lent" in request.fixturenames else "shared")
    return Expected(
        server_database=account.database,
        user=account.database,
        fold=str.upper,
        types=_TYPES,
        grantee=f"ROLE {account.database}",
        tells_gone_from_hidden=False,
        # ACCOUNT_USAGE lags behind by hours.
        remembers_drops=False,
        lists_hidden_schemas=False,
        has_read_only_transactions=False,
    )


@pytest.fixture
def lent(own: Account) -> Iterator[LentDatabase]:
    reader = own.open()
    yield LentDatabase(
        reader=reader,
        administer=own.administer,
        write_through=lambda _reader, _sql: None,
        open=own.open,
        open_with_password=lambda password: own.open(login="password", secret=SecretStr(password)),
        open_at_host=lambda host: own.open(host=host),
    )
    reader.close()


def test_the_stand_in_lists_with_the_same_fields_in_the_same_order(shared: Account, snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake) as standing_in:
        told = {
            template: list(ask(standing_in, _listing(template, "SHOP"))[0])
            for template in (statements.SCHEMAS, statements.TABLES, statements.VIEWS, statements.COLUMNS)
        }
    for template, fields in told.items():
        places = shared.admin.ask(_listing(template, shared.database), "comparing", _LONGEST_SECONDS).places
        assert sorted(places, key=places.__getitem__) == fields, template


def _listing(template: str, database: str) -> str:
    return template.format(scope="DATABASE", place=database)
