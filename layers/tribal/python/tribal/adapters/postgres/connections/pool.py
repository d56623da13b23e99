"""A connection pool, and transactions on its connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tribal.adapters.postgres import queries
from tribal.adapters.postgres.connections.connection import PostgresConnection, Row
from tribal.adapters.postgres.connections.line import MOST_ROWS
from tribal.adapters.postgres.connections.server import PostgresServer
from tribal.errors import ConnectionLost, DatabaseError

_IDLE_TIMEOUT_SECONDS = 60.0
_SOCKET_MARGIN_SECONDS = 5.0
"""Margin of the socket timeout over the server's limit, so that the server times out first."""


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Timeouts of a transaction's statements; the lock timeout is shorter than the statement timeout."""

    statement_seconds: float
    lock_seconds: float

    def fill_in(self, begin: str, *, as_stored: bool) -> str:
        """The SQL that opens a transaction with these limits; `as_stored` asks for texts in the database's encoding."""
        statement_ms = max(1, round(self.statement_seconds * 1000))
        lock_ms = min(round(self.lock_seconds * 1000), statement_ms * 9 // 10)
        return begin.format(
            statement_timeout_ms=statement_ms,
            lock_timeout_ms=max(1, lock_ms),
            idle_timeout_ms=round(_IDLE_TIMEOUT_SECONDS * 1000),
            as_stored="true" if as_stored else "false",
        )


class Session:
    """Runs statements inside one transaction."""

    def __init__(self, connection: PostgresConnection, doing: str, timeout_seconds: float) -> None:
        self._connection = connection
        self._doing = doing
        self._timeout_seconds = timeout_seconds

    @property
    def lossy(self) -> bool:
        """Whether some bytes that this connection read were no text; they are lone surrogates."""
        return self._connection.lossy

    def run(self, sql: str, *parameters: str, most_rows: int = MOST_ROWS) -> list[Row]:
        """Send one statement and fetch its rows."""
        return self._connection.run(
            sql, *parameters, doing=self._doing, timeout_seconds=self._timeout_seconds, most_rows=most_rows
        )


class PostgresPool:
    """Opens connections to one database as its server has them free, and reuses the healthy ones."""

    def __init__(
        self, open_connection: Callable[[], PostgresConnection], server: PostgresServer, begin_seconds: float
    ) -> None:
        self._open = open_connection
        self._begin_seconds = begin_seconds
        self._server = server
        self._closed = False
        self.as_stored = False
        """Whether texts are requested in the database's encoding, since the server cannot convert all of them."""

    @contextmanager
    def transaction(self, begin: str, limits: TimeLimits, doing: str) -> Iterator[Session]:
        """A read-only transaction; `doing` describes it in messages, such as "reading the catalog"."""
        idle = self._server.take(self)
        connection: PostgresConnection | None = None
        try:
            connection = self._begin(idle, limits.fill_in(begin, as_stored=self.as_stored), doing)
            session = Session(connection, doing, limits.statement_seconds + _SOCKET_MARGIN_SECONDS)
            try:
                yield session
                session.run(queries.COMMIT)
            except DatabaseError:
                self._roll_back(connection)
                raise
            except BaseException:
                connection.close()
                raise
        finally:
            self._release(connection)

    def close(self) -> None:
        """Close idle connections now, and the others when they are returned."""
        self._closed = True
        self._server.close_idle(self)

    def _begin(self, pooled: PostgresConnection | None, begin: str, doing: str) -> PostgresConnection:
        if self._closed:
            if pooled is not None:
                pooled.close()
            raise ConnectionLost(f"Cannot continue {doing}: this reader is closed. Create a new one.")
        if pooled is not None:
            try:
                pooled.run(begin, doing=doing, timeout_seconds=self._begin_seconds)
            except ConnectionLost:
                # The server restarted or a proxy dropped the connection: other idle ones are likely broken too.
                self._server.close_idle(self)
            except BaseException:
                pooled.close()
                raise
            else:
                return pooled
        fresh = self._open()
        try:
            fresh.run(begin, doing=doing, timeout_seconds=self._begin_seconds)
        except BaseException:
            fresh.close()
            raise
        return fresh

    def _roll_back(self, connection: PostgresConnection) -> None:
        if connection.broken:
            return
        try:
            connection.run(queries.ROLLBACK, doing="rolling back", timeout_seconds=self._begin_seconds)
        except DatabaseError:
            connection.close()

    def _release(self, connection: PostgresConnection | None) -> None:
        if connection is not None and self._closed:
            connection.close()
        reusable = connection is not None and not connection.broken
        self._server.release(self, connection if reusable else None)
        if self._closed:
            # Closed meanwhile by another thread, which could not see this connection.
            self._server.close_idle(self)
