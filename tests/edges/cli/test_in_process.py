"""A command in this process ends as one in a process of its own, and leaves no trace."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.edges.cli import in_process
from tests.edges.cli.in_process import run_in_process
from tests.edges.cli.tribal_command import clean_environment, tribal, tribal_process

COMMANDS = (["--version"], ["check", "--sql"], ["seach", "x"], ["search", "x", "--limit", "many"], ["search", "x"])


def run(program: Callable[[], Any], folder: Path, **environment: str) -> CompletedProcess[str]:
    return run_in_process(["program"], cwd=folder, environment=clean_environment(**environment), program=program)


def test_a_command_prints_and_ends_as_in_a_process_of_its_own(tmp_path: Path) -> None:
    differing = []
    for command in COMMANDS:
        here, there = tribal(*command, cwd=tmp_path), tribal_process(*command, cwd=tmp_path)
        if (here.returncode, here.stdout, here.stderr) != (there.returncode, there.stdout, there.stderr):
            differing.append((here, there))
    assert differing == []


def test_every_way_to_end_has_the_exit_code_of_a_process(tmp_path: Path) -> None:
    ended = [run(lambda code=code: sys.exit(code), tmp_path) for code in (None, 0, 3, "not today")]  # type: ignore[misc]  # a default binds it
    assert [(each.returncode, each.stderr) for each in ended] == [(0, ""), (0, ""), (3, ""), (1, "not today\n")]
    crashed = run(lambda: 1 // 0, tmp_path)
    assert crashed.returncode == 1
    assert crashed.stderr.startswith("Traceback (most recent call last):")
    assert crashed.stderr.endswith("ZeroDivisionError: integer division or modulo by zero\n")


def test_logs_warnings_and_errors_of_threads_go_to_its_standard_error(tmp_path: Path) -> None:
    def program() -> None:
        logging.getLogger("tribal").warning("logged")
        logging.getLogger("tribal").info("unseen")
        warnings.warn("warned", stacklevel=1)
        warnings.warn("unseen", DeprecationWarning, stacklevel=1)
        thread = threading.Thread(target=lambda: 1 // 0)
        thread.start()
        thread.join()

    said = run(program, tmp_path).stderr
    assert said.startswith("logged\n")
    assert "UserWarning: warned" in said
    assert "ZeroDivisionError" in said
    assert "unseen" not in said


def test_what_a_command_changes_is_restored(tmp_path: Path) -> None:
    def state() -> dict[str, object]:
        return {
            "folder": Path.cwd(),
            "variables": dict(os.environ),
            "streams": (sys.argv, sys.stdin, sys.stdout, sys.stderr),
            "signals": (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)),
            "hooks": (sys.excepthook, sys.unraisablehook, threading.excepthook),
            "garbage": (gc.isenabled(), gc.get_threshold()),
            "logging": (logging.getLogger().handlers[:], logging.getLogger().level),
            "warnings": (warnings.filters[:], warnings.showwarning),
        }

    def program() -> None:
        seen.update(folder=Path.cwd(), given=os.environ.get("GIVEN"), read=sys.stdin.read())
        os.chdir("/")
        os.environ["LEFT"] = "behind"
        del os.environ["GIVEN"]
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.disable()
        gc.set_threshold(1)
        logging.basicConfig(level=logging.DEBUG)
        warnings.simplefilter("error")
        raise ZeroDivisionError

    seen: dict[str, object] = {}
    before = state()
    run(program, tmp_path, GIVEN="yes")
    assert seen == {"folder": tmp_path, "given": "yes", "read": ""}
    assert state() == before


def test_a_variable_that_python_reads_at_its_start_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="PYTHONPATH"):
        tribal("--version", cwd=tmp_path, PYTHONPATH=str(tmp_path))


def test_a_thread_that_a_command_leaves_behind_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_process, "_LONGEST_SECONDS", 0)
    ended = threading.Event()

    def wait() -> None:
        ended.wait()

    wait.__module__ = "tribal.runs"
    with pytest.raises(AssertionError, match="left threads behind: forgotten"):
        run(threading.Thread(target=wait, name="forgotten", daemon=True).start, tmp_path)
    ended.set()
