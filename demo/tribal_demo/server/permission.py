"""Whether servers may be started at all: `make quick` forbids it for its process and all child processes."""

import os

VARIABLE = "NO_SERVERS"
"""Forbids starting servers if set."""


class ServersForbidden(RuntimeError):
    """A server was requested although none may be started."""

    def __init__(self, server: str) -> None:
        super().__init__(f"{server} may not be started: {VARIABLE} is set")


def check_permission(server: str) -> None:
    """Call this before starting a server; `server` is its name in the message.

    Raises:
        ServersForbidden: `NO_SERVERS` is set.
    """
    if os.environ.get(VARIABLE):
        raise ServersForbidden(server)
