"""How `PostgresCatalog` connects, and what it does when the way to the server breaks."""

from __future__ import annotations

import socket
import ssl
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from pydantic import SecretStr

from servers.tls import tls_context
from tests.cases import each_case
from tests.plugins.postgres import (
    NO_ENVIRONMENT,
    FreshDatabase,
    administer,
    connected,
    login,
    start_server,
    unique_name,
)
from tests.plugins.relay import MakeRelay, Relay
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.adapters.postgres.connections.server import PostgresServer
from tribal.errors import (
    ConnectionLost,
    DatabaseError,
    DatabaseUnreachable,
    LoginRefused,
    ServerUnavailable,
    StatementTimedOut,
)
from tribal.settings.dsn import parse_dsn
from tribal.settings.postgres_target import SSL_MODES, PostgresTarget
from tribal_contracts import DatabaseLimits
from tribal_demo.server.postgres import EmbeddedServer

_PASSWORD = "S3cret-Horse-Battery"


@pytest.fixture
def dsn(fresh_database: FreshDatabase) -> str:
    return fresh_database("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)")


def _fails(target: PostgresTarget, kind: type[DatabaseError], **limits: float) -> str:
    catalog = PostgresCatalog(target, DatabaseLimits.model_validate(limits), pause=lambda _: None)
    with pytest.raises(kind) as error:
        catalog.read()
    assert type(error.value) is kind
    catalog.close()
    told = error.value.message + repr(error.value) + str(error.value.context)
    assert _PASSWORD not in told
    return error.value.message


def test_nothing_is_connected_before_the_first_read(dsn: str, relay_to: MakeRelay) -> None:
    relay = relay_to(dsn)
    catalog = PostgresCatalog(relay.target(dsn))
    catalog.statements()
    assert relay.accepted == 0
    catalog.read()
    catalog.read()
    catalog.access()
    catalog.close()
    assert relay.accepted == 1


@pytest.mark.server
def test_a_server_restarted_between_two_reads_is_not_noticed(tmp_path: Path, relay_to: MakeRelay) -> None:
    with start_server(tmp_path / "data") as first:
        relay = relay_to(first.dsn())
        catalog = PostgresCatalog(relay.target(first.dsn()))
        before = catalog.read()
    with start_server(tmp_path / "data") as second:
        relay.server_port = parse_dsn(second.dsn(), NO_ENVIRONMENT).port
        assert catalog.read() == before
        assert relay.accepted == 2
        catalog.close()


def test_a_killed_session_is_replaced_once_and_transparently(dsn: str, relay_to: MakeRelay) -> None:
    relay = relay_to(dsn)
    catalog = PostgresCatalog(relay.target(dsn))
    before = catalog.read()
    administer(dsn, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'tribal'")
    assert catalog.read() == before
    assert relay.accepted == 2
    catalog.close()


def test_a_connection_cut_in_the_middle_is_lost_and_the_next_read_has_a_new_one(dsn: str, relay_to: MakeRelay) -> None:
    relay = relay_to(dsn)
    catalog = PostgresCatalog(relay.target(dsn))

    def count_sheep() -> None:
        with catalog.transaction("counting sheep") as session:
            relay.cut()
            session.run("SELECT 1")

    with pytest.raises(ConnectionLost, match="while counting sheep"):
        count_sheep()
    assert len(catalog.read().tables) == 1
    catalog.close()


def test_a_server_that_falls_silent_is_given_up_after_the_connect_timeout(dsn: str, relay_to: MakeRelay) -> None:
    relay = relay_to(dsn)
    catalog = PostgresCatalog(relay.target(dsn), DatabaseLimits(connect_timeout_seconds=0.3))
    catalog.read()
    relay.silence()
    with pytest.raises(DatabaseUnreachable, match=r"No answer within 0\.3 s"):
        catalog.read()
    catalog.close()


def test_at_most_the_configured_number_of_connections_is_open(dsn: str, relay_to: MakeRelay) -> None:
    relay = relay_to(dsn)
    catalog = PostgresCatalog(relay.target(dsn), DatabaseLimits(connections=2))
    (table,) = catalog.read().tables
    threads = [threading.Thread(target=catalog.sample, args=(table, 1)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= relay.accepted <= 2
    catalog.close()


def test_waiting_for_a_free_connection_has_an_end(dsn: str) -> None:
    catalog = PostgresCatalog(parse_dsn(dsn, NO_ENVIRONMENT), server=PostgresServer(1, wait_seconds=0.1))
    with catalog.transaction("holding on"), pytest.raises(StatementTimedOut, match="became free"):
        catalog.transaction("waiting").__enter__()
    assert len(catalog.read().tables) == 1
    catalog.close()


def test_after_an_error_of_the_server_the_same_connection_is_used_again(dsn: str, relay_to: MakeRelay) -> None:
    relay = relay_to(dsn)
    catalog = PostgresCatalog(relay.target(dsn))
    for _ in range(3):
        with pytest.raises(DatabaseError, match="22012"), catalog.transaction("dividing") as session:
            session.run("SELECT 1 / 0")
    assert len(catalog.read().tables) == 1
    assert relay.accepted == 1
    catalog.close()


def test_an_error_shows_the_servers_words_only_where_they_quote_no_row(dsn: str) -> None:
    catalog = PostgresCatalog(parse_dsn(dsn, NO_ENVIRONMENT))
    with pytest.raises(DatabaseError) as error, catalog.transaction("converting") as session:
        session.run("SELECT 'ann.example@example.com'::int")
    assert "SQLSTATE 22P02" in error.value.message
    assert "ann.example" not in error.value.message + str(error.value.context)
    with (
        pytest.raises(DatabaseError, match='"nowhere" does not exist') as error,
        catalog.transaction("asking") as session,
    ):
        session.run(f"SELECT nowhere, '{'x' * 5000}' AS \"{'y' * 60}\" FROM pg_class")
    assert len(error.value.message) < 600
    with pytest.raises(DatabaseError) as error, catalog.transaction("raising") as session:
        session.run("DO $$ BEGIN RAISE 'line%line', chr(10) || repeat('x', 5000) USING DETAIL = 'the row'; END $$")
    assert "\n" not in error.value.message
    assert "line" not in error.value.message
    assert "the row" not in error.value.message
    catalog.close()


def test_an_unknown_database_a_wrong_user_and_a_missing_password_are_refused_with_what_to_do(
    dsn: str, postgres_server: EmbeddedServer
) -> None:
    target = replace(parse_dsn(dsn, NO_ENVIRONMENT), password=SecretStr(_PASSWORD))
    message = _fails(target, LoginRefused)
    for part in (target.host, str(target.port), repr(target.database), repr(target.user), "password"):
        assert part in message
    assert "PGPASSWORD" in _fails(replace(target, password=None), LoginRefused)
    message = _fails(parse_dsn(postgres_server.dsn("no such database"), NO_ENVIRONMENT), LoginRefused)
    assert "'no such database'" in message
    assert "name of the database" in message


def test_a_database_without_the_right_to_connect_is_refused_with_the_grant(fresh_database: FreshDatabase) -> None:
    user = unique_name("outside")
    dsn = fresh_database(f"CREATE ROLE {user} LOGIN PASSWORD '{_PASSWORD}'")
    name = dsn.rpartition("/")[2]
    administer(dsn, f"REVOKE CONNECT ON DATABASE {name} FROM PUBLIC")
    message = _fails(parse_dsn(login(dsn, user, _PASSWORD), NO_ENVIRONMENT), LoginRefused)
    assert f"GRANT CONNECT ON DATABASE {name} TO {user};" in message


def test_a_server_without_free_slots_is_unreachable_for_now(fresh_database: FreshDatabase) -> None:
    user = unique_name("one")
    dsn = fresh_database(f"CREATE ROLE {user} LOGIN PASSWORD '{_PASSWORD}' CONNECTION LIMIT 1")
    own = login(dsn, user, _PASSWORD)
    with connected(own):
        assert "too many connections" in _fails(parse_dsn(own, NO_ENVIRONMENT), ServerUnavailable)


def test_a_closed_port_a_missing_socket_and_another_protocol_are_unreachable(tmp_path: Path, closed_port: int) -> None:
    target = PostgresTarget(host="127.0.0.1", port=closed_port, database="d", user="u", password=SecretStr(_PASSWORD))
    assert "Nothing listens" in _fails(target, DatabaseUnreachable)
    message = _fails(replace(target, unix_socket=str(tmp_path / ".s.PGSQL.5432")), DatabaseUnreachable)
    assert str(tmp_path) in message


@each_case("mode", ["disable", "prefer"])
@each_case("greeting", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-x\r\n", b"", b"R\x00\x00\x00\x04Zzzzzzz"])
def test_what_does_not_speak_the_protocol_is_unreachable(mode: str, greeting: bytes) -> None:
    def answer() -> None:
        with suppress(OSError):
            for _ in range(2):
                client, _ = listener.accept()
                client.recv(1000)
                client.sendall(greeting)
                client.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=answer, daemon=True).start()
        port = listener.getsockname()[1]
        dsn = f"postgresql://u:{_PASSWORD}@127.0.0.1:{port}/d?sslmode={mode}"
        _fails(parse_dsn(dsn, NO_ENVIRONMENT), DatabaseUnreachable, connect_timeout_seconds=2.0)


def test_the_unix_socket_needs_no_password(postgres_server: EmbeddedServer) -> None:
    catalog = PostgresCatalog(parse_dsn(postgres_server.socket_dsn(), NO_ENVIRONMENT))
    assert catalog.access().user == "postgres"
    catalog.close()


def test_a_password_that_was_changed_is_asked_for_again_once(fresh_database: FreshDatabase) -> None:
    user = unique_name("renewed")
    dsn = fresh_database(f"CREATE ROLE {user} LOGIN PASSWORD 'new'")
    answers = [SecretStr("new")]
    target = parse_dsn(login(dsn, user, "old"), NO_ENVIRONMENT)
    catalog = PostgresCatalog(target, renew_password=lambda: answers.pop())
    assert catalog.access().user == user
    catalog.close()
    with pytest.raises(LoginRefused):
        PostgresCatalog(target, renew_password=lambda: SecretStr("old")).read()
    with pytest.raises(LoginRefused):
        PostgresCatalog(target, renew_password=lambda: None).read()


def test_a_password_that_scram_would_refuse_to_prepare_is_accepted_as_psql_accepts_it(
    fresh_database: FreshDatabase,
) -> None:
    for password in ("\N{GRINNING FACE}", "a\tb", "aא1ב", "\N{NO-BREAK SPACE}ü"):
        user = unique_name("odd")
        dsn = fresh_database(f"CREATE ROLE {user} LOGIN PASSWORD '{password}'")
        catalog = PostgresCatalog(parse_dsn(login(dsn, user, quote(password)), NO_ENVIRONMENT))
        assert catalog.access().user == user
        catalog.close()
        with pytest.raises(LoginRefused):
            PostgresCatalog(parse_dsn(login(dsn, user, quote(f"{password}!")), NO_ENVIRONMENT)).read()


@pytest.fixture
def tls_relay(dsn: str, certificate: Path, relay_to: MakeRelay) -> Relay:
    return relay_to(dsn, tls_context(certificate))


def test_tls_is_used_and_checked_as_far_as_the_mode_says(dsn: str, tls_relay: Relay, certificate: Path) -> None:
    target = replace(tls_relay.target(dsn), host="localhost")
    modes = (
        replace(target, ssl_mode="prefer"),
        replace(target, ssl_mode="require"),
        replace(target, ssl_mode="require", ssl_root_certificate=certificate),
        replace(target, ssl_mode="verify-ca", ssl_root_certificate=certificate, host="127.0.0.1"),
        replace(target, ssl_mode="verify-full", ssl_root_certificate=certificate),
    )
    for mode in modes:
        catalog = PostgresCatalog(mode)
        assert len(catalog.read().tables) == 1
        catalog.close()


def test_a_certificate_that_does_not_fit_is_refused(
    dsn: str, tls_relay: Relay, certificate: Path, tmp_path: Path
) -> None:
    target = replace(tls_relay.target(dsn), host="localhost")
    for mode in ("verify-ca", "verify-full"):
        assert "could not be verified" in _fails(replace(target, ssl_mode=mode), LoginRefused)
    other_host = replace(target, host="127.0.0.1", ssl_mode="verify-full", ssl_root_certificate=certificate)
    assert "could not be verified" in _fails(other_host, LoginRefused)
    (tmp_path / "empty").write_text("")
    unreadable = replace(target, ssl_mode="verify-ca", ssl_root_certificate=tmp_path / "empty")
    assert "sslrootcert" in _fails(unreadable, LoginRefused)


def test_hostaddr_is_connected_to_and_the_certificate_still_has_the_name_of_the_host(
    dsn: str, tls_relay: Relay, certificate: Path
) -> None:
    target = replace(tls_relay.target(dsn), host_address="127.0.0.1", ssl_root_certificate=certificate)
    catalog = PostgresCatalog(replace(target, host="localhost", ssl_mode="verify-full"))
    assert len(catalog.read().tables) == 1
    catalog.close()
    other = replace(target, host="elsewhere.example", ssl_mode="verify-full")
    assert "could not be verified" in _fails(other, LoginRefused)


def test_limits_on_versions_of_tls_and_lists_of_revoked_certificates_are_kept(
    dsn: str, certificate: Path, relay_to: MakeRelay, tmp_path: Path
) -> None:
    old = tls_context(certificate)
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    target = replace(
        relay_to(dsn, old).target(dsn), host="localhost", ssl_mode="verify-full", ssl_root_certificate=certificate
    )
    _fails(replace(target, tls_versions=("TLSv1.3", None)), DatabaseUnreachable)
    catalog = PostgresCatalog(replace(target, tls_versions=("TLSv1.2", "TLSv1.2")))
    assert len(catalog.read().tables) == 1
    catalog.close()
    # A list that is not one, and one without the authority's entry.
    (tmp_path / "empty").write_text("")
    assert "sslcrl" in _fails(replace(target, ssl_revocation_list=tmp_path / "empty"), LoginRefused)
    assert "could not be verified" in _fails(replace(target, ssl_revocation_list=certificate), LoginRefused)


def test_a_client_certificate_is_shown_to_a_server_that_asks_for_one(
    dsn: str, certificate: Path, relay_to: MakeRelay, tmp_path: Path
) -> None:
    demanding = tls_context(certificate)
    demanding.verify_mode = ssl.CERT_REQUIRED
    demanding.load_verify_locations(certificate)
    target = replace(relay_to(dsn, demanding).target(dsn), ssl_mode="require")
    _fails(target, DatabaseUnreachable)
    own = replace(target, ssl_certificate=certificate, ssl_key=certificate.with_suffix(".key"))
    catalog = PostgresCatalog(own)
    assert len(catalog.read().tables) == 1
    catalog.close()
    for broken in (replace(own, ssl_key=certificate), replace(own, ssl_certificate=tmp_path / "none")):
        assert "sslcert and sslkey" in _fails(broken, LoginRefused)


def test_a_server_without_tls_is_refused_where_tls_is_required_and_taken_where_it_is_preferred(dsn: str) -> None:
    target = parse_dsn(dsn, NO_ENVIRONMENT)
    for mode in SSL_MODES[3:]:
        assert "does not offer TLS" in _fails(replace(target, ssl_mode=mode), LoginRefused)
    for mode in SSL_MODES[:3]:
        catalog = PostgresCatalog(replace(target, ssl_mode=mode))
        assert len(catalog.read().tables) == 1
        catalog.close()
