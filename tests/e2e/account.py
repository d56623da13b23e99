"""An AWS account on this machine: moto behind a port, its gaps closed, with an environment deployed by the CDK."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from moto.awslambda.models import LambdaFunction
from moto.awslambda.utils import get_backend

from servers.moto import MotoServer
from tests import ROOT
from tests.e2e import bedrock, stand_ins
from tests.e2e.event_sources import EventSources
from tests.e2e.lambda_processes import LambdaProcesses, Package
from tests.e2e.permissions import Grant, grants_of, grants_to_callers
from tests.e2e.recorded_calls import CallRecorder
from tests.e2e.rest_api import RestApi
from tests.e2e.signed_proxy import SignedProxy, SignedRequest
from tests.fakes.claude import FakeClaude
from tests.fakes.github.server import FakeGitHub

ACCOUNT, REGION = "123456789012", "eu-central-1"
SEARCH_DOMAIN = f"arn:aws:es:{REGION}:{ACCOUNT}:domain/tribal-dev"
"""The one that the stand-in answers for."""
CDK = ROOT / "infra" / "node_modules" / ".bin" / "cdk"
_BOOTSTRAP = f"cdk-hnb659fds-{{}}-{ACCOUNT}-{REGION}"
_BOOTSTRAP_ROLES = ("cfn-exec-role", "deploy-role", "file-publishing-role", "image-publishing-role", "lookup-role")
_BOOTSTRAP_VERSION = "30"
_POLL_SECONDS, _LONGEST_POLL_SECONDS = 0.05, 0.5
# A call of a function lasts as long as the function does; to try it again would be to call it twice.
_PATIENT = Config(read_timeout=900, retries={"total_max_attempts": 1})
_LONGEST_SECONDS = 300.0


class AwsAccount:
    """Services, functions that run, and the permissions that they used."""

    def __init__(
        self, patch: pytest.MonkeyPatch, folder: Path, node: str | None = None, certificate: Path | None = None
    ) -> None:
        """Start the services, empty.

        Args:
            patch: closes moto's gaps.
            folder: where functions are unpacked.
            node: address of a node of OpenSearch; without one, what asks the index fails.
            certificate: for `localhost`, which clients of the index trust.
        """
        self._certificate = certificate
        self._secrets: dict[str, str] = {}
        self._users: dict[str, str] = {}
        self._roles: dict[str, str] = {}
        self._keys: dict[str, dict[str, str]] = {}
        self.repository: str | None = None
        """Where what functions sync is on this machine, over https with the certificate."""
        self.github: FakeGitHub | None = None
        """Where contributions are published."""
        self.vendor: str | None = None
        """Where the models that sections of capabilities name are on this machine."""
        self.domain_policies: dict[str, Any] = {}
        """Of the search domains that were deployed, by their names."""
        self.server = MotoServer.start("localhost")
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        # Moto writes down a whole state machine for each error that the machine was made to catch.
        logging.getLogger("moto").setLevel(logging.CRITICAL)
        self.address = self.server.address
        self.recorder = CallRecorder(self.server.application, self._roles.get, f"{REGION}:{ACCOUNT}")
        self.server.application = self.recorder
        patch.setenv("MOTO_PORT", str(self.server.port))
        self.search = self._domain(node, certificate) if node and certificate else None
        self.bedrock = SignedProxy(bedrock.service_of, secret_of=self._secrets.get, asked=self._note_bedrock)
        """Both endpoints of Bedrock, and behind them nothing until `upstream` names it."""
        self.processes = LambdaProcesses(folder / "functions", self._variables_of)
        stand_ins.run_functions_by(patch, self.run_function)
        stand_ins.keep_layers(patch)
        stand_ins.keep_bucket_properties(patch)
        stand_ins.execute_deployed_state_machines(patch)
        endpoint = self.search.endpoint if self.search else "search.invalid"
        stand_ins.deploy_search_domains(patch, endpoint, self.domain_policies)
        stand_ins.deploy_queue_policies(patch)
        stand_ins.deploy_stages(patch)
        self._authorizers: dict[str, str] = {}
        stand_ins.deploy_authorizers(patch, self._authorizers)
        stand_ins.call_with_keys_of_roles(patch, self.client)
        stand_ins.note_deliveries(patch, self.recorder.note)
        stand_ins.deploy_schedules(patch)
        stand_ins.hand_over_no_messages(patch)
        stand_ins.rename_parameters(patch)
        self._closing: list[Callable[[], None]] = []
        self._bootstrapped = False

    def client(self, service: str, role: str | None = None) -> Any:
        """A client with the rights of the account's owner, or of a role."""
        keys = self.keys_of(role) if role else {"aws_access_key_id": "owner", "aws_secret_access_key": "owner"}
        return boto3.client(service, endpoint_url=self.address, region_name=REGION, config=_PATIENT, **keys)

    def keys_of(self, role: str) -> dict[str, str]:
        """Keys of a role, by their names in boto3."""
        if role not in self._keys:
            assumed = self.client("sts").assume_role(RoleArn=role, RoleSessionName="function")["Credentials"]
            self._roles[assumed["AccessKeyId"]] = role.rsplit("/", 1)[-1]
            self._secrets[assumed["AccessKeyId"]] = assumed["SecretAccessKey"]
            self._keys[role] = {
                "aws_access_key_id": assumed["AccessKeyId"],
                "aws_secret_access_key": assumed["SecretAccessKey"],
                "aws_session_token": assumed["SessionToken"],
            }
        return self._keys[role]

    def user_keys(self, name: str) -> dict[str, str]:
        """Keys of a new user, by their names in boto3."""
        iam = self.client("iam")
        user = iam.create_user(UserName=name)["User"]
        made = iam.create_access_key(UserName=name)["AccessKey"]
        self._secrets[made["AccessKeyId"]] = made["SecretAccessKey"]
        self._users[made["AccessKeyId"]] = user["Arn"]
        return {"aws_access_key_id": made["AccessKeyId"], "aws_secret_access_key": made["SecretAccessKey"]}

    def _bootstrap(self) -> None:
        """Make what `cdk bootstrap` makes."""
        if self._bootstrapped:
            return
        self._bootstrapped = True
        self.client("ssm").put_parameter(
            Name="/cdk-bootstrap/hnb659fds/version", Value=_BOOTSTRAP_VERSION, Type="String"
        )
        bucket = _BOOTSTRAP.format("assets")
        self.client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
        for role in _BOOTSTRAP_ROLES:
            self.client("iam").create_role(RoleName=_BOOTSTRAP.format(role), AssumeRolePolicyDocument="{}")

    def deploy(self, assembly: Path, *stacks: str) -> None:
        """Deploy stacks of an assembly as `make deploy` does."""
        self._bootstrap()
        own = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        variables = {
            "AWS_ENDPOINT_URL": self.address,
            "AWS_ACCESS_KEY_ID": "owner",
            "AWS_SECRET_ACCESS_KEY": "owner",
            "AWS_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20",
        }
        how = [
            "--concurrency",
            "2",
            "--method",
            "direct",
            "--require-approval",
            "never",
            "--progress",
            "events",
            "--no-notices",
        ]
        ran = subprocess.run(
            [CDK, "deploy", "--app", assembly, *how, *stacks],
            env=own | variables,
            cwd=assembly.parent,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert ran.returncode == 0, ran.stderr[-3000:]

    def outputs_of(self, stack: str) -> dict[str, str]:
        """The outputs of a stack that was deployed."""
        (deployed,) = self.client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
        return {output["OutputKey"]: output["OutputValue"] for output in deployed["Outputs"]}

    def keep_secret(self, name: str, value: str) -> None:
        """Create or replace a secret where functions find it."""
        secrets = self.client("secretsmanager")
        listed = secrets.list_secrets(Filters=[{"Key": "name", "Values": [name]}])["SecretList"]
        if listed:
            secrets.put_secret_value(SecretId=name, SecretString=value)
        else:
            secrets.create_secret(Name=name, SecretString=value)

    def serve_api(self, name: str, stage: str) -> RestApi:
        """The REST API of that name."""
        apis = self.client("apigateway").get_rest_apis()["items"]
        api_id = next(api["id"] for api in apis if api["name"] == name)
        place = f"arn:aws:execute-api:{REGION}:{ACCOUNT}:{api_id}/{stage}"
        api = RestApi(
            self.client,
            api_id,
            stage,
            self._secrets.get,
            self._users.get,
            partial(self._note_request, place),
            self.stream_function,
            self._binary_types_of(name),
            self._authorizers.get(api_id),
        )
        self._closing.append(api.close)
        return api

    def _binary_types_of(self, name: str) -> list[str]:
        """The types of bodies that a REST API hands over in base64, which moto does not remember."""
        deploying = self.client("cloudformation")
        stacks = [each["StackName"] for each in deploying.list_stacks()["StackSummaries"]]
        templates = [deploying.get_template(StackName=stack)["TemplateBody"] for stack in stacks]
        read = [json.loads(each) if isinstance(each, str) else each for each in templates]
        return [
            kind
            for template in read
            for resource in template["Resources"].values()
            if resource["Type"] == "AWS::ApiGateway::RestApi" and resource["Properties"]["Name"] == name
            for kind in resource["Properties"].get("BinaryMediaTypes", ())
        ]

    def poll_queue(self, name: str) -> EventSources:
        """Have the messages of a queue handed to its function."""
        mappings = self.client("lambda").list_event_source_mappings()["EventSourceMappings"]
        (mapping,) = [each for each in mappings if each["EventSourceArn"].endswith(f":{name}")]
        function = self.client("lambda").get_function(FunctionName=mapping["FunctionArn"])["Configuration"]
        sources = EventSources(self.client, mapping, function["Role"])
        self._closing.append(sources.close)
        return sources

    def answer_bedrock_by(self, claude: FakeClaude) -> None:
        """Put a model behind both endpoints of Bedrock, which looks at signatures too."""
        claude.secrets = self._secrets
        self.bedrock.upstream = claude.address

    def fire(self, schedule: str, slot: str) -> Any:
        """Deliver a schedule's message to its target, as due at a time; answers the target's answer."""
        target = self.client("scheduler").get_schedule(Name=schedule)["Target"]
        message = stand_ins.of_slot(target["Input"], slot)
        service, role = target["Arn"].split(":")[2], target["RoleArn"]
        if service == "states":
            return self.client("stepfunctions", role).start_execution(
                stateMachineArn=target["Arn"], name=str(uuid.uuid4()), input=message
            )
        if service == "lambda":
            answer = self.client("lambda", role).invoke(FunctionName=target["Arn"], Payload=message)
            return json.loads(answer["Payload"].read())
        url = self.client("sqs").get_queue_url(QueueName=target["Arn"].rsplit(":", 1)[-1])["QueueUrl"]
        return self.client("sqs", role).send_message(QueueUrl=url, MessageBody=message)

    def wait_for(self, execution: str, seconds: float = _LONGEST_SECONDS) -> dict[str, Any]:
        """An execution, ended."""
        states = self.client("stepfunctions")
        ended: dict[str, Any] = wait_until(partial(_ended, states, execution), seconds)
        return ended

    def role_grants(self, stack: str | None = None) -> list[Grant]:
        """What the roles of a stack, or of all stacks, may do."""
        return grants_of(self.client("iam"), self._deployed(stack, "AWS::IAM::Role"))

    def policy_grants(self, stack: str | None = None) -> list[Grant]:
        """What the policies of queues, functions and search domains of a stack, or of all stacks, allow to callers."""
        functions, queues = self.client("lambda"), self.client("sqs")
        documents = [self.domain_policies[name] for name in self._deployed(stack, stand_ins.SEARCH_DOMAIN)]
        for url in self._deployed(stack, "AWS::SQS::Queue"):
            asked = queues.get_queue_attributes(QueueUrl=url, AttributeNames=["Policy"])
            documents += [json.loads(policy) for policy in asked.get("Attributes", {}).values()]
        for name in self._deployed(stack, "AWS::Lambda::Function"):
            with suppress(functions.exceptions.ResourceNotFoundException):
                documents.append(json.loads(functions.get_policy(FunctionName=name)["Policy"]))
        return [grant for document in documents for grant in grants_to_callers(document)]

    def _deployed(self, stack: str | None, kind: str) -> list[str]:
        """The names of all resources of a kind."""
        deploying = self.client("cloudformation")
        stacks = [stack] if stack else [each["StackName"] for each in deploying.list_stacks()["StackSummaries"]]
        pages = deploying.get_paginator("list_stack_resources")
        return [
            resource["PhysicalResourceId"]
            for name in stacks
            for page in pages.paginate(StackName=name)
            for resource in page["StackResourceSummaries"]
            if resource["ResourceType"] == kind
        ]

    def close(self) -> None:
        """End everything."""
        for close in self._closing:
            close()
        self.processes.close()
        if self.search is not None:
            self.search.close()
        self.bedrock.close()
        self.server.stop()

    def run_function(self, function: LambdaFunction, event: Any) -> tuple[str, bool]:
        """Call a function as it was deployed: its answer as JSON, and whether it failed."""
        return self.processes.invoke(self._package_of(function), event, function.role)

    def stream_function(self, arn: str, event: Any) -> Iterator[bytes]:
        """Call a function whose answer is streamed: its pieces as they arrive, the first with status and headers."""
        function = get_backend(ACCOUNT, REGION).get_function(arn)
        return self.processes.stream(self._package_of(function), event, function.role)

    def _package_of(self, function: LambdaFunction) -> Package:
        variables = self._asking_models_here(self._asking_bedrock_here(function.environment_vars))
        return Package(
            name=function.function_name,
            handler=function.handler or "",
            code=function.code_bytes,
            layers=stand_ins.layers_of(function),
            variables=self._contributing_here(self._reading_git_here(variables)),
            timeout_seconds=int(function.timeout),
            memory_mb=int(function.memory_size),
            arn=function.function_arn,
        )

    def _asking_bedrock_here(self, variables: dict[str, str]) -> dict[str, str]:
        """The variables of a function, with the address of Bedrock on this machine where they name a model there."""
        model = json.loads(variables.get("TRIBAL_MODEL", "{}"))
        if model.get("provider") != "bedrock":
            return variables
        path = "" if model.get("endpoint") == "runtime" else "/anthropic"
        model["base_url"] = f"http://{self.bedrock.endpoint}{path}"
        return variables | {"TRIBAL_MODEL": json.dumps(model)}

    def _asking_models_here(self, variables: dict[str, str]) -> dict[str, str]:
        """The variables of a function, with the address of a vendor on this machine for the models that it names."""
        models = json.loads(variables.get("TRIBAL_MODELS", "{}"))
        if not models or self.vendor is None:
            return variables
        here = {name: {**model, "base_url": self.vendor} for name, model in models.items()}
        return variables | {"TRIBAL_MODELS": json.dumps(here)}

    def _reading_git_here(self, variables: dict[str, str]) -> dict[str, str]:
        """The variables of a function, with the address of the repository on this machine where they name one."""
        knowledge = json.loads(variables.get("TRIBAL_KNOWLEDGE", "{}"))
        if not knowledge or self.repository is None:
            return variables
        return variables | {"TRIBAL_KNOWLEDGE": json.dumps(knowledge | {"repository": self.repository})}

    def _contributing_here(self, variables: dict[str, str]) -> dict[str, str]:
        """The variables of a function, with the addresses of GitHub on this machine where they name repositories."""
        section = json.loads(variables.get("TRIBAL_CONTRIBUTION", "{}"))
        if not section or self.github is None:
            return variables
        here = {"api_url": self.github.api, "tarball_host": self.github.tarball_host}
        section["repositories"] = [each | here for each in section["repositories"]]
        return variables | {"TRIBAL_CONTRIBUTION": json.dumps(section)}

    def _variables_of(self, role: str) -> dict[str, str]:
        keys = {name.upper(): value for name, value in self.keys_of(role).items()}
        return {
            **keys,
            "AWS_ENDPOINT_URL": self.address,
            "AWS_EC2_METADATA_DISABLED": "true",
            "TRIBAL_SEARCH_CA": str(self._certificate),
            **({} if self._certificate is None else {"SSL_CERT_FILE": str(self._certificate)}),
        }

    def _domain(self, node: str, certificate: Path) -> SignedProxy:
        """The address of a managed OpenSearch domain, and behind it a real node."""
        domain = SignedProxy(
            lambda _: "es", secret_of=self._secrets.get, asked=self._note_search, certificate=certificate
        )
        domain.upstream = node
        return domain

    def _note_search(self, request: SignedRequest) -> None:
        verb = request.method.title()
        self.recorder.note(self._roles[request.key], f"es:ESHttp{verb}", f"{SEARCH_DOMAIN}{request.path}")

    def _note_bedrock(self, request: SignedRequest) -> None:
        for needed in bedrock.permissions_of(request, REGION, ACCOUNT):
            self.recorder.note(self._roles[request.key], needed.action, needed.resource, facts=needed.facts)

    def _note_request(self, place: str, function: str, method: str, path: str) -> None:
        self.recorder.note("apigateway.amazonaws.com", "lambda:InvokeFunction", function, f"{place}/{method}{path}")


def wait_until(look: Callable[[], Any], seconds: float = _LONGEST_SECONDS) -> Any:
    """What `look` answers, as soon as it answers something."""
    end, pause = time.monotonic() + seconds, _POLL_SECONDS
    while not (seen := look()):
        if time.monotonic() > end:
            raise AssertionError(f"nothing after {seconds:.0f} s")
        time.sleep(pause)
        pause = min(1.1 * pause, _LONGEST_POLL_SECONDS)
    return seen


def _ended(states: Any, execution: str) -> dict[str, Any] | None:
    described: dict[str, Any] = states.describe_execution(executionArn=execution)
    return None if described["status"] == "RUNNING" else described
