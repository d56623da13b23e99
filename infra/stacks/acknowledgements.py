"""Accepted findings of cdk-nag, each with its reason; any other finding fails the synth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from aws_cdk import Acknowledgment, Stack, Validations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import IConstruct

from infra.environment import Environment
from infra.stacks.environment_stack import EnvironmentStack
from tribal.capabilities import capabilities

_PATTERNS = {
    pattern
    for each in capabilities()
    for use in each.uses
    for pattern in (
        *(*use.reads, *use.reads_without_search, *use.writes),
        *(kept for patterns in use.keeps_with.values() for kept in patterns),
    )
}
_PREFIXES = (
    *("config", "annotations", "queries", "catalog", "progress", "docs", "data", "prose"),
    *sorted(each.removesuffix("/*") for each in _PATTERNS if each.endswith("/*") and each.count("*") == 1),
)
"""Prefixes of the store that a function may have rights to as a whole."""
WILDCARDS = {
    rf">/({'|'.join(_PREFIXES)})/\*$": (
        "The keys below one prefix of the store, which is the unit of what a function may touch: names of databases, "
        "tables and runs are only known when it runs"
    ),
    rf">/({'|'.join(sorted({each.partition('/*/')[0] for each in _PATTERNS if '/*/' in each}))})/\*/": (
        "The names below are only known when they are made; of each, one file or folder"
    ),
    r">/progress/(work_units/\*|runs/\*/waves/\*)$": "Ids of runs and work units are only known when they are made",
    r":log-group:/aws/lambda/[a-z0-9-]+:\*$": "The streams of the function's own log group, which Lambda names",
    r":secret:": "Secrets of databases, the model's key and git's token, as the environment file names them",
    r":bedrock:\*::foundation-model/": (
        "An inference profile leads to regions of its own choice, and this is allowed through that profile alone"
    ),
    r":dbuser:": "The users of the network's databases, as the environment file names them",
    r":execution:[a-z0-9-]+-run/\*$": "Step Functions names the children of a distributed map",
    r":domain/[a-z0-9-]+/tribal-memories[/-]\*$": "What is asked of the one index of memories, and the ids of these",
    r":domain/[a-z0-9-]+/\*$": "The indexer makes the generations of the index, whose names are numbered",
}
"""Reasons for wildcards in a role's resources, by a pattern of the resource."""

WITHOUT_RESOURCES = re.compile(
    r"(xray:(Put|Get)\w+|logs:\w*(LogDelivery|LogDeliveries|ResourcePolicy|ResourcePolicies|LogGroups)"
    r"|ec2:(\w+NetworkInterfaces?|\w+PrivateIpAddresses|DescribeSubnets))"
)
"""Actions without resource-level permissions, or whose resources do not exist yet when the policy is written."""
_ANY = "These actions know no resources: traces, delivery of logs, network interfaces that do not exist yet"

_LOG_POLICY = "arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs"
API = {
    "AwsSolutions-APIG4": "The metadata that names the token issuer is public (RFC 9728); all else asks for a caller",
    "AwsSolutions-APIG2": "The retriever checks each body against the tool's contract and answers with its error",
    "AwsSolutions-APIG3": "No one calls without a signature or a token, and all are throttled",
    "AwsSolutions-APIG6": (
        "The access log says what failed; execution logs would go to a group that API Gateway makes, without retention"
    ),
    "AwsSolutions-COG4": "Callers are programs of the company: they sign with IAM or have a token of its own issuer",
    f"AwsSolutions-IAM4[Policy::{_LOG_POLICY}]": (
        "The policy that API Gateway documents for writing its logs, given to API Gateway alone"
    ),
}
RUNTIME = "One setting names the runtime of all functions, and every dependency has a wheel for it"
UNDELIVERED = "It holds what events and schedules could not deliver: it is a queue of dead letters"


def acknowledge(stack: EnvironmentStack) -> None:
    """Acknowledge the accepted findings of a stack."""
    for construct in stack.node.find_all():
        if isinstance(construct, iam.CfnRole):
            for finding, reason in _wildcards(stack, construct):
                _say(construct, f"AwsSolutions-IAM5[{finding}]", reason)
        elif isinstance(construct, lambda_.CfnFunction):
            _say(construct, "AwsSolutions-L1", RUNTIME)
    for rule, reason in API.items():
        _say(stack.api, rule, reason)
    _say(stack.indexing.undelivered, "AwsSolutions-SQS3", UNDELIVERED)
    if stack.search is not None:
        for rule, reason in _search(stack.environment_settings).items():
            _say(stack.search, rule, reason)


def _search(environment: Environment) -> dict[str, str]:
    size = environment.opensearch
    reasons = {"AwsSolutions-OS3": "Who may send what is decided by role, method and path instead of by address"}
    if size is not None and size.network is None:
        reasons["AwsSolutions-OS1"] = "Reached by signed requests of two roles; opensearch.network puts it into a VPC"
    if size is not None and size.dedicated_masters == 0:
        reasons["AwsSolutions-OS4"] = "A small domain: its index can be rebuilt from the store at any time"
    if size is not None and size.zones == 1:
        reasons["AwsSolutions-OS7"] = "A small domain: its index can be rebuilt from the store at any time"
    return reasons


def _wildcards(stack: Stack, role: iam.CfnRole) -> Iterator[tuple[str, str]]:
    policies = cast("list[dict[str, Any]]", stack.resolve(role.policies) or [])
    for policy in policies:
        for statement in policy["policyDocument"]["Statement"]:
            actions = _listed(statement["Action"])
            for resource in _listed(statement["Resource"]):
                text = _flat(resource)
                reason = _reason(text, actions) if "*" in text else None
                if reason is not None:
                    yield f"Resource::{text}", reason


def _reason(resource: str, actions: list[str]) -> str | None:
    if resource == "*":
        return _ANY if all(WITHOUT_RESOURCES.fullmatch(action) for action in actions) else None
    return next((reason for pattern, reason in WILDCARDS.items() if re.search(pattern, resource)), None)


def _flat(value: Any) -> str:
    """A resource as cdk-nag writes it: `<LogicalId.Attribute>` for values known only after deployment."""
    if isinstance(value, str):
        return value
    ((function, argument),) = value.items()
    if function == "Fn::Join":
        return str(argument[0]).join(_flat(part) for part in argument[1])
    return f"<{'.'.join(argument) if isinstance(argument, list) else argument}>"


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _say(construct: IConstruct, rule: str, reason: str) -> None:
    Validations.of(construct).acknowledge(Acknowledgment(id=f"AwsSolutions::{rule}", reason=reason))
