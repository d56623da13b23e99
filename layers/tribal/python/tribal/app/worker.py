"""The main of a worker process: builds its application and documents what the run sends."""

from __future__ import annotations

import os
import sys

from tribal.app.local import Blueprint, worker_application
from tribal.ports import Application
from tribal.runs.workers.serving import serve


def build(blueprint: object, workers: int) -> Application:
    """The application of one of so many workers."""
    if not isinstance(blueprint, Blueprint):
        raise TypeError(f"a worker is built from a Blueprint, and got {type(blueprint).__name__}")
    return worker_application(blueprint, workers)


if __name__ == "__main__":
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Replies alone go out there: whatever a library prints shall not cut in.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin.buffer, replies, build)
