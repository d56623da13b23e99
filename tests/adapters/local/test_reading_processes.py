"""Files that take too much time or memory are given up, and the others are read; nothing is left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing

import psutil
import pytest

from tests.cases import each_case
from tests.waiting import LONGEST_SECONDS
from tribal.adapters.local.reading_processes import ReadingProcesses
from tribal.capabilities.knowledge.policies.collecting import named, suffixes
from tribal.capabilities.knowledge.policies.evidence import Gap
from tribal.capabilities.knowledge.policies.file_names import FileNames, ReadRequest
from tribal_contracts.knowledge import Target

pytestmark = pytest.mark.slow

MODULE = "tribal.capabilities.knowledge.policies.file_names"
NEEDED: frozenset[Target] = frozenset({"import", "dependency", "table", "column"})
DOUBLING = "SELECT " + ", ".join(["ARRAY[" * 10 + "1" + "]" * 10] * 1_000)
"""Every bracket doubles the time that the parser takes."""


def request(path: str, text: str) -> ReadRequest:
    return ReadRequest(path, text, NEEDED, ("postgres",))


PYTHON, SQL = request("a.py", "import os\n"), request("b.sql", "SELECT x FROM t")


@pytest.fixture(name="reader")
def reader_fixture() -> Iterator[ReadingProcesses]:
    reader = ReadingProcesses(MODULE, file_seconds=LONGEST_SECONDS)
    yield reader
    reader.close()


def unread(names: FileNames) -> list[Gap]:
    return [*names.dependencies.unread, *names.imports.unread, *named(names.sql, "slow.sql", suffixes)[0].unread]


def children() -> list[psutil.Process]:
    found = [each for each in psutil.Process().children() if each.status() != psutil.STATUS_ZOMBIE]
    return [each for each in found if any("reading_worker" in part for part in each.cmdline())]


def test_files_are_read_in_order_as_they_are_in_this_process(reader: ReadingProcesses) -> None:
    python, sql = reader.read([PYTHON, SQL], seconds=60)
    assert [each.name for each in python.imports.named] == ["os"]
    assert [each.parts for each in sql.sql.tables] == [("t",)]
    assert [(each.table, each.name) for each in sql.sql.columns] == [(("t",), "x")]


def test_a_process_is_used_again(reader: ReadingProcesses) -> None:
    reader.read([PYTHON], seconds=None)
    (process,) = children()
    reader.read([SQL, PYTHON], seconds=None)
    assert children() == [process]


def test_a_file_that_takes_too_long_is_given_up_and_the_rest_are_read() -> None:
    with closing(ReadingProcesses(MODULE, file_seconds=1.5)) as reader:
        slow, after = reader.read([request("slow.sql", DOUBLING), SQL], seconds=None)
    (gap,) = unread(slow)
    assert (gap.file, gap.reason) == ("slow.sql", "reading it took longer than 1.5 s")
    assert gap.targets == {"table", "column"}
    assert [each.parts for each in after.sql.tables] == [("t",)]


def test_a_check_ends_when_its_time_is_over(reader: ReadingProcesses) -> None:
    first, second = reader.read([PYTHON, PYTHON], seconds=0)
    for names in (first, second):
        assert len(unread(names)) == 1
    assert unread(second)[0].reason == "earlier files used up the 0 s of a check; check fewer at once"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit the memory of a process")
def test_a_file_that_takes_too_much_memory_is_given_up_and_the_rest_are_read() -> None:
    reader = ReadingProcesses(MODULE, file_seconds=30, memory_bytes=40 << 20)
    try:
        large, after = reader.read([request("a.py", "a," * 90_000), PYTHON], seconds=None)
        assert len(unread(large)) == 1
        assert [each.name for each in after.imports.named] == ["os"]
    finally:
        reader.close()


def test_a_process_that_was_killed_is_replaced(reader: ReadingProcesses) -> None:
    reader.read([PYTHON], seconds=None)
    (process,) = children()
    process.send_signal(signal.SIGKILL)
    process.wait(LONGEST_SECONDS)
    lost, after = reader.read([PYTHON, PYTHON], seconds=None)
    assert [each.reason for each in unread(lost)] == ["reading it took more than 256 MB, or failed"]
    assert [each.name for each in after.imports.named] == ["os"]


def test_closing_kills_what_is_being_read_and_leaves_no_process(reader: ReadingProcesses) -> None:
    answers: list[Sequence[FileNames]] = []
    reading = ReadingProcesses(MODULE, file_seconds=600)
    thread = threading.Thread(target=lambda: answers.append(reading.read([request("a.sql", DOUBLING)], seconds=None)))
    thread.start()
    while not children():
        thread.join(0.01)
    reading.close()
    thread.join(LONGEST_SECONDS)
    assert [unread(each)[0].reason for (each,) in answers] == ["reading it took more than 256 MB, or failed"]
    assert children() == []


PARENT = """
import sys
from tribal.adapters.local.reading_processes import ReadingProcesses
from tribal.capabilities.knowledge.policies.file_names import ReadRequest
reader = ReadingProcesses("tribal.capabilities.knowledge.policies.file_names", file_seconds=60)
read = lambda path, text: reader.read([ReadRequest(path, text, frozenset({"import", "table"}), ("postgres",))], None)
read("a.py", "import os")
print([each._process.pid for each in reader._all], flush=True)
sys.stdin.readline()
read("a.sql", "SELECT " + ", ".join(["ARRAY[" * 10 + "1" + "]" * 10] * 1_000))
"""


@each_case("is_reading", [False, True])
def test_a_process_ends_when_the_one_that_started_it_was_killed(is_reading: bool) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline().strip("[]\n")))
        if is_reading:
            before = sum(child.cpu_times()[:2])
            parent.stdin.write("\n")
            parent.stdin.flush()
            while child.is_running() and sum(child.cpu_times()[:2]) < before + 0.1:
                os.sched_yield()
        parent.kill()
    child.wait(LONGEST_SECONDS)
    assert not child.is_running()
