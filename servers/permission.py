"""Whether servers may be started at all: `make quick` forbids it, to this process and to those that it starts."""

import os

VARIABLE = "NO_SERVERS"
"""Forbids, where it is set."""


class ServersForbidden(RuntimeError):
    """A server was asked for where none may be started."""

    def __init__(self, server: str) -> None:
        super().__init__(f"{server} may not be started: {VARIABLE} is set")


def check_permission(server: str) -> None:
    """To be called before a server of that name is started.

    Raises:
        ServersForbidden: `NO_SERVERS` is set.
    """
    if os.environ.get(VARIABLE):
        raise ServersForbidden(server)
