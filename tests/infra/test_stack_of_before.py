"""An environment that version 0.1 deployed is brought up to date, not replaced: what it holds stays where it is.

`tests/fixtures/stack_0_1.json` holds what `lasting` told of the templates of version 0.1.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import ROOT
from tests.cases import each_case
from tests.infra.synthesis import Assembly

pytestmark = pytest.mark.xdist_group("infra")

BEFORE: dict[str, dict[str, Any]] = json.loads((ROOT / "tests" / "fixtures" / "stack_0_1.json").read_text("utf-8"))
LASTING = {
    "AWS::ApiGateway::RestApi",
    "AWS::ApiGateway::Stage",
    "AWS::DynamoDB::Table",
    "AWS::Events::Rule",
    "AWS::IAM::Role",
    "AWS::Lambda::Function",
    "AWS::Logs::LogGroup",
    "AWS::OpenSearchService::Domain",
    "AWS::S3::Bucket",
    "AWS::SNS::Topic",
    "AWS::SQS::Queue",
    "AWS::Scheduler::Schedule",
    "AWS::SecretsManager::Secret",
    "AWS::StepFunctions::StateMachine",
}
"""Types of what holds data, or is known outside of the stack by its name, id or ARN."""
NAMES = ("BucketName", "DomainName", "FunctionName", "LogGroupName", "Name", "QueueName", "RoleName", "StageName")
MORE_NAMES = ("StateMachineName", "TableName", "TopicName")
RETENTION = ("RetentionInDays", "MessageRetentionPeriod")


def lasting(template: dict[str, Any]) -> dict[str, Any]:
    """What a deployment must not change, since CloudFormation would replace the resource and what it holds."""
    resources = {
        name: {
            "Type": resource["Type"],
            # `RetainExceptOnCreate` differs from `Retain` for what a failed first deployment created alone.
            **{
                key: resource[key].removesuffix("ExceptOnCreate")
                for key in ("DeletionPolicy", "UpdateReplacePolicy")
                if key in resource
            },
            **{
                key: resource["Properties"][key]
                for key in (*NAMES, *MORE_NAMES, *RETENTION)
                if key in resource.get("Properties", {})
            },
        }
        for name, resource in sorted(template["Resources"].items())
        if resource["Type"] in LASTING
    }
    return {"resources": resources, "outputs": dict(sorted(template["Outputs"].items()))}


@each_case("environment", sorted(BEFORE))
def test_a_deployment_over_the_stack_of_before_replaces_and_renames_nothing_that_lasts(
    assembly: Assembly, environment: str
) -> None:
    now = lasting(json.loads(assembly.templates[environment].path.read_text(encoding="utf-8")))
    for part, before in BEFORE[environment].items():
        assert before
        assert {name: now[part].get(name) for name in before} == before


def test_what_holds_the_documents_and_their_index_was_there_before() -> None:
    for environment, retention in (("dev", "Delete"), ("prod", "Retain")):
        policies = {
            resource["Type"]: resource["DeletionPolicy"]
            for resource in BEFORE[environment]["resources"].values()
            if resource["Type"] in ("AWS::S3::Bucket", "AWS::OpenSearchService::Domain")
        }
        assert policies == {"AWS::S3::Bucket": retention, "AWS::OpenSearchService::Domain": retention}
