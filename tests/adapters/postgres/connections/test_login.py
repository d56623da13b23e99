"""What is sent to a server that asks for a login, and what is believed of one that asks for none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pg8000.exceptions import DatabaseError as ServerError
from pydantic import SecretStr

from servers.tls import tls_context
from tests.attack.fake_server import Behaviour, FakeServer
from tests.cases import each_case
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.adapters.postgres.connections.errors import login_error, shown
from tribal.adapters.postgres.connections.login import LoginGuard
from tribal.errors import DatabaseError, LoginRefused
from tribal.settings.dsn import parse_dsn
from tribal.settings.postgres_target import PostgresTarget
from tribal_contracts import DatabaseLimits

_PASSWORD = "Zebra-Harbour-71"
_LIMITS = DatabaseLimits(connect_timeout_seconds=5, statement_timeout_seconds=1)


def told(server: FakeServer, query: str = "", **changes: object) -> tuple[bool, str]:
    """Whether the server got the password, and the message with which the login ended."""
    target = parse_dsn(f"postgresql://u:{_PASSWORD}@localhost:{server.port}/d?{query}", {})
    with pytest.raises(DatabaseError) as raised:
        PostgresCatalog(replace(target, **changes), _LIMITS, pause=lambda _: None).read()  # type: ignore[arg-type]
    assert _PASSWORD not in raised.value.message
    return _PASSWORD.encode() in server.heard, raised.value.message


@each_case("behaviour", ["clear text", "clear text after SCRAM", "clear text in a query"])
@each_case("mode", ["disable", "allow", "prefer"])
def test_a_password_is_not_sent_in_clear_text_to_a_server_that_proves_nothing(behaviour: Behaviour, mode: str) -> None:
    with FakeServer(behaviour) as server:
        heard, message = told(server, f"sslmode={mode}")
    assert not heard
    assert "sslmode=verify-full" in message
    assert "require_auth=password" in message


@pytest.mark.parametrize("mode", ["require", "prefer"])
def test_encryption_without_a_verified_certificate_is_no_reason_to_tell_it(certificate: Path, mode: str) -> None:
    with FakeServer("clear text", tls_context(certificate)) as server:
        heard, message = told(server, f"sslmode={mode}")
    assert not heard
    assert "in clear text" in message


def test_a_server_that_proves_its_identity_gets_the_password_that_it_asks_for(certificate: Path) -> None:
    for mode in ("verify-full", "verify-ca"):
        with FakeServer("clear text", tls_context(certificate)) as server:
            heard, _ = told(server, f"sslmode={mode}&sslrootcert={certificate}")
        assert heard


def test_who_allows_clear_text_by_name_gets_it() -> None:
    for methods in ("password", "scram-sha-256,password"):
        with FakeServer("clear text") as server:
            assert told(server, f"require_auth={methods}")[0]
    with FakeServer("clear text") as server:
        assert not told(server, "require_auth=!md5")[0]


@each_case(
    ("behaviour", "methods"),
    [
        ("clear text", "scram-sha-256"),
        ("MD5", "scram-sha-256"),
        ("MD5", "!md5"),
        ("clear text", "!password"),
        ("lets in", "scram-sha-256,md5"),
        ("lets in", "!none"),
    ],
)
def test_a_login_that_require_auth_excludes_is_refused(behaviour: Behaviour, methods: str) -> None:
    with FakeServer(behaviour) as server:
        heard, message = told(server, f"require_auth={methods}")
    assert not heard
    assert b"md5" not in server.heard
    assert "which require_auth does not allow" in message


def test_a_server_that_skips_its_proof_of_the_password_is_refused() -> None:
    with FakeServer("SCRAM without proof") as server:
        assert "did not prove that it knows the password" in told(server)[1]


def test_a_server_that_lets_everyone_in_or_asks_for_md5_is_talked_to_where_nothing_is_required() -> None:
    with FakeServer("MD5") as server:
        told(server)
    assert b"md5" in server.heard
    with FakeServer("lets in") as server:
        told(server, "require_auth=none")
    assert b"BEGIN" in server.heard


def test_a_socket_of_this_machine_is_trusted_with_a_password_in_clear_text() -> None:
    target = PostgresTarget(database="d", user="u", password=SecretStr(_PASSWORD), unix_socket="/run/.s.PGSQL.5432")
    LoginGuard(target).check(3)
    with pytest.raises(LoginRefused):
        LoginGuard(replace(target, unix_socket=None)).check(3)


@each_case(
    ("text", "said"),
    [
        ("scram", "scram-sha-256"),
        ("md5,!password", "prefixed with !"),
        ("!md5,password", "prefixed with !"),
        ("!", "!"),
    ],
)
def test_a_require_auth_that_libpq_would_refuse_is_refused(text: str, said: str) -> None:
    from tribal.errors import ConfigurationError

    with pytest.raises(ConfigurationError, match=said):
        parse_dsn(f"postgresql://u@h/d?require_auth={text}", {})


def test_a_refusal_before_any_row_was_read_names_the_address_of_the_user() -> None:
    said = 'no pg_hba.conf entry for host "10.20.30.40", user "u", database "d", no encryption'
    error = ServerError({"C": "28000", "M": said})
    assert said in login_error(error, PostgresTarget(database="d", user="u"), 1).message
    # The same class of error after the login may quote a row.
    assert "10.20.30.40" not in shown("value 10.20.30.40")
