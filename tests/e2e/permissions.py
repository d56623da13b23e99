"""What the deployed roles, and the policies of what they call, allow, as IAM would judge it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from tests.e2e.recorded_calls import RecordedCall


@dataclass(frozen=True, order=True)
class Grant:
    """An action that a caller may do on a pattern of resources."""

    caller: str
    """The name of a role, or a service."""
    action: str
    resource: str
    source: str = "*"
    """On behalf of what a service may do it."""
    only: tuple[tuple[str, str], ...] = ()
    """Keys of conditions, with the pattern of the value that each has to have."""

    def covers(self, call: RecordedCall) -> bool:
        """Whether it allows a call."""
        fits = all(
            _fits(pattern, value)
            for pattern, value in (
                (self.action, call.action),
                (self.resource, call.resource),
                (self.source, call.source),
            )
        )
        told = dict(call.facts)
        return fits and self.caller == call.caller and all(_fits(value, told.get(key, "")) for key, value in self.only)


def grants_of(iam: Any, roles: Iterable[str]) -> list[Grant]:
    """Everything that the policies of some roles allow."""
    grants = []
    for role in roles:
        for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
            document = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
            grants += grants_in(role, _content(document)["Statement"])
    return sorted(grants)


def grants_in(role: str, statements: Iterable[dict[str, Any]]) -> list[Grant]:
    """Everything that statements of a role allow."""
    grants = []
    for statement in statements:
        assert statement["Effect"] == "Allow"
        only = _only(statement.get("Condition", {}))
        grants += [Grant(role, *allowed, only=only) for allowed in _allowed(statement)]
    return grants


def grants_to_callers(document: dict[str, Any]) -> list[Grant]:
    """Everything that the policy of a resource allows."""
    grants = []
    for statement in _listed(document["Statement"]):
        if statement["Effect"] == "Deny":
            # Who does not use TLS is turned away; the simulation has no TLS, and the templates are tested for it.
            assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}, statement
            continue
        source = _source(statement.get("Condition", {}))
        for caller in _callers(statement["Principal"]):
            # Only the condition keeps other people's resources from using a service to call ours.
            assert not caller.endswith(".amazonaws.com") or source != "*", statement
            grants += [Grant(caller, *allowed, source) for allowed in _allowed(statement)]
    return sorted(grants)


def _allowed(statement: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for action in _listed(statement["Action"]):
        for resource in _listed(statement["Resource"]):
            yield action, resource


def _callers(principal: dict[str, Any]) -> list[str]:
    """Names of roles, and services."""
    ((kind, names),) = principal.items()
    assert kind in ("AWS", "Service"), principal
    return [str(name).rsplit("/", 1)[-1] for name in _listed(names)]


def _source(condition: dict[str, Any]) -> str:
    """The pattern of `aws:SourceArn`; no other condition is known here."""
    if not condition:
        return "*"
    ((operator, asked),) = condition.items()
    ((key, pattern),) = asked.items()
    assert (operator in ("ArnLike", "ArnEquals"), key.lower()) == (True, "aws:sourcearn"), condition
    return str(pattern)


def _only(condition: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """The values that a role's statement asks for; only what Bedrock and S3 tell of a request is known here."""
    if not condition:
        return ()
    ((operator, asked),) = condition.items()
    if operator == "StringLike":
        assert set(asked) == {"s3:prefix"}, condition
        (prefix,) = _listed(asked["s3:prefix"])
        return (("s3:prefix", prefix),)
    assert operator == "StringEquals", condition
    assert set(asked) <= {"bedrock-mantle:Model", "bedrock:InferenceProfileArn"}, condition
    return tuple(sorted(asked.items()))


def missing(calls: Iterable[RecordedCall], grants: list[Grant]) -> list[RecordedCall]:
    """Calls that no policy allows."""
    return sorted(call for call in calls if not any(grant.covers(call) for grant in grants))


def unused(calls: Iterable[RecordedCall], grants: list[Grant]) -> list[Grant]:
    """Grants that allow none of the calls."""
    calls = list(calls)
    return [grant for grant in grants if not any(grant.covers(call) for call in calls)]


def _fits(pattern: str, value: str) -> bool:
    regex = re.escape(unquote(pattern)).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(regex, value, re.DOTALL) is not None


def _content(document: Any) -> dict[str, Any]:
    # boto3 reads the JSON that IAM answers; of roles made by CloudFormation moto answers Python's own way to write it.
    return dict(ast.literal_eval(document) if isinstance(document, str) else document)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
