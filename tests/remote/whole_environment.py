"""An environment with everything that can be configured: moto's AWS, and `tribal serve` behind its signed API."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.git.clones import clone_with
from tests.capabilities.knowledge.syncing.house import ADR_042, write
from tests.edges.cli.terminal import Dialogue
from tests.edges.http.served import Served
from tests.plugins.postgres import administer, new_database
from tests.remote.environments import BUCKET, Deployed, deployed
from tests.remote.signed_api import KEY, OTHER_KEY
from tribal_demo.server.installation import PostgresVersion
from tribal_demo.server.postgres import EmbeddedServer

FIRST = """
CREATE SCHEMA billing;
CREATE TABLE billing.customer (id int PRIMARY KEY, name text);
CREATE TABLE billing.invoice (id int PRIMARY KEY, customer_id int REFERENCES billing.customer, cents int NOT NULL);
"""
SECOND = "ALTER TABLE billing.invoice ADD COLUMN paid_on date;"
QUERY = "-- question: What did we bill?\n-- verified: 2026-01-01\n\nSELECT sum(cents) FROM billing.invoice;\n"
RIGHTS = (
    "documentation:read memory:read memory:write knowledge:read knowledge:sync interrogation:read interrogation:start "
    "collections:write chat:ask contribution:read contribution:prepare contribution:approve "
    "annotations:propose annotations:write"
)


@dataclass(frozen=True, eq=False)
class WholeEnvironment:
    """The environment `dev`, after two runs, and a folder whose store is its bucket."""

    deployed: Deployed
    folder: Path
    """Its `databases.yaml` has the bucket as `store`; `tribal serve` runs there."""
    runs: list[str]
    """The ids of its runs, oldest first."""

    def ask(self, *arguments: object, **more: str) -> Any:
        """`tribal --profile dev ...`."""
        return self.deployed.ask(*arguments, **more)

    def here(self, *arguments: object, **more: str) -> Any:
        """`tribal ...` in the folder with the same store."""
        return self.deployed.tribal(*arguments, "--project", self.folder, **more)

    def dialogue(self, *arguments: object, **more: str) -> Dialogue:
        """`tribal --profile dev ...` on a terminal."""
        variables: dict[str, Any] = {**self.deployed.variables, **more}
        return Dialogue("--profile", "dev", *arguments, cwd=self.deployed.folder, **variables)

    def put(self, key: str, text: str) -> None:
        """Put an object into the store."""
        self.deployed.client("s3").put_object(Bucket=BUCKET, Key=key, Body=text.encode())


@contextmanager
def whole_environment(folder: Path, servers: Callable[[PostgresVersion], EmbeddedServer]) -> Iterator[WholeEnvironment]:
    """Deploy, document twice and serve it."""
    project = folder / "project"
    project.mkdir()
    with (
        new_database(servers(18), FIRST) as dsn,
        pytest.MonkeyPatch.context() as patch,
        deployed(folder, patch) as made,
    ):
        databases = f"databases: [{{name: shop, dsn: '{dsn}'}}]\n"
        made.configure(databases)
        (project / "databases.yaml").write_text(databases + _SECTIONS)
        write(project, {"decisions/company/adrs/adr-042-database-selection.md": ADR_042})
        clone_with(project / "migrations", {"db/V1__billing.sql": FIRST.encode()}).close()
        whole = WholeEnvironment(made, project, [])
        whole.put("queries/billed.sql", QUERY)
        whole.put("annotations/shop.yaml", "tables: {billing.invoice: {description: An invoice as it was sent.}}")
        for change in ("SELECT 1", SECOND):
            administer(dsn, change)
            ran = made.ask("run", "--follow", "--json")
            assert ran.returncode == 0, ran.stderr
            whole.runs.append(json.loads(ran.stdout)["run_id"])
        indexed = whole.here("index")
        assert indexed.returncode == 0, indexed.stderr
        tokens = {key: _token(whole, key) for key in (KEY, OTHER_KEY)}
        with Served(project, "--require-token", **_variables(made)) as served:
            made.api.behind, made.api.tokens = served.address, tokens
            yield whole


_SECTIONS = f"""store: s3://{BUCKET}
identity: {{company: acme}}
collections: [{{name: handbook}}]
chat: {{audit: true}}
memory: {{}}
knowledge: {{repository: decisions}}
contribution:
  repositories: [{{name: migrations, path: migrations, databases: [shop]}}]
"""


def _token(whole: WholeEnvironment, name: str) -> str:
    """A token with all rights, of a user of its own."""
    rights = [part for right in RIGHTS.split() for part in ("--right", right)]
    made = whole.here("token", "create", name, "--scope", "shop", *rights, TRIBAL_USER=name)
    assert made.returncode == 0, made.stderr
    return str(made.stdout.strip())


def _variables(made: Deployed) -> dict[str, str]:
    """For a process: the functions' own variables of this process must not reach it."""
    return {name: "" for name in os.environ if name.startswith("POWERTOOLS")} | made.variables
