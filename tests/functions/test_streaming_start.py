"""The script that Lambda runs in place of its own client starts the loop, and reports what it cannot load."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import ROOT
from tests.fakes.runtime_api import FakeRuntimeApi

BOOTSTRAP = "/var/runtime/bootstrap.py"
_SECONDS = 120.0


@contextmanager
def process(api: FakeRuntimeApi, task: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The function, started from a folder as Lambda does."""
    start = task / "functions" / "chat" / "start"
    assert os.access(start, os.X_OK), "Lambda runs it as a program"
    layers = (ROOT / "layers" / "tribal" / "python", ROOT / "contracts")
    variables = {
        "PATH": os.environ["PATH"],
        "LAMBDA_TASK_ROOT": str(task),
        "AWS_LAMBDA_RUNTIME_API": api.address,
        "AWS_LAMBDA_FUNCTION_NAME": "chat",
        "AWS_REGION": "eu-central-1",
        "POWERTOOLS_METRICS_NAMESPACE": "Test",
        "POWERTOOLS_TRACE_DISABLED": "true",
        "PYTHONPATH": os.pathsep.join(map(str, layers)),
    }
    quiet = subprocess.DEVNULL
    running = subprocess.Popen([start, sys.executable, BOOTSTRAP], env=variables, cwd=task, stdout=quiet, stderr=quiet)
    try:
        yield running
    finally:
        running.kill()
        running.wait()
        api.stop()


def test_the_script_starts_the_loop_which_reports_failures_and_goes_on() -> None:
    api = FakeRuntimeApi()
    with process(api, ROOT):
        for _ in range(2):
            # No variable names the store.
            call = api.call({"path": "/api/chat/stream", "httpMethod": "POST", "requestContext": {}}).wait(_SECONDS)
            assert call.failed
            assert json.loads(call.answer)["errorType"] == "ConfigurationError"
    assert (api.init_error, api.violations) == (None, [])


@pytest.mark.verify
def test_a_handler_that_cannot_be_loaded_is_reported_and_ends_the_process(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "functions", tmp_path / "functions")
    (tmp_path / "functions" / "chat" / "handler.py").write_text("import no_such_module\n", encoding="utf-8")
    api = FakeRuntimeApi()
    call = api.call({})
    with process(api, tmp_path) as running:
        assert running.wait(_SECONDS) != 0
        assert call.wait().failed
    assert api.init_error is not None
    assert api.init_error["errorType"] == "ModuleNotFoundError"
