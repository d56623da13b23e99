"""Who asks the retriever is what API Gateway says of the request, and nothing that the request says itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.callers import caller_of
from functions.scopes import RIGHTS, SCOPE, read_scope, write_rights, write_scope
from tribal.catalog.scope import EVERYTHING, Scope

READ = frozenset({"documentation:read"})


def test_whom_a_token_let_in_may_read_what_the_authorizer_named() -> None:
    scope = Scope(frozenset({"sales", "my, db"}), frozenset({("stock", "public")}))
    caller = caller_of({"authorizer": {"principalId": "alice", SCOPE: write_scope(scope)}})
    assert (caller.subject, caller.rights, caller.scope) == ("alice", READ, scope)


@given(st.frozensets(st.text()), st.frozensets(st.tuples(st.text(), st.text())))
def test_every_scope_arrives_as_it_was_sent(databases: frozenset[str], schemas: frozenset[tuple[str, str]]) -> None:
    scope = Scope(databases, schemas or None)
    assert read_scope(write_scope(scope)) == scope


def test_whom_a_token_let_in_without_a_scope_sees_nothing() -> None:
    for context in ({"principalId": "alice"}, {SCOPE: ""}, {SCOPE: None}, {SCOPE: write_scope(Scope(frozenset()))}):
        assert caller_of({"authorizer": context}).scope == Scope(frozenset())


@pytest.mark.parametrize("rights", [frozenset[str](), READ, READ | {"metrics:read"}])
def test_whose_scopes_tell_rights_has_these_and_no_others(rights: frozenset[str]) -> None:
    context = {"principalId": "alice", SCOPE: write_scope(Scope(frozenset())), RIGHTS: write_rights(rights)}
    assert caller_of({"authorizer": context}).rights == rights


def test_whom_iam_let_in_may_read_everything_under_the_name_that_iam_knows() -> None:
    arn = "arn:aws:iam::123456789012:user/alice"
    caller = caller_of({"authorizer": None, "identity": {"userArn": arn}})
    assert (caller.subject, caller.scope, caller.rights) == (arn, EVERYTHING, READ)
    assert caller_of({"identity": {"sourceIp": "127.0.0.1"}}).subject == "unknown"
