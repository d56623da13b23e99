"""One server, several databases: how many connections are open at once, and when a server is left alone."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import repeat

import pytest
from pydantic import SecretStr

from tests.plugins.postgres import NO_ENVIRONMENT, FreshDatabase, administer, connected, login, unique_name
from tests.plugins.relay import MakeRelay
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.adapters.postgres.connections.server import PostgresServer, PostgresServers
from tribal.errors import DatabaseUnreachable, LoginRefused, ServerUnavailable
from tribal.settings.dsn import parse_dsn
from tribal.settings.postgres_target import PostgresTarget
from tribal_demo.server.postgres import EmbeddedServer

_PASSWORD = "S3cret-Horse-Battery"
_TABLE = "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1); GRANT SELECT ON t TO PUBLIC"

Targets = Callable[[int, int], list[PostgresTarget]]


@pytest.fixture
def targets(fresh_database: FreshDatabase) -> Targets:
    """Databases on one server, and a user with a limit of connections that the server itself keeps."""

    def make(number: int, most: int) -> list[PostgresTarget]:
        user = unique_name("limited")
        databases = [fresh_database(_TABLE) for _ in range(number)]
        administer(databases[0], f"CREATE ROLE {user} LOGIN PASSWORD '{_PASSWORD}' CONNECTION LIMIT {most}")
        return [parse_dsn(login(dsn, user, _PASSWORD), NO_ENVIRONMENT) for dsn in databases]

    return make


def _reader(target: PostgresTarget, server: PostgresServer) -> PostgresCatalog:
    return PostgresCatalog(target, server=server, pause=lambda _: pytest.fail("the server had no room"))


def test_readers_of_several_databases_share_the_connections_of_their_server(targets: Targets) -> None:
    server = PostgresServer(2)
    readers = [_reader(target, server) for target in targets(3, 2)]
    tables = [reader.read().tables[0] for reader in readers]
    failures: list[BaseException] = []

    def sample(place: int) -> None:
        try:
            for _ in range(5):
                assert readers[place].sample(tables[place], 1).rows == (("1",),)
        except BaseException as error:  # noqa: BLE001 - threads swallow errors
            failures.append(error)

    threads = [threading.Thread(target=sample, args=(number % 3,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_an_idle_connection_makes_room_for_one_to_another_database(targets: Targets) -> None:
    server = PostgresServer(1)
    readers = [_reader(target, server) for target in targets(2, 1)]
    for _ in range(10):
        assert [len(reader.read().tables) for reader in readers] == [1, 1]


def test_a_closed_connection_no_longer_counts_for_its_server(targets: Targets, postgres_server: EmbeddedServer) -> None:
    (target,) = targets(1, 4)
    with connected(postgres_server.dsn()) as observer:
        for _ in range(40):
            reader = PostgresCatalog(target)
            reader.read()
            reader.close()
            ours = observer.run("SELECT pid FROM pg_stat_activity WHERE usename = :user", user=target.user)
            assert ours == []


def test_a_database_keeps_its_connection_while_no_other_needs_it(targets: Targets, relay_to: MakeRelay) -> None:
    (target,) = targets(1, 2)
    assert target.password is not None
    relay = relay_to(f"postgresql://{target.user}:{target.password.get_secret_value()}@localhost:{target.port}/x")
    reader = _reader(replace(target, port=relay.port), PostgresServer(2))
    for _ in range(3):
        reader.read()
    assert relay.accepted == 1


def test_the_lowest_limit_of_a_servers_databases_holds_and_other_servers_have_their_own(targets: Targets) -> None:
    one, other = targets(2, 1)
    servers = PostgresServers(lambda limit: limit)
    shared = servers.of(one, 4)
    assert servers.of(other, 1) is shared
    readers = [_reader(one, shared), _reader(other, shared)]
    assert [len(reader.read().tables) for reader in readers] == [1, 1]
    assert servers.of(replace(one, port=one.port + 1), 4) is not shared


def test_a_server_without_room_is_not_asked_again_until_it_is_said(targets: Targets) -> None:
    (target,) = targets(1, 1)
    server, waited = PostgresServer(4), list[float]()
    holder = PostgresCatalog(target)
    with holder.transaction("holding on"):
        reader = PostgresCatalog(target, server=server, pause=waited.append)
        with pytest.raises(ServerUnavailable, match="too many connections"):
            reader.read()
        asked = len(waited)
        assert asked > 0
        with pytest.raises(ServerUnavailable, match="too many connections"):
            PostgresCatalog(target, server=server, pause=waited.append).read()
        assert len(waited) == asked
    holder.close()
    server.ask_again()
    assert len(reader.read().tables) == 1


def _closed_port() -> PostgresTarget:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    return PostgresTarget(host="127.0.0.1", port=port, database="d", user="u", password=SecretStr(_PASSWORD))


def _refusals(server: PostgresServer, targets: list[PostgresTarget]) -> list[type[BaseException]]:
    kinds: list[type[BaseException]] = []
    for target in targets:
        with pytest.raises((DatabaseUnreachable, LoginRefused)) as error:
            PostgresCatalog(target, server=server, pause=lambda _: None).read()
        kinds.append(type(error.value))
    return kinds


def test_a_server_that_refuses_three_times_running_is_not_asked_again() -> None:
    server = PostgresServer(4)
    refusals = _refusals(server, list(repeat(_closed_port(), 4)))
    assert refusals == [DatabaseUnreachable, DatabaseUnreachable, ServerUnavailable, ServerUnavailable]
    with pytest.raises(ServerUnavailable):
        server.check()


def test_refusals_with_an_answer_in_between_are_not_running(targets: Targets) -> None:
    server, (target,) = PostgresServer(4), targets(1, 2)
    for _ in range(2):
        _refusals(server, list(repeat(_closed_port(), 2)))
        assert len(_reader(target, server).read().tables) == 1


def test_what_is_refused_to_one_user_or_database_says_nothing_about_the_server(targets: Targets) -> None:
    (target,) = targets(1, 2)
    wrong = [replace(target, password=SecretStr("wrong")), replace(target, database="not_there")] * 3
    assert set(_refusals(PostgresServer(4), wrong)) == {LoginRefused}
