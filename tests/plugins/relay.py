"""A way to a server that a test can cut, silence, lead elsewhere or speak TLS on."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from servers import relay
from servers.programs import ProgramMissing
from servers.tls import make_certificate
from tests.plugins.postgres import NO_ENVIRONMENT
from tests.plugins.skips import skip_or_fail
from tribal.settings.dsn import parse_dsn
from tribal.settings.postgres_target import PostgresTarget


class Relay(relay.Relay):
    """A relay that says how a database is reached through it."""

    def target(self, dsn: str) -> PostgresTarget:
        """The same database through this relay."""
        return replace(parse_dsn(dsn, NO_ENVIRONMENT), port=self.port)


MakeRelay = Callable[..., Relay]


@pytest.fixture
def relay_to() -> Iterator[MakeRelay]:
    """Makes relays to the server of a DSN that are closed after the test."""
    relays: list[Relay] = []

    def make(dsn: str, tls: ssl.SSLContext | None = None) -> Relay:
        relays.append(Relay(parse_dsn(dsn, NO_ENVIRONMENT).port, tls))
        return relays[-1]

    yield make
    for one in relays:
        one.close()


@pytest.fixture(scope="session")
def closed_port() -> Iterator[int]:
    """A port on which no one listens, and which no one else is given meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for `localhost` that is its own authority, with its key."""
    try:
        return make_certificate(tmp_path_factory.mktemp("tls"))
    except ProgramMissing as missing:
        skip_or_fail(str(missing))
