"""Who asks the retriever is what API Gateway says of the request, and nothing that the request says itself."""

from __future__ import annotations

from functions.retriever.callers import caller_of
from tribal.catalog.scope import EVERYTHING, Scope

READ = frozenset({"documentation:read"})


def test_whom_a_token_let_in_may_read_the_databases_that_the_authorizer_named() -> None:
    caller = caller_of({"authorizer": {"principalId": "alice", "tribal_databases": "sales,stock"}})
    assert (caller.subject, caller.rights) == ("alice", READ)
    assert caller.scope == Scope(databases=frozenset({"sales", "stock"}))


def test_whom_a_token_let_in_without_databases_sees_none() -> None:
    for context in ({"principalId": "alice"}, {"tribal_databases": ""}, {"tribal_databases": None}):
        assert caller_of({"authorizer": context}).scope.databases == frozenset()


def test_whom_iam_let_in_may_read_everything_under_the_name_that_iam_knows() -> None:
    arn = "arn:aws:iam::123456789012:user/alice"
    caller = caller_of({"authorizer": None, "identity": {"userArn": arn}})
    assert (caller.subject, caller.scope, caller.rights) == (arn, EVERYTHING, READ)
    assert caller_of({"identity": {"sourceIp": "127.0.0.1"}}).subject == "unknown"
