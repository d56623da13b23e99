"""How calls are held against policies: what is not allowed is found, and what no one uses too."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.permissions import Grant, grants_in, grants_to_callers, missing, unused
from tests.e2e.recorded_calls import RecordedCall
from tests.e2e.unused_permissions import EXEMPTIONS, outdated, unexplained

QUEUE = "arn:aws:sqs:eu-central-1:123456789012:queue"
RULE = "arn:aws:events:eu-central-1:123456789012:rule/rule"
EVENTS = "events.amazonaws.com"
FROM_RULE = {"ArnEquals": {"aws:SourceArn": RULE}}
SENDING = {"Effect": "Allow", "Principal": {"Service": EVENTS}, "Action": "sqs:SendMessage", "Resource": QUEUE}


def policy(*statements: dict[str, Any]) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": list(statements)}


def test_a_service_may_call_on_behalf_of_what_the_policy_names_alone() -> None:
    (grant,) = grants_to_callers(policy(SENDING | {"Condition": FROM_RULE}))
    assert grant == Grant(EVENTS, "sqs:SendMessage", QUEUE, RULE)
    good = RecordedCall(EVENTS, "sqs:SendMessage", QUEUE, RULE)
    others = [
        RecordedCall(EVENTS, "sqs:SendMessage", QUEUE, f"{RULE}-of-others"),
        RecordedCall(EVENTS, "sqs:SendMessage", QUEUE),
        RecordedCall(EVENTS, "sqs:ReceiveMessage", QUEUE, RULE),
        RecordedCall(EVENTS, "sqs:SendMessage", f"{QUEUE}-other", RULE),
        RecordedCall("sns.amazonaws.com", "sqs:SendMessage", QUEUE, RULE),
    ]
    assert missing([good, *others], [grant]) == sorted(others)
    assert unused([good], [grant]) == []
    assert unused(others, [grant]) == [grant]


def test_a_method_of_an_api_may_call_its_function_and_no_other_method() -> None:
    place = "arn:aws:execute-api:eu-central-1:123456789012:api/dev"
    function = "arn:aws:lambda:eu-central-1:123456789012:function:retriever"
    gateway = {"Principal": {"Service": "apigateway.amazonaws.com"}, "Action": "lambda:InvokeFunction"}
    condition = {"ArnLike": {"AWS:SourceArn": f"{place}/POST/v1/tools/*"}}
    grants = grants_to_callers(policy({"Effect": "Allow", "Resource": function, "Condition": condition, **gateway}))
    calls = [
        RecordedCall("apigateway.amazonaws.com", "lambda:InvokeFunction", function, f"{place}/{path}")
        for path in ("POST/v1/tools/search_tables", "GET/v1/tools", "GET/health")
    ]
    assert missing(calls, grants) == sorted(calls[1:])


def test_a_role_is_known_by_its_name_and_a_denial_of_clear_text_allows_nothing() -> None:
    domain = "arn:aws:es:eu-central-1:123456789012:domain/tribal/*"
    role = {"AWS": "arn:aws:iam::123456789012:role/indexer"}
    allowed = {"Effect": "Allow", "Principal": role, "Action": ["es:ESHttpGet", "es:ESHttpPut"], "Resource": domain}
    clear_text = {"Bool": {"aws:SecureTransport": "false"}}
    denied = {"Effect": "Deny", "Principal": {"AWS": "*"}, "Action": "*", "Resource": "*", "Condition": clear_text}
    assert grants_to_callers(policy(allowed, denied)) == [
        Grant("indexer", "es:ESHttpGet", domain),
        Grant("indexer", "es:ESHttpPut", domain),
    ]


def test_a_permission_with_a_condition_covers_what_fulfils_it_alone() -> None:
    project = "arn:aws:bedrock-mantle:eu-central-1:123456789012:project/default"
    action, model = "bedrock-mantle:CreateInference", "bedrock-mantle:Model"
    grant = Grant("documenter", action, project, only=((model, "haiku"),))
    good = RecordedCall("documenter", action, project, facts=((model, "haiku"),))
    others = [
        RecordedCall("documenter", action, project),
        RecordedCall("documenter", action, project, "", ((model, "opus"),)),
    ]
    assert missing([good, *others], [grant]) == sorted(others)
    assert (unused([good], [grant]), unused(others, [grant])) == ([], [grant])


def test_versions_may_be_listed_below_the_prefixes_of_a_condition_alone() -> None:
    bucket, action = "arn:aws:s3:::store", "s3:ListBucketVersions"
    listing = {"Effect": "Allow", "Action": action, "Resource": bucket}
    (grant,) = grants_in("ingester", [listing | {"Condition": {"StringLike": {"s3:prefix": ["collections/*"]}}}])
    below, beside = (
        RecordedCall("ingester", action, bucket, facts=(("s3:prefix", prefix),))
        for prefix in ("collections/handbook/sources/", "docs/")
    )
    untold = RecordedCall("ingester", action, bucket)
    assert missing([below, beside, untold], [grant]) == sorted([beside, untold])


@pytest.mark.parametrize(
    "statement",
    [
        SENDING,
        SENDING | {"Condition": {"StringEquals": {"aws:SourceAccount": "123456789012"}}},
        SENDING | {"Condition": FROM_RULE, "Principal": {"Federated": "x"}},
        SENDING | {"Effect": "Deny", "Condition": FROM_RULE},
    ],
)
def test_none_of_our_policies_has_a_statement_that_this_would_misjudge(statement: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        grants_to_callers(policy(statement))


def test_an_unused_permission_needs_a_reason_and_a_reason_an_unused_permission() -> None:
    logs = Grant("tribal-IndexerRole1A", "logs:PutLogEvents", "*")
    strange = [
        Grant("tribal-IndexerRole1A", "s3:PutObject", "*"),
        Grant("tribal-ReconcileRole1A", "sqs:SendMessage", f"{QUEUE}-indexer"),
        Grant("tribal-PipelineRunRole1A", "states:StartExecution", "arn:aws:states:x:1:stateMachine:other"),
        Grant(EVENTS, "sqs:SendMessage", QUEUE, RULE),
    ]
    assert unexplained([logs, *strange]) == strange
    assert len(outdated([logs])) == sum(not each.may_be_used for each in EXEMPTIONS) - 1
