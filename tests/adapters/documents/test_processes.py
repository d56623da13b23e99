"""Each file has a process of its own, which can do little, and whatever becomes of it is a problem of that file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

import tribal.adapters.documents.parser as parser_module
from tests.adapters.documents.conftest import LIMITS
from tests.adapters.documents.made_files import pdf
from tests.cases import each_case
from tribal.adapters.documents.parser import DocumentProcesses
from tribal.ports.passages import ParseLimits, ParsingFailed

MISBEHAVING = "tests.adapters.documents.misbehaving"


def pages(what: str, folder: Path, limits: ParseLimits = LIMITS) -> Iterator[str]:
    file = folder / "uploaded"
    file.write_text(what)
    return DocumentProcesses(MISBEHAVING).pages(file, "txt", limits)


def children() -> list[psutil.Process]:
    return [each for each in psutil.Process().children() if "adapters.documents" in " ".join(each.cmdline())]


@pytest.fixture(name="impatient", scope="module")
def impatient_fixture() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser_module, "_END_SECONDS", 0.5)
        yield


FAILED = "its reader failed"
OR_MEMORY = "it is damaged, or needs more than 1,000 MB"


@each_case(
    ("what", "expected"),
    [
        ("kill", ("unreadable", f"{FAILED} (signal 9): {OR_MEMORY}")),
        ("spin", ("too_slow", "reading it took longer than 60 s")),
        ("huge", ("unreadable", FAILED)),
        ("silent", ("unreadable", FAILED)),
        ("garbage", ("unreadable", FAILED)),
        ("bytes", ("unreadable", FAILED)),
        ("endless", ("too_many_pages", "it has more than 50 pages")),
        ("nothing", ("unreadable", f"{FAILED} (exit code 0): {OR_MEMORY}")),
    ],
)
@pytest.mark.usefixtures("impatient")
def test_a_process_that_fails_makes_its_file_unreadable_and_is_gone(
    what: str, expected: tuple[str, str], tmp_path: Path
) -> None:
    with pytest.raises(ParsingFailed) as failed:
        list(pages(what, tmp_path))
    assert (failed.value.problem, failed.value.message) == expected
    assert children() == []


def test_a_process_that_hangs_is_killed_when_its_time_is_over(tmp_path: Path) -> None:
    with pytest.raises(ParsingFailed) as failed:
        list(pages("hang", tmp_path, replace(LIMITS, seconds=1.5)))
    assert (failed.value.problem, failed.value.message) == ("too_slow", "reading it took longer than 1.5 s")
    assert children() == []


def test_closing_the_pages_ends_the_process(tmp_path: Path) -> None:
    read = pages("endless", tmp_path)
    assert next(read) == "more"
    assert len(children()) == 1
    read.close()  # type: ignore[attr-defined]
    assert children() == []


def test_a_process_has_no_secrets_and_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary")
    names, folder, files = pages("surroundings", tmp_path)
    assert set(names.split()) <= {"PYTHONPATH", "LD_LIBRARY_PATH", "LC_CTYPE"}
    assert files == ""
    assert not Path(folder).exists()


def test_a_process_can_write_no_file(tmp_path: Path) -> None:
    assert list(pages("write", tmp_path)) == ["refused"]


def test_files_are_read_at_the_same_time(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf(["a", "b"]))
    parser = DocumentProcesses()
    first, second = (parser.pages(tmp_path / "a.pdf", "pdf", LIMITS) for _ in range(2))
    assert [next(first), next(second), next(second), next(first)] == ["a", "a", "b", "b"]
