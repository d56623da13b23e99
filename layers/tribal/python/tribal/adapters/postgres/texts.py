"""Reads the texts that the server renders: definitions of views, defaults, checks, expressions of indexes.

One statement reads them all. It fails as a whole if one object cannot be rendered, for example a view whose table is
missing from the catalog. Only then the object is searched for, by halves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tribal.adapters.postgres import queries
from tribal.adapters.postgres.connections.connection import Row
from tribal.adapters.postgres.connections.errors import LOCK_NOT_GRANTED, is_of_an_object, sqlstate
from tribal.adapters.postgres.connections.pool import Session
from tribal.adapters.postgres.rows import TextGaps, TextKind
from tribal.errors import DatabaseError, StatementTimedOut

MOST_STATEMENTS = 2_000
"""The most statements that search for broken objects in one reading. By judgement: one broken object of 50,000 takes
some 30, and one statement a few milliseconds; what was not asked for by then counts as broken."""
NOT_ASKED = "not asked for"
"""In place of an SQLSTATE, for texts that the limit left out."""


class _Queries(NamedTuple):
    all: str
    some: str


_PLAIN = _Queries(queries.TEXTS, queries.SOME_TEXTS)
_SKIPPING_LOCKED = _Queries(queries.TEXTS_SKIPPING_LOCKED, queries.SOME_TEXTS_SKIPPING_LOCKED)


def read_texts(session: Session) -> tuple[list[Row], TextGaps]:
    """The rows of `TEXTS`, without those of locked tables and those that the server fails to render.

    Raises:
        StatementTimedOut: when other tables were locked while the others were read.
    """
    session.run(queries.SAVEPOINT)
    try:
        return _read(session, _PLAIN)
    except StatementTimedOut as error:
        if sqlstate(error) != LOCK_NOT_GRANTED:
            raise
    session.run(queries.ROLLBACK_TO_SAVEPOINT)
    rows, gaps = _read(session, _SKIPPING_LOCKED)
    return rows, gaps._replace(skip_locked=True)


def _read(session: Session, asked: _Queries) -> tuple[list[Row], TextGaps]:
    try:
        return session.run(asked.all), TextGaps()
    except DatabaseError as error:
        if not is_of_an_object(error):
            raise
    session.run(queries.ROLLBACK_TO_SAVEPOINT)
    owners = [oid for (oid,) in session.run(queries.TEXT_OWNERS)]
    return _Search(session, asked.some).among(owners)


class _Search:
    """Reads the texts of some objects, as far as they can be read."""

    def __init__(self, session: Session, sql: str) -> None:
        self._session = session
        self._sql = sql
        self._statements_left = MOST_STATEMENTS
        self._rows: list[Row] = []
        self._failed: dict[tuple[TextKind, int], str] = {}

    def among(self, owners: Sequence[int]) -> tuple[list[Row], TextGaps]:
        """The rows of these objects, which are in order."""
        pending = [owners]
        while pending:
            part = pending.pop()
            if not part:
                continue
            if self._statements_left <= 0:
                self._fail(part, queries.TEXT_KINDS, NOT_ASKED)
            elif self._ask(part) is None:
                continue
            elif len(part) > 1:
                middle = len(part) // 2
                pending += [part[middle:], part[:middle]]
            else:
                self._ask_by_kind(part)
        return self._rows, TextGaps(self._failed)

    def _ask_by_kind(self, owner: Sequence[int]) -> None:
        for kind in queries.TEXT_KINDS:
            state = self._ask(owner, kind)
            if state is not None:
                self._fail(owner, [kind], state)

    def _ask(self, part: Sequence[int], kind: str = "") -> str | None:
        """Read texts; returns the SQLSTATE if that fails because of one of these objects."""
        self._statements_left -= 1
        try:
            self._rows += self._session.run(self._sql, str(part[0]), str(part[-1]), kind)
        except DatabaseError as error:
            if not is_of_an_object(error):
                raise
            self._session.run(queries.ROLLBACK_TO_SAVEPOINT)
            return sqlstate(error)
        return None

    def _fail(self, part: Iterable[int], kinds: Iterable[TextKind], state: str) -> None:
        self._failed.update({(kind, oid): state for oid in part for kind in kinds})
