"""The scenario's company in a simulated AWS: everyone calls the deployed API, the operator has a laptop."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from opensearchpy import OpenSearch

from infra.api_settings import Api, JwtAuth
from infra.contribution import Contribution
from infra.environment import Environment, load_environment
from infra.knowledge import Knowledge
from infra.sections import Chat, Interrogation, Memory
from tests.e2e.account import REGION, AwsAccount, wait_until
from tests.e2e.deployed_system import DeployedSystem
from tests.e2e.git_server import GitServer
from tests.edges.cli.tribal_command import tribal_process
from tests.fakes.github.server import FakeGitHub
from tests.fakes.openai import FakeOpenAI
from tests.fakes.published_issuer import PublishedIssuer
from tests.plugins.postgres import administer
from tests.scenario.place import Client
from tests.scenario.settings import CALLERS, PROJECT, auth, sections
from tribal_contracts import ModelEntry, RunRecord
from tribal_contracts.chat.settings import CollectionEntry
from tribal_contracts.core.models import NamedModel
from tribal_demo.server.postgres import EmbeddedServer

FOLDER = "tribal/dev/"
"""Of the secrets that functions may read."""
GIT_SECRET = f"{FOLDER}git"
DATABASE = "company"


def environment(vendor: FakeOpenAI, github: FakeGitHub, git: GitServer, issuer: PublishedIssuer) -> Environment:
    """The environment, with the settings that the company has on one machine."""
    found = sections(vendor.address, github, FOLDER)
    return load_environment("dev").model_copy(
        update={
            "name": "tour",
            "memory": Memory(),
            "knowledge": Knowledge(repository=git.address, token_secret=GIT_SECRET),
            "interrogation": Interrogation.model_validate(found["interrogation"]),
            "chat": Chat.model_validate(found["chat"]),
            "contribution": Contribution.model_validate(found["contribution"]),
            "model": NamedModel.model_validate(found["model"]),
            "models": {name: ModelEntry.model_validate(each) for name, each in found["models"].items()},
            "collections": [CollectionEntry.model_validate(each) for each in found["collections"]],
            "api": Api(auth=JwtAuth(mode="jwt", **auth(issuer.url)), rate_per_second=1_000, burst=1_000),
        }
    )


class InAws:
    """A deployed environment, and what its operator has."""

    def __init__(
        self,
        system: DeployedSystem,
        folder: Path,
        postgres: EmbeddedServer,
        vendor: FakeOpenAI,
        github: FakeGitHub,
        git: GitServer,
        issuer: PublishedIssuer,
        search: OpenSearch,
    ) -> None:
        self.vendor, self.github = vendor, github
        self._system, self._postgres, self._git, self._issuer, self._search = system, postgres, git, issuer, search
        self._laptop = folder
        settings: dict[str, Any] = {
            "store": f"s3://{system.bucket}",
            "databases": [{"name": "company", "dsn": system.dsn}],
            "identity": {"project": PROJECT},
            "memory": {},
            "knowledge": {"repository": git.address, "token_secret": GIT_SECRET},
            **sections(vendor.address, github, FOLDER),
        }
        (folder / "databases.yaml").write_text(yaml.safe_dump(settings, sort_keys=False))

    @property
    def _account(self) -> AwsAccount:
        return self._system.account

    def operate(self, *words: str, ends_with: int = 0) -> str:
        ran = self._tribal(*words)
        assert ran.returncode == ends_with, (words, ran.returncode, ran.stdout, ran.stderr)
        return ran.stdout

    def _tribal(self, *words: str) -> subprocess.CompletedProcess[str]:
        variables = {
            "AWS_ENDPOINT_URL": self._account.address,
            "AWS_REGION": REGION,
            "AWS_ACCESS_KEY_ID": "owner",
            "AWS_SECRET_ACCESS_KEY": "owner",
        }
        return tribal_process(*words, cwd=self._laptop, **variables)

    def run(self, *options: str) -> RunRecord:
        record = self._system.run({each.removeprefix("--").replace("-", "_"): True for each in options})
        # What the operator's machine searches is a copy of its own.
        self.operate("index")
        return record

    def client(self, name: str) -> Client:
        claims = CALLERS[name] | {"sub": name, "projects": [PROJECT]}
        return Client(lambda: self._system.api.address, partial(self._issuer.token, **claims))

    def put(self, key: str, data: bytes) -> None:
        if "/" in key:
            self._system.put(key, data)
        else:
            (self._laptop / key).write_bytes(data)

    def get(self, key: str) -> bytes:
        return self._system.get(key)

    def keys(self, prefix: str) -> Sequence[str]:
        pages = self._account.client("s3").get_paginator("list_objects_v2")
        found = pages.paginate(Bucket=self._system.bucket, Prefix=prefix)
        return [each["Key"] for page in found for each in page.get("Contents", ())]

    def decide(self, files: Mapping[str, bytes]) -> None:
        self._git.commit({path: data.decode() for path, data in files.items()}, "Decide")

    def migrate(self, statements: Sequence[str], *, afresh: bool = False) -> None:
        if afresh:
            administer(self._postgres.dsn(), f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
            self._postgres.create_database(DATABASE)
        for sql in statements:
            self._postgres.load(DATABASE, sql)

    def kill(self) -> bool:
        prefix = self._system.environment.prefix
        return self._account.processes.kill_busy(f"{prefix}-ingester", f"{prefix}-publisher")

    def resume(self) -> None:
        """Queues and state machines call functions again by themselves."""

    def follow(self) -> None:
        assert self._account.fire(f"{self._system.environment.prefix}-contribute", "2026-11-21T09:00:00Z")

    def rebuild_indexes(self) -> None:
        self._search.indices.delete(index=f"*{self._system.environment.name}*")
        for key in (*self.keys("collections/manuals/index/"), *self.keys("collections/comp237_course_materials/index")):
            self._account.client("s3").delete_object(Bucket=self._system.bucket, Key=key)
        self.operate("index")
        self._account.fire(f"{self._system.environment.prefix}-reconcile", "2026-11-22T06:00:00Z")
        wait_until(lambda: self._system.sources.idle)
