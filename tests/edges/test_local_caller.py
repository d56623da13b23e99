"""Who asks on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import each_case
from tribal.edges.local_caller import local_caller, new_session
from tribal.errors import ConfigurationError
from tribal.ports import Caller, Identity
from tribal.settings import load_settings

DATABASES = "databases: [{name: shop}]\n"
WHOLE = """
identity:
  company: Acme Corp
  org: retail
  teams: [data, web, data]
  project: shop
"""


def caller(folder: Path, text: str | None = None, session: str | None = None, **environment: str) -> Caller:
    if text is not None:
        (folder / "databases.yaml").write_text(DATABASES + text)
    settings = load_settings(project=folder, environment=environment, needs_databases=False)
    return local_caller(settings, session=session)


def test_the_project_file_says_who_works_here(tmp_path: Path) -> None:
    asks = caller(tmp_path, WHOLE, TRIBAL_USER="ada", USER="root")
    assert (asks.subject, asks.rights) == ("ada", None)
    assert asks.identity == Identity(
        "ada", projects=("shop",), teams=("data", "web"), orgs=("retail",), company="Acme Corp"
    )


def test_without_a_file_there_is_a_user_and_nothing_else(tmp_path: Path) -> None:
    assert caller(tmp_path, USER="bob").identity == Identity("bob")
    assert caller(tmp_path, LOGNAME="bob").identity == Identity("bob")
    someone = caller(tmp_path).identity.user
    assert someone
    assert caller(tmp_path, USER="a\nb").identity.user == someone
    assert caller(tmp_path, USER="").identity.user == someone


def test_a_session_is_that_of_the_environment_or_of_the_process(tmp_path: Path) -> None:
    assert caller(tmp_path, USER="bob").identity.session is None
    process = new_session()
    assert process != new_session()
    assert caller(tmp_path, session=process, USER="bob").identity.session == process
    assert caller(tmp_path, session=process, USER="bob", TRIBAL_SESSION="mine").identity.session == "mine"


@each_case("name", ["TRIBAL_USER", "TRIBAL_SESSION"])
@each_case("value", ["a\nb", "x" * 201, "\u202ex"])
def test_a_variable_that_is_not_a_name_is_reported_as_such(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=name):
        caller(tmp_path, **{name: value})


@each_case(
    ("text", "told"),
    [
        ("identity: {company: ''}\n", "company"),
        ("identity: {user: eve}\n", "the keys here are company, org, teams, project"),
        ("identity: {teams: data}\n", "teams"),
        ("memory: {writes_per_minute: -1}\n", "writes_per_minute"),
        ("serve: {projects_claim: projects}\n", "add issuer"),
    ],
)
def test_a_part_of_the_file_that_cannot_be_used_is_named_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"databases.yaml, line 2.*{told}"):
        caller(tmp_path, text)
