"""The entry point of a worker process: builds its application and documents the units that the run sends."""

from __future__ import annotations

import os
import sys

from tribal.app.local import Blueprint, worker_application
from tribal.ports import Application
from tribal.runs.workers.serving import serve


def build(blueprint: object, workers: int) -> Application:
    """Build the application of one of `workers` processes."""
    if not isinstance(blueprint, Blueprint):
        raise TypeError(f"a worker needs a Blueprint, got {type(blueprint).__name__}")
    return worker_application(blueprint, workers)


if __name__ == "__main__":
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Reserve standard output for replies; prints of libraries go to standard error.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin.buffer, replies, build)
