"""What hostile files take: the parent stays small, and each process that reads one below its limit."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.adapters.documents.made_files import document_xml, docx, paragraphs, pdf
from tests.capabilities.chat.uploads.made_archives import archive, many_entries, zeros

PARENT_MB, CHILD_MB = 512, 1_000
READ = """
import sys
from pathlib import Path
from tribal.adapters.documents.parser import DocumentProcesses
from tribal.capabilities.chat.errors import UploadRefused
from tribal.capabilities.chat.uploads.archives import EntryRefused, open_archive
from tribal.capabilities.chat.uploads.cutting import cut
from tribal.capabilities.chat.uploads.kinds import kind_by_name
from tribal.ports.passages import ParseLimits, ParsingFailed
from tribal_contracts.chat.settings import UploadLimits

def read(file, name):
    try:
        passages = sum(len(cut(page)) for page in parser.pages(file, kind_by_name(name), limits))
    except ParsingFailed as failed:
        print(name, failed.problem)
    else:
        print(name, passages > 0)

parser, limits = DocumentProcesses(), ParseLimits(5_000, 5, 1_000)
for file in sorted(Path(sys.argv[1]).iterdir()):
    if file.suffix != ".zip":
        read(file, file.name)
        continue
    try:
        with open_archive(file, file.name, UploadLimits()) as archive:
            for entry in archive.entries:
                target = Path(sys.argv[2]) / "unpacked"
                try:
                    archive.unpack(entry, target)
                except EntryRefused as refused:
                    print(entry.name, refused.status)
                else:
                    read(target, entry.name)
                    target.unlink()
    except UploadRefused as refused:
        print(file.name, refused.code)
"""


def hostile_files(folder: Path) -> None:
    """Write one of every kind that wants memory or time."""
    word = "long " * (12 << 20)
    (folder / "a.zip").write_bytes(zeros(10))
    (folder / "b.zip").write_bytes(many_entries(100_000))
    (folder / "c.zip").write_bytes(
        archive([("paragraph.docx", docx(document_xml(paragraphs(word)))), ("manual.pdf", pdf(["Refunds"]))])
    )
    (folder / "d.docx").write_bytes(docx(document_xml("<w:p/>" * 2_000_000)))
    (folder / "e.docx").write_bytes(docx(document_xml("<w:p>" + "<w:r><w:t>x</w:t></w:r>" * 300_000 + "</w:p>")))
    (folder / "f.docx").write_bytes(docx(document_xml("<!--" + " " * (60 << 20) + "-->")))
    (folder / "g.txt").write_text("x" * (60 << 20))
    (folder / "h.txt").write_text("\U0001f600" * (2 << 20))
    (folder / "i.html").write_text("<b>" * (20 << 20) + "text")


def peaks_mb(process: subprocess.Popen[str]) -> tuple[float, float]:
    """The most resident memory of a process and of any of its children, sampled until it ends."""
    parent = psutil.Process(process.pid)
    peaks = [0.0, 0.0]
    while process.poll() is None:
        for place, each in enumerate([parent, *parent.children(recursive=True)]):
            try:
                peaks[min(place, 1)] = max(peaks[min(place, 1)], each.memory_info().rss / 2**20)
            except psutil.Error:
                continue
        time.sleep(0.02)
    return peaks[0], peaks[1]


@pytest.mark.verify
def test_hostile_files_take_little_memory_of_the_parent_and_the_others_are_read(tmp_path: Path) -> None:
    files, scratch = tmp_path / "files", tmp_path / "scratch"
    files.mkdir()
    scratch.mkdir()
    hostile_files(files)
    command = [sys.executable, "-c", READ, str(files), str(scratch)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        parent, child = peaks_mb(process)
        assert process.stdout is not None
        lines = process.stdout.read().splitlines()
    outcomes = [(name, outcome) for name, _, outcome in (line.rpartition(" ") for line in lines)]
    assert [name for name, _ in outcomes] == [
        *("zeros.txt", "good.txt", "b.zip", "paragraph.docx", "manual.pdf"),
        *("d.docx", "e.docx", "f.docx", "g.txt", "h.txt", "i.html"),
    ]
    assert [outcome for _, outcome in outcomes[:5]] == ["refused", "True", "UPL_LIMIT_EXCEEDED", "too_large", "True"]
    # Whether time or memory ends first depends on the machine.
    assert {outcome for _, outcome in outcomes[5:]} <= {"too_large", "too_slow", "True"}
    assert dict(outcomes)["h.txt"] == "True"
    assert 0 < parent < PARENT_MB
    assert 0 < child < CHILD_MB
    assert list(scratch.iterdir()) == []
