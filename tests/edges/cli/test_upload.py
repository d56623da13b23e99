"""`tribal upload`, `tribal jobs` and `tribal collections`, with the readers and the embedder of the product."""

from __future__ import annotations

import json
import os
import shutil
import signal
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.documents.made_files import document_xml, docx, paragraphs, pdf
from tests.capabilities.chat.uploads.made_uploads import zipped
from tests.edges.cli.tribal_command import start_tribal, tribal
from tests.edges.http.served import Served
from tests.waiting import wait_until
from tribal.app.local import local_application
from tribal.capabilities.chat.parts import ChatParts
from tribal.settings import load_settings
from tribal_contracts.chat.jobs import JobList, RemovalReport

SETTINGS = """
databases: []
collections:
  - name: handbook
  - {name: games, layer: team, owner: games}
"""
RULE = "Employees get 25 days of paid vacation. They ask their manager two weeks before."


@pytest.fixture(name="project")
def project_fixture(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "databases.yaml").write_text(SETTINGS)
    (folder / "manual.pdf").write_bytes(pdf([RULE, "The printer is on the second floor."]))
    archive = zipped(
        {
            "notes.docx": docx(document_xml(paragraphs("Chess is played on Friday."))),
            "scan.pdf": pdf([""]),
            "locked.pdf": pdf(["x"], encrypted=True),
            "tool.exe": "MZ",
        }
    )
    (folder / "export.zip").write_bytes(archive)
    return folder


def as_json(project: Path, *arguments: object, code: int = 0) -> Any:
    done = tribal(*arguments, "--json", cwd=project)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def test_files_are_indexed_and_what_cannot_be_read_is_named_with_its_reason(project: Path) -> None:
    done = tribal("upload", "manual.pdf", "export.zip", cwd=project)
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines() == [
        "  manual.pdf: indexed, 2 pages, 2 passages",
        "manual.pdf: 1 of 1 file indexed in collection handbook",
        "  notes.docx: indexed, 1 page, 1 passage",
        "  scan.pdf: no text: if it is a scan, run OCR first",
        *[line for line in done.stdout.splitlines() if "locked.pdf" in line],
        *[line for line in done.stdout.splitlines() if "tool.exe" in line],
        "export.zip: 1 of 4 files indexed in collection handbook",
    ]
    assert "  locked.pdf: encrypted: " in done.stdout
    assert "  tool.exe: unsupported: " in done.stdout
    listed = tribal("jobs", cwd=project).stdout
    assert "  partial  handbook  export.zip  1 of 4 files indexed\n  scan.pdf: no text" in listed
    assert listed.endswith("  completed  handbook  manual.pdf  1 of 1 file indexed\n")
    assert tribal("collections", cwd=project).stdout == "handbook  catalog  company  2 files, 3 passages  no model\n"
    shown = tribal("collections", "show", "handbook", cwd=project).stdout
    assert "  manual.pdf: pdf, 2 pages, 2 passages, added " in shown
    assert (project / "collections" / ".gitignore").read_text() == "*\n"


def test_the_same_as_json(project: Path) -> None:
    found = JobList.model_validate(as_json(project, "upload", "manual.pdf", "--collection", "handbook"))
    assert [(each.status, each.files[0].status) for each in found.jobs] == [("completed", "indexed")]
    again = JobList.model_validate(as_json(project, "upload", "manual.pdf"))
    assert [each.files[0].status for each in again.jobs] == ["unchanged"]
    assert as_json(project, "jobs")["total"] == 2
    listed = as_json(project, "collections")["collections"]
    assert listed == [
        {
            "name": "handbook",
            "profile": "catalog",
            "layer": "company",
            "owner": None,
            "course_id": "handbook",
            "models": [],
            "embedding": {"model": "wordllama-l2-supercat-256", "dimensions": 256},
            "files": 1,
            "passages": 2,
        }
    ]
    shown = as_json(project, "collections", "show", "handbook")
    assert [each["names"] for each in shown["sources"]] == [["manual.pdf"]]


def test_an_uploaded_passage_is_nearest_to_a_question_about_it(project: Path) -> None:
    tribal("upload", "manual.pdf", "export.zip", cwd=project)
    app = local_application(load_settings(project=project, needs_databases=False))
    parts = app.part(ChatParts)
    assert parts is not None
    index = parts.indexes().current("handbook")
    assert index is not None
    question = app.embedder().embed(["how many days of vacation are there?"])[0]
    nearest = index.nearest(question, index.pointer.sources, 1)
    assert [(each.passage.source_filename, each.passage.page_number) for each in nearest] == [("manual.pdf", 1)]
    app.close()


def test_a_removed_file_leaves_nothing_behind(project: Path) -> None:
    tribal("upload", "manual.pdf", "export.zip", cwd=project)
    done = tribal("collections", "remove", "handbook", "manual.pdf", cwd=project)
    assert (done.returncode, done.stdout) == (0, "manual.pdf is removed from collection handbook.\n")
    report = RemovalReport.model_validate(as_json(project, "collections", "remove", "handbook", "notes.docx"))
    assert report.names == ["notes.docx"]
    for path in (project / "collections").rglob("*"):
        if path.is_file():
            assert b"vacation" not in path.read_bytes(), path
    assert tribal("collections", cwd=project).stdout.startswith("handbook  catalog  company  0 files, 0 passages")
    missing = tribal("collections", "remove", "handbook", "manual.pdf", cwd=project)
    assert missing.returncode == 7
    assert "has no file 'manual.pdf'; it is empty" in missing.stderr
    assert "removal of notes.docx" in tribal("jobs", cwd=project).stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["tool.exe"], 2, "'tool.exe' has an unsupported type; upload .pdf"),
        (["nowhere.pdf"], 2, "there is no file 'nowhere.pdf'"),
        (["manual.pdf", "--collection", "catalog"], 2, "nothing can be uploaded to 'catalog'; use one of handbook"),
        (["manual.pdf", "nowhere.pdf"], 1, "there is no file 'nowhere.pdf'"),
        (["manual.pdf", "--collection", "games"], 7, "there is no collection 'games'; you may use catalog, handbook"),
    ],
)
def test_what_is_refused_says_why_and_the_other_files_are_indexed(
    project: Path, arguments: list[str], code: int, message: str
) -> None:
    (project / "tool.exe").write_bytes(b"MZ")
    done = tribal("upload", *arguments, cwd=project)
    assert (done.returncode, message in done.stderr) == (code, True), done.stderr


def test_a_collection_that_is_not_configured_comes_with_the_lines_to_add(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    missing = tribal("upload", "a.txt", "--collection", "handbook", cwd=tmp_path)
    assert missing.returncode == 7
    assert "databases.yaml" in missing.stderr
    assert "error:   collections:\nerror:     - name: handbook\n" in missing.stderr
    none = tribal("upload", "a.txt", cwd=tmp_path)
    assert none.returncode == 2
    assert "none is configured for uploads" in none.stderr
    assert (
        "There are no collections yet; to create one, add it to databases.yaml:"
        in tribal("collections", cwd=tmp_path).stdout
    )
    assert "Nothing was uploaded yet" in tribal("jobs", cwd=tmp_path).stdout
    assert tribal("jobs", "--resume", "0" * 30, cwd=tmp_path).returncode == 7


def test_files_of_one_name_are_told_apart_by_their_folder_and_pages_without_text_are_named(project: Path) -> None:
    (project / "same.zip").write_bytes(zipped({"a/readme.md": RULE, "b/readme.md": "Travel is booked by the office."}))
    (project / "mixed.pdf").write_bytes(pdf([RULE, "", "", "The end."]))
    done = tribal("upload", "same.zip", "mixed.pdf", cwd=project)
    assert "  a/readme.md: indexed" in done.stdout
    assert "  mixed.pdf: indexed, 4 pages, 2 passages; pages 2-3 have no text: if they" in done.stdout
    assert "  mixed.pdf: indexed" in tribal("jobs", cwd=project).stdout
    (found,) = as_json(project, "jobs", "--limit", 1)["jobs"]
    assert found["files"][0]["pages_without_text"] == [2, 3]
    assert "  b/readme.md: md" in tribal("collections", "show", "handbook", cwd=project).stdout
    answer = as_json(project, "ask", "Where is travel booked?", "--collection", "handbook")
    source = answer["sources"][0]
    assert (source["name"], source["source_filename"], source["source_path"]) == (
        "b/readme.md, page 1",
        "readme.md",
        "b/readme.md",
    )
    both = tribal("collections", "remove", "handbook", "readme.md", cwd=project)
    assert (both.returncode, "2 files named 'readme.md'; specify a path: a/readme.md, b/readme.md" in both.stderr) == (
        7,
        True,
    )
    assert tribal("collections", "remove", "handbook", "b/readme.md", cwd=project).stdout.startswith("b/readme.md is")


def test_names_with_control_characters_do_not_reach_the_terminal(project: Path) -> None:
    archive = zipped({"red \x1b[31m.pdf": "no PDF", "good.txt": "Vacation"})
    (project / "odd.zip").write_bytes(archive)
    done = tribal("upload", "odd.zip", cwd=project)
    assert done.returncode == 1
    assert "\x1b" not in done.stdout + done.stderr + tribal("jobs", cwd=project).stdout


@pytest.mark.verify
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_stops_and_says_how_it_is_resumed(project: Path) -> None:
    (project / "large.zip").write_bytes(
        zipped({f"{number}.pdf": pdf([f"{RULE} {number} {page}" for page in range(3)]) for number in range(20)})
    )
    process = start_tribal("upload", "large.zip", cwd=project)
    progress = project / "collections" / "handbook" / "progress"
    wait_until(lambda: process.poll() is not None or list(progress.rglob("*.jsonl")))
    assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    resume = error.partition("`tribal ")[2].partition("`")[0].split()
    assert resume[:2] == ["jobs", "--resume"]
    assert "  processing  handbook  large.zip" in tribal("jobs", cwd=project).stdout
    done = tribal(*resume, cwd=project)
    assert done.returncode == 0, done.stderr
    assert "20 of 20 files indexed" in done.stdout


def test_a_lost_or_damaged_index_of_a_collection_is_rebuilt_from_its_files(project: Path) -> None:
    tribal("upload", "manual.pdf", "--collection", "handbook", cwd=project)
    (index,) = project.glob("collections/handbook/index/*.db")
    question = ("ask", "how many days of vacation do employees get?", "--collection", "handbook")
    before = tribal(*question, cwd=project).stdout
    assert "25 days" in before

    def lose() -> None:
        index.unlink()

    def damage() -> None:
        index.write_bytes(b"not an index")

    for harm in (lose, damage):
        harm()
        shutil.rmtree(project / "data")
        refused = tribal(*question, cwd=project)
        assert (refused.returncode, "`tribal index` rebuilds it" in refused.stderr) == (6, True), refused.stderr
        rebuilt = tribal("index", cwd=project)
        assert (rebuilt.returncode, rebuilt.stderr.splitlines()[0]) == (
            0,
            "rebuilt the index of collection handbook",
        )
        assert tribal(*question, cwd=project).stdout == before


@pytest.mark.slow
def test_a_large_file_reaches_a_server_on_another_machine(project: Path) -> None:
    rights = ("--right", "documentation:read", "--right", "collections:write")
    made = tribal("token", "create", "ada", "--scope", "shop", *rights, cwd=project)
    (project / "noise.bin").write_bytes(os.urandom(5_000_000))
    with zipfile.ZipFile(project / "large.zip", "w") as archive:
        archive.write(project / "noise.bin", "noise.bin")
        archive.writestr("rules.md", RULE)
    with Served(project) as server:
        profiles = project / "profiles.yaml"
        profiles.write_text(json.dumps({"profiles": {"there": {"api": server.address, "token": made.stdout.strip()}}}))
        sent = ("--profile", "there", "upload", "large.zip", "--collection", "handbook")
        done = tribal(*sent, cwd=project, TRIBAL_PROFILES=str(profiles))
    assert "rules.md: indexed, 1 page, 1 passage" in done.stdout, done.stderr
    assert "large.zip: 1 of 2 files indexed in collection handbook" in done.stdout
