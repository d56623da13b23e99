"""Canaries: each fails as soon as moto no longer lacks what a stand-in replaces, which can then be taken away."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
import requests
from moto import mock_aws
from moto.awslambda.models import LambdaBackend, LambdaFunction
from moto.cloudformation.parsing import get_model_map
from moto.scheduler import models as scheduler
from moto.stepfunctions.parser.asl.component.state.exec.state_task.credentials import StateCredentials
from moto.stepfunctions.parser.asl.utils.boto_client import boto_client_for
from moto.stepfunctions.parser.models import stepfunctions_parser_backends

from infra.stacks.run_definition import start_definition
from tests.cases import verify_all_but
from tests.e2e.stand_ins import AUTHORIZER, LACKING, QUEUE_POLICY, SCHEDULE, SEARCH_DOMAIN, STAGE

REGION = "eu-central-1"
ROLE = "arn:aws:iam::123456789012:role/any"
MACHINE = json.dumps({"StartAt": "Done", "States": {"Done": {"Type": "Succeed"}}})
Resources = dict[str, dict[str, Any]]


@pytest.fixture(autouse=True)
def account(aws_account: None) -> Iterator[None]:
    """Moto as it is."""
    with mock_aws(config={"stepfunctions": {"execute_state_machine": True}}):
        boto3.client("iam").create_role(RoleName="any", AssumeRolePolicyDocument="{}")
        yield


def client(service: str) -> Any:
    return boto3.client(service, region_name=REGION)


def deploy(resources: Resources) -> None:
    client("cloudformation").create_stack(StackName="s", TemplateBody=json.dumps({"Resources": resources}))


def function(**more: Any) -> Resources:
    code = {"ZipFile": "def handle(*_): return {}"}
    return {
        "F": {
            "Type": "AWS::Lambda::Function",
            "Properties": {"FunctionName": "f", "Role": ROLE, "Handler": "index.handle", "Code": code} | more,
        }
    }


def functions_need_docker() -> None:
    # To call one would do on a machine with Docker what it could not do elsewhere.
    assert "docker" in inspect.getsource(LambdaFunction._invoke_lambda)


def layers_are_lost() -> None:
    zipped = "UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA=="
    layer = client("lambda").publish_layer_version(LayerName="l", Content={"ZipFile": zipped})["LayerVersionArn"]
    deploy(function(Runtime="python3.13", Layers=[layer]))
    assert not client("lambda").get_function(FunctionName="f")["Configuration"].get("Layers")


def buckets_forget() -> None:
    told = {"EventBridgeConfiguration": {"EventBridgeEnabled": True}}
    properties = {
        "BucketName": "bucket",
        "VersioningConfiguration": {"Status": "Enabled"},
        "NotificationConfiguration": told,
    }
    deploy({"B": {"Type": "AWS::S3::Bucket", "Properties": properties}})
    assert "Status" not in client("s3").get_bucket_versioning(Bucket="bucket")
    assert "EventBridgeConfiguration" not in client("s3").get_bucket_notification_configuration(Bucket="bucket")


def deployed_machines_are_elsewhere() -> None:
    properties = {"StateMachineName": "m", "RoleArn": ROLE, "DefinitionString": MACHINE}
    deploy({"M": {"Type": "AWS::StepFunctions::StateMachine", "Properties": properties}})
    assert stepfunctions_parser_backends["123456789012"][REGION].state_machines == []


def no_search_domain() -> None:
    assert SEARCH_DOMAIN not in get_model_map()


def no_schedule() -> None:
    assert SCHEDULE not in get_model_map()


def no_queue_policy() -> None:
    assert QUEUE_POLICY not in get_model_map()


def no_stage() -> None:
    assert STAGE not in get_model_map()


def no_authorizer() -> None:
    assert AUTHORIZER not in get_model_map()


def tasks_have_keys_of_no_one() -> None:
    made = [boto_client_for(REGION, "lambda", StateCredentials(role_arn=role)) for role in ("one", "other")]
    assert {each._request_signer._credentials.access_key for each in made} == {"ak"}


def schedules_have_no_one_who_fires_them() -> None:
    assert [name for name in dir(scheduler.EventBridgeSchedulerBackend) if "invoke" in name or "fire" in name] == []


def executions_have_no_name() -> None:
    machine = client("stepfunctions").create_state_machine(name="m", definition=MACHINE, roleArn=ROLE)
    arn = client("stepfunctions").start_execution(stateMachineArn=machine["stateMachineArn"])["executionArn"]
    assert arn.endswith(":None")


def messages_come_one_by_one() -> None:
    queue = client("sqs").create_queue(QueueName="q")["QueueUrl"]
    attributes = client("sqs").get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]
    deploy(function(Runtime="python3.13"))
    seen: list[int] = []

    def invoke(*_: object, body: str, **__: object) -> bytes:
        seen.append(len(json.loads(body)["Records"]))
        return b""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LambdaBackend, "invoke", invoke)
        entries = [{"Id": str(number), "MessageBody": "x"} for number in range(3)]
        client("sqs").send_message_batch(QueueUrl=queue, Entries=entries)
        client("lambda").create_event_source_mapping(
            EventSourceArn=attributes["QueueArn"], FunctionName="f", BatchSize=10
        )
        client("sqs").send_message(QueueUrl=queue, MessageBody="x")
    assert set(seen) == {1}


def parameters_are_written_otherwise() -> None:
    states = client("stepfunctions")
    run = states.create_state_machine(name="run", definition=MACHINE, roleArn=ROLE)["stateMachineArn"]
    task = start_definition(run)["States"]["StartRun"] | {"End": True}
    once = {key: value for key, value in task.items() if key not in ("Retry", "Catch", "Next")}
    definition = json.dumps({"StartAt": "StartRun", "States": {"StartRun": once}})
    start = states.create_state_machine(name="start", definition=definition, roleArn=ROLE)
    slot = json.dumps({"slot": "2026-11-21T02:30:00Z"})
    arn = states.start_execution(stateMachineArn=start["stateMachineArn"], name="n", input=slot)["executionArn"]
    while (status := states.describe_execution(executionArn=arn)["status"]) == "RUNNING":
        pass
    assert status == "FAILED"


def apis_are_not_served() -> None:
    deploy(function(Runtime="python3.13"))
    gateway = client("apigateway")
    api = gateway.create_rest_api(name="a")["id"]
    root = gateway.get_resources(restApiId=api)["items"][0]["id"]
    place = {"restApiId": api, "resourceId": root, "httpMethod": "GET"}
    gateway.put_method(**place, authorizationType="NONE")
    arn = client("lambda").get_function(FunctionName="f")["Configuration"]["FunctionArn"]
    uri = f"arn:aws:apigateway:{REGION}:lambda:path/2015-03-31/functions/{arn}/invocations"
    gateway.put_integration(**place, type="AWS_PROXY", integrationHttpMethod="POST", uri=uri)
    gateway.create_deployment(restApiId=api, stageName="s")
    answer = requests.get(f"https://{api}.execute-api.{REGION}.amazonaws.com/s/", timeout=10)
    assert answer.status_code >= 400


CANARIES: dict[str, Callable[[], None]] = {
    "functions run in Docker alone": functions_need_docker,
    "functions deployed by CloudFormation lose their layers": layers_are_lost,
    "buckets deployed by CloudFormation keep no versions and tell nobody of new objects": buckets_forget,
    "state machines deployed by CloudFormation are not executed": deployed_machines_are_elsewhere,
    "CloudFormation knows no OpenSearch domain": no_search_domain,
    "CloudFormation knows no schedule": no_schedule,
    "CloudFormation knows no policy of a queue": no_queue_policy,
    "CloudFormation knows no stage of an API": no_stage,
    "CloudFormation knows no authorizer of an API": no_authorizer,
    "state machines call services with keys of nobody": tasks_have_keys_of_no_one,
    "schedules never fire": schedules_have_no_one_who_fires_them,
    "executions without a name all get the same": executions_have_no_name,
    "a queue hands a function one message at a time": messages_come_one_by_one,
    "Step Functions calls its own API by the names of parameters as they are written": parameters_are_written_otherwise,
    "a REST API is stored and not served": apis_are_not_served,
}


@verify_all_but(1, "lack", sorted(LACKING))
def test_moto_still_lacks_it(lack: str) -> None:
    CANARIES[lack]()
