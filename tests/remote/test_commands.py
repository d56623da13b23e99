"""Every command with `--profile`: it works on a deployed environment, or says why not and what to do instead."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.edges.cli.every_command import every_command
from tests.edges.cli.tribal_command import tribal
from tests.remote.command_checks import WORKING, succeed
from tests.remote.environments import BUCKET
from tests.remote.whole_environment import WholeEnvironment, whole_environment
from tribal.adapters.aws.upload_addresses import UploadAddresses
from tribal.edges.cli.command_list import COMMANDS
from tribal_contracts.chat.jobs import UploadAccepted, UploadedFile, UploadJob
from tribal_demo.server.installation import PostgresVersion
from tribal_demo.server.postgres import EmbeddedServer

pytestmark = pytest.mark.xdist_group("remote")

REFUSED = {name: each.here_only for name, each in COMMANDS.items() if each.here_only is not None}


def that_do_something() -> list[str]:
    """Every command, also those of earlier names, but for those that only have subcommands."""
    return [
        words for words, made in every_command(hidden=True).items() if getattr(made, "invoke_without_command", True)
    ]


@pytest.fixture(scope="module")
def there(
    tmp_path_factory: pytest.TempPathFactory, postgres_servers: Callable[[PostgresVersion], EmbeddedServer]
) -> Iterator[WholeEnvironment]:
    with whole_environment(tmp_path_factory.mktemp("whole"), postgres_servers) as made:
        yield made


def in_order(commands: list[str]) -> list[str]:
    """The commands, those that work in their order."""
    return [*(each for each in WORKING if each in commands), *(each for each in commands if each not in WORKING)]


@pytest.mark.parametrize("command", in_order(that_do_something()))
def test_a_command_works_with_a_profile_or_says_why_not(there: WholeEnvironment, command: str, tmp_path: Path) -> None:
    name = command.partition(" ")[0]
    if name not in REFUSED:
        WORKING[command](there)
        return
    ran = tribal("--profile", "dev", *command.split(), cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert f"tribal {name} works only without --profile: {REFUSED[name]}" in ran.stderr
    as_json = tribal("--profile", "dev", *command.split(), "--json", cwd=tmp_path)
    assert REFUSED[name] in json.loads(as_json.stdout)["error"]["message"]
    assert list(tmp_path.iterdir()) == []


def test_every_refusal_has_a_reason_of_its_own() -> None:
    assert len(set(REFUSED.values())) == len(REFUSED)
    assert not {*REFUSED} & {command.partition(" ")[0] for command in WORKING}


@pytest.mark.parametrize(
    "arguments",
    [["lint"], ["site", "made"], ["answers"], ["memory", "export"], ["sync"], ["comply", "."], ["plan"], ["document"]],
    ids=" ".join,
)
def test_what_a_refusal_suggests_works_in_a_folder_with_the_same_store(
    there: WholeEnvironment, arguments: list[str]
) -> None:
    ran = there.here(*arguments)
    assert ran.returncode in (0, 1), ran.stderr
    assert "error: " not in ran.stderr


@pytest.mark.parametrize(
    "command", [["search", "x"], ["collections"], ["todo"], ["chat"], ["run"], ["status"], ["tail"]], ids=" ".join
)
def test_a_folder_next_to_a_profile_is_a_mistake_that_is_named(there: WholeEnvironment, command: list[str]) -> None:
    ran = there.ask(*command, "--project", there.folder)
    assert ran.returncode == 2
    assert "leave it out: --profile works with a deployed environment" in " ".join(ran.stderr.split())


def test_a_large_file_is_sent_to_the_address_that_its_announcement_is_answered_with(there: WholeEnvironment) -> None:
    data = b"# Large\n" + b"x" * (5 << 20)
    (there.deployed.folder / "large.md").write_bytes(data)
    key, announced = "collections/handbook/uploads/j", list[Any]()
    job = UploadJob(
        job_id="j",
        collection="handbook",
        filename="large.md",
        size_bytes=len(data),
        status="completed",
        created_at="2026-11-30T00:00:00Z",
        updated_at="2026-11-30T00:00:00Z",
        requested_by="x",
        files=[UploadedFile(filename="large.md", status="indexed", pages=1, passages=9)],
        total_files=1,
    )

    def answer(method: str, path: str, body: bytes) -> tuple[int, str] | None:
        if (method, path) != ("POST", "/api/admin/upload"):
            return (200, job.to_compact_json().decode()) if path == "/api/admin/etl/status/j" else None
        announced.append(json.loads(body))
        made = UploadAddresses(there.deployed.client("s3"), BUCKET)
        address = made.address(key, announced[0]["size_bytes"], announced[0]["sha256"])
        accepted = UploadAccepted(job_id="j", filename="large.md", message="send it", upload=address)
        return 202, accepted.to_compact_json().decode()

    there.deployed.api.scripted = answer
    try:
        shown = succeed(there, "upload", "large.md", "--collection", "handbook")
    finally:
        there.deployed.api.scripted = lambda *_: None
    assert shown.splitlines()[-1] == "large.md: 1 of 1 file indexed in collection handbook"
    assert (announced[0]["filename"], announced[0]["collection"]) == ("large.md", "handbook")
    assert there.deployed.get(key) == data
