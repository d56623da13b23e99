"""Connection URLs are read as libpq reads them, and no message tells a password."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from tests.cases import each_case
from tribal.errors import ConfigurationError
from tribal.settings.dsn import entry_target, has_password, parse_dsn, portable
from tribal.settings.postgres_target import PostgresTarget
from tribal_contracts import DatabaseEntry


def _password(target: PostgresTarget) -> str | None:
    return target.password.get_secret_value() if target.password else None


def test_a_whole_url_is_read() -> None:
    target = parse_dsn("postgresql://ann:pw@db.example:6432/shop?sslmode=verify-full&sslrootcert=/ca.pem", {})
    assert target == PostgresTarget(
        host="db.example",
        port=6432,
        database="shop",
        user="ann",
        password=SecretStr("pw"),
        ssl_mode="verify-full",
        ssl_root_certificate=Path("/ca.pem"),
    )
    assert parse_dsn("postgres://ann:pw@db.example:6432/shop?connect_timeout=3", {}).connect_timeout_seconds == 3


_PASSWORD = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), min_size=1)
_NAME = st.text(st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="="), min_size=1)


@given(user=_NAME, password=_PASSWORD, database=_NAME)
def test_percent_encoded_parts_come_back_as_they_were(user: str, password: str, database: str) -> None:
    url = f"postgresql://{quote(user, safe='')}:{quote(password, safe='')}@h/{quote(database, safe='')}"
    target = parse_dsn(url, {})
    assert (target.user, _password(target), target.database) == (user, password, database)
    assert repr(SecretStr(password)) in repr(target)


@each_case(
    ("url", "socket"),
    [
        ("postgresql://u@/d?host=/run/pg", "/run/pg/.s.PGSQL.5432"),
        ("postgresql://u@/d?host=/run/pg/&port=6000", "/run/pg/.s.PGSQL.6000"),
        ("postgresql://u@%2Frun%2Fpg/d", "/run/pg/.s.PGSQL.5432"),
        ("postgresql:///d?host=%2Frun%2Fpg&user=u", "/run/pg/.s.PGSQL.5432"),
    ],
)
def test_a_host_that_starts_with_a_slash_is_the_folder_of_a_socket(url: str, socket: str) -> None:
    target = parse_dsn(url, {})
    assert (target.unix_socket, target.user, target.database) == (socket, "u", "d")


def test_an_ipv6_address_is_in_brackets() -> None:
    target = parse_dsn("postgresql://u@[::1]:6000/d", {})
    assert (target.host, target.port, target.place) == ("::1", 6000, "[::1]:6000")


def test_what_the_url_leaves_out_comes_from_the_environment_and_then_from_the_defaults() -> None:
    environment = {
        "PGHOST": "h",
        "PGPORT": "7000",
        "PGUSER": "u",
        "PGPASSWORD": "p",
        "PGDATABASE": "d",
        "PGSSLMODE": "require",
        "PGSSLROOTCERT": "system",
    }
    target = parse_dsn("postgresql://", environment)
    assert (target.host, target.port, target.user, _password(target), target.database) == ("h", 7000, "u", "p", "d")
    assert (target.ssl_mode, target.ssl_root_certificate) == ("require", "system")
    given = parse_dsn("postgresql://x:y@z:1/w?sslmode=disable", environment)
    assert (given.host, given.port, given.user, _password(given), given.database) == ("z", 1, "x", "y", "w")
    assert given.ssl_mode == "disable"
    plain = parse_dsn("postgresql://", {"USER": "me"})
    assert plain == PostgresTarget(host="localhost", port=5432, database="me", user="me", ssl_mode="prefer")


def test_the_root_certificate_of_the_home_directory_is_used_where_there_is_one(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path)}
    assert parse_dsn("postgresql://u@h/d", environment).ssl_root_certificate is None
    certificate = tmp_path / ".postgresql" / "root.crt"
    certificate.parent.mkdir()
    certificate.write_text("")
    assert parse_dsn("postgresql://u@h/d", environment).ssl_root_certificate == certificate


@each_case(
    ("url", "hint"),
    [
        ("mysql://u:hunter2@h/d", "starts with postgresql://"),
        ("host=h password=hunter2", "starts with postgresql://"),
        ("postgresql://u:hunter2@h1,h2/d", "several hosts"),
        ("postgresql://u:hunter2@h/d?host=a,b", "several hosts"),
        ("postgresql://u:hunter2@h:port/d", "host:port"),
        ("postgresql://u:hunter2@h:99999/d", "1 to 65535"),
        ("postgresql://u:hunter2@h:0/d", "1 to 65535"),
        ("postgresql://u:12/hunter2@h/d", "percent-encoded"),
        ("postgresql://u:a/hunter2@h/d", "percent-encoded"),
        ("postgresql://u:a?hunter2@h/d", "percent-encoded"),
        ("postgresql://u:hunter2#x@h/d", "percent-encoded"),
        ("postgresql://u:hunter2%@h/d", "percent-encoded"),
        ("postgresql://u:p@h/d?hunter2", "unknown parameter"),
        ("postgresql://u@h/d?password=p&Hunter2=1", "unknown parameter. Known"),
        ("postgresql://u:p&hunter2=@h/d?Hunter2=1", "unknown parameter. Known"),
        ("postgresql://h/d?hunter2=1&xhunter2", "unknown parameter. Known"),
        ("postgresql://u:hunter2@h/d?colour=red", "unknown parameter, colour. Known"),
        ("postgresql://u:hunter2@h/d?requirepeer=x", "The parameter requirepeer of the DSN is not supported"),
        ("postgresql://u:hunter2@h/d?ssl=hunter2", "The parameter ssl of the DSN must be"),
        ("postgresql://u:hunter2@h/d?hostaddr=hunter2", "hostaddr is not an IP address"),
        ("postgresql://u@h/d?ssl_min_protocol_version=TLSv1.3&ssl_max_protocol_version=TLSv1.2", "older than"),
        ("postgresql://u:hunter2@h/d?sslmod=require", "sslmod"),
        ("postgresql://u:hunter2@h/d?sslmode=hunter2", "verify-full"),
        ("postgresql://u:hunter2@h/d?connect_timeout=soon", "seconds"),
        ("postgresql://u:hunter2@h/d%00", "NUL"),
        ("postgresql://:hunter2@h/d", "PGUSER"),
    ],
)
def test_an_unusable_url_is_refused_with_the_hint_and_without_the_password(url: str, hint: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(hint)) as error:
        parse_dsn(url, {})
    assert "hunter2" not in (error.value.message + repr(error.value)).lower()
    assert error.value.__cause__ is None


@each_case(
    ("query", "ignored"),
    [
        ("sslmode=require&channel_binding=require&pgbouncer=true", "channel_binding, pgbouncer"),
        ("schema=public", "schema"),
        ("pgbouncer=true&connection_limit=1", "connection_limit, pgbouncer"),
        ("sslmode=require&supa=base-pooler.x", "supa"),
        ("currentSchema=public", "currentSchema"),
        ("load_balance_hosts=random", "load_balance_hosts"),
    ],
)
def test_parameters_of_platforms_and_drivers_are_ignored_with_one_line(query: str, ignored: str) -> None:
    target = parse_dsn(f"postgresql://u:p@h/d?{query}", {})
    assert target.warnings == (f"Parameters of the DSN without effect here: {ignored}.",)
    assert target.ssl_mode == ("require" if "require" in query else "prefer")


@each_case(
    ("query", "mode"), [("ssl=true", "require"), ("ssl=require", "require"), ("ssl=0", "prefer"), ("", "prefer")]
)
def test_ssl_means_what_drivers_mean_by_it(query: str, mode: str) -> None:
    assert parse_dsn(f"postgresql://u:p@h/d?{query}", {}).ssl_mode == mode


def test_parameters_that_libpq_knows_are_read() -> None:
    query = "hostaddr=10.0.0.1&sslcrl=/x.crl&ssl_min_protocol_version=TLSv1.3"
    target = parse_dsn(f"postgresql://u:p@h/d?{query}", {"PGSSLMAXPROTOCOLVERSION": "tlsv1.3"})
    assert (target.host, target.host_address, target.ssl_revocation_list) == ("h", "10.0.0.1", Path("/x.crl"))
    assert target.tls_versions == ("TLSv1.3", "TLSv1.3")
    assert parse_dsn("postgresql://u@/d?hostaddr=::1", {}).place == "[::1]:5432"


def _passfile(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / ".pgpass"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_password_comes_from_the_first_line_of_the_password_file_that_fits(tmp_path: Path) -> None:
    _passfile(
        tmp_path,
        "# host:5432:d:u:comment\nother:*:*:*:no\nbroken line\nh:5432:d\\:x:u:a\\:b\\\\c:d\n*:*:*:u:any\n*:*:*:*:\n",
    )
    environment = {"HOME": str(tmp_path)}
    assert _password(parse_dsn("postgresql://u@h/d%3Ax", environment)) == "a:b\\c:d"
    assert _password(parse_dsn("postgresql://u@h:6000/d%3Ax", environment)) == "any"
    assert _password(parse_dsn("postgresql://u:given@h/d", environment)) == "given"
    assert _password(parse_dsn("postgresql://u@h/d", {**environment, "PGPASSWORD": "variable"})) == "variable"
    assert _password(parse_dsn("postgresql://v@h/d", environment)) is None


def test_the_password_file_may_be_named(tmp_path: Path) -> None:
    path = _passfile(tmp_path, "/run/pg:5432:d:u:p\n")
    named = {"PGPASSFILE": str(path), "HOME": "/nowhere"}
    assert _password(parse_dsn("postgresql://u@/d?host=/run/pg", named)) == "p"
    assert _password(parse_dsn(f"postgresql://u@/d?host=/run/pg&passfile={path}", {})) == "p"
    assert parse_dsn("postgresql://u@/d?host=/run/pg", {"PGPASSFILE": str(tmp_path / "none")}).warnings == ()


@each_case("mode", [0o640, 0o604, 0o660])
def test_a_password_file_that_others_may_read_is_not_used_and_a_warning_says_so(tmp_path: Path, mode: int) -> None:
    path = _passfile(tmp_path, "*:*:*:*:hunter2\n", mode)
    target = parse_dsn("postgresql://u@h/d", {"HOME": str(tmp_path)})
    assert target.password is None
    (warning,) = target.warnings
    assert f"chmod 0600 {path}" in warning
    assert "hunter2" not in warning


def test_the_fields_of_an_entry_come_before_its_dsn_and_the_environment() -> None:
    entry = DatabaseEntry(name="n", host="h", port=1, database="d", user="u", password=SecretStr("p"))
    target = entry_target(entry, {"PGHOST": "x", "PGPASSWORD": "x"})
    assert (target.host, target.port, target.database, target.user, _password(target)) == ("h", 1, "d", "u", "p")
    both = DatabaseEntry(name="n", dsn=SecretStr("postgresql://a:b@c:2/e"), password=SecretStr("p"))
    target = entry_target(both, {})
    assert (target.host, target.port, target.database, target.user, _password(target)) == ("c", 2, "e", "a", "p")


def test_a_client_certificate_is_named_by_the_dsn_the_environment_or_the_home_directory(tmp_path: Path) -> None:
    named = parse_dsn("postgresql://u@h/d?sslcert=/c.crt&sslkey=/c.key", {})
    assert (named.ssl_certificate, named.ssl_key) == (Path("/c.crt"), Path("/c.key"))
    by_variable = parse_dsn("postgresql://u@h/d", {"PGSSLCERT": "/e.crt", "PGSSLKEY": "/e.key"})
    assert (by_variable.ssl_certificate, by_variable.ssl_key) == (Path("/e.crt"), Path("/e.key"))
    assert parse_dsn("postgresql://u@h/d", {"HOME": str(tmp_path)}).ssl_certificate is None
    (tmp_path / ".postgresql").mkdir()
    (tmp_path / ".postgresql" / "postgresql.crt").touch()
    at_home = parse_dsn("postgresql://u@h/d", {"HOME": str(tmp_path)})
    assert at_home.ssl_certificate == tmp_path / ".postgresql" / "postgresql.crt"


def test_a_service_is_refused_with_what_to_write_instead() -> None:
    with pytest.raises(ConfigurationError, match="PGHOST"):
        parse_dsn("postgresql://u@h/d?service=prod", {})
    with pytest.raises(ConfigurationError, match="PGSERVICE names a service"):
        parse_dsn("postgresql:///d", {"PGSERVICE": "prod", "USER": "u"})
    assert parse_dsn("postgresql://u@h/d", {"PGSERVICE": "prod"}).host == "h"


@each_case(
    ("url", "environment"),
    [
        ("postgresql://ann:pw@db.example:6432/shop?sslmode=verify-full&sslrootcert=/ca.pem&keepalives=1", {}),
        ("postgresql://ann:pw%2F%40@[::1]/a%20shop?connect_timeout=3&password=other", {}),
        ("postgresql:///shop?host=/run/postgresql&port=5433", {"USER": "ann"}),
        ("postgresql://", {"PGHOST": "/tmp", "PGUSER": "an n", "PGDATABASE": "shop/1", "PGPASSWORD": "pw"}),
        ("postgresql://db/", {"PGUSER": "ann", "PGSSLMODE": "require", "PGREQUIREAUTH": "scram-sha-256"}),
        ("postgresql://ann@db/shop", {"PGOPTIONS": "-c x=1", "PGAPPNAME": "nightly"}),
    ],
)
def test_a_url_that_is_written_down_means_the_same_later_without_its_password(
    url: str, environment: dict[str, str]
) -> None:
    now = parse_dsn(url, environment)
    written = portable(url, environment)
    later = parse_dsn(written, {"PGHOST": "elsewhere", "PGPORT": "1", "PGUSER": "bob", "PGSSLMODE": "disable"})
    kept = {"host", "port", "database", "user", "ssl_root_certificate", "unix_socket", "options", "login_methods"}
    assert {name: getattr(later, name) for name in kept} == {name: getattr(now, name) for name in kept}
    assert later.password is None
    assert not has_password(written)
    if "sslmode" in url or "PGSSLMODE" in environment:
        assert later.ssl_mode == now.ssl_mode
