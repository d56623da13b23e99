"""What is allowed and was never called while the scenarios were played, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tests.e2e.permissions import Grant


@dataclass(frozen=True)
class Exemption:
    """Permissions that are there all the same; every part is a regular expression for the whole."""

    caller: str
    action: str
    resource: str
    reason: str
    may_be_used: bool = False
    """Whether a busy machine may use it all the same."""

    def holds_for(self, grant: Grant) -> bool:
        """Whether it is about a permission."""
        parts = ((self.caller, grant.caller), (self.action, grant.action), (self.resource, grant.resource))
        return all(re.fullmatch(pattern, value) for pattern, value in parts)


_FUNCTION = (
    r".*(Planner|Documenter|Finisher|Indexer|Retriever|Mcp|Memory|Checker|Syncer|Interrogator|Proposer|Chat|Uploads"
    r"|Ingester|Contributor|Publisher).*Role.*"
)
_MACHINE = r".*(Pipeline(Run|Start)|(Contributor|Publisher)Machine)Role.*"
EXEMPTIONS = (
    Exemption(_FUNCTION, r"logs:(CreateLogStream|PutLogEvents)", r".*", "Lambda itself writes what a function prints"),
    Exemption(_FUNCTION, r"xray:Put\w+", r"\*", "the daemon of X-Ray sends the traces; there is none here"),
    Exemption(
        r".*(Indexer|IngesterConsumer)Role.*",
        r"sqs:(ChangeMessageVisibility|GetQueueAttributes)",
        r".*-(indexer|ingester)",
        "Lambda's poller asks for it; here time passes by hand",
    ),
    Exemption(_MACHINE, r"logs:\w+", r"\*", "Step Functions itself delivers its log"),
    Exemption(_MACHINE, r"xray:\w+", r"\*", "Step Functions itself sends its traces"),
    Exemption(
        r".*PipelineRunRole.*",
        r"states:\w+",
        r".*:(stateMachine:[a-z-]+-run|execution:[a-z-]+-run/\*)",
        "Step Functions starts, follows and ends the children of a distributed map; moto runs them inside their parent",
    ),
    Exemption(
        r".*(Daily|Reconcile|Sync|Contribute|Publish)Role.*",
        r"sqs:SendMessage",
        r".*-undelivered",
        "the scheduler keeps what it could not deliver; here it delivers everything",
    ),
    Exemption(
        r".*SyncerRole.*",
        r"es:ESHttpPut",
        r".*/tribal-memories-\*",
        "the first to keep a memory makes their index, and here somebody has remembered something before the sync",
    ),
    Exemption(
        r".*IngesterConsumerRole.*",
        r"sqs:SendMessage",
        r".*-ingester",
        "a job that needs more than one call sends itself a message; the files here need one, unless it takes long",
        may_be_used=True,
    ),
    Exemption(
        r".*ChatRole.*",
        r"s3:GetObject",
        r".*/knowledge/items/\*",
        "a query that a model writes is checked against decisions; the model here writes none",
    ),
    Exemption(
        r"events\.amazonaws\.com",
        r"sqs:SendMessage",
        r".*-undelivered",
        "EventBridge keeps what it could not deliver; here it delivers everything",
    ),
    Exemption(
        r"events\.amazonaws\.com",
        r"sqs:GetQueue(Attributes|Url)",
        r".*-(indexer|ingester)",
        "the CDK grants it together with sending; it tells nothing of messages",
    ),
)


def unexplained(unused: Iterable[Grant]) -> list[Grant]:
    """Permissions that no one used and that have no reason."""
    return [grant for grant in unused if not any(exemption.holds_for(grant) for exemption in EXEMPTIONS)]


def outdated(unused: Iterable[Grant]) -> list[Exemption]:
    """Exemptions of nothing."""
    listed = list(unused)
    required = (exemption for exemption in EXEMPTIONS if not exemption.may_be_used)
    return [exemption for exemption in required if not any(map(exemption.holds_for, listed))]
