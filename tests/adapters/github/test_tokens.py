"""Only tokens with few rights are used, and an App asks for no more than a purpose needs."""

from __future__ import annotations

from functools import cache

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from pydantic import SecretStr

from tests.adapters.github.clients import PULL, Pauses, address_of, publish, repository_of
from tests.cases import each_case
from tests.fakes.github.faults import FaultName
from tests.fakes.github.server import APP, INSTALLATION, FakeGitHub
from tests.fakes.issuer import rsa_key
from tribal.adapters.github.address import GitHubAddress
from tribal.adapters.github.client import GitHubClient
from tribal.adapters.github.forge import GitHubForge
from tribal.adapters.github.repository import GitHubRepository
from tribal.adapters.github.tokens import AccessToken, AppKey, InstallationTokens, Purpose
from tribal.errors import ForgeUnreachable, RepositoryUnreadable, RepositoryUnusable, TribalError

NOW = 1_800_000_000.0


@cache
def key() -> tuple[str, str]:
    """A private key and its public key."""
    made = rsa_key()
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL
    private = made.private_bytes(encoding, form, serialization.NoEncryption())
    public = made.public_key().public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public.decode()


class Clock:
    """A clock that stands still unless it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


def tokens_of(
    github: FakeGitHub, purpose: Purpose, clock: Clock, address: GitHubAddress | None = None
) -> InstallationTokens:
    """Tokens of the App at the stand-in, whose key has its line ends written out."""
    github.app_key, github.now = key()[1], clock
    app = AppKey(APP, INSTALLATION, SecretStr(key()[0].replace("\n", "\\n")))
    return InstallationTokens(app, address or address_of(github), purpose, Pauses().timing(now=clock))


@each_case("text", ["github_pat_11ABC_def", "ghs_16C7e42F292c6912E7710c838347Ae178B4a", "ghu_x", " ghs_a.b-c\n"])
def test_tokens_with_chosen_rights_are_used(text: str) -> None:
    found = AccessToken(SecretStr(text), "write_secret").current()
    assert found is not None
    assert found.get_secret_value() == text.strip()


@each_case("text", ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "gho_x", "ghr_x", "0123456789" * 4])
def test_tokens_with_all_rights_of_a_person_are_refused(text: str) -> None:
    with pytest.raises(RepositoryUnusable, match="classic token") as caught:
        AccessToken(SecretStr(text), "write_secret")
    assert "`write_secret`" in str(caught.value)
    assert text not in str(caught.value)


@each_case("text", ["", "hunter2", "github_pat_a b", "github_pat_a\r\nX-Evil: 1", "ghs_\u00e9", "Bearer ghs_x", "ghs_"])
def test_a_secret_that_is_not_a_token_is_never_sent(text: str) -> None:
    with pytest.raises(RepositoryUnusable, match="not a token"):
        AccessToken(SecretStr(text), "read_secret")


@each_case(
    ("purpose", "wanted"),
    [
        ("read", {"contents": "read", "metadata": "read"}),
        (
            "follow",
            {
                "contents": "read",
                "metadata": "read",
                "pull_requests": "read",
                "checks": "read",
                "statuses": "read",
            },
        ),
        (
            "publish",
            {
                "contents": "write",
                "metadata": "read",
                "pull_requests": "write",
                "checks": "read",
                "statuses": "read",
            },
        ),
    ],
)
def test_an_app_asks_for_the_rights_of_its_purpose(purpose: Purpose, wanted: dict[str, str]) -> None:
    github = FakeGitHub({"a": b""})
    found = tokens_of(github, purpose, Clock()).current()
    github.stop()
    assert found is not None
    assert github.tokens[found.get_secret_value()] == wanted
    signed = github.requests[0].headers["authorization"].removeprefix("Bearer ")
    assert jwt.get_unverified_header(signed)["alg"] == "RS256"


def test_a_token_is_renewed_five_minutes_before_it_expires(github: FakeGitHub) -> None:
    clock = Clock()
    tokens = tokens_of(github, "read", clock)
    first = tokens.current()
    clock.now += 3600 - 301
    assert tokens.current() == first
    clock.now += 2
    assert tokens.current() != first
    assert github.calls == ["app_token"] * 2


def test_an_app_reads_and_publishes(github: FakeGitHub) -> None:
    clock = Clock()
    repository = GitHubRepository(GitHubClient(address_of(github), tokens_of(github, "read", clock)))
    base = repository.state().base_commit
    assert repository.tree(base).read("README.md") == b"# Shop\n"
    forge = GitHubForge(GitHubClient(address_of(github), tokens_of(github, "publish", clock)))
    assert publish(forge, base).body == PULL.body
    assert forge.activity(17).checks.pending == 0


def test_a_reading_app_cannot_publish(github: FakeGitHub) -> None:
    base = repository_of(github).state().base_commit
    forge = GitHubForge(GitHubClient(address_of(github), tokens_of(github, "read", Clock())))
    with pytest.raises(RepositoryUnreadable, match="rights of the token of `app`"):
        publish(forge, base)


def test_an_app_without_a_right_is_reported_with_those_that_it_needs(github: FakeGitHub) -> None:
    github.installed = {"contents": "read", "metadata": "read"}
    with pytest.raises(RepositoryUnusable, match="contents: write, metadata: read, pull_requests: write"):
        tokens_of(github, "publish", Clock()).current()


def test_the_key_of_another_app_is_refused(github: FakeGitHub) -> None:
    tokens = tokens_of(github, "read", Clock())
    github.app_key = rsa_public(2048)
    with pytest.raises(RepositoryUnreadable, match="`app` is wrong"):
        tokens.current()


def rsa_public(bits: int) -> str:
    """The public key of another pair."""
    encoding, form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    return rsa_key(bits).public_key().public_bytes(encoding, form).decode()


@each_case("text", ["", "no key", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"])
def test_a_secret_that_is_not_a_private_key_is_reported_and_not_shown(text: str) -> None:
    github = FakeGitHub({"a": b""})
    tokens = InstallationTokens(AppKey(APP, INSTALLATION, SecretStr(text)), address_of(github), "read")
    with pytest.raises(RepositoryUnusable, match="not the App's private key") as caught:
        tokens.current()
    github.stop()
    assert caught.value.__cause__ is None
    assert "AAAA" not in str(caught.value)


@each_case(
    ("fault", "cause"), [("500", ForgeUnreachable), ("no object", ForgeUnreachable), ("404", RepositoryUnreadable)]
)
def test_a_token_that_cannot_be_fetched_is_reported(fault: FaultName, cause: type[TribalError]) -> None:
    github = FakeGitHub({"a": b""})
    github.fail(fault, "app_token", times=9)
    with pytest.raises(cause):
        tokens_of(github, "read", Clock()).current()
    github.stop()


@each_case("token", ["", "ghs_a\r\nX-Evil: 1", "ghp_classic", "ghs_\u00e9"])
def test_an_answer_that_is_not_a_token_is_reported_and_not_sent(token: str) -> None:
    github = FakeGitHub({"a": b""}, complete=lambda _route, _status, body: {**body, "token": token})
    with pytest.raises(ForgeUnreachable, match="did not answer with a token"):
        tokens_of(github, "read", Clock()).current()
    github.stop()
