"""Limits hold for all processes of a sandbox together, and none of them outlives the call."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import ExitStack
from dataclasses import replace

import pytest

from tests.adapters.bubblewrap.host import SMALL, as_user, become, install, processes_with, run
from tests.cases import each_case
from tests.forked import exit_code, forked
from tests.waiting import wait_until
from tribal.ports.sandbox import KILLED, SandboxLimit, SandboxResult

_MEMORY = "import mmap, os, time; pages = mmap.mmap(-1, {0} << 20, mmap.MAP_{1} | mmap.MAP_ANONYMOUS); "
_TOUCH = "[pages.__setitem__(place, 1) for place in range(0, len(pages), 4096)]; "


def _python(code: str) -> str:
    return f"python3 -c '{code}'"


def _held(mebibytes: int, kind: str) -> str:
    """A process that uses memory of its own, or that it could share, and sleeps."""
    return _python(f"{_MEMORY.format(mebibytes, kind)}{_TOUCH}time.sleep(600)")


def _write(mebibytes: int, folder: str) -> str:
    return f"head -c {mebibytes}m /dev/zero >{folder}/written"


_TOO_MUCH: dict[str, tuple[str, SandboxLimit]] = {
    "memory of one process": (_python("kept = []\nwhile True: kept.append(bytes(10 << 20))"), "memory"),
    "memory of many processes": (f"for i in 1 2 3 4 5 6 7 8; do {_held(40, 'PRIVATE')} & done; wait", "memory"),
    "memory of a process that may not be looked into": (
        _python("import ctypes; ctypes.CDLL(None).prctl(4, 0)\nkept = []\nwhile True: kept.append(bytes(10 << 20))"),
        "memory",
    ),
    "memory of a program that cannot be read": (
        "cp $(python3 -c 'import sys; print(sys.executable)') python && chmod 111 python && "
        "./python -c 'kept = []\nwhile True: kept.append(bytes(10 << 20))'",
        "memory",
    ),
    "shared memory": (_held(400, "SHARED"), "memory"),
    "a fork bomb": (_python("import os\nwhile True:\n try: os.fork()\n except OSError: pass"), "processes"),
    "threads": (
        _python(
            "import threading as t, time\nwhile True:\n try: t.Thread(target=time.sleep, args=(600,)).start()\n"
            " except RuntimeError: pass"
        ),
        "processes",
    ),
    "its own files": (_write(60, "/files"), "disk"),
    "/tmp": (_write(60, "/tmp"), "disk"),
    "/dev/shm": (_write(60, "/dev/shm"), "disk"),
    "several places": (f"{_write(20, '/files')}; {_write(20, '/tmp')}; sleep 600", "disk"),
    "empty files": (_python('number = 0\nwhile True: number += 1; open(str(number), "w").close()'), "disk"),
}


@each_case(("command", "limit"), _TOO_MUCH.values(), ids=list(_TOO_MUCH))
def test_a_command_that_takes_too_much_is_ended(user: int, command: str, limit: SandboxLimit) -> None:
    result = as_user(user, run, command)
    assert (result.ended_by, result.exit_code != 0) == (limit, True)


def test_a_command_that_takes_too_long_is_ended(user: int) -> None:
    result = as_user(user, run, "echo before; sleep 600", replace(SMALL, seconds=0.5))
    assert result == SandboxResult(KILLED, "before\n", "time")


def test_a_command_that_stops_at_the_limit_of_processes_fails_by_itself(user: int) -> None:
    result = as_user(user, run, "while :; do sleep 600 & done")
    assert result.exit_code != 0
    assert "Cannot fork" in result.output or result.ended_by == "processes"


def test_files_that_are_too_large_are_not_started_with(user: int) -> None:
    result = as_user(user, run, "echo started", replace(SMALL, disk_bytes=1 << 16))
    assert (result.ended_by, "started" in result.output) == ("disk", False)


def _run_next_to_others() -> SandboxResult:
    with ExitStack() as opened:
        for _ in range(SMALL.processes):
            process = opened.enter_context(subprocess.Popen(["/bin/sleep", "600"]))
            opened.callback(process.kill)
        return run("for i in 1 2 3 4 5 6 7 8; do sleep 0.1 & done; wait")


def test_other_processes_of_the_user_do_not_count(user: int) -> None:
    assert as_user(user, _run_next_to_others) == SandboxResult(0, "", None)


def test_pages_that_processes_share_count_once(user: int) -> None:
    forks = "for i in range(6): os.fork() or (time.sleep(1), os._exit(0))\nfor i in range(6): os.wait()"
    code = f"{_MEMORY.format(80, 'PRIVATE')}{_TOUCH}\n{forks}"
    assert as_user(user, run, _python(code)) == SandboxResult(0, "", None)


def test_the_end_of_a_long_output_is_kept(user: int) -> None:
    result = as_user(user, run, "seq 1000000; echo done", replace(SMALL, output_bytes=100))
    assert (result.exit_code, result.ended_by) == (0, None)
    assert result.output.endswith("\n999999\n1000000\ndone\n")
    assert len(result.output.encode()) == 100


def test_the_output_of_invisible_characters_stays_within_its_limit(user: int) -> None:
    result = as_user(
        user, run, r"printf '\001%.0s' $(seq 1000); printf '\342\202\254'", replace(SMALL, output_bytes=100)
    )
    assert len(result.output.encode()) <= 100
    assert result.output.endswith("\\u0001€")


@each_case(
    ("command", "code"), [("exit 7", 7), ("no-such-program", 127), ("kill -TERM $$", 143), ("kill -9 -1", KILLED)]
)
def test_the_exit_code_is_the_command_s(user: int, command: str, code: int) -> None:
    result = as_user(user, run, command)
    assert (result.exit_code, result.ended_by) == (code, None)


@each_case(
    "command",
    [
        "(setsid sh -c 'sleep 86397 & sleep 86397' &) >/dev/null 2>&1 </dev/null",
        "setsid nohup sleep 86397 & echo started",
        "trap '' TERM HUP INT; sleep 86397 & disown 2>/dev/null; echo started",
    ],
)
def test_what_a_command_leaves_running_has_ended_when_the_call_returns(user: int, command: str) -> None:
    result = as_user(user, run, command)
    assert (result.exit_code, result.ended_by) == (0, None)
    assert processes_with("86397") == []


def _run_as(user: int, command: str) -> None:
    become(user)
    run(command)


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_a_process_that_is_killed_or_interrupted_leaves_nothing_running(user: int, sent: signal.Signals) -> None:
    seconds = str(86_000 + sent)
    process = forked(_run_as, user, f"setsid sleep {seconds} & sleep {seconds}")
    process.start()
    wait_until(lambda: len(processes_with(f"sleep\0{seconds}")) == 2)
    assert process.pid is not None
    os.kill(process.pid, sent)
    assert exit_code(process) != 0
    wait_until(lambda: processes_with(seconds) == [])


def _fill_environment() -> tuple[SandboxResult, SandboxResult]:
    return install(_write(60, "/environment"), "ls /environment")


def test_an_installation_that_writes_too_much_is_ended_and_not_kept(user: int) -> None:
    installed, then = as_user(user, _fill_environment)
    assert installed.ended_by == "disk"
    assert then.output == ""


def _write_sparse_environment() -> tuple[SandboxResult, SandboxResult]:
    return install("truncate -s 10G /environment/file", "ls /environment")


def test_an_installation_with_a_file_of_holes_is_ended_and_not_kept(user: int) -> None:
    installed, then = as_user(user, _write_sparse_environment)
    assert (installed.exit_code, installed.ended_by) == (KILLED, "disk")
    assert then.output == ""
