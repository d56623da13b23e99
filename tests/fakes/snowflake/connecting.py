"""A small shop in an account, and the real connector's connections to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import snowflake.connector
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_private_key,
)
from snowflake.connector import DictCursor, SnowflakeConnection

from tests.fakes.snowflake.catalog import Column, ForeignKey, Key, Relation
from tests.fakes.snowflake.server import FakeSnowflake

ROLE = "TRIBAL_READER"
USER = "TRIBAL"
PASSWORD = "correct horse"
WAREHOUSE = "TRIBAL_WH"


@dataclass(frozen=True)
class KeyPair:
    """An RSA key as a user registers it and as a client holds it."""

    private: bytes
    """PKCS#8, DER."""
    public: str
    """PEM."""


@cache
def key_pair(number: int = 0) -> KeyPair:
    """One of some keys, each made once in a process."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    return KeyPair(key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()), public)


def private_key_pem() -> str:
    """The private key of the shop's user, as a secret holds it."""
    key = load_der_private_key(key_pair().private, None)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def shop(fake: FakeSnowflake) -> None:
    """A database with two tables, a view, a warehouse, and a user whose role sees their structure."""
    account = fake.account
    account.user(USER, ROLE, password=PASSWORD, public_keys=[key_pair().public])
    account.warehouse(WAREHOUSE)
    public = account.database("SHOP").schema("PUBLIC")
    public.table(
        "CUSTOMERS",
        [
            Column("ID", "NUMBER", nullable=False, identity="IDENTITY START 1 INCREMENT 1 NOORDER"),
            Column("EMAIL", "VARCHAR(200)", comment="Where letters go."),
        ],
        primary_key=Key(("ID",), "CUSTOMERS_PK"),
        comment="Who buys.",
        rows=[(n, f"{n}@example.com") for n in range(1, 21)],
    )
    public.table(
        "ORDERS",
        ["ID NUMBER", "CUSTOMER_ID NUMBER", "PLACED TIMESTAMP_TZ"],
        foreign_keys=[ForeignKey(("CUSTOMER_ID",), ("SHOP", "PUBLIC", "CUSTOMERS"), ("ID",), "TO_CUSTOMERS")],
    )
    public.view("RECENT", "create view RECENT as select ID from ORDERS", ["ID NUMBER"])
    account.grant(ROLE, "USAGE", "DATABASE", "SHOP")
    account.grant(ROLE, "USAGE", "SCHEMA", "SHOP", "PUBLIC")
    account.grant(ROLE, "USAGE", "WAREHOUSE", WAREHOUSE)
    for relation in public.relations.values():
        see(fake, relation, "SHOP", "PUBLIC")


def see(fake: FakeSnowflake, relation: Relation, *schema: str, privilege: str = "REFERENCES") -> None:
    """Let the role see a table or view."""
    fake.account.grant(ROLE, privilege, relation.granted_on, *schema, relation.name)


def connect(fake: FakeSnowflake, **more: Any) -> SnowflakeConnection:
    """A connection of the shop's user, by its key unless the arguments say otherwise."""
    arguments: dict[str, Any] = {
        "account": fake.account.name,
        "user": USER,
        "role": ROLE,
        "host": "127.0.0.1",
        "port": fake.port,
        "protocol": "http",
        "login_timeout": 10,
        "query_timeout": 10,
        "request_timeout": 10,
        "client_store_temporary_credential": False,
        "enable_server_session_keep_alive_auto_detection": False,
        "session_parameters": {
            "CLIENT_TELEMETRY_ENABLED": False,
            "PYTHON_CONNECTOR_QUERY_RESULT_FORMAT": "JSON",
            "QUERY_TAG": "tribal",
            "TIMEZONE": "UTC",
        },
        **({} if {"password", "token", "authenticator"} & more.keys() else {"private_key": key_pair().private}),
        **more,
    }
    return snowflake.connector.connect(**arguments)


def ask(connection: SnowflakeConnection, sql: str, **more: Any) -> list[dict[str, Any]]:
    """All rows of a statement, by column."""
    with connection.cursor(DictCursor) as cursor:
        cursor.execute(sql, **more)
        rows: list[dict[str, Any]] = cursor.fetchall()
        return rows


def names(connection: SnowflakeConnection, sql: str, column: str = "name") -> list[Any]:
    """One column of a statement's rows."""
    return [row[column] for row in ask(connection, sql)]
