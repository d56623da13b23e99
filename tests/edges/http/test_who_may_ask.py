"""Whom a server answers, over HTTP: bearers of its own tokens and of an issuer's, and no one else."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_case
from tests.edges.cli.tribal_command import tribal
from tests.edges.http.served import Served, sent
from tests.edges.mcp.asked import index_project
from tests.fakes.issuer import AUDIENCE, rsa_key
from tests.fakes.published_issuer import PublishedIssuer
from tests.waiting import wait_until
from tribal.identity.locations import ACCESS_TOKENS_FILE
from tribal.store.access_tokens import is_token

# Starts `tribal serve` for nearly every test.
pytestmark = pytest.mark.slow

PUBLIC = "https://catalog.example.com"
NOW = int(time.time())


@pytest.fixture(name="project", scope="module")
def project_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    return folder


@pytest.fixture(name="issuer", scope="module")
def issuer_fixture(certificate: Path) -> Iterator[PublishedIssuer]:
    published = PublishedIssuer(certificate)
    yield published
    published.close()


@pytest.fixture(name="server", scope="module")
def server_fixture(project: Path, issuer: PublishedIssuer, certificate: Path) -> Iterator[Served]:
    serve = {
        "issuer": issuer.url,
        "audience": [AUDIENCE],
        "rights": {"read": ["documentation:read"], "operate": ["metrics:read"]},
        "public_url": PUBLIC,
    }
    (project / "databases.yaml").write_text(json.dumps({"databases": [{"name": "shop"}], "serve": serve}))
    with Served(project, SSL_CERT_FILE=str(certificate)) as server:
        yield server


def make_token(project: Path, name: str, *arguments: object) -> str:
    made = tribal("token", "create", name, *arguments, "--project", project, cwd=project)
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


def ask_with_new(server: Served, token: str, **question: str) -> Any:
    """The answer to the bearer of a token that was just made: the server looks for unknown ones every .1 s."""

    def accepted() -> Any:
        answer = server.ask(token, **question)
        return None if answer.status_code == 401 else answer

    return wait_until(accepted)


def databases(answer: Any) -> set[str]:
    return {table["database"] for table in answer.json()["tables"]}


def test_a_token_is_shown_once_and_only_its_hash_is_kept(tmp_path: Path) -> None:
    token = make_token(tmp_path, "ada", "--scope", "shop", "--scope", 'web."My schema"', "--days", 7)
    assert re.fullmatch("tribal_[0-9a-f]{72}", token)
    assert is_token(token)
    assert not is_token(f"{token[:-1]}{'0' if token[-1] != '0' else '1'}")
    kept = (tmp_path / ACCESS_TOKENS_FILE).read_text()
    assert token not in kept
    assert token[7:71] not in kept
    listed = json.loads(tribal("token", "list", "--json", cwd=tmp_path).stdout)["tokens"]
    assert [(each["name"], each["scope"], each["rights"], each["expired"]) for each in listed] == [
        (
            "ada",
            ["shop", 'web."My schema"'],
            ["contribution:read", "documentation:read", "interrogation:read", "knowledge:read", "memory:read"],
            False,
        )
    ]
    assert token not in tribal("token", "list", cwd=tmp_path).stdout


@each_case(
    ("arguments", "told"),
    [
        (["create", "x"], "needs --scope"),
        (["create", "x", "--scope", "a.b.c"], "neither DATABASE nor DATABASE.SCHEMA"),
        (
            ["create", "x", "--scope", "shop", "--right", "all"],
            "'all' is not a right; the rights are annotations:propose, annotations:write",
        ),
        (["create", "../x", "--scope", "shop"], "a token's name has up to 64 letters"),
        (["revoke", "nobody"], "there is no token named 'nobody'"),
    ],
)
def test_a_token_that_cannot_be_made_or_revoked_is_reported_with_the_reason(
    tmp_path: Path, arguments: list[str], told: str
) -> None:
    refused = tribal("token", *arguments, cwd=tmp_path)
    assert (refused.returncode, told in refused.stderr) == (2, True)
    assert not (tmp_path / ACCESS_TOKENS_FILE).exists()


def test_a_name_is_given_once(tmp_path: Path) -> None:
    make_token(tmp_path, "ada", "--scope", "shop")
    again = tribal("token", "create", "ada", "--scope", "shop", cwd=tmp_path)
    assert (again.returncode, "`tribal token revoke ada`" in again.stderr) == (2, True)


@each_case("arguments", [["--host", "0.0.0.0"], ["--host", "::"], ["--require-token"]])
def test_a_server_that_could_answer_no_one_does_not_start_and_says_what_to_do(
    tmp_path: Path, arguments: list[str]
) -> None:
    refused = tribal("serve", "--port", 0, *arguments, cwd=tmp_path)
    assert refused.returncode == 2
    assert "`tribal token create NAME --scope DATABASE`" in refused.stderr


def test_a_token_lets_see_what_it_names_and_no_more(project: Path, server: Served) -> None:
    token = make_token(project, "narrow", "--scope", "web")
    assert databases(ask_with_new(server, token)) == {"web"}
    hidden = server.ask(token, "get_table_schema", table="shop.crm.customer")
    assert (hidden.status_code, hidden.json()["error"]["code"]) == (404, "RET_TABLE_NOT_FOUND")
    assert server.client.get("/metrics", headers={"authorization": f"Bearer {token}"}).status_code == 403
    operator = make_token(project, "operator", "--scope", "web", "--right", "metrics:read")
    assert ask_with_new(server, operator).status_code == 403
    assert server.client.get("/metrics", headers={"authorization": f"Bearer {operator}"}).status_code == 200


def test_a_token_may_have_each_right_of_the_chat(tmp_path: Path) -> None:
    rights = ["chat:ask", "chat:audit", "collections:write"]
    options = [option for right in rights for option in ("--right", right)]
    made = tribal("token", "create", "writer", "--scope", "shop", *options, "--json", cwd=tmp_path)
    assert (made.returncode, json.loads(made.stdout)["rights"]) == (0, rights)


def test_a_revoked_token_is_refused_within_seconds_without_a_restart(project: Path, server: Served) -> None:
    token = make_token(project, "lost", "--scope", "web")
    assert ask_with_new(server, token).status_code == 200
    assert tribal("token", "revoke", "lost", cwd=project).returncode == 0
    wait_until(lambda: server.ask(token).status_code == 401)


def test_without_a_token_nothing_is_answered_but_what_is_public(server: Served) -> None:
    for path in ("/health", "/docs", "/openapi.json", "/.well-known/oauth-protected-resource"):
        assert server.client.get(path).status_code == 200
    for path in ("/v1/tools", "/metrics", "/mcp", "/nope"):
        refused = server.client.get(path)
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "HTTP_CALLER_UNKNOWN")
    assert server.ask().headers["www-authenticate"] == (
        f'Bearer resource_metadata="{PUBLIC}/.well-known/oauth-protected-resource"'
    )


def test_where_to_get_a_token_is_shown_by_absolute_addresses(server: Served, issuer: PublishedIssuer) -> None:
    refused = server.client.post("/mcp", json={})
    address = f"{PUBLIC}/.well-known/oauth-protected-resource/mcp"
    assert refused.headers["www-authenticate"] == f'Bearer resource_metadata="{address}"'
    assert server.client.get(address.removeprefix(PUBLIC)).json() == {
        "resource": f"{PUBLIC}/mcp",
        "bearer_methods_supported": ["header"],
        "resource_name": "Tribal Knowledge",
        "authorization_servers": [issuer.url],
        "scopes_supported": ["operate", "read"],
    }


def test_a_token_of_the_issuer_lets_see_what_its_claim_names_and_do_what_was_granted(
    server: Served, issuer: PublishedIssuer
) -> None:
    assert databases(server.ask(issuer.token(databases="web", scope="openid read"))) == {"web"}
    assert databases(server.ask(issuer.token(databases=["web", "shop.crm"], scope="read"))) == {"web", "shop"}
    assert server.ask(issuer.token(scope="openid")).status_code == 403
    assert server.ask(issuer.token(databases=None, scope="read")).json()["tables"] == []
    operate = {"authorization": f"Bearer {issuer.token(scp=['operate'])}"}
    assert server.client.get("/metrics", headers=operate).status_code == 200


def test_an_expired_token_is_reported_as_expired_and_any_other_bad_one_only_as_refused(
    server: Served, issuer: PublishedIssuer
) -> None:
    def told(token: str) -> str:
        answer = server.ask(token)
        assert answer.status_code == 401
        assert token not in answer.text
        assert answer.headers["www-authenticate"].startswith('Bearer error="invalid_token", error_description="')
        return answer.headers["www-authenticate"].split('"')[3]

    assert told(issuer.token(exp=NOW - 3_600)) == "the token has expired"
    bad = [
        issuer.token(key=rsa_key()),
        issuer.token(aud="other"),
        issuer.token(iss="https://evil.example"),
        issuer.token(exp=NOW - 3_600, key=rsa_key()),
        "tribal_" + "0" * 72,
        f"{'a' * 30}.b.c",
        "x",
    ]
    assert {told(token) for token in bad} == {"the token is not accepted"}


def test_an_outage_of_the_issuer_is_said_to_pass(project: Path, certificate: Path) -> None:
    gone = PublishedIssuer(certificate)
    gone.published = None
    folder = project / "outage"
    folder.mkdir()
    serve = {"issuer": gone.url, "audience": [AUDIENCE]}
    (folder / "databases.yaml").write_text(json.dumps({"databases": [{"name": "shop"}], "serve": serve}))
    with Served(folder, SSL_CERT_FILE=str(certificate)) as server:
        answer = server.ask(gone.token())
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "HTTP_BUSY")
        assert answer.headers["retry-after"] == "1"
    gone.close()


@each_case("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "a b", "", "@", "x:y"])
def test_a_name_that_is_not_the_servers_is_refused_before_anything_else(server: Served, host: str) -> None:
    for path in ("/health", "/v1/tools"):
        answer = sent(server, f"GET {path} HTTP/1.1\nHost: {host}\n\n")
        assert answer.status in (400, 421)
        if answer.status == 421:
            assert json.loads(answer.body)["error"]["code"] == "HTTP_HOST_REFUSED"


@each_case("host", ["localhost:9000", "127.0.0.1", "[::1]:8080", "catalog.example.com", "192.0.2.7:80"])
def test_the_servers_own_names_and_addresses_in_digits_are_taken(server: Served, host: str) -> None:
    assert sent(server, f"GET /health HTTP/1.1\nHost: {host}\n\n").status == 200


@each_case(
    ("origin", "status"),
    [
        (PUBLIC, 200),
        ("http://localhost:1234", 200),
        ("http://localhost", 403),
        ("https://evil.example", 403),
        ("null", 403),
        ("http://localhost:1234.evil.example", 403),
        ("file://", 403),
    ],
)
def test_pages_of_other_sites_may_not_ask(server: Served, origin: str, status: int) -> None:
    answer = sent(server, f"GET /health HTTP/1.1\nHost: localhost:1234\nOrigin: {origin}\n\n")
    assert answer.status == status


def test_a_rate_limited_caller_gets_the_time_to_retry_and_others_are_answered(tmp_path: Path) -> None:
    index_project(tmp_path)
    serve = {"require_token": True, "requests_per_minute": 12}
    (tmp_path / "databases.yaml").write_text(json.dumps({"databases": [{"name": "shop"}], "serve": serve}))
    eager, other = (make_token(tmp_path, name, "--scope", "web") for name in ("eager", "other"))
    with Served(tmp_path) as server:
        # The first answer takes long, and the rate allows for one more every five seconds.
        assert server.ask(other).status_code == 200
        answers = [server.ask(eager) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert answers[-1].json()["error"]["code"] == "HTTP_TOO_MANY_REQUESTS"
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 5
        assert server.ask(other).status_code == 200


def test_one_line_a_request_tells_who_asked_for_what_and_nothing_of_the_contents(project: Path) -> None:
    token = make_token(project, "watched", "--scope", "web")
    folder = project / "watched"
    (folder / "access").mkdir(parents=True)
    index_project(folder)
    (folder / ACCESS_TOKENS_FILE).write_bytes((project / ACCESS_TOKENS_FILE).read_bytes())
    with Served(folder, "--require-token") as server:
        asked = server.client.post(
            "/v1/tools/search_tables?q=inquery",
            json={"query": "customer secretword"},
            headers={"authorization": f"Bearer {token}", "x-request-id": "mine-1"},
        )
        assert asked.headers["x-request-id"] == "mine-1"
        strange = server.client.get("/v1/secretpath", headers={"x-request-id": "a b"})
        assert re.fullmatch("[0-9a-f]{32}", strange.headers["x-request-id"])
    first, second = server.lines()
    assert first.pop("milliseconds") > 0
    # On a busy machine the first question, which loads the model, may be a slow one.
    assert (first.pop("level"), first.pop("slow", False)) in (("info", False), ("warning", True))
    assert re.fullmatch(r"\d{4}-.*Z", first.pop("time"))
    assert first == {
        "event": "request",
        "request_id": "mine-1",
        "method": "POST",
        "path": "/v1/tools/{name}",
        "status": 200,
        "subject": "token:watched",
        "tool": "search_tables",
    }
    assert (second["path"], second["status"], "subject" in second) == ("other", 401, False)
    assert not re.search("secretword|inquery|secretpath|tribal_|customer", "".join(server.said))
