"""What a server may do to a reader: no more than take its time limit, and be refused."""

from __future__ import annotations

import itertools
import struct
import time
from collections.abc import Callable, Iterator

import pytest

from servers.fake_postgres import (
    DONE,
    LOGIN,
    READY,
    TEXT,
    FakeClient,
    FakePostgres,
    columns,
    message,
    notice,
    parameter,
    row,
)
from tests.cases import each_case, verify_all_but
from tests.waiting import LONGEST_SECONDS
from tribal.adapters.postgres.connections import line
from tribal.adapters.postgres.connections.connection import PostgresConnection, open_connection
from tribal.adapters.postgres.connections.line import LARGEST_MESSAGE_BYTES
from tribal.errors import ConnectionLost, DatabaseError, DatabaseUnreachable
from tribal.settings.postgres_target import PostgresTarget, SslMode

LIMIT_SECONDS = 1.0
"""Many times the limit, for a busy machine; without the limit none of these would ever end."""
AUTHENTICATED = message(b"R", struct.pack("!i", 0))

Reply = Callable[[FakeClient], None]


def dripping(start: bytes, part: bytes) -> Reply:
    def reply(client: FakeClient) -> None:
        client.send(start)
        client.drip(itertools.repeat(part), 0.05)

    return reply


def flooding(start: bytes, part: bytes) -> Reply:
    def reply(client: FakeClient) -> None:
        client.send(start)
        while not client.stopped.is_set():
            client.send(part)

    return reply


def saying(*parts: bytes) -> Reply:
    return lambda client: client.send(*parts)


def connect(server: FakePostgres, mode: SslMode = "disable") -> PostgresConnection:
    target = PostgresTarget(host="127.0.0.1", port=server.port, database="d", user="u", ssl_mode=mode)
    return open_connection(target, LIMIT_SECONDS)


@pytest.fixture
def in_time() -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < LONGEST_SECONDS


def asked(reply: Reply, *, most_rows: int = 1000) -> list[list[object]]:
    """What a statement gets from a server that replies so after the login."""

    def script(client: FakeClient) -> None:
        client.hear()
        client.send(LOGIN)
        client.hear()
        reply(client)
        client.hear()

    with FakePostgres(script) as server:
        connection = connect(server)
        try:
            return connection.run("SELECT 1", doing="asking", timeout_seconds=LIMIT_SECONDS, most_rows=most_rows)
        finally:
            connection.close()


def test_the_fake_server_is_understood() -> None:
    assert asked(saying(columns(TEXT, TEXT), row(b"a", None), DONE, READY)) == [["a", None]]


@pytest.mark.usefixtures("in_time")
@verify_all_but(
    2,
    ("start", "part"),
    [
        (message(b"D", length=1000), b"x"),
        (b"", b"N"),
        (b"", notice(b"wait")),
        (b"", parameter("application_name", "x")),
        (columns(TEXT), row(b"x")),
    ],
    ids=["bytes of a row", "bytes of headers", "notices", "settings", "rows"],
)
def test_a_server_that_drips_is_given_the_time_of_the_statement_and_no_more(start: bytes, part: bytes) -> None:
    with pytest.raises((ConnectionLost, DatabaseError)):
        asked(dripping(start, part))


@pytest.mark.usefixtures("in_time")
@verify_all_but(1, "part", [notice(b"wait"), parameter("application_name", "x"), AUTHENTICATED])
def test_a_server_that_drips_is_given_the_time_of_the_login_and_no_more(part: bytes) -> None:
    with FakePostgres(dripping(b"", part)) as server, pytest.raises(DatabaseUnreachable, match=r"within 1 s"):
        connect(server)


@pytest.mark.usefixtures("in_time")
def test_a_handshake_of_tls_that_drips_is_given_the_time_of_the_login_and_no_more() -> None:
    def script(client: FakeClient) -> None:
        client.hear()
        dripping(b"S\x16\x03\x03\x20\x00", b"x")(client)

    with FakePostgres(script) as server, pytest.raises(DatabaseUnreachable, match=r"within 1 s"):
        connect(server, "require")


def test_a_timeout_in_the_middle_of_a_message_is_reported_as_one() -> None:
    with pytest.raises(ConnectionLost, match="stopped answering") as lost:
        asked(dripping(message(b"D", length=100_000), b"x" * 100))
    assert isinstance(lost.value.__cause__, TimeoutError)


@pytest.mark.usefixtures("in_time")
@verify_all_but(
    1, "part", [notice(b"x" * 50_000), parameter("application_name", "x" * 50_000)], ids=["notice", "parameter"]
)
def test_a_flood_next_to_the_answer_is_not_kept_and_ends(part: bytes) -> None:
    def script(client: FakeClient) -> None:
        client.hear()
        client.send(LOGIN)
        client.hear()
        client.send(part * 200, columns(TEXT), DONE, READY)
        client.hear()

    with FakePostgres(script) as server:
        connection = connect(server)
        assert connection.run("SELECT 1", doing="asking", timeout_seconds=LONGEST_SECONDS) == []
        driver = connection._connection
        assert (list(driver.notices), list(driver.notifications), driver.parameter_statuses) == ([], [], {})
        connection.close()
    with pytest.raises(DatabaseError):
        asked(flooding(b"", part))


def test_more_rows_than_were_asked_for_are_an_error() -> None:
    assert len(asked(saying(columns(TEXT), row(b"x") * 5, DONE, READY), most_rows=5)) == 5
    with pytest.raises(DatabaseError, match="more than 5 rows"):
        asked(flooding(columns(TEXT), row(b"x")), most_rows=5)


@pytest.mark.usefixtures("in_time")
@verify_all_but(2, "length", [-(2**31), -5, -1, 0, 1, 3])
def test_a_length_that_no_message_has_is_an_error(length: int) -> None:
    with pytest.raises(ConnectionLost, match="broke"):
        asked(flooding(message(b"D", length=length), b"x" * 65_536))


@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize("length", [LARGEST_MESSAGE_BYTES + 5, 2**31 - 1])
def test_a_message_that_is_too_large_is_an_error_before_it_is_read(length: int) -> None:
    with pytest.raises(DatabaseError, match="64 MB"):
        asked(saying(message(b"D", length=length)))


def test_the_messages_of_one_answer_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "LARGEST_ANSWER_BYTES", 4 << 20)
    with pytest.raises(DatabaseError, match="4 MB as one answer"):
        asked(flooding(b"", notice(b"x" * (1 << 20))))


@each_case("values", [struct.pack("!i", 2**31 - 1), struct.pack("!i", 5) + b"x", struct.pack("!i", 0)[:2], b""])
def test_a_value_that_is_longer_than_its_row_is_an_error(values: bytes) -> None:
    with pytest.raises(ConnectionLost, match="broke"):
        asked(saying(columns(TEXT), message(b"D", b"\0\1" + values), DONE, READY))


def test_values_that_lead_back_into_their_row_are_not_copied_again() -> None:
    back = struct.pack("!i", -1000)
    assert asked(saying(columns(TEXT, TEXT), message(b"D", b"\0\2" + back * 2), DONE, READY)) == [[None, None]]


def test_a_server_that_uses_another_encoding_than_it_was_asked_for_is_refused() -> None:
    with pytest.raises(ConnectionLost, match="broke"):
        asked(saying(parameter("client_encoding", "punycode"), columns(TEXT), row(b"x"), DONE, READY))


def test_more_columns_than_a_statement_can_have_are_refused() -> None:
    with pytest.raises(ConnectionLost, match="broke"):
        asked(saying(columns(*[TEXT] * 1665), DONE, READY))
