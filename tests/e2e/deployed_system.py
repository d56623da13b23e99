"""An environment, deployed as it stands, with one database of a company to document."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import requests
import yaml
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from infra.api_settings import Api, IamAuth
from infra.contribution import Contribution
from infra.environment import Environment, load_environment
from infra.function_packages import Packages
from infra.knowledge import Knowledge
from infra.packaging import build
from infra.sections import Memory
from tests.e2e.account import CDK, REGION, AwsAccount, wait_until
from tests.e2e.event_sources import EventSources
from tests.e2e.lambda_processes import runs_here
from tests.e2e.rest_api import RestApi
from tests.plugins.skips import skip_or_fail
from tribal.runs.records import execution_run_id
from tribal_contracts import DocumentationManifest, ModelEntry, ModelSettings, RunRecord
from tribal_contracts.chat.settings import CollectionEntry

PASSWORD_SECRET = "tribal/dev/company"
COMPANY = "acme"
TOKEN_SECRET = "tribal/dev/git"
KNOWLEDGE = Knowledge(repository="https://git.example.com/acme/decisions.git", token_secret=TOKEN_SECRET)
NAMED_RIGHTS = ["interrogation:start", "chat:ask", "collections:write", "contribution:approve"]
SIGNERS_MAY = {"annotations:propose", "memory:write", "knowledge:sync", "contribution:prepare", *NAMED_RIGHTS}
"""The rights of callers who sign with IAM, besides reading."""
API = Api(auth=IamAuth(rights=NAMED_RIGHTS))
READ_SECRET, WRITE_SECRET = "tribal/dev/migrations-read", "tribal/dev/migrations-write"
CONTRIBUTION = Contribution.model_validate(
    {
        "model": "small",
        "repositories": [
            {
                "name": "migrations",
                "url": "https://github.example/acme/shop",
                "databases": ["company"],
                "read_secret": READ_SECRET,
                "write_secret": WRITE_SECRET,
            }
        ],
    }
)
MODEL_SECRET = "tribal/dev/openai"
CHATTING = {
    "models": {"small": ModelEntry(provider="openai", name="gpt-6-luna", api_key_secret=MODEL_SECRET)},
    "collections": [CollectionEntry(name="handbook", models=["small"])],
}
DEV = load_environment("dev").model_copy(
    update={
        "memory": Memory(company=COMPANY),
        "knowledge": KNOWLEDGE,
        "contribution": CONTRIBUTION,
        "api": API,
        **CHATTING,
    }
)
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
LONE = DEV.model_copy(
    update={
        "name": "lone",
        "memory": None,
        "knowledge": None,
        "contribution": None,
        "models": {},
        "collections": [],
        "index": "sqlite",
        "opensearch": None,
        "model": ModelSettings(provider="bedrock", name="anthropic.claude-haiku-5-5"),
    }
)
"""The same with its index in one file, as a small company has it, and a model that describes the tables."""


@dataclass
class DeployedSystem:
    """What an operator and a caller can do with it."""

    account: AwsAccount
    environment: Environment
    outputs: dict[str, str]
    """Of the stack."""
    dsn: str
    """The database, as its owner sees it."""
    sources: EventSources
    api: RestApi
    keys: dict[str, str]
    """Of a user who may call the API."""
    ingesting: EventSources | None = None
    """Of uploads, where the environment has a chat."""
    scenarios: set[str] = field(default_factory=set)
    """Those that have been played."""
    _slots: int = 0

    @property
    def stack(self) -> str:
        """The name of its stack."""
        return stack_of(self.environment)

    @property
    def bucket(self) -> str:
        """The store."""
        return urlsplit(self.outputs["Store"]).netloc

    def start(self, request: dict[str, Any] | None = None) -> str:
        """Start a run as an operator does; answers its execution."""
        # Step Functions makes a name up where none is given; moto does not.
        started = self.account.client("stepfunctions").start_execution(
            stateMachineArn=self.outputs["StateMachine"],
            name=str(uuid.uuid4()),
            input=json.dumps(request or {}),
        )
        return str(started["executionArn"])

    def run(self, request: dict[str, Any] | None = None) -> RunRecord:
        """Carry a run out, and have what it wrote indexed."""
        return self.ended(self.start(request))

    def run_of_schedule(self) -> RunRecord:
        """The same, started by the schedule."""
        self._slots += 1
        slot = f"2026-11-{self._slots:02}T02:30:00Z"
        starting = self.account.fire(f"{self.environment.prefix}-daily", slot)["executionArn"]
        assert self.account.wait_for(starting)["status"] == "SUCCEEDED"
        name = f"scheduled-{slot.replace(':', '')}"
        return self.ended(f"{self.outputs['StateMachine']}:{name}".replace(":stateMachine:", ":execution:"))

    def ended(self, execution: str) -> RunRecord:
        """The record of a run, ended and indexed."""
        described = self.account.wait_for(execution)
        wait_until(lambda: self.sources.idle)
        run_id = execution_run_id(execution, described["startDate"].astimezone(UTC))
        return RunRecord.from_json(self.get(f"progress/runs/{run_id}/run.json"))

    def get(self, key: str) -> bytes:
        """An object of the store."""
        data: bytes = self.account.client("s3").get_object(Bucket=self.bucket, Key=key)["Body"].read()
        return data

    def put(self, key: str, data: bytes) -> None:
        """Write an object of the store, as an operator."""
        self.account.client("s3").put_object(Bucket=self.bucket, Key=key, Body=data)

    def all(self, prefix: str, suffix: str = "") -> Iterator[bytes]:
        """Every object of the store whose key begins and ends so."""
        pages = self.account.client("s3").get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=prefix)
        keys = [found["Key"] for page in pages for found in page.get("Contents", ())]
        return (self.get(key) for key in keys if key.endswith(suffix))

    def documents(self, kind: str) -> Iterator[bytes]:
        """Every published document of a kind."""
        files = self.manifest().indexable_files
        return (self.get(f"docs/{file.path}") for file in files if file.type == kind and file.path.endswith(".json"))

    def manifest(self) -> DocumentationManifest:
        """What is published."""
        return DocumentationManifest.from_json(self.get("docs/documentation-manifest.json"))

    def calls_of(self, function: str) -> list[Any]:
        """The events with which a function was called so far."""
        name = f"{self.environment.prefix}-{function}"
        return [each.event for each in self.account.processes.invocations if each.function == name]

    def runtime_of(self, function: str) -> str:
        """The runtime of a function."""
        found = self.account.client("lambda").get_function(FunctionName=function)
        return str(found["Configuration"]["Runtime"])

    def ask(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """A signed request for a tool."""
        answer = self.request("POST", f"/v1/tools/{tool}", arguments)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def request(self, method: str, path: str, content: Any = None, *, sign: bool = True) -> requests.Response:
        """A request of the API."""
        body = b"" if content is None else json.dumps(content).encode()
        return self.send(method, path, body, {}, sign=sign)

    def send(
        self, method: str, path: str, body: bytes, headers: dict[str, str], *, sign: bool = True, stream: bool = False
    ) -> requests.Response:
        """A request of the API with a body of any type; with `stream` its answer can be read as it arrives."""
        asked: Any = AWSRequest(method, self.api.address + path, headers=JSON | headers, data=body)
        if sign:
            credentials = Credentials(self.keys["aws_access_key_id"], self.keys["aws_secret_access_key"])
            SigV4Auth(credentials, "execute-api", REGION).add_auth(asked)
        return requests.request(method, asked.url, headers=dict(asked.headers), data=body, timeout=60, stream=stream)

    def found(self, query: str) -> list[str]:
        """Names of the tables that a search answers."""
        return [table["name"] for table in self.ask("search_tables", {"query": query})["tables"]]


def require_deployment() -> None:
    """Skip, or fail in CI, where environments cannot be deployed to the simulated AWS."""
    if shutil.which("node") is None or not CDK.exists():
        skip_or_fail("the AWS CDK's command line is not there; install Node.js, then `make test` brings it")
    if not runs_here():
        skip_or_fail("the runtime client of AWS Lambda runs on Linux alone")


def assemble(folder: Path, *environments: Environment) -> Path:
    """Build the packages of the functions, and synthesise the assembly of some environments."""
    # Built for the interpreter at hand from what is installed next to it.
    packages = Packages(folder / "packages", f"{sys.version_info.major}.{sys.version_info.minor}")
    build(packages, installed=True)
    # Importing the CDK starts Node.js.
    from infra.app import build_app

    assembly = folder / "cdk.out"
    build_app([*environments], packages, output=assembly).synth()
    return assembly


def stack_of(environment: Environment) -> str:
    """The name of an environment's stack."""
    return f"tribal-knowledge-{environment.name}"


UNPAID = b"""-- question: Which invoices are unpaid?
-- database: company
SELECT inv_no FROM billing.invoice WHERE status IN ('open', 'part')
"""
"""A verified query."""


def make_ready(account: AwsAccount, environment: Environment, dsns: tuple[str, str]) -> DeployedSystem:
    """Do what an operator does once after deploying: the configuration, the password, a user of the API.

    Args:
        account: where the environment has been deployed.
        environment: which one.
        dsns: the database as its owner sees it, and as the user of the functions does, with the password.
    """
    owner, user = dsns
    parts = urlsplit(user)
    entry = {
        "name": "company",
        "dsn": parts._replace(netloc=f"{parts.username}@{parts.hostname}:{parts.port}").geturl(),
        "password_secret": PASSWORD_SECRET,
    }
    content = yaml.safe_dump({"databases": [entry], "tables_at_once": 1, "units_at_once": 2}).encode()
    system = DeployedSystem(
        account=account,
        environment=environment,
        outputs=account.outputs_of(stack_of(environment)),
        dsn=owner,
        sources=account.poll_queue(f"{environment.prefix}-indexer"),
        api=account.serve_api(environment.prefix, environment.name),
        keys=account.user_keys(f"caller-{environment.name}"),
        ingesting=account.poll_queue(f"{environment.prefix}-ingester") if "chat" in environment.sections else None,
    )
    account.client("s3").put_object(Bucket=system.bucket, Key="config/databases.yaml", Body=content)
    system.put("queries/unpaid.sql", UNPAID)
    account.keep_secret(PASSWORD_SECRET, json.dumps({"password": unquote(parts.password or "")}))
    return system


def unit_of(system: DeployedSystem, table: str) -> str:
    """The work unit that documents a table, by `schema.table`."""
    files = system.manifest().indexable_files
    (unit,) = {file.work_unit for file in files if file.type == "table" and f"{file.schema_}.{file.table}" == table}
    assert isinstance(unit, str)
    return unit


def command_line(system: DeployedSystem, folder: Path) -> Callable[..., str]:
    """Runs `tribal --profile dev` as the caller does, in a folder of its own; answers what it prints."""
    profiles = folder / "profiles.yaml"
    profiles.write_text(f"profiles:\n  dev:\n    api: {system.api.address}\n", encoding="utf-8")
    variables = {
        "TRIBAL_PROFILES": str(profiles),
        "AWS_ENDPOINT_URL": system.account.address,
        "AWS_REGION": REGION,
        **{name.upper(): value for name, value in system.keys.items()},
    }

    def tribal(*words: str) -> str:
        command = [str(Path(sys.executable).parent / "tribal"), "--profile", "dev", *words]
        ran = subprocess.run(command, env=variables, cwd=folder, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    return tribal
