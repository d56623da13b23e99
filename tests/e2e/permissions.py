"""What the deployed roles may do, as IAM would judge it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from tests.e2e.recorded_calls import RecordedCall


@dataclass(frozen=True, order=True)
class Grant:
    """An action that a role may do on a pattern of resources."""

    role: str
    action: str
    resource: str

    def covers(self, call: RecordedCall) -> bool:
        """Whether it allows a call."""
        return self.role == call.role and _fits(self.action, call.action) and _fits(self.resource, call.resource)


def grants_of(iam: Any, roles: Iterable[str]) -> list[Grant]:
    """Everything that the policies of some roles allow."""
    grants = []
    for role in roles:
        for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
            document = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
            for statement in _content(document)["Statement"]:
                assert statement["Effect"] == "Allow"
                assert "Condition" not in statement
                for action in _listed(statement["Action"]):
                    grants += [Grant(role, action, resource) for resource in _listed(statement["Resource"])]
    return sorted(grants)


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
