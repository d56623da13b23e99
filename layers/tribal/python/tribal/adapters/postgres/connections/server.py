"""The connections to one server, counted over all its databases that a process reads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from tribal.adapters.postgres.connections.errors import sqlstate
from tribal.errors import DatabaseError, DatabaseUnreachable, ServerUnavailable, StatementTimedOut

if TYPE_CHECKING:
    from tribal.adapters.postgres.connections.connection import PostgresConnection
    from tribal.settings.postgres_target import PostgresTarget

WAIT_SECONDS = 600.0
"""By judgement: several slow catalogs, each of a minute or two, may be read first."""
REFUSALS = 3
"""After this many refusals in a row, a server is no longer tried. By judgement: one or two may be chance."""
_NO_ROOM = "53300"
_STARTING_OR_STOPPING = "57P03"


class PostgresServer:
    """Shares the connections to a server, and stops trying a server without free ones; thread-safe.

    An idle connection is closed to make room for a new one to another database.

    Args:
        limit: most connections, in use and idle.
        wait_seconds: how long a transaction waits for one of them to become free.
    """

    def __init__(self, limit: int, *, wait_seconds: float = WAIT_SECONDS) -> None:
        self._limit = limit
        self._wait_seconds = wait_seconds
        self._change = threading.Condition()
        self._in_use = 0
        self._idle: list[tuple[object, PostgresConnection]] = []
        """Idle connections with their owners; the longest idle first."""
        self._refusals = 0
        self._given_up: DatabaseError | None = None

    def lower_to(self, limit: int) -> None:
        """Lower the limit; a higher one changes nothing."""
        with self._change:
            self._limit = min(self._limit, limit)

    def take(self, owner: object) -> PostgresConnection | None:
        """Wait for one of the connections: an idle one of this owner, or `None` for leave to open one.

        Each successful call is followed by one of `release`.

        Raises:
            StatementTimedOut: when none became free in time.
        """
        with self._change:
            if not self._change.wait_for(lambda: self._in_use < self._limit, self._wait_seconds):
                raise StatementTimedOut(f"No connection to the server became free within {self._wait_seconds:g} s.")
            self._in_use += 1
            own = next((idle for idle in reversed(self._idle) if idle[0] is owner), None)
            if own is not None:
                self._idle.remove(own)
                return own[1]
            surplus = len(self._idle) + self._in_use - self._limit
            # Closed before another is opened, or the server would count one too many.
            self._close(self._idle[: max(0, surplus)])
            return None

    def release(self, owner: object, connection: PostgresConnection | None) -> None:
        """Return a connection to be reused, or `None` if it is closed."""
        with self._change:
            self._in_use -= 1
            if connection is not None:
                self._idle.append((owner, connection))
            self._change.notify()

    def close_idle(self, owner: object) -> None:
        """Close the idle connections of an owner."""
        with self._change:
            self._close([idle for idle in self._idle if idle[0] is owner])

    def check(self) -> None:
        """Raise an error if the server is no longer tried.

        Raises:
            ServerUnavailable: with the reason of its last refusal.
        """
        with self._change:
            error = self._given_up
        if error is not None:
            raise ServerUnavailable(error.message, context=error.context) from error

    def answered(self) -> None:
        """Reset the count of refusals."""
        with self._change:
            self._refusals = 0

    def refused(self, error: DatabaseUnreachable) -> None:
        """Count a refusal that is not about the database; after too many, the server is no longer tried.

        Raises:
            ServerUnavailable: when the server has no room, or this was one refusal too many.
        """
        code = sqlstate(error)
        if code not in ("", _NO_ROOM, _STARTING_OR_STOPPING):
            return
        with self._change:
            self._refusals += 1
            if code == _NO_ROOM or self._refusals >= REFUSALS:
                self._given_up = error
        self.check()

    def ask_again(self) -> None:
        """Forget all refusals."""
        with self._change:
            self._refusals, self._given_up = 0, None

    def _close(self, chosen: list[tuple[object, PostgresConnection]]) -> None:
        self._idle = [idle for idle in self._idle if idle not in chosen]
        for _, connection in chosen:
            connection.close()


def server_name(target: PostgresTarget) -> str:
    """Host and port of a target's server, or its socket; the same for all its databases."""
    return target.unix_socket or f"{target.host.lower()}:{target.port}"


class PostgresServers:
    """The servers that a process connects to, each with one count of connections.

    Args:
        share: of an entry's limit, what this process may use: other processes of the run connect too.
    """

    def __init__(self, share: Callable[[int], int]) -> None:
        self._share = share
        self._lock = threading.Lock()
        self._servers: dict[str, PostgresServer] = {}

    def of(self, target: PostgresTarget, limit: int) -> PostgresServer:
        """The server of a target; of several limits for one server the lowest holds."""
        limit = max(1, self._share(limit))
        with self._lock:
            server = self._servers.setdefault(server_name(target), PostgresServer(limit))
        server.lower_to(limit)
        return server

    def ask_again(self) -> None:
        """Forget all refusals of all servers."""
        with self._lock:
            servers = list(self._servers.values())
        for server in servers:
            server.ask_again()
