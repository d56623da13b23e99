"""Who asks a function is what API Gateway says of the request; the request itself chooses among what the caller has."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions import callers
from functions.callers import caller_of
from functions.offering import offered_tools
from functions.scopes import (
    IDENTITY,
    RIGHTS,
    SCOPE,
    read_identity,
    read_scope,
    write_identity,
    write_rights,
    write_scope,
)
from tests.cases import each_case
from tests.tools.questions import START_RIGHT, Questions
from tribal.errors import IdentifierRefused, RequestRefused
from tribal.identity.scope import EVERYTHING, Scope
from tribal.ports import Caller, Identity
from tribal.ports.capability import Capability
from tribal.settings.deployment import COMPANY_VARIABLE, section_variable
from tribal.tools.registry import EVERYTHING as EVERY_TOOL
from tribal.tools.registry import REGISTRY, Registry

READ = REGISTRY.read_rights
ARN = "arn:aws:iam::123456789012:user/alice"
OF_ALICE = Identity("alice", orgs=("acme",), teams=("data", "web"), projects=("shop", "till"))


def asks(context: dict[str, Any], **headers: str) -> Caller:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return caller_of({"requestContext": context, "headers": named or None})


def bearing(**headers: str) -> Caller:
    return asks({"authorizer": {"principalId": "alice", IDENTITY: write_identity(OF_ALICE)}}, **headers)


def test_whom_a_token_let_in_may_read_what_the_authorizer_named() -> None:
    scope = Scope(frozenset({"sales", "my, db"}), frozenset({("stock", "public")}))
    caller = asks({"authorizer": {"principalId": "alice", SCOPE: write_scope(scope)}})
    assert (caller.subject, caller.rights, caller.scope) == ("alice", READ, scope)


@given(st.frozensets(st.text()), st.frozensets(st.tuples(st.text(), st.text())))
def test_every_scope_arrives_as_it_was_sent(databases: frozenset[str], schemas: frozenset[tuple[str, str]]) -> None:
    scope = Scope(databases, schemas or None)
    assert read_scope(write_scope(scope)) == scope


names = st.lists(st.text(), max_size=3).map(tuple)


@given(st.text(), names, names, names)
def test_every_identity_arrives_as_it_was_sent(user: str, orgs: Any, teams: Any, projects: Any) -> None:
    identity = Identity(user, orgs=orgs, teams=teams, projects=projects)
    assert read_identity(user, write_identity(identity)) == identity


def test_whom_a_token_let_in_without_a_scope_sees_nothing() -> None:
    for context in ({"principalId": "alice"}, {SCOPE: ""}, {SCOPE: None}, {SCOPE: write_scope(Scope(frozenset()))}):
        assert asks({"authorizer": context}).scope == Scope(frozenset())


@each_case("rights", [frozenset[str](), READ, READ | {"metrics:read"}])
def test_whose_scopes_tell_rights_has_these_and_no_others(rights: frozenset[str]) -> None:
    context = {"principalId": "alice", SCOPE: write_scope(Scope(frozenset())), RIGHTS: write_rights(rights)}
    assert asks({"authorizer": context}).rights == rights


def test_whom_iam_let_in_reads_everything_and_remembers_under_the_name_that_iam_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(section_variable("memory"), "{}")
    caller = asks({"authorizer": None, "identity": {"userArn": ARN}})
    assert (caller.subject, caller.scope, caller.identity) == (ARN, EVERYTHING, Identity(ARN))
    assert caller.rights == offered_tools().read_rights | {"memory:write", "annotations:propose"}


def test_whom_iam_let_in_may_have_decisions_synced_where_there_are_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(section_variable("memory"), "{}")
    monkeypatch.setenv(section_variable("knowledge"), json.dumps({"repository": "https://git.example.com/decisions"}))
    caller = asks({"authorizer": None, "identity": {"userArn": ARN}})
    assert caller.rights == offered_tools().read_rights | {"memory:write", "knowledge:sync", "annotations:propose"}
    bearer = asks({"authorizer": {"principalId": "alice", SCOPE: write_scope(Scope(frozenset()))}})
    assert bearer.rights == READ | {"knowledge:read", "memory:read"}
    assert "knowledge:sync" not in (asks({"identity": {"sourceIp": "127.0.0.1"}}).rights or ())


def test_whom_iam_let_in_spends_no_money_on_models_even_if_a_capability_lists_the_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asking = Capability(
        name="questions", errors="tribal.errors", page="tools.md", write_rights=(START_RIGHT, "memory:write")
    )
    tools = Registry((*EVERY_TOOL.groups, Questions().group))
    monkeypatch.setattr(callers, "offered_tools", lambda: tools)
    monkeypatch.setattr(callers, "capabilities", lambda: (asking,))
    caller = asks({"authorizer": None, "identity": {"userArn": ARN}})
    assert caller.rights == EVERY_TOOL.read_rights | {"memory:write"}


def test_an_unnamed_caller_is_unidentified_and_may_only_read() -> None:
    for context in ({"identity": {"sourceIp": "127.0.0.1"}}, {"authorizer": {IDENTITY: write_identity(OF_ALICE)}}):
        caller = asks(context)
        assert (caller.subject, caller.rights) == ("unknown", READ)
        assert caller.identity.user is None


def test_the_claims_of_a_token_and_the_company_of_the_environment_say_who_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert bearing().identity == OF_ALICE
    monkeypatch.setenv(COMPANY_VARIABLE, "Acme Corp")
    assert bearing().identity.company == "Acme Corp"
    assert asks({"identity": {"userArn": ARN}}).identity.company == "Acme Corp"


def test_headers_choose_a_session_an_agent_and_one_of_the_callers_projects() -> None:
    chosen = bearing(X_Tribal_Session="s 1", X_Tribal_Agent="coder", x_tribal_project="till").identity
    assert (chosen.user, chosen.session, chosen.agent) == ("alice", "s 1", "coder")
    assert [space.identifiers for space in chosen.spaces("session")] == [(("user", "alice"), ("session", "s 1"))]
    assert [space.identifiers for space in chosen.spaces_to_write("project")] == [(("project", "till"),)]
    assert len(chosen.spaces("project")) == 2


@each_case("project", ["other", "data", "acme", "Shop", "shop,till", "shop\u200b"])
def test_a_project_that_is_none_of_the_callers_is_refused(project: str) -> None:
    with pytest.raises(RequestRefused):
        bearing(X_Tribal_Project=project)
    with pytest.raises(IdentifierRefused):
        asks({"identity": {"userArn": ARN}}, X_Tribal_Project="shop")


@each_case("value", ["", " ", "a\nb", "a\x00", "x" * 201, "\u202eadmin"])
@each_case("name", ["X_Tribal_Session", "X_Tribal_Agent", "X_Tribal_Project"])
def test_a_header_that_is_no_name_is_refused(name: str, value: str) -> None:
    with pytest.raises(RequestRefused, match="is not a valid name"):
        bearing(**{name: value})


@given(st.dictionaries(st.sampled_from(["user", "team", "teams", "org", "company", "rights", "scope"]), st.text()))
def test_no_other_header_changes_who_asks(headers: dict[str, str]) -> None:
    assert bearing(**{f"X_Tribal_{name}": value for name, value in headers.items()}) == bearing()
