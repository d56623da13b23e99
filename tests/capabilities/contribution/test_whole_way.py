"""Thirty descriptions of the sample company go from annotations through each kind of repository to comments."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.adapters.git.clones import MAIN, clone_with, git
from tests.capabilities.contribution.company_repositories import (
    COUNT,
    REPOSITORIES,
    SCHEMA,
    TEXTS,
    annotations_file,
)
from tests.capabilities.contribution.records import INTERFACES, require_specified
from tests.edges.cli.tribal_command import tribal
from tests.plugins.postgres import FreshDatabase, new_database
from tribal.app.local import local_application
from tribal.capabilities.contribution.contributions import Contributions
from tribal.capabilities.contribution.parts import contribution_parts
from tribal.edges.local_caller import local_caller
from tribal.settings import load_settings
from tribal_contracts.contribution import HANDOFFS
from tribal_contracts.contribution.tools import PrepareContributionInput
from tribal_demo.server.postgres import EmbeddedServer

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("documented company for contributions")]

ENTRY = "{{name: company, dsn: '{dsn}', sample_rows: 0, include: {{schemas: [billing, crm, sales]}}}}"
CONTRIBUTION = (
    "contribution: {{repositories: [{{name: schema, path: clone, databases: [company], recipe: {recipe}}}]}}\n"
)


@pytest.fixture(name="documented", scope="module")
def documented_fixture(tmp_path_factory: pytest.TempPathFactory, postgres_server: EmbeddedServer) -> Iterator[Path]:
    """The company, documented with annotations."""
    folder = tmp_path_factory.mktemp("documented")
    with new_database(postgres_server, SCHEMA) as dsn:
        write_project(folder, dsn, "flyway")
        ran = tribal("run", cwd=folder)
        assert ran.returncode == 0, ran.stderr
        yield folder


def write_project(folder: Path, dsn: str, recipe: str) -> None:
    """A project whose annotations are those of the test."""
    (folder / "databases.yaml").write_text(
        f"databases: [{ENTRY.format(dsn=dsn)}]\n{CONTRIBUTION.format(recipe=recipe)}", encoding="utf-8"
    )
    (folder / "annotations").mkdir(exist_ok=True)
    (folder / "annotations" / "company.yaml").write_text(annotations_file(), encoding="utf-8")


@contextmanager
def contributions(project: Path) -> Iterator[Contributions]:
    """Contributions as a command has them."""
    settings = load_settings(project=project, needs_databases=False)
    with closing(local_application(settings, limits=False)) as app:
        yield Contributions(app, contribution_parts(app), local_caller(settings), "user:ada@here")


def states(project: Path) -> dict[str, str]:
    """What `tribal contribute list` says of each description."""
    listed = tribal("contribute", "list", "--json", cwd=project)
    assert listed.returncode == 0, listed.stderr
    found = json.loads(listed.stdout)
    assert not found["truncated"]
    return {f"{each['table']}.{each.get('column', '')}": each["state"] for each in found["descriptions"]}


@pytest.mark.parametrize("recipe", REPOSITORIES)
def test_descriptions_are_merged_and_read_back_as_comments(
    recipe: str, documented: Path, tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    made = REPOSITORIES[recipe]
    project = tmp_path / "project"
    shutil.copytree(documented, project)
    write_project(project, "postgresql://nowhere/company", recipe)
    clone = clone_with(project / "clone", {path: text.encode() for path, text in made.files.items()})
    with closing(clone), contributions(project) as service:
        record = service.prepare(PrepareContributionInput())
        assert record is not None
        assert record.state == "waiting", record
        assert sum(each.source == "human" for each in record.descriptions) == COUNT
        review = service.review(record.cycle)
        published = service.approve(review, review.sha256[:8])
        assert published.state == "following", published
        clone.refs[MAIN] = clone.refs[f"refs/heads/{published.publication.branch}".encode()]  # type: ignore[index,union-attr]
        assert [each.outcome for each in service.follow()] == ["merged"]
        assert service.prepare(PrepareContributionInput()) is None
    for agent, (name, _) in HANDOFFS.items():
        require_specified(INTERFACES[agent], (project / "contribution" / f"{name}.json").read_bytes())
    found = states(project)
    assert sum(state == "merged" for state in found.values()) >= COUNT
    assert {*found.values()} <= {"merged", "applied"}
    git(project / "clone", "reset", "--quiet", "--hard")
    if made.migrate is not None:
        dsn = fresh_database("")
        made.migrate(project / "clone", dsn)
        write_project(project, dsn, recipe)
        ran = tribal("run", cwd=project)
        assert ran.returncode == 0, ran.stderr
        assert sources(project) == {"comment"}
        assert {*states(project).values()} == {"applied"}


def sources(project: Path) -> set[str]:
    """The sources of the descriptions of the test, whose texts must be as they were written."""
    found = set()
    for path in (project / "docs").rglob("*.json"):
        document = json.loads(path.read_bytes())
        said = TEXTS.get((document.get("schema"), document.get("table")))
        if said is None or "columns" not in document:
            continue
        described = {None: document["description"], **{e["name"]: e["description"] for e in document["columns"]}}
        for column, text in said.items():
            assert described[column]["text"].split() == text.split()
            found.add(described[column]["source"])
    return found
