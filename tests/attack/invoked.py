"""The command line in this process: what it prints, how it ends, and whether by a traceback."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from tribal.edges.cli.app import app

_NO_CLOUD = {"AWS_EC2_METADATA_DISABLED": "true"}
_FOREIGN = ("PG", "TRIBAL", "AWS_", "SOURCE_DATE_EPOCH", "DATABASE_URL", "XDG_CONFIG_HOME")


@dataclass(frozen=True, slots=True)
class Invoked:
    """How one command ended."""

    output: str
    """What it printed on both streams, and the traceback with which it ended."""
    exit_code: int
    traceback: str
    seconds: float
    """For which it kept the processor busy."""


def invoke(arguments: Sequence[str], *, cwd: Path, **environment: str) -> Invoked:
    """Run a command in a folder, with the folder as home and none of the variables that would change its outcome."""
    foreign: dict[str, str | None] = {name: None for name in os.environ if name.startswith(_FOREIGN)}
    began = time.process_time()
    with chdir(cwd):
        result = CliRunner(env={**foreign, "HOME": str(cwd), "USER": "somebody", **_NO_CLOUD, **environment}).invoke(
            app, list(arguments)
        )
    seconds = time.process_time() - began
    error = result.exception
    crashed = error is not None and not isinstance(error, SystemExit)
    trace = "".join(traceback.format_exception(error)) if crashed else ""
    return Invoked(result.output + trace, 1 if crashed else result.exit_code, trace, seconds)
