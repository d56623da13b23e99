"""How an application opens a reader of a database."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pydantic import SecretStr

from tests.fakes import FixedClock, MemoryStore
from tribal.app.local import opener_with
from tribal.errors import ConfigurationError, SecretsUnavailable
from tribal.planning import read_catalog
from tribal_contracts import DatabaseEntry

ENTRY = DatabaseEntry(name="shop", host="h", database="shop", user="reader", password_secret="shop/password")


class SilentSecrets:
    def get(self, name: str) -> SecretStr | None:
        raise SecretsUnavailable(f"nobody answers for {name!r}")

    refresh = get


class NoSecrets:
    def get(self, name: str) -> SecretStr | None:  # noqa: ARG002 - the port's signature
        return None

    refresh = get


def test_a_database_whose_password_nobody_hands_out_is_recorded_as_unreachable() -> None:
    open_reader = opener_with(SilentSecrets(), {}, "make it")
    reading = read_catalog(
        ENTRY,
        open_reader=lambda: open_reader(ENTRY),
        store=MemoryStore(),
        clock=FixedClock(),
        run_id="run",
        statistics_max_age=timedelta(days=1),
    )
    assert reading.status == "unreachable"
    assert [(error.code, error.message) for error in reading.errors] == [
        ("PLAN_DB_UNREACHABLE", "nobody answers for 'shop/password'")
    ]


def test_a_secret_that_is_not_there_names_the_database_and_the_hint() -> None:
    with pytest.raises(ConfigurationError, match="'shop/password' of database 'shop' is not there; make it"):
        opener_with(NoSecrets(), {}, "make it")(ENTRY)
