"""What moto lacks of the services that the system is deployed to, and the smallest thing that replaces each.

`LACKING` lists all of them; `test_stand_ins.py` has a canary a line, which fails as soon as moto has caught up.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from moto.awslambda.models import LambdaFunction
from moto.awslambda.utils import get_backend
from moto.cloudformation import parsing
from moto.cloudformation.custom_model import CustomModel
from moto.core.config import default_user_config
from moto.events.models import Rule
from moto.s3.models import FakeBucket
from moto.scheduler.models import scheduler_backends
from moto.sqs.models import Queue, sqs_backends
from moto.stepfunctions import models as stepfunctions
from moto.stepfunctions.parser.asl.component.state.exec.state_task.credentials import StateCredentials
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_sfn import (
    StateTaskServiceSfn,
)
from moto.stepfunctions.parser.asl.utils.boto_client import boto_client_for
from moto.stepfunctions.parser.models import stepfunctions_parser_backends

LACKING = {
    "functions run in Docker alone": "run_functions_by, with LambdaProcesses",
    "functions deployed by CloudFormation lose their layers": "keep_layers",
    "buckets deployed by CloudFormation keep no versions and tell nobody of new objects": "keep_bucket_properties",
    "state machines deployed by CloudFormation are not executed": "execute_deployed_state_machines",
    "CloudFormation knows no OpenSearch domain": "deploy_search_domains, with SignedProxy",
    "CloudFormation knows no schedule": "deploy_schedules",
    "CloudFormation knows no policy of a queue": "deploy_queue_policies",
    "CloudFormation knows no stage of an API": "deploy_stages",
    "CloudFormation knows no authorizer of an API": "deploy_authorizers",
    "state machines call services with keys of nobody": "call_with_keys_of_roles",
    "schedules never fire": "AwsAccount.fire",
    "executions without a name all get the same": "DeployedSystem.start, AwsAccount.fire",
    "a queue hands a function one message at a time": "hand_over_no_messages, with EventSources",
    "Step Functions calls its own API by the names of parameters as they are written": "rename_parameters",
    "a REST API is stored and not served": "RestApi",
}
"""What is lacking, and what replaces it."""

SEARCH_DOMAIN, SCHEDULE = "AWS::OpenSearchService::Domain", "AWS::Scheduler::Schedule"
QUEUE_POLICY, STAGE = "AWS::SQS::QueuePolicy", "AWS::ApiGateway::Stage"
AUTHORIZER = "AWS::ApiGateway::Authorizer"
RunFunction = Callable[[LambdaFunction, Any], tuple[str, bool]]
ClientOf = Callable[[str, str], Any]
"""Makes a client of a service with the rights of a role."""


def run_functions_by(patch: pytest.MonkeyPatch, run: RunFunction) -> None:
    """Have functions called by `run`, which says what they answer and whether they failed."""

    def invoke(function: LambdaFunction, event: Any = None) -> tuple[str, bool, str]:
        answer, failed = run(function, event)
        return answer, failed, ""

    patch.setattr(LambdaFunction, "_invoke_lambda", invoke)


def keep_layers(patch: pytest.MonkeyPatch) -> None:
    """Have functions that CloudFormation deploys keep their layers."""
    original = LambdaFunction.create_from_cloudformation_json.__func__  # type: ignore[attr-defined]

    def create(cls: Any, /, name: str, content: dict[str, Any], account: str, region: str, **more: Any) -> Any:
        function = original(cls, name, content, account, region, **more)
        # A reference to a layer is resolved to moto's object instead of the ARN.
        layers = content["Properties"].get("Layers", [])
        function.layers = function._get_layers_data([getattr(layer, "arn", layer) for layer in layers])
        return function

    patch.setattr(LambdaFunction, "create_from_cloudformation_json", classmethod(create))


def layers_of(function: LambdaFunction) -> tuple[bytes, ...]:
    """The archives of a function's layers, in order."""
    backend = get_backend(function.account_id, function.region)
    versions = [backend.layers_versions_by_arn(layer["Arn"]) for layer in function.layers]
    return tuple(version.code_bytes for version in versions if version is not None)


def keep_bucket_properties(patch: pytest.MonkeyPatch) -> None:
    """Have buckets that CloudFormation deploys keep versions and tell EventBridge, where the template says so."""
    original = FakeBucket.create_from_cloudformation_json.__func__  # type: ignore[attr-defined]

    def create(cls: Any, /, name: str, content: dict[str, Any], account: str, region: str, **more: Any) -> Any:
        bucket = original(cls, name, content, account, region, **more)
        properties = content.get("Properties", {})
        bucket.versioning_status = properties.get("VersioningConfiguration", {}).get("Status")
        told = properties.get("NotificationConfiguration", {}).get("EventBridgeConfiguration", {})
        if told.get("EventBridgeEnabled"):
            bucket.set_notification_configuration({"EventBridgeConfiguration": {}})
        return bucket

    patch.setattr(FakeBucket, "create_from_cloudformation_json", classmethod(create))


def execute_deployed_state_machines(patch: pytest.MonkeyPatch) -> None:
    """Have state machines that CloudFormation deploys land where they are executed, and give their ARN."""
    original: Callable[[Any, str], Any] = stepfunctions.StateMachine.get_cfn_attribute

    def attribute(machine: Any, name: str) -> Any:
        return machine.arn if name == "Arn" else original(machine, name)

    def has(cls: Any, name: str) -> bool:
        return name in ("Arn", "Name", "DefinitionString", "RoleArn", "StateMachineName", "Tags")

    patch.setitem(default_user_config, "stepfunctions", {"execute_state_machine": True})
    patch.setattr(stepfunctions, "stepfunctions_backends", stepfunctions_parser_backends)
    patch.setattr(stepfunctions.StateMachine, "get_cfn_attribute", attribute)
    patch.setattr(stepfunctions.StateMachine, "has_cfn_attr", classmethod(has))


def call_with_keys_of_roles(patch: pytest.MonkeyPatch, client_of: ClientOf) -> None:
    """Have state machines call services with the rights of the role that the template gives them."""

    def client_for(region: str, service: str, state_credentials: StateCredentials) -> Any:
        return client_of(service, state_credentials.role_arn)

    for module in list(sys.modules.values()):
        if getattr(module, "boto_client_for", None) is boto_client_for:
            patch.setattr(module, "boto_client_for", client_for)


def note_deliveries(patch: pytest.MonkeyPatch, note: Callable[[str, str, str, str], None]) -> None:
    """Have `note` told of each message that a rule of EventBridge sends to a queue: who, what, to which, for whom."""
    original: Callable[..., None] = Rule._send_to_sqs_queue

    def send(rule: Rule, queue: str, *event: Any) -> None:
        arn = f"arn:aws:sqs:{rule.region_name}:{rule.account_id}:{queue}"
        note("events.amazonaws.com", "sqs:SendMessage", arn, rule.arn)
        original(rule, queue, *event)

    patch.setattr(Rule, "_send_to_sqs_queue", send)


def deploy_queue_policies(patch: pytest.MonkeyPatch) -> None:
    """Have CloudFormation give queues their policies."""

    def deploy(properties: dict[str, Any], account: str, region: str) -> CustomModel:
        for url in properties["Queues"]:
            name = str(url).rsplit("/", 1)[-1]
            backend: Any = sqs_backends[account][region]
            backend.set_queue_attributes(name, {"Policy": json.dumps(properties["PolicyDocument"])})
        return _resource(region, "QueuePolicy", {})

    _know(patch, QUEUE_POLICY, deploy)


def deploy_stages(patch: pytest.MonkeyPatch) -> None:
    """Have CloudFormation know stages of APIs by their names, which permissions of functions hold."""
    _know(patch, STAGE, lambda properties, _, region: _resource(region, properties["StageName"], {}))


def deploy_authorizers(patch: pytest.MonkeyPatch, functions: dict[str, str]) -> None:
    """Have CloudFormation know authorizers of APIs, and note the address of the function of each by the API's id."""

    def deploy(properties: dict[str, Any], account: str, region: str) -> CustomModel:
        functions[properties["RestApiId"]] = properties["AuthorizerUri"]
        return _resource(region, properties["Name"], {})

    _know(patch, AUTHORIZER, deploy)


def deploy_search_domains(patch: pytest.MonkeyPatch, endpoint: str, policies: dict[str, Any]) -> None:
    """Have every OpenSearch domain answer at an address, and remember its access policy by its name."""

    def deploy(properties: dict[str, Any], account: str, region: str) -> CustomModel:
        name = properties["DomainName"]
        policies[name] = properties["AccessPolicies"]
        return _resource(
            region, name, {"DomainEndpoint": endpoint, "Arn": f"arn:aws:es:{region}:{account}:domain/{name}"}
        )

    _know(patch, SEARCH_DOMAIN, deploy)


def deploy_schedules(patch: pytest.MonkeyPatch) -> None:
    """Have CloudFormation make schedules."""

    def deploy(properties: dict[str, Any], account: str, region: str) -> CustomModel:
        create: Any = scheduler_backends[account][region].create_schedule
        schedule = create(
            name=properties["Name"],
            group_name="default",
            description=None,
            flexible_time_window=properties["FlexibleTimeWindow"],
            schedule_expression=properties["ScheduleExpression"],
            schedule_expression_timezone=properties["ScheduleExpressionTimezone"],
            start_date=None,
            end_date=None,
            state=properties["State"],
            target=properties["Target"],
            kms_key_arn=None,
            action_after_completion=None,
        )
        return _resource(region, schedule.name, {"Arn": schedule.arn})

    _know(patch, SCHEDULE, deploy)


def hand_over_no_messages(patch: pytest.MonkeyPatch) -> None:
    """Have queues keep their messages until someone asks for them."""
    patch.setattr(Queue, "lambda_event_source_mappings", property(lambda _: {}, lambda *_: None), raising=False)


def rename_parameters(patch: pytest.MonkeyPatch) -> None:
    """Step Functions writes `StateMachineArn` where the API has `stateMachineArn`, and times as text."""

    def rename(task: StateTaskServiceSfn, parameters: dict[str, Any], *_: object) -> None:
        for name in list(parameters):
            parameters[name[0].lower() + name[1:]] = parameters.pop(name)

    def write_times(task: StateTaskServiceSfn, response: dict[str, Any], *_: object) -> None:
        response["startDate"] = str(response["startDate"])

    patch.setattr(StateTaskServiceSfn, "_normalise_parameters", rename)
    patch.setattr(StateTaskServiceSfn, "_normalise_response", write_times)


def of_slot(text: str, slot: str) -> str:
    """A schedule's message with the time for which it was due in place of the scheduler's placeholder."""
    assert json.loads(text) is not None
    return re.sub(r"<aws\.scheduler\.scheduled-time>", slot, text)


def _resource(region: str, name: str, attributes: dict[str, str]) -> CustomModel:
    """A resource that is nothing but its name and its attributes."""
    resource: CustomModel = CustomModel(region, "", "", name)  # type: ignore[abstract]
    resource.set_data(attributes)
    return resource


def _know(patch: pytest.MonkeyPatch, kind: str, deploy: Callable[[dict[str, Any], str, str], CustomModel]) -> None:
    """Have CloudFormation deploy a kind of resource."""

    def create(_name: str, content: dict[str, Any], account: str, region: str, **_: object) -> CustomModel:
        return deploy(content["Properties"], account, region)

    original = parsing.get_model_map
    model = SimpleNamespace(create_from_cloudformation_json=create, has_cfn_attr=CustomModel.has_cfn_attr)
    patch.setattr(parsing, "get_model_map", lambda: {**original(), kind: model})
