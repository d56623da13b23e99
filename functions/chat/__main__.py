"""Runs the function in place of Lambda's own runtime client, which cannot stream. `start` starts it."""

from __future__ import annotations

import sys

from functions.chat.loop import serve
from functions.chat.runtime_api import RuntimeApi
from tribal.settings import read_environment


def main() -> int:
    """Load the handler and handle invocations; ends only when the function cannot be loaded."""
    api = RuntimeApi(read_environment()["AWS_LAMBDA_RUNTIME_API"])
    try:
        # Imported here, so that what is wrong with it is reported.
        from functions.chat.handler import stream
    except Exception as error:
        api.fail_to_start(error)
        raise
    serve(api, stream)
    return 0


if __name__ == "__main__":
    sys.exit(main())
