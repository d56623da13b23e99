"""A reader's session pool: limited in size, and sessions are reused while they are valid."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from pydantic import SecretStr

from tribal.adapters.snowflake.connections.connection import Answer, Context, SnowflakeConnection, open_connection
from tribal.adapters.snowflake.connections.errors import will_pass
from tribal.errors import ConnectionLost, DatabaseError, LoginRefused, StatementTimedOut

if TYPE_CHECKING:
    from tribal.settings.snowflake.target import SnowflakeTarget
    from tribal_contracts import DatabaseLimits

Pause = Callable[[float], None]
RenewSecret = Callable[[], SecretStr | None]

Result = TypeVar("Result")

WAIT_SECONDS = 600.0
"""By judgement: as long as a slow reading of another thread may take."""
RETRY_DELAYS_SECONDS = (0.2, 0.5, 1.0, 2.0)
"""Pauses before each retry; after the last one, the error is raised."""


class SnowflakeSessions:
    """Opens sessions on demand and sends statements over them; thread-safe.

    All of our statements only read, so one whose session broke is sent again over another.
    """

    def __init__(
        self, target: SnowflakeTarget, limits: DatabaseLimits, renew_secret: RenewSecret | None, pause: Pause
    ) -> None:
        self.target = target
        self._limits = limits
        self._renew_secret = renew_secret
        self._pause = pause
        self._change = threading.Condition()
        self._idle: list[SnowflakeConnection] = []
        self._in_use = 0
        self._closed = False
        self._context: Context | None = None

    def ask(self, sql: str, doing: str, seconds: float | None = None) -> Answer:
        """Send a statement and fetch all its rows.

        Args:
            doing: describes the work in messages, such as "reading the catalog".
            seconds: in place of the limit for statements.
        """
        limit = self._limits.statement_timeout_seconds if seconds is None else seconds
        return self._retried(lambda: self._ask_once(sql, doing, limit))

    def context(self, doing: str) -> Context:
        """Our user and role, known from the login; logs in if necessary."""
        return self._context or self._retried(lambda: self._log_in(doing))

    def close(self) -> None:
        """Close idle sessions now, and the others when they are returned."""
        with self._change:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _retried(self, attempt: Callable[[], Result]) -> Result:
        for delay in RETRY_DELAYS_SECONDS:
            try:
                return attempt()
            except DatabaseError as error:
                if not will_pass(error):
                    raise
            self._pause(delay)
        return attempt()

    def _log_in(self, doing: str) -> Context:
        with self._session(doing):
            assert self._context is not None
            return self._context

    def _ask_once(self, sql: str, doing: str, seconds: float) -> Answer:
        with self._session(doing) as connection:
            return connection.ask(sql, doing, seconds)

    @contextmanager
    def _session(self, doing: str) -> Iterator[SnowflakeConnection]:
        connection = self._take(doing)
        try:
            if connection is None:
                connection = self._open()
            yield connection
        finally:
            self._release(connection)

    def _take(self, doing: str) -> SnowflakeConnection | None:
        """One of the idle sessions, or `None` for leave to open one; followed by one `_release`."""
        with self._change:
            if not self._change.wait_for(lambda: self._closed or self._in_use < self._limits.connections, WAIT_SECONDS):
                raise StatementTimedOut(f"No session with {self.target} became free within {WAIT_SECONDS:g} s.")
            if self._closed:
                raise ConnectionLost(f"Cannot continue {doing}: this reader is closed. Open a new one.")
            self._in_use += 1
            return self._idle.pop() if self._idle else None

    def _release(self, connection: SnowflakeConnection | None) -> None:
        with self._change:
            self._in_use -= 1
            reusable = connection is not None and not connection.broken and not self._closed
            if connection is not None and reusable:
                self._idle.append(connection)
            self._change.notify()
        if connection is not None and not reusable:
            connection.close()

    def _open(self) -> SnowflakeConnection:
        seconds = (self._limits.connect_timeout_seconds, self._limits.statement_timeout_seconds)
        try:
            connection, self._context = open_connection(self.target, *seconds, self._context)
            return connection
        except LoginRefused:
            if self._renew_secret is None:
                raise
            secret = self._renew_secret()
            if secret is None or secret == self.target.secret:
                raise
        self.target = replace(self.target, secret=secret)
        connection, self._context = open_connection(self.target, *seconds)
        return connection
