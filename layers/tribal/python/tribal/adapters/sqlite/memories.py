"""The index of memories as one SQLite file in WAL mode, shared by processes.

It is a projection of the objects that hold the memories: it can be deleted and rebuilt.
"""

from __future__ import annotations

import json
import math
import sqlite3
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from pydantic import ValidationError

from tribal.adapters.sqlite.schema import READ_ERRORS
from tribal.errors import MemoryStoreFailed, MemoryTimedOut
from tribal.ports.remembering.identity import Space
from tribal.ports.remembering.memory_index import FoundMemory, IndexedMemory
from tribal.ports.remembering.selection import MemorySelection, places_of
from tribal_contracts.memory import MemoryRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BUSY_SECONDS = 10.0
_K1, _B = 1.2, 0.75
"""BM25 parameters with Lucene's defaults."""
_PARAMETERS = 500
"""Below every SQLite's limit for one statement."""
_LAYOUT = 2
Value = TypeVar("Value")
Condition = tuple[str, list[Any]]
"""Of a statement, and its values."""
_TABLES = """
CREATE TABLE IF NOT EXISTS spaces (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS memories (
    number INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    id TEXT NOT NULL,
    length INTEGER NOT NULL,
    tags TEXT NOT NULL,
    places TEXT,
    used REAL NOT NULL,
    record TEXT NOT NULL,
    terms TEXT NOT NULL,
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
        with _translate_errors(self._path), self._changing() as connection:
            for memory in memories:
                _put(connection, memory)
            for space, memory_id in removed:
                _remove(connection, space, memory_id)

    def by_words(self, wanted: MemorySelection, terms: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories that share a term, by BM25 over those that the search may look at, whatever their tags."""
        asked = [term for term in dict.fromkeys(terms) if term]
        with self._reading(wanted.spaces) as (connection, numbered):
            if not numbered or not asked or limit <= 0:
                return []
            count, total = 0, 0
            found: defaultdict[str, dict[int, int]] = defaultdict(dict)
            lengths: dict[int, int] = {}
            tagged: set[int] = set()
            for space in numbered.items():
                where, values = _condition(space, replace(wanted, tags=()))
                of_space = f"SELECT count(*), coalesce(sum(length), 0) FROM memories WHERE {where}"  # noqa: S608
                number, length = connection.execute(of_space, values).fetchone()
                count, total = count + number, total + length
                holders = _holders(connection, space[0], asked)
                every = [*{memory for held in holders.values() for memory in held}]
                lengths |= dict(_rows(connection, "number, length", every, (where, values)))
                tagged |= {row[0] for row in _rows(connection, "number", every, _condition(space, wanted))}
                for term, held in holders.items():
                    found[term] |= {memory: times for memory, times in held.items() if memory in lengths}
            mean = total / count if total else 1.0
            scores: defaultdict[int, float] = defaultdict(float)
            for held in found.values():
                rarity = math.log(1 + (count - len(held) + 0.5) / (len(held) + 0.5))
                for memory, times in held.items():
                    weighed = times + _K1 * (1 - _B + _B * lengths[memory] / mean)
                    scores[memory] += rarity * times * (_K1 + 1) / weighed
            return _found(connection, numbered, {each: scores[each] for each in scores if each in tagged}, limit)

    def by_vector(self, wanted: MemorySelection, vector: NDArray[Any], limit: int) -> list[FoundMemory]:
        """Memories by cosine; every one that the search may look at is compared."""
        length = float(np.linalg.norm(vector))
        with self._reading(wanted.spaces) as (connection, numbered):
            if not numbered or limit <= 0 or length == 0:
                return []
            read: list[tuple[int, bytes]] = []
            for space in numbered.items():
                where, values = _condition(space, wanted)
                query = f"SELECT number, vector FROM memories WHERE {where} AND vector IS NOT NULL"  # noqa: S608
                read += connection.execute(query, values)
            if not read:
                return []
            matrix = np.frombuffer(b"".join(data for _, data in read), dtype=np.float16).astype(np.float32)
            cosines = matrix.reshape(len(read), -1) @ (np.asarray(vector, dtype=np.float32) / length)
            scores = np.clip(cosines, -1.0, 1.0).tolist()
            return _found(connection, numbered, dict(zip((n for n, _ in read), scores, strict=True)), limit)

    def about_tables(self, wanted: MemorySelection, tables: Sequence[str], limit: int) -> list[FoundMemory]:
        """Memories that are about one of the tables."""
        found: dict[int, float] = {}
        with self._reading(wanted.spaces) as (connection, numbered):
            for space in numbered.items():
                about: list[int] = []
                for some in _parts([*dict.fromkeys(tables)]):
                    marks = ", ".join("?" * len(some))
                    query = f"SELECT memory FROM about WHERE space = ? AND name IN ({marks})"  # noqa: S608
                    about += [row[0] for row in connection.execute(query, [space[0], *some])]
                rows = _rows(connection, "number", about, _condition(space, wanted))
                found |= dict.fromkeys((row[0] for row in rows), 0.0)
            return _found(connection, numbered, found, limit)

    def of_spaces(self, wanted: MemorySelection, memory_ids: Sequence[str] | None = None) -> Iterator[FoundMemory]:
        """All memories, or those of these ids."""
        named = None if memory_ids is None else {*memory_ids}
        with self._reading(wanted.spaces) as (connection, numbered):
            every: list[int] = []
            for space in numbered.items():
                where, values = _condition(space, wanted)
                rows = connection.execute(f"SELECT number, id FROM memories WHERE {where}", values)  # noqa: S608
                every += [number for number, memory_id in rows if named is None or memory_id in named]
            found = _found(connection, numbered, dict.fromkeys(every, 0.0), len(every))
        yield from found

    def count(self, wanted: MemorySelection) -> int:
        """How many memories there are."""
        with self._reading(wanted.spaces) as (connection, numbered):
            conditions = [_condition(space, wanted) for space in numbered.items()]
            query = "SELECT count(*) FROM memories WHERE "
            return sum(connection.execute(query + where, values).fetchone()[0] for where, values in conditions)

    def is_empty(self) -> bool:
        """Whether the file has no memories, or does not exist."""
        if not self._path.exists():
            return True
        with self._reading(()) as (connection, _):
            return connection.execute("SELECT 1 FROM memories LIMIT 1").fetchone() is None

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
        with _translate_errors(self._path):
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
            # Acknowledged writes survive a power cut: the objects do, and the index must be consistent with them.
            connection.execute("PRAGMA synchronous = FULL")
            (layout,) = connection.execute("PRAGMA user_version").fetchone()
            if layout not in (0, _LAYOUT):
                raise MemoryStoreFailed(f"{str(self._path)!r} was written by another version; remove it to rebuild it")
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
    _remove(connection, memory.space, record.memory_id)
    tags = json.dumps(sorted({tag.casefold() for tag in record.tags}), ensure_ascii=False)
    places = places_of(memory.tables)
    stored = [
        space,
        record.memory_id,
        len(memory.terms),
        tags,
        json.dumps(places, ensure_ascii=False) if places else None,
        datetime.fromisoformat(record.used_at).timestamp(),
        record.to_compact_json().decode(),
        "\n".join(memory.terms),
        _bytes(memory.vector),
    ]
    added = (
        "INSERT INTO memories (space, id, length, tags, places, used, record, terms, vector)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
    )
    number = connection.execute(added, stored).lastrowid
    postings = [(space, term, number, times) for term, times in Counter(memory.terms).items()]
    connection.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", postings)
    about = [(space, table, number) for table in dict.fromkeys(memory.tables)]
    connection.executemany("INSERT INTO about VALUES (?, ?, ?)", about)


def _remove(connection: sqlite3.Connection, space: Space, memory_id: str) -> None:
    query = "SELECT number FROM memories WHERE space = (SELECT number FROM spaces WHERE name = ?) AND id = ?"
    for (number,) in connection.execute(query, [space.name, memory_id]).fetchall():
        for table, key in (("postings", "memory"), ("about", "memory"), ("memories", "number")):
            connection.execute(f"DELETE FROM {table} WHERE {key} = ?", [number])  # noqa: S608


def _bytes(vector: NDArray[Any] | None) -> bytes | None:
    if vector is None or not np.any(vector):
        return None
    return np.asarray(vector, dtype=np.float16).tobytes()


def _condition(space: tuple[int, Space], wanted: MemorySelection) -> Condition:
    """The condition for memories of a space that the search may see."""
    number, of = space
    clauses = ["space = ?"]
    values: list[Any] = [number]
    if wanted.limits_use(of):
        clauses.append("used > ?")
        values.append(wanted.used_after)
    among = "EXISTS (SELECT 1 FROM json_each({}) WHERE value IN (SELECT value FROM json_each(?)))"
    if wanted.places is not None:
        clauses.append(f"(places IS NULL OR {among.format('places')})")
        values.append(json.dumps([*wanted.places]))
    if wanted.tags:
        clauses.append(among.format("tags"))
        values.append(json.dumps([*wanted.folded_tags]))
    return " AND ".join(clauses), values


def _holders(connection: sqlite3.Connection, space: int, terms: Sequence[str]) -> dict[str, dict[int, int]]:
    """How often each memory of a space has each term."""
    held: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for some in _parts(terms):
        marks = ", ".join("?" * len(some))
        query = f"SELECT term, memory, times FROM postings WHERE space = ? AND term IN ({marks})"  # noqa: S608
        for term, memory, times in connection.execute(query, [space, *some]):
            held[term][memory] = times
    return held


def _parts(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    return (values[start : start + _PARAMETERS] for start in range(0, len(values), _PARAMETERS))


def _rows(
    connection: sqlite3.Connection, columns: str, numbers: Sequence[int], condition: Condition = ("TRUE", [])
) -> Iterator[tuple[Any, ...]]:
    where, values = condition
    for some in _parts(numbers):
        marks = ", ".join("?" * len(some))
        query = f"SELECT {columns} FROM memories WHERE number IN ({marks}) AND {where}"  # noqa: S608
        yield from connection.execute(query, [*some, *values])


def _found(
    connection: sqlite3.Connection, spaces: Mapping[int, Space], scores: Mapping[int, float], limit: int
) -> list[FoundMemory]:
    """The best memories, read."""
    best = sorted(scores, key=lambda number: (-scores[number], number))[: max(limit, 0)]
    rows = {row[0]: row[1:] for row in _rows(connection, "number, space, record, terms, vector", best)}
    try:
        return [_memory(spaces, rows[number], float(scores[number])) for number in best]
    except ValidationError as error:
        raise MemoryStoreFailed("the index of memories is damaged; remove it to rebuild it") from error


def _memory(spaces: Mapping[int, Space], row: tuple[Any, ...], score: float) -> FoundMemory:
    space, record, terms, data = row
    vector = None if data is None else np.frombuffer(data, dtype=np.float16).astype(np.float32)
    return FoundMemory(spaces[space], MemoryRecord.from_json(record), score, terms.split("\n") if terms else (), vector)


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise MemoryTimedOut(f"{str(path)!r} is busy; try again") from error
        raise MemoryStoreFailed(f"{str(path)!r} cannot be used: {error}") from error
    except (*READ_ERRORS, OSError) as error:
        raise MemoryStoreFailed(f"{str(path)!r} cannot be used: {error}; remove the file to rebuild it") from error
