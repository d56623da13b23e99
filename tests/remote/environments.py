"""A deployed environment on this machine: moto's AWS on a real port, the real functions, their real state machine."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.awslambda.models import LambdaFunction
from moto.core.config import default_user_config

from infra.stacks.run_definition import RunFunctions, run_definition
from servers.moto import MotoServer
from tests.edges.cli.tribal_command import TRIBAL, start_tribal, tribal, tribal_process
from tests.functions.calls import Context, sqs_record
from tests.remote.signed_api import KEY, REGION, SECRET, STAGE, Api, serving
from tribal_contracts import DocumentationManifest, RunRecord

ACCOUNT = "123456789012"
BUCKET = "tribal-knowledge-of-a-company"
STACK = "tribal-knowledge-dev"
NOTHING_THERE = os.devnull


@dataclass
class Deployed:
    """The environment `dev`, and the command line that looks into it."""

    server: str
    api: Api
    machine: str
    folder: Path

    @property
    def variables(self) -> dict[str, str]:
        """The environment of a shell that may use the account."""
        return {
            "AWS_ENDPOINT_URL": self.server,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_REGION": "",
            "AWS_CONFIG_FILE": NOTHING_THERE,
            "AWS_SHARED_CREDENTIALS_FILE": NOTHING_THERE,
            "AWS_EC2_METADATA_DISABLED": "true",
            "XDG_CONFIG_HOME": str(self.folder / "no-config"),
            "NO_PROXY": "127.0.0.1,localhost",
        }

    def tribal(self, *arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
        """Run the command with the account's variables."""
        return tribal(*arguments, cwd=self.folder, **(self.variables | more))

    def ask(self, *arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
        """`tribal --profile dev ...`.

        `run` and `tail` get a process: meanwhile the functions of an execution read the environment of this one.
        """
        if arguments[0] in ("run", "tail"):
            return tribal_process("--profile", "dev", *arguments, cwd=self.folder, **(self.variables | more))
        return self.tribal("--profile", "dev", *arguments, **more)

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        """Start `tribal --profile dev ...` and leave it running."""
        return start_tribal("--profile", "dev", *arguments, cwd=self.folder, **self.variables)

    def client(self, service: str) -> Any:
        """A client of the account."""
        return boto3.client(service, region_name=REGION, endpoint_url=self.server)

    def configure(self, text: str) -> None:
        """Put the `databases.yaml` of the environment."""
        self.client("s3").put_object(Bucket=BUCKET, Key="config/databases.yaml", Body=text.encode())

    def get(self, key: str) -> bytes:
        """An object of the store."""
        data: bytes = self.client("s3").get_object(Bucket=BUCKET, Key=key)["Body"].read()
        return data

    def manifest(self) -> DocumentationManifest:
        """What is published."""
        return DocumentationManifest.from_json(self.get("docs/documentation-manifest.json"))

    def record(self, run_id: str) -> RunRecord:
        """How a run went."""
        return RunRecord.from_json(self.get(f"progress/runs/{run_id}/run.json"))

    def index(self) -> None:
        """What the event of a new manifest brings about."""
        from functions.indexer.handler import handle

        assert handle({"Records": [sqs_record("m", json.dumps({"kind": "manifest"}))]}, Context()) == {
            "batchItemFailures": []
        }


@contextmanager
def deployed(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    """An environment without documents."""
    server = MotoServer.start()
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        patch.delenv(name)
    with serving() as api:
        environment = Deployed(
            server.address, api, f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:tribal-dev-run", folder
        )
        functions = {
            "TRIBAL_STORE": f"s3://{BUCKET}",
            "TRIBAL_INDEX": "sqlite",
            "AWS_REGION": REGION,
            "POWERTOOLS_SERVICE_NAME": "test",
            "POWERTOOLS_METRICS_NAMESPACE": "Test",
            "POWERTOOLS_TRACE_DISABLED": "true",
            # They would go to the standard output of a command in this process.
            "POWERTOOLS_METRICS_DISABLED": "true",
            # By which moto's own state machines call the services.
            "MOTO_PORT": str(server.port),
        }
        for name, value in (environment.variables | functions).items():
            patch.setenv(name, value)
        patch.setattr(LambdaFunction, "_invoke_lambda", lambda function, event: _invoke(function.function_name, event))
        patch.setitem(default_user_config, "stepfunctions", {"execute_state_machine": True})
        # Where functions keep their copy of the index; and they hold it open between calls.
        patch.setattr(tempfile, "tempdir", str(folder))
        for name in ("indexer", "retriever"):
            application = importlib.import_module(f"functions.{name}.handler").application
            application.cache_clear()
            # It reads the environment here, not that of a command.
            application()
        try:
            _deploy(environment)
            yield environment
        finally:
            server.stop()


def without_aws(folder: Path) -> dict[str, str]:
    """Variables that make boto3 and botocore packages that are not installed."""
    (folder / "absent").mkdir(exist_ok=True)
    for package in ("boto3", "botocore"):
        text = f"raise ModuleNotFoundError(\"No module named '{package}'\", name='{package}')\n"
        (folder / "absent" / f"{package}.py").write_text(text)
    return {"PYTHONPATH": str(folder / "absent")}


def loaded_by(*arguments: str, cwd: Path) -> set[str]:
    """Modules that a command loads."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", TRIBAL, *arguments], cwd=cwd, capture_output=True, text=True, check=True
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


def _deploy(environment: Deployed) -> None:
    environment.client("s3").create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    role = environment.client("iam").create_role(RoleName="run", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    arns = {}
    for name in ("planner", "documenter", "finisher"):
        made = environment.client("lambda").create_function(
            FunctionName=f"tribal-dev-{name}", Runtime="python3.13", Role=role, Handler="x.y", Code={"ZipFile": b""}
        )
        arns[name] = made["FunctionArn"]
    functions = RunFunctions(
        planners={"default": arns["planner"]},
        documenters={"default": arns["documenter"]},
        finisher=arns["finisher"],
        timeouts={"planner": 900, "documenter": 900, "finisher": 900},
    )
    definition = run_definition(functions, bucket=BUCKET, databases_at_once=2)
    environment.client("stepfunctions").create_state_machine(
        name="tribal-dev-run", definition=json.dumps(definition), roleArn=role
    )
    make_stack(environment)


def make_stack(environment: Deployed, name: str = STACK, **changed: str) -> None:
    """A stack with the outputs that ours has."""
    outputs = {
        "Store": f"s3://{BUCKET}",
        "StateMachine": environment.machine,
        "ApiAddress": f"{environment.api.address}{STAGE}/",
        "ApiAuth": "iam",
    } | changed
    template = {
        "Resources": {"Nothing": {"Type": "AWS::SQS::Queue"}},
        "Outputs": {key: {"Value": value} for key, value in outputs.items() if value},
    }
    environment.client("cloudformation").create_stack(StackName=name, TemplateBody=json.dumps(template))


def _invoke(name: str, event: dict[str, Any]) -> tuple[str, bool, str]:
    """Run a function as Lambda does: what it raises is recognised by the name of the class."""
    from functions.documenter.handler import handle as document
    from functions.finisher.handler import handle as finish
    from functions.planner.handler import handle as plan

    handlers: dict[str, Any] = {"planner": plan, "documenter": document, "finisher": finish}
    try:
        context = Context(invoked_function_arn=f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{name}")
        return json.dumps(handlers[name.rpartition("-")[2]](event, context)), False, ""
    except Exception as error:  # noqa: BLE001 - Lambda's runtime reports whatever a function raises
        return json.dumps({"errorType": type(error).__name__, "errorMessage": str(error)}), True, ""
