"""How an application opens a reader of a database."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from pydantic import SecretStr

from tests.fakes import application
from tribal.app.parts import Databases, postgres_servers
from tribal.errors import ConfigurationError, SecretsUnavailable
from tribal.planning import read_catalog
from tribal.ports import Provider, Secrets
from tribal.settings.dsn import entry_target
from tribal.settings.postgres_target import PostgresTarget
from tribal_contracts import DatabaseEntry

ENTRY = DatabaseEntry(name="shop", host="h", database="shop", user="reader", password_secret="shop/password")


def target(entry: DatabaseEntry) -> PostgresTarget:
    return entry_target(entry, {})


def databases(secrets: Callable[[], Secrets]) -> Databases:
    return Databases(Provider(secrets), target, "create it", Provider(partial(postgres_servers, lambda limit: limit)))


class SilentSecrets:
    def get(self, name: str) -> SecretStr | None:
        raise SecretsUnavailable(f"nobody answers for {name!r}")

    refresh = get


class NoSecrets:
    def get(self, name: str) -> SecretStr | None:  # noqa: ARG002 - the port's signature
        return None

    refresh = get


def test_a_database_whose_password_no_one_hands_out_is_recorded_as_unreachable() -> None:
    open_reader = databases(SilentSecrets).open_reader
    reading = read_catalog(ENTRY, application(open_reader=open_reader), "run")
    assert reading.status == "unreachable"
    assert [(error.code, error.message) for error in reading.errors] == [
        ("PLAN_DB_UNREACHABLE", "nobody answers for 'shop/password'")
    ]


def test_a_secret_that_is_not_there_names_the_database_and_the_hint() -> None:
    with pytest.raises(ConfigurationError, match="'shop/password' of database 'shop' is missing; create it"):
        databases(NoSecrets).open_reader(ENTRY)
