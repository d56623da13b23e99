"""Writes docs/aws-roles.md: the permissions of every role of an environment, from its template.

Run `python -m infra.role_table TEMPLATE` with the synthesised template of `prod`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "aws-roles.md"
EXAMPLE = "prod"
"""The environment whose template the page shows."""
_INTRODUCTION = f"""# What each role in AWS may do

Generated from the template of the environment `{EXAMPLE}` by `make roles`; a test checks that it is up to date. Nothing
else is granted. The only managed policy lets API Gateway write its logs. `BUCKET` is the store; `REGION` and `ACCOUNT`
are those of the stack. Each network group, here `default`, has a planner and a documenter. In a VPC they may also
create network interfaces; with `rds_users` they may log in with IAM; with `role_arn` they may assume that role. A
`model` adds the permissions described in [deploying](deploying.md#descriptions-by-a-model).
"""


def role_page(template: dict[str, Any]) -> str:
    """The page for a template."""
    names = _names(template)
    lines = [_INTRODUCTION]
    for title, role in sorted(_roles(template)):
        service = role["AssumeRolePolicyDocument"]["Statement"][0]["Principal"]["Service"]
        lines += [f"## {title}", "", f"Assumed by `{service}`.", "", "| actions | resources |", "|---|---|"]
        for statement in _statements(role):
            lines.append(f"| {_cell(statement['Action'], names)} | {_cell(statement['Resource'], names)} |")
        managed = [_text(arn, names) for arn in role.get("ManagedPolicyArns", ())]
        lines += [f"| managed policy | `{arn}` |" for arn in managed]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _roles(template: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Roles by purpose: the name of the function, state machine or schedule that assumes them."""
    resources = template["Resources"]
    users: dict[str, str] = {}
    for resource in resources.values():
        properties = resource.get("Properties", {})
        role = properties.get("Role") or properties.get("RoleArn") or properties.get("Target", {}).get("RoleArn")
        name = properties.get("FunctionName") or properties.get("StateMachineName") or properties.get("Name")
        if isinstance(role, dict) and isinstance(name, str):
            users[role["Fn::GetAtt"][0]] = name.removeprefix(f"tribal-{EXAMPLE}-")
    for logical_id, resource in resources.items():
        if resource["Type"] == "AWS::IAM::Role":
            yield users.get(logical_id, "writing the logs of the API"), resource["Properties"]


def _statements(role: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for policy in role.get("Policies", ()) for each in policy["PolicyDocument"]["Statement"]]


def _names(template: dict[str, Any]) -> dict[str, str]:
    """A readable name for each resource; the versioned bucket is the store."""
    names = {}
    for logical_id, resource in template["Resources"].items():
        properties = resource.get("Properties", {})
        keys = ("FunctionName", "StateMachineName", "QueueName")
        names[logical_id] = next((properties[key] for key in keys if key in properties), logical_id)
        if "VersioningConfiguration" in properties:
            names[logical_id] = "BUCKET"
    return names


def _cell(value: Any, names: dict[str, str]) -> str:
    values = value if isinstance(value, list) else [value]
    return "<br>".join(f"`{_text(each, names)}`" for each in values)


def _text(value: Any, names: dict[str, str]) -> str:
    """A template value in readable form."""
    if isinstance(value, str):
        return value
    ((function, argument),) = value.items()
    if function == "Fn::Join":
        return str(argument[0]).join(_text(part, names) for part in argument[1])
    if function == "Ref":
        return str(argument).removeprefix("AWS::").upper().replace("ACCOUNTID", "ACCOUNT")
    return names[argument[0]]


def main() -> None:
    """Write the page."""
    PAGE.write_text(role_page(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
