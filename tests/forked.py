"""Processes that a test kills, or that die by themselves.

They are forked from a process of one thread. A fork of the test's own process would wait for ever for any lock that
another thread of it held at that moment.
"""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event

_LONGEST_SECONDS = 120.0

_PROCESSES = get_context("forkserver")
# What they import is imported once, in the process that all of them are forked from.
_PROCESSES.set_forkserver_preload(
    [
        *("anthropic", "tribal.adapters.sqlite.memories", "tribal.adapters.wordllama.embedder"),
        *("tests.capabilities.memory.killed_change", "tests.runs.model.killed_run"),
    ]
)


def forked(function: Callable[..., object], *arguments: object) -> BaseProcess:
    """A process, not yet started, that calls a function of a module; it does not outlive this one."""
    return _PROCESSES.Process(target=function, args=arguments, daemon=True)


def shared_event() -> Event:
    """An event that may be an argument of such a process."""
    return _PROCESSES.Event()


def wait_until(event: Event) -> None:
    """Wait until a process has told that it is so far."""
    assert event.wait(_LONGEST_SECONDS), "it hangs before it is so far"


def exit_code(process: BaseProcess) -> int:
    """Wait until a process has ended, by itself or by a signal, which is a negative number."""
    process.join(_LONGEST_SECONDS)
    if process.exitcode is None:
        process.kill()
        raise AssertionError("it hangs")
    return process.exitcode
