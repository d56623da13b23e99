"""The entry point of a worker process: builds its application and documents the units that the run sends."""

from __future__ import annotations

import os
import sys

from tribal.app.local import worker_application
from tribal.runs.workers.serving import serve

if __name__ == "__main__":
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Reserve standard output for replies; prints of libraries go to standard error.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin.buffer, replies, worker_application)
