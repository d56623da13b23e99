"""Every fault of GitHub has the outcome that contributions are promised, and no token leaves the requests."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from tests.adapters.github.clients import FILES, Pauses, address_of, client_of
from tests.cases import each_case
from tests.fakes.github.faults import FaultName
from tests.fakes.github.server import READ_TOKEN, WRITE_TOKEN, FakeGitHub
from tests.fakes.http_server import HttpServer, Request, Response
from tribal.adapters.github.access import Conflict
from tribal.adapters.github.client import GitHubClient
from tribal.adapters.github.objects import read_facts
from tribal.adapters.github.tokens import AccessToken
from tribal.errors import (
    ForgeRateLimited,
    ForgeUnreachable,
    RepositoryUnreadable,
    RepositoryUnusable,
    TribalError,
)

REPOSITORY = "/repos/acme/shop"
REFS = f"{REPOSITORY}/git/refs"


@contextmanager
def standing_in() -> Iterator[FakeGitHub]:
    """A stand-in for one case."""
    made = FakeGitHub(FILES)
    yield made
    made.stop()


def code_of(error: TribalError) -> tuple[str, bool]:
    """The code of an error, and whether it is worth trying again."""
    return error.code, error.retryable


@each_case(
    ("fault", "cause", "calls", "pauses"),
    [
        ("401", RepositoryUnreadable, 1, []),
        ("403", RepositoryUnreadable, 1, []),
        ("404", RepositoryUnreadable, 1, []),
        ("409", RepositoryUnusable, 1, []),
        ("422", RepositoryUnusable, 1, []),
        ("429 a day", ForgeRateLimited, 1, []),
        ("429 unstated", ForgeRateLimited, 3, [60.0, 60.0]),
        ("403 secondary", ForgeRateLimited, 3, [60.0, 60.0]),
        ("500", ForgeUnreachable, 3, [1.0, 2.0]),
        ("502 after", ForgeUnreachable, 3, [1.0, 2.0]),
        ("reset before", ForgeUnreachable, 3, [1.0, 2.0]),
        ("elsewhere", RepositoryUnreadable, 1, []),
        ("in circles", RepositoryUnreadable, 4, []),
        ("a page", ForgeUnreachable, 3, [1.0, 2.0]),
        ("cut", ForgeUnreachable, 3, [1.0, 2.0]),
        ("deep", ForgeUnreachable, 3, [1.0, 2.0]),
        ("huge", ForgeUnreachable, 3, [1.0, 2.0]),
        ("no object", ForgeUnreachable, 1, []),
    ],
)
def test_a_lasting_fault_of_a_read_has_its_outcome(
    fault: FaultName, cause: type[TribalError], calls: int, pauses: list[float]
) -> None:
    with standing_in() as github:
        github.fail(fault, times=99)
        paused = Pauses()
        with pytest.raises(TribalError) as caught:
            read_facts(client_of(github, pauses=paused))
        assert type(caught.value) is cause
        assert len(github.calls) == calls
        assert paused == pauses
        assert READ_TOKEN not in str(caught.value)


@each_case("fault", ["drip", "hang"])
def test_an_answer_that_does_not_end_in_time_is_given_up(fault: FaultName) -> None:
    with standing_in() as github:
        github.fail(fault, times=99)
        with pytest.raises(ForgeUnreachable, match=r"longer than 0\.2 s|in time") as caught:
            read_facts(client_of(github, call_seconds=0.2))
        assert code_of(caught.value) == ("CON_FORGE_UNREACHABLE", True)
        assert len(github.calls) == 3


@each_case("fault", ["403 soon", "403 secondary", "429 unstated", "500", "reset before", "reset after", "cut", "huge"])
def test_a_passing_fault_of_a_read_is_waited_out(fault: FaultName) -> None:
    with standing_in() as github:
        github.fail(fault)
        paused = Pauses()
        assert read_facts(client_of(github, pauses=paused)).name == "shop"
        assert len(paused) == 1


def test_a_limit_is_waited_for_until_the_server_says_that_it_ends(github: FakeGitHub) -> None:
    paused = Pauses()
    github.fail("403 soon")
    assert read_facts(client_of(github, pauses=paused, now=github.now)).name == "shop"
    assert 29 <= paused[0] <= 32


def test_a_limit_that_lasts_names_the_time_at_which_it_ends(github: FakeGitHub) -> None:
    github.fail("429 a day")
    with pytest.raises(ForgeRateLimited, match="until 2026-01-02 00:00:00 UTC") as caught:
        read_facts(client_of(github, now=lambda: 1_767_225_600.0))
    assert code_of(caught.value) == ("CON_RATE_LIMITED", True)


def test_after_a_deadline_nothing_is_sent_and_a_limit_beyond_it_is_not_waited_for(github: FakeGitHub) -> None:
    pauses, left = Pauses(), [1.0]
    client = client_of(github, pauses=pauses, remaining_seconds=lambda: left[0])
    assert client.get(REPOSITORY)["name"] == "shop"
    github.fail("403 soon")
    with pytest.raises(ForgeRateLimited):
        client.get(REPOSITORY)
    left[0] = 0.0
    calls = len(github.calls)
    with pytest.raises(ForgeUnreachable, match="no time is left"):
        client.get(REPOSITORY)
    assert (pauses, len(github.calls)) == ([], calls)


def test_limits_are_waited_for_two_minutes_in_ten_minutes(github: FakeGitHub) -> None:
    paused, times = Pauses(), [0.0]
    client = client_of(github, pauses=paused, now=lambda: times[0])
    for _ in range(2):
        github.fail("429 unstated")
        read_facts(client)
    github.fail("429 unstated")
    with pytest.raises(ForgeRateLimited):
        read_facts(client)
    assert paused == [60.0, 60.0]
    times[0] += 601
    github.fail("429 unstated")
    assert read_facts(client).name == "shop"


@each_case(
    ("fault", "hint"),
    [("401", "wrong, expired or revoked"), ("403", "check the rights"), ("404", "check `url`")],
)
def test_a_refusal_says_what_to_check(fault: FaultName, hint: str) -> None:
    with standing_in() as github:
        github.fail(fault)
        with pytest.raises(RepositoryUnreadable, match=hint) as caught:
            read_facts(client_of(github))
        assert "`read_secret`" in str(caught.value)
        assert code_of(caught.value) == ("CON_FORGE_REFUSED", False)


def test_an_unreachable_host_is_reported_without_the_address_of_a_token(github: FakeGitHub) -> None:
    client = client_of(github)
    github.stop()
    with pytest.raises(ForgeUnreachable, match="cannot connect"):
        read_facts(client)


def test_an_unchanged_answer_is_not_sent_again(github: FakeGitHub) -> None:
    client = client_of(github)
    first = client.get(REPOSITORY)
    assert client.get(REPOSITORY) == first
    assert [("if-none-match" in each.headers) for each in github.requests] == [False, True]
    github.archived = True
    assert client.get(REPOSITORY)["archived"] is True


@each_case(
    ("fault", "calls", "exists"),
    [
        ("500", 2, False),
        ("reset before", 2, False),
        ("502 after", 1, True),
        ("reset after", 1, True),
        ("cut", 1, True),
        ("huge", 1, True),
    ],
)
def test_a_write_is_repeated_only_if_what_it_creates_does_not_exist(fault: FaultName, calls: int, exists: bool) -> None:
    with standing_in() as github:
        github.fail(fault, "add_ref")
        body = {"ref": "refs/heads/tribal/x", "sha": github.objects.tip("main")}
        client = client_of(github, WRITE_TOKEN)
        made = client.post(REFS, body, lambda: github.objects.tip("tribal/x"))
        assert (made == github.objects.tip("main")) is exists
        assert github.calls.count("add_ref") == calls


@each_case(
    ("fault", "cause"),
    [
        ("401", RepositoryUnreadable),
        ("403", RepositoryUnreadable),
        ("404", RepositoryUnreadable),
        ("elsewhere", RepositoryUnreadable),
        ("429 a day", ForgeRateLimited),
    ],
)
def test_a_refused_write_is_not_repeated(fault: FaultName, cause: type[TribalError]) -> None:
    with standing_in() as github:
        github.fail(fault, "add_ref")
        looked: list[int] = []
        with pytest.raises(TribalError) as caught:
            client_of(github, WRITE_TOKEN).post(REFS, {}, lambda: looked.append(1))
        assert type(caught.value) is cause
        assert (github.calls, looked) == (["add_ref"], [])


@each_case("fault", ["403 soon", "403 secondary", "429 unstated"])
def test_a_limited_write_happens_once_the_limit_ends(fault: FaultName) -> None:
    with standing_in() as github:
        github.fail(fault, "add_ref")
        body = {"ref": "refs/heads/tribal/x", "sha": github.objects.tip("main")}
        paused = Pauses()
        assert client_of(github, WRITE_TOKEN, paused).post(REFS, body)["ref"] == body["ref"]
        assert len(paused) == 1
        assert github.objects.tip("tribal/x") == body["sha"]


def test_a_write_that_is_never_answered_is_reported_after_three_attempts(github: FakeGitHub) -> None:
    github.fail("500", "add_ref", times=99)
    looked = []
    with pytest.raises(ForgeUnreachable):
        client_of(github, WRITE_TOKEN).post(REFS, {}, lambda: looked.append(1))
    assert github.calls.count("add_ref") == len(looked) == 3


@each_case("fault", ["409", "422 exists"])
def test_a_conflict_is_returned(fault: FaultName) -> None:
    with standing_in() as github:
        github.fail(fault, "add_ref")
        made = client_of(github, WRITE_TOKEN).post(REFS, {})
        assert isinstance(made, Conflict)
        assert made.message


@contextmanager
def answering(answer: Any) -> Iterator[tuple[str, list[Request]]]:
    """Serve one handler; yields the address and the requests."""
    seen: list[Request] = []

    async def handle(request: Request) -> Response:
        seen.append(request)
        found: Response = answer(request)
        return found

    server = HttpServer(handle)
    yield f"http://127.0.0.1:{server.port}", seen
    server.stop()


def at(github: FakeGitHub, api: str, token: str = READ_TOKEN, **timing: Any) -> GitHubClient:
    """A client of another address."""
    address = address_of(github)
    return GitHubClient(
        replace(address, api=api), AccessToken(SecretStr(token), "read_secret"), Pauses().timing(**timing)
    )


def test_a_redirect_within_the_host_is_followed(github: FakeGitHub) -> None:
    def answer(request: Request) -> Response:
        moved = Response(301, b"", {"location": "/repositories/1"})
        return moved if request.path == "/x" else Response(200, b'{"found": true}')

    with answering(answer) as (api, seen):
        assert at(github, api).get("/x") == {"found": True}
        assert [each.headers["authorization"] for each in seen] == [f"Bearer {READ_TOKEN}"] * 2


@each_case("location", ["http://localhost:1/", "https://{own}/x", "//other.invalid/x", "ftp://{own}/", "http://["])
def test_a_redirect_to_another_host_gets_no_request(location: str) -> None:
    with standing_in() as github, answering(lambda _: Response(302, b"", {"location": location})) as (api, seen):
        location = location.format(own=api.removeprefix("http://"))
        with pytest.raises(RepositoryUnreadable):
            at(github, api).get("/x")
        assert len(seen) == 1


@each_case("location", ["/\x01", "/a b", "/\xfc", "", "?", "/%zz", "/x\ty", "//127.0.0.1:99999/"])
def test_an_odd_redirect_is_an_error(location: str) -> None:
    def answer(_: Request) -> Response:
        return Response(302, b"", {"location": location})

    with standing_in() as github, answering(answer) as (api, _), pytest.raises(TribalError):
        at(github, api).get("/x")


def test_a_limit_without_a_pause_ends_too(github: FakeGitHub) -> None:
    with answering(lambda _: Response(429, b"{}", {"retry-after": "0"})) as (api, seen):
        with pytest.raises(ForgeRateLimited):
            at(github, api).get("/x")
        assert len(seen) == 121


def test_pages_end_after_ten_and_stay_on_the_host(github: FakeGitHub) -> None:
    def endless(_: Request) -> Response:
        return Response(200, b"[1]", {"link": '</x?page=2>; rel="next"'})

    with answering(endless) as (api, seen), pytest.raises(RepositoryUnusable, match="10 pages"):
        at(github, api).pages("/x")
    assert len(seen) == 10

    def leaving(_: Request) -> Response:
        return Response(200, b"[1]", {"link": '<http://other.invalid/x>; rel="next"'})

    with answering(leaving) as (api, seen), pytest.raises(RepositoryUnreadable, match="another host"):
        at(github, api).pages("/x")
    assert len(seen) == 1


@each_case("retry", ["-1", "1e9", "soon", "inf", "9" * 30, "\u0661"])
def test_an_odd_time_of_a_limit_counts_as_a_minute(retry: str) -> None:
    shown = retry.encode("utf-8").decode("latin-1")
    headers = {"retry-after": shown}
    with standing_in() as github, answering(lambda _: Response(429, b"{}", headers)) as (api, seen):
        with pytest.raises(ForgeRateLimited):
            at(github, api).get("/x")
        assert len(seen) == 3


def test_a_token_that_an_answer_repeats_is_not_in_the_error(github: FakeGitHub) -> None:
    def echo(request: Request) -> Response:
        return Response(403, b'{"message": "no: ' + request.headers["authorization"].encode() + b'\\u0007"}')

    with answering(echo) as (api, _), pytest.raises(RepositoryUnreadable) as caught:
        at(github, api).get("/x")
    assert READ_TOKEN not in str(caught.value)
    assert "no: Bearer ***" in str(caught.value)
    assert "\u0007" not in str(caught.value)


def test_no_token_is_in_the_log_or_a_representation(github: FakeGitHub, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = client_of(github)

    class Sink:
        def write(self, data: bytes) -> None:
            assert data

    client.download(f"{REPOSITORY}/tarball/{github.objects.tip('main')}", Sink)
    assert github.calls == ["tarball", "archive"]
    shown = [caplog.text, repr(client), str(vars(client)), repr(AccessToken(SecretStr(READ_TOKEN), "x"))]
    assert not [each for each in shown if READ_TOKEN in each or "TEMPORARY" in each]
