"""Memories are carried from one project to another, and every write is reported without its words."""

from __future__ import annotations

import json
import logging
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.edges.cli.tribal_command import tribal
from tribal.app.local import local_application
from tribal.ports import Application, Caller
from tribal.ports.remembering.identity import Identity
from tribal.settings import load_settings
from tribal.tools.call import call_tool
from tribal.tools.registry import EVERYTHING

ADA = Caller("ada", identity=Identity("ada", session="s1", projects=("shop",)))
SAID = "Revenue leaves void invoices out \u2028 \U0001f600"
LABELS: dict[str, Any] = {"tags": ["\u00c4rger", "b"], "metadata": {"tables": ["shop.public.invoice"], "n": [1, None]}}


def application(folder: Path) -> Application:
    folder.mkdir(exist_ok=True)
    return local_application(load_settings(project=folder, environment={}, needs_databases=False))


def call(app: Application, tool: str, **arguments: Any) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(call_tool(tool, arguments, ADA, app, EVERYTHING).to_compact_json())
    return answer


def objects(folder: Path) -> dict[str, bytes]:
    kept = (folder / "memory").rglob("mem_*.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept}


@pytest.fixture(name="source")
def source_fixture(tmp_path: Path) -> Path:
    with closing(application(tmp_path / "source")) as app:
        for layer in ("user", "session", "project"):
            assert call(app, "memory_add", content=SAID, layer=layer, **LABELS)["success"]
        assert call(app, "memory_add", content="Orders close at noon")["success"]
    return tmp_path / "source"


def test_what_is_exported_and_imported_is_the_same_byte_for_byte_and_found_alike(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    told = tribal("memory", "export", tmp_path / "all.jsonl", cwd=source).stdout
    assert told.startswith("4 memories written to ")
    assert (
        tribal("memory", "import", tmp_path / "all.jsonl", cwd=target).stdout
        == "4 memories added, 0 already existed.\n"
    )
    assert objects(target) == objects(source)
    assert len(objects(target)) == 4
    again = tribal("memory", "import", tmp_path / "all.jsonl", "--json", cwd=target).stdout
    assert json.loads(again) == {"added": 0, "known": 4}
    assert objects(target) == objects(source)
    answers = []
    for folder in (source, target):
        with closing(application(folder)) as app:
            answers.append(call(app, "memory_search", query="void invoices", threshold=0))
    assert answers[0] == answers[1]
    assert answers[0]["totalCount"] == 2


def test_one_layer_goes_through_a_pipe(source: Path, tmp_path: Path) -> None:
    lines = tribal("memory", "export", "--layer", "project", cwd=source).stdout
    (record,) = map(json.loads, lines.split("\n")[:-1])
    assert (record["layer"], record["author"], record["content"]) == ("project", "ada", SAID)
    target = tmp_path / "target"
    target.mkdir()
    (target / "one").write_text(lines, encoding="utf-8")
    assert tribal("memory", "import", "one", cwd=target).stdout == "1 memory added, 0 already existed.\n"


def test_a_line_that_cannot_be_taken_is_named_and_nothing_is_imported(source: Path, tmp_path: Path) -> None:
    lines = tribal("memory", "export", cwd=source).stdout.split("\n")
    first = json.loads(lines[0])
    other = json.dumps({**first, "content": "something else"})
    secret = json.dumps({**first, "tags": ["password=letmein99"]})
    target = tmp_path / "target"
    target.mkdir()
    (target / "bad").write_text("\n".join([lines[1], "{", "", other, secret, lines[2]]), encoding="utf-8")
    failed = tribal("memory", "import", "bad", cwd=target)
    assert failed.returncode == 2
    for named in (
        "nothing was imported",
        "line 2 is not a memory",
        "line 4: its memoryId",
        "line 5: the memory contains",
    ):
        assert named in failed.stderr
    assert "letmein99" not in failed.stderr
    assert objects(target) == {}


def test_a_layer_or_a_file_that_there_is_not_is_reported(source: Path) -> None:
    assert "unknown layer 'nobody'" in tribal("memory", "export", "--layer", "nobody", cwd=source).stderr
    assert "'nothing' cannot be read" in tribal("memory", "import", "nothing", cwd=source).stderr


def test_every_write_is_reported_and_no_word_of_what_was_written(
    source: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with closing(application(source)) as app:
        name = call(app, "memory_add", content="Orders close at noon")["memoryId"]
        assert call(app, "memory_delete", memoryId=name)["success"]
        assert not call(app, "memory_add", content="the password is zebrafish7")["success"]
    lines = [json.loads(line) for line in (source / "data" / "memory-audit.jsonl").read_text().splitlines()]
    assert [(line["act"], line["layer"]) for line in lines] == [
        ("add", "user"),
        ("add", "session"),
        ("add", "project"),
        ("add", "user"),
        ("add", "user"),
        ("delete", "user"),
    ]
    assert {line["subject"] for line in lines} == {"ada"}
    assert {*lines[0]} == {"at", "subject", "act", "layer", "space", "memory_id"}
    assert lines[-1]["memory_id"] == name
    assert (source / "memory" / lines[0]["space"]).is_dir()
    exported = tribal("memory", "export", cwd=source).stdout
    target = tmp_path / "target"
    target.mkdir()
    (target / "all").write_text(exported, encoding="utf-8")
    tribal("memory", "import", "all", cwd=target)
    log = (target / "data" / "memory-audit.jsonl").read_text()
    assert [json.loads(line)["act"] for line in log.splitlines()] == ["import"] * 3
    for word in ("Revenue", "noon", "zebrafish7", "rger", "invoice"):
        assert word not in log + (source / "data" / "memory-audit.jsonl").read_text() + caplog.text
