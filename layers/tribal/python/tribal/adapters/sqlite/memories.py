"""The index of memories as one SQLite file in WAL mode, which processes share.

It is a projection of the objects that hold the memories: it can be thrown away and built anew.
"""

from __future__ import annotations

import json
import math
import sqlite3
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from pydantic import ValidationError

from tribal.errors import MemoryStoreFailed, MemoryTimedOut
from tribal.ports.remembering.identity import Space
from tribal.ports.remembering.memory_index import FoundMemory, IndexedMemory
from tribal_contracts.memory import MemoryRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BUSY_SECONDS = 10.0
_K1, _B = 1.2, 0.75
"""Of BM25, as Lucene has them."""
_PARAMETERS = 500
"""Fewer than any SQLite takes in one statement."""
_LAYOUT = 1
Value = TypeVar("Value")
_TABLES = """
CREATE TABLE IF NOT EXISTS spaces (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS memories (
    number INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    id TEXT NOT NULL,
    length INTEGER NOT NULL,
    tags TEXT NOT NULL,
    record TEXT NOT NULL,
    vector BLOB,
    UNIQUE (space, id)
);
CREATE TABLE IF NOT EXISTS postings (
    space INTEGER NOT NULL,
    term TEXT NOT NULL,
    memory INTEGER NOT NULL,
    times INTEGER NOT NULL,
    PRIMARY KEY (space, term, memory)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS postings_by_memory ON postings (memory);
CREATE TABLE IF NOT EXISTS about (
    space INTEGER NOT NULL, name TEXT NOT NULL, memory INTEGER NOT NULL, PRIMARY KEY (space, name, memory)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS about_by_memory ON about (memory);
"""


class SqliteMemories:
    """The `MemoryIndex` of one machine; made when it is first written; thread-safe, for any number of processes.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mine = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._lock = threading.Lock()

    def write(self, memories: Iterable[IndexedMemory], removed: Iterable[tuple[Space, str]] = ()) -> None:
        """Add and replace memories, and remove others, in one transaction."""
        with _told(self._path), self._changing() as connection:
            for memory in memories:
                _put(connection, memory)
            for space, memory_id in removed:
                _remove(connection, "space = (SELECT number FROM spaces WHERE name = ?) AND id = ?", space, memory_id)

    def by_words(
        self, spaces: Sequence[Space], terms: Sequence[str], limit: int, tags: Sequence[str] = ()
    ) -> list[FoundMemory]:
        """Memories that share a term, by BM25 over these spaces alone."""
        wanted = [term for term in dict.fromkeys(terms) if term]
        with self._reading(spaces) as (connection, numbered):
            if not numbered or not wanted or limit <= 0:
                return []
            count, total = 0, 0
            found: defaultdict[str, dict[int, int]] = defaultdict(dict)
            for space in numbered:
                of_space = "SELECT count(*), coalesce(sum(length), 0) FROM memories WHERE space = ?"
                number, length = connection.execute(of_space, [space]).fetchone()
                count, total = count + number, total + length
                for some in _parts(wanted):
                    marks = ", ".join("?" * len(some))
                    query = f"SELECT term, memory, times FROM postings WHERE space = ? AND term IN ({marks})"  # noqa: S608
                    for term, memory, times in connection.execute(query, [space, *some]):
                        found[term][memory] = times
            every = list({memory for holders in found.values() for memory in holders})
            rows = {row[0]: row[1:] for row in _rows(connection, "number, length, tags", every)}
            mean = total / count if total else 1.0
            scores: defaultdict[int, float] = defaultdict(float)
            for holders in found.values():
                rarity = math.log(1 + (count - len(holders) + 0.5) / (len(holders) + 0.5))
                for memory, times in holders.items():
                    weighed = times + _K1 * (1 - _B + _B * rows[memory][0] / mean)
                    scores[memory] += rarity * times * (_K1 + 1) / weighed
            tagged = {memory: score for memory, score in scores.items() if _has_tag(rows[memory][1], tags)}
            return _found(connection, numbered, tagged, limit)

    def by_vector(
        self, spaces: Sequence[Space], vector: NDArray[Any], limit: int, tags: Sequence[str] = ()
    ) -> list[FoundMemory]:
        """Memories by cosine; every one of the spaces is compared."""
        length = float(np.linalg.norm(vector))
        with self._reading(spaces) as (connection, numbered):
            if not numbered or limit <= 0 or length == 0:
                return []
            read: list[tuple[int, bytes]] = []
            for space in numbered:
                query = "SELECT number, vector, tags FROM memories WHERE space = ? AND vector IS NOT NULL"
                rows = connection.execute(query, [space])
                read += [(number, data) for number, data, own in rows if _has_tag(own, tags)]
            if not read:
                return []
            matrix = np.frombuffer(b"".join(data for _, data in read), dtype=np.float16).astype(np.float32)
            cosines = matrix.reshape(len(read), -1) @ (np.asarray(vector, dtype=np.float32) / length)
            scores = np.clip(cosines, -1.0, 1.0).tolist()
            return _found(connection, numbered, dict(zip((n for n, _ in read), scores, strict=True)), limit)

    def about_tables(self, spaces: Sequence[Space], tables: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories that are about one of the tables."""
        found: dict[int, float] = {}
        with self._reading(spaces) as (connection, numbered):
            for space in numbered:
                for some in _parts([*dict.fromkeys(tables)]):
                    marks = ", ".join("?" * len(some))
                    query = f"SELECT memory FROM about WHERE space = ? AND name IN ({marks})"  # noqa: S608
                    found |= dict.fromkeys((row[0] for row in connection.execute(query, [space, *some])), 0.0)
            return _found(connection, numbered, found, limit)

    def of_spaces(self, spaces: Sequence[Space], memory_ids: Sequence[str] | None = None) -> Iterator[FoundMemory]:
        """All memories, or those of these ids."""
        wanted = None if memory_ids is None else {*memory_ids}
        with self._reading(spaces) as (connection, numbered):
            every: list[int] = []
            for space in numbered:
                rows = connection.execute("SELECT number, id FROM memories WHERE space = ?", [space])
                every += [number for number, memory_id in rows if wanted is None or memory_id in wanted]
            found = _found(connection, numbered, dict.fromkeys(every, 0.0), len(every))
        yield from found

    def count(self, space: Space) -> int:
        """How many memories a space has."""
        with self._reading([space]) as (connection, numbered):
            query = "SELECT count(*) FROM memories WHERE space = ?"
            return sum(connection.execute(query, [number]).fetchone()[0] for number in numbered)

    def clear(self, spaces: Sequence[Space] | None = None) -> None:
        """Throw all away, or what there is of some spaces."""
        with _told(self._path), self._changing() as connection:
            if spaces is None:
                for table in ("about", "postings", "memories", "spaces"):
                    connection.execute(f"DELETE FROM {table}")  # noqa: S608
            for space in spaces or ():
                _remove(connection, "space = (SELECT number FROM spaces WHERE name = ?)", space)

    def close(self) -> None:
        """Close every connection; the next call opens its own again."""
        with self._lock:
            opened, self._opened = self._opened, []
            self._mine = threading.local()
        for connection in opened:
            connection.close()

    @contextmanager
    def _reading(self, spaces: Sequence[Space]) -> Iterator[tuple[sqlite3.Connection, Mapping[int, Space]]]:
        """One state of the file, and the spaces that it has by their numbers."""
        with _told(self._path):
            connection = self._connection()
            connection.execute("BEGIN")
            try:
                find = "SELECT number FROM spaces WHERE name = ?"
                rows = {space: connection.execute(find, [space.name]).fetchone() for space in dict.fromkeys(spaces)}
                yield connection, {row[0]: space for space, row in rows.items() if row is not None}
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    def _connection(self) -> sqlite3.Connection:
        mine: sqlite3.Connection | None = getattr(self._mine, "connection", None)
        if mine is None:
            mine = self._mine.connection = self._open()
            with self._lock:
                self._opened.append(mine)
        return mine

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            # What is acknowledged survives a loss of power: the objects do, and the index has to agree with them.
            connection.execute("PRAGMA synchronous = FULL")
            (layout,) = connection.execute("PRAGMA user_version").fetchone()
            if layout not in (0, _LAYOUT):
                raise MemoryStoreFailed(f"{str(self._path)!r} is of another version; remove it, and it is made anew")
            if layout == 0:
                connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {_LAYOUT}; COMMIT;")
        except BaseException:
            connection.close()
            raise
        return connection


def _put(connection: sqlite3.Connection, memory: IndexedMemory) -> None:
    name, record = memory.space.name, memory.record
    connection.execute("INSERT OR IGNORE INTO spaces (name) VALUES (?)", [name])
    (space,) = connection.execute("SELECT number FROM spaces WHERE name = ?", [name]).fetchone()
    _remove(connection, "space = (SELECT number FROM spaces WHERE name = ?) AND id = ?", memory.space, record.memory_id)
    tags = json.dumps(sorted({tag.casefold() for tag in record.tags}), ensure_ascii=False)
    stored = [
        space,
        record.memory_id,
        len(memory.terms),
        tags,
        record.to_compact_json().decode(),
        _bytes(memory.vector),
    ]
    added = "INSERT INTO memories (space, id, length, tags, record, vector) VALUES (?, ?, ?, ?, ?, ?)"
    number = connection.execute(added, stored).lastrowid
    postings = [(space, term, number, times) for term, times in Counter(memory.terms).items()]
    connection.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", postings)
    about = [(space, table, number) for table in dict.fromkeys(memory.tables)]
    connection.executemany("INSERT INTO about VALUES (?, ?, ?)", about)


def _remove(connection: sqlite3.Connection, condition: str, space: Space, *more: str) -> None:
    query = f"SELECT number FROM memories WHERE {condition}"  # noqa: S608
    for (number,) in connection.execute(query, [space.name, *more]).fetchall():
        for table, key in (("postings", "memory"), ("about", "memory"), ("memories", "number")):
            connection.execute(f"DELETE FROM {table} WHERE {key} = ?", [number])  # noqa: S608


def _bytes(vector: NDArray[Any] | None) -> bytes | None:
    if vector is None or not np.any(vector):
        return None
    return np.asarray(vector, dtype=np.float16).tobytes()


def _has_tag(own: str, tags: Sequence[str]) -> bool:
    return not tags or not {tag.casefold() for tag in tags}.isdisjoint(json.loads(own))


def _parts(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    return (values[start : start + _PARAMETERS] for start in range(0, len(values), _PARAMETERS))


def _rows(connection: sqlite3.Connection, columns: str, numbers: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    for some in _parts(numbers):
        marks = ", ".join("?" * len(some))
        yield from connection.execute(f"SELECT {columns} FROM memories WHERE number IN ({marks})", some)  # noqa: S608


def _found(
    connection: sqlite3.Connection, spaces: Mapping[int, Space], scores: Mapping[int, float], limit: int
) -> list[FoundMemory]:
    """The best memories, read."""
    best = sorted(scores, key=lambda number: (-scores[number], number))[: max(limit, 0)]
    rows = {number: (space, record) for number, space, record in _rows(connection, "number, space, record", best)}
    try:
        return [
            FoundMemory(spaces[rows[number][0]], MemoryRecord.from_json(rows[number][1]), float(scores[number]))
            for number in best
        ]
    except ValidationError as error:
        raise MemoryStoreFailed("the index of memories is damaged: remove it, and it is made anew") from error


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise MemoryTimedOut(f"{str(path)!r} is busy; try again") from error
        raise MemoryStoreFailed(f"{str(path)!r} cannot be used: {error}") from error
    except (sqlite3.DatabaseError, OSError) as error:
        raise MemoryStoreFailed(f"{str(path)!r} cannot be used: {error}; remove it, and it is made anew") from error
