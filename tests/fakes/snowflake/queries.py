"""Queries in progress and done: what came, how long it takes, and how its result is reported."""

from __future__ import annotations

import asyncio
import gzip
import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.snowflake.catalog import Warehouse
from tests.fakes.snowflake.errors import SqlError, cannot_resume, no_warehouse
from tests.fakes.snowflake.faults import Chunk, Trouble
from tests.fakes.snowflake.limits import Limits
from tests.fakes.snowflake.results import Result

_KEPT_CHUNKS = 1_000
"""By judgement: more than clients have in progress at once."""


@dataclass
class Statement:
    """A statement as it is in the log."""

    session: int
    sql: str
    role: str
    tag: str
    """The session's QUERY_TAG."""
    query_id: str
    warehouse: str | None = None
    """The one that it ran on; `None` where it needed none, or had none."""
    seconds: float = 0.0
    rows: int = 0
    code: str = ""
    """Of the error that it ended with; empty where it went well."""


@dataclass
class Query:
    """A query of a session."""

    statement: Statement
    started: float
    trouble: Trouble | None = None
    timeout_seconds: float = 0.0
    done: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    result: Result | None = None
    error: SqlError | None = None

    @property
    def id(self) -> str:
        """As results are asked for."""
        return self.statement.query_id

    def wake(self, warehouse: Warehouse) -> float:
        """Let the warehouse run; returns how many seconds that takes.

        Raises:
            SqlError: it is suspended for good, or until somebody resumes it.
        """
        troubled = self.trouble is not None and self.trouble.fault.warehouse
        if troubled or (warehouse.suspended and warehouse.quota_spent):
            raise cannot_resume(warehouse.name)
        if not warehouse.suspended:
            return 0.0
        if not warehouse.auto_resume:
            raise no_warehouse()
        warehouse.suspended = False
        warehouse.resumed += 1
        return warehouse.resume_seconds


def spoiled(packed: bytes, fault: Chunk) -> bytes:
    """A chunk that something in between changed."""
    if fault == "garbage":
        return gzip.compress(b'["PLANTED: no rows')
    rows = json.loads(b"[" + gzip.decompress(packed) + b"]")
    return gzip.compress(json.dumps(rows[:-1]).encode()[1:-1])


def new_id() -> str:
    """Of a query."""
    return str(uuid.uuid4())


class Chunks:
    """Rows that an answer does not hold, to be fetched by address: gzip of rows without the outer brackets.

    Members: the connector's core (`sf_core/src/rest/snowflake/query_response.rs`).
    """

    def __init__(self) -> None:
        self._bodies: dict[str, bytes] = {}
        self.keys: dict[str, str] = {}
        """What the header `x-amz-server-side-encryption-customer-key` must be, by chunk."""
        self.fetched = 0
        self._troubles: dict[str, Trouble] = {}

    def told(self, query: Query, limits: Limits, address: str) -> dict[str, Any]:
        """The members of an answer that hold the rows."""
        result = query.result
        assert result is not None
        rows = result.rows
        members: dict[str, Any] = {
            "rowset": rows[: limits.inline_rows],
            "total": len(rows),
            "returned": len(rows),
            "queryResultFormat": "json",
            "rowtype": [each.told() for each in result.fields],
        }
        if len(rows) > limits.inline_rows:
            key = uuid.uuid4().hex
            at = range(limits.inline_rows, len(rows), limits.chunk_rows)
            chunks = [self._chunk(rows[n : n + limits.chunk_rows], address, key) for n in at]
            if query.trouble is not None and query.trouble.fault.chunk:
                trouble = Trouble(query.trouble.fault, query.trouble.fault.attempts)
                self._troubles |= {each["url"].rpartition("/")[2]: trouble for each in chunks[-1:]}
            members["chunks"] = chunks
            members["chunkHeaders"] = {
                "x-amz-server-side-encryption-customer-key": key,
                "x-amz-server-side-encryption-customer-key-md5": key[:24],
            }
        return members

    def _chunk(self, rows: Any, address: str, key: str) -> dict[str, Any]:
        plain = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()[1:-1]
        packed = gzip.compress(plain, compresslevel=1)
        name = uuid.uuid4().hex
        self._bodies[name] = packed
        self.keys[name] = key
        for old in list(self._bodies)[: max(0, len(self._bodies) - _KEPT_CHUNKS)]:
            del self._bodies[old], self.keys[old]
        return {
            "url": f"{address}/chunks/{name}",
            "rowCount": len(rows),
            "uncompressedSize": len(plain),
            "compressedSize": len(packed),
        }

    def fault(self, name: str) -> Chunk:
        """What this attempt at a chunk meets."""
        trouble = self._troubles.get(name)
        met = trouble.take() if trouble else None
        return met.chunk if met else ""

    def body(self, name: str, key: str | None) -> bytes | None:
        """A chunk for anyone who holds its key."""
        if self.keys.get(name) != key or name not in self._bodies:
            return None
        self.fetched += 1
        return self._bodies[name]
