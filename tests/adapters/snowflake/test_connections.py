"""Sessions with Snowflake: how they log in, what they take from nowhere, and when they give up."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
)
from pydantic import SecretStr

from tests.adapters.snowflake.readers import DATABASE, new_account, no_pause, reading, see_all, target_of
from tests.fakes.snowflake import FakeSnowflake
from tests.fakes.snowflake.connecting import PASSWORD, ROLE, USER, WAREHOUSE, key_pair
from tests.fakes.snowflake.errors import SqlError
from tests.fakes.snowflake.workloads import ForwardProxy
from tribal.adapters.snowflake.catalog import SnowflakeCatalog
from tribal.errors import ConnectionLost, DatabaseUnreachable, LoginRefused, StatementTimedOut, TribalError
from tribal_contracts import DatabaseLimits

_WRONG = "correct-horse-battery"
_PASSPHRASE = "staple of horses"


def _seed(fake: FakeSnowflake) -> None:
    new_account(fake)("SALES").table("CUSTOMER", ["ID NUMBER"])
    see_all(fake)
    user = fake.account.users[USER]
    user.public_keys = [key_pair().public]
    user.oauth_tokens = {"oauth token"}
    user.access_tokens = {"programmatic token"}


def _pem(passphrase: str | None = None) -> SecretStr:
    key = load_der_private_key(key_pair().private, None)
    how = BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption()
    return SecretStr(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, how).decode())


def _all_of(error: BaseException | None) -> str:
    """Everything that a traceback of an error would show of it."""
    found = ""
    while error is not None:
        found += repr(error) + str(error) + str(getattr(error, "context", ""))
        error = error.__cause__ or error.__context__
    return found


@pytest.mark.parametrize(
    ("login", "secret", "passphrase"),
    [
        ("key_pair", _pem(), None),
        ("key_pair", _pem(_PASSPHRASE), SecretStr(_PASSPHRASE)),
        ("oauth", SecretStr("oauth token"), None),
        ("programmatic_token", SecretStr("programmatic token"), None),
        ("password", SecretStr(PASSWORD), None),
    ],
)
def test_every_login_gets_in(
    snowflake: FakeSnowflake, login: str, secret: SecretStr, passphrase: SecretStr | None
) -> None:
    _seed(snowflake)
    with reading(snowflake, login=login, secret=secret, passphrase=passphrase) as reader:
        assert len(reader.read().tables) == 1


def test_a_workload_of_aws_gets_in_by_its_role_alone(snowflake: FakeSnowflake, monkeypatch: pytest.MonkeyPatch) -> None:
    _seed(snowflake)
    arn = "arn:aws:iam::123456789012:role/documenter"
    snowflake.account.users[USER].workloads = {("AWS", arn)}
    snowflake.workloads.aws["AKIATEST"] = ("secret", "arn:aws:sts::123456789012:assumed-role/documenter/run")
    for name, value in {"ACCESS_KEY_ID": "AKIATEST", "SECRET_ACCESS_KEY": "secret", "REGION": "eu-west-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    proxy = ForwardProxy(snowflake.handle)
    place: dict[str, Any] = {"host": "fake.snowflakecomputing.com", "port": 80, "proxy_host": "127.0.0.1"}
    place["proxy_port"] = proxy.port
    workload: dict[str, Any] = {"login": "workload_identity", "workload_provider": "aws", "user": None, "secret": None}
    with reading(snowflake, **workload, **place) as reader:
        assert reader.access().user == USER
    with (
        reading(snowflake, **{**workload, **place, "host": "fake.example.com"}) as reader,
        pytest.raises(LoginRefused, match=r"the host is Snowflake's"),
    ):
        reader.read()
    proxy.stop()


@pytest.mark.parametrize(
    ("login", "secret", "passphrase"),
    [
        ("key_pair", SecretStr(f"-----BEGIN {_WRONG}"), None),
        ("key_pair", _pem(_PASSPHRASE), SecretStr(_WRONG)),
        ("key_pair", _pem(_PASSPHRASE), None),
        ("oauth", SecretStr(_WRONG), None),
        ("programmatic_token", SecretStr(_WRONG), None),
        ("password", SecretStr(_WRONG), None),
    ],
)
def test_a_login_that_is_refused_names_the_host_and_shows_no_secret(
    snowflake: FakeSnowflake,
    login: str,
    secret: SecretStr,
    passphrase: SecretStr | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    _seed(snowflake)
    caplog.set_level(logging.DEBUG)
    with (
        reading(snowflake, login=login, secret=secret, passphrase=passphrase) as reader,
        pytest.raises(LoginRefused, match=r"127\.0\.0\.1") as refused,
    ):
        reader.read()
    shown = _all_of(refused.value) + caplog.text
    assert _WRONG not in shown
    assert "PRIVATE KEY" not in shown


def test_a_second_factor_that_is_asked_for_is_explained(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    snowflake.account.users[USER].second_factor = True
    with reading(snowflake) as reader, pytest.raises(LoginRefused, match="second factor is required"):
        reader.read()


def test_a_role_that_was_not_granted_is_a_refused_login(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    with reading(snowflake, role="OTHERS") as reader, pytest.raises(LoginRefused, match="granted to the user"):
        reader.read()


def test_names_in_small_letters_are_what_they_are(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    snowflake.account.users[USER].roles.add("small role")
    snowflake.account.role("small role").roles.add(ROLE)
    with reading(snowflake, role="small role") as reader:
        assert reader.access().role == "small role"


def test_a_secret_that_was_renewed_is_fetched_once_and_used_from_then_on(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    renewed: list[str] = []

    def renew() -> SecretStr:
        renewed.append("once")
        return SecretStr(PASSWORD)

    reader = SnowflakeCatalog(target_of(snowflake, secret=SecretStr(_WRONG)), renew_secret=renew, pause=no_pause)
    assert len(reader.read().tables) == 1
    assert len(reader.read().tables) == 1
    reader.close()
    assert renewed == ["once"]


def test_a_renewed_secret_that_is_the_same_is_not_tried_again(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    wrong = SecretStr(_WRONG)
    reader = SnowflakeCatalog(target_of(snowflake, secret=wrong), renew_secret=lambda: wrong, pause=no_pause)
    with pytest.raises(LoginRefused):
        reader.read()
    assert sum("login" in each for each in snowflake.requests) == 1


def test_nothing_is_taken_from_files_or_the_environment(
    snowflake: FakeSnowflake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _seed(snowflake)
    (tmp_path / "connections.toml").write_text('[default]\nrole = "EVIL"\nwarehouse = "EVIL"\nhost = "evil.invalid"\n')
    (tmp_path / "connections.toml").chmod(0o600)
    for name in "ACCOUNT HOST USER PASSWORD ROLE WAREHOUSE DATABASE SCHEMA".split():
        monkeypatch.setenv(f"SNOWFLAKE_{name}", "EVIL")
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("SNOWFLAKE_HOME", str(tmp_path))
    monkeypatch.setenv("SNOWFLAKE_DEFAULT_CONNECTION_NAME", "default")
    monkeypatch.setenv("SF_PARTNER", "EVIL")
    with reading(snowflake) as reader:
        assert len(reader.read().tables) == 1
    (session,) = snowflake.sessions.all
    assert (session.role, session.warehouse, session.database, session.application) == (ROLE, None, None, "tribal")


def test_a_session_is_tagged_in_utc_with_its_own_rights_and_limits_and_ends(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    with reading(snowflake, warehouse=WAREHOUSE, limits=DatabaseLimits(statement_timeout_seconds=7)) as reader:
        reader.read()
    (session,) = snowflake.sessions.all
    assert session.parameters["QUERY_TAG"] == "tribal"
    assert session.parameters["TIMEZONE"] == "UTC"
    assert session.parameters["PYTHON_CONNECTOR_QUERY_RESULT_FORMAT"] == "JSON"
    assert int(session.parameters["STATEMENT_TIMEOUT_IN_SECONDS"]) == 8
    assert not session.secondary_roles
    assert session.warehouse == WAREHOUSE
    assert session.closed


def test_no_more_sessions_are_open_than_allowed(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    with reading(snowflake, limits=DatabaseLimits(connections=2)) as reader:
        with ThreadPoolExecutor(8) as threads:
            assert len({len(each.tables) for each in threads.map(lambda _: reader.read(), range(16))}) == 1
        assert len(snowflake.sessions.all) <= 2


def test_a_session_that_is_over_is_replaced_and_the_statement_sent_again(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    with reading(snowflake) as reader:
        first = reader.read()
        snowflake.sessions.all[0].ended = True
        assert reader.read() == first
    assert len(snowflake.sessions.all) == 2


def test_a_closed_reader_says_so(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    with reading(snowflake) as reader:
        reader.read()
    with pytest.raises(ConnectionLost, match="closed"):
        reader.read()


@pytest.mark.parametrize(
    ("place", "match"),
    [
        ({"host": "no-such-host.invalid"}, r"no host 'no-such-host\.invalid'"),
        ({"port": 1}, r"Nothing listens at 127\.0\.0\.1:1"),
        ({"proxy_host": "no-such-proxy.invalid", "proxy_port": 1}, r"no host 'no-such-proxy\.invalid'"),
    ],
)
def test_a_host_that_is_not_there_is_reported_at_once(
    snowflake: FakeSnowflake, place: dict[str, Any], match: str
) -> None:
    with reading(snowflake, **place) as reader, pytest.raises(DatabaseUnreachable, match=match):
        reader.read()


def test_a_statement_that_takes_too_long_is_given_up_on_time(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    snowflake.delays["SHOW COLUMNS"] = 30
    with reading(snowflake, limits=DatabaseLimits(statement_timeout_seconds=1)) as reader:
        with pytest.raises(StatementTimedOut, match=f"reading the catalog of database '{DATABASE}'"):
            reader.read()
        snowflake.delays.clear()
        assert len(reader.read().tables) == 1


def test_every_error_is_our_own(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    for number in ("000603", "000604", "000606", "000630", "002003", "003001", "090073", "100038", "390111"):
        with reading(snowflake) as reader:
            reader.read()
            statements = snowflake._statements

            def fail(*_: object, number: str = number) -> None:
                raise SqlError(number, "XX000", "Numeric value 'hers@example.com' is not recognized")

            whole, statements.read = statements.read, fail  # type: ignore[method-assign, assignment]
            with pytest.raises(TribalError) as raised:
                reader.read()
            statements.read = whole  # type: ignore[method-assign]
        assert "hers@example.com" not in _all_of(raised.value)
