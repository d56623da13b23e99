"""A stand-in for Snowflake on a real port, over the wire that its connector for Python speaks.

Paths and members of requests were recorded from the connector 5.2; members of answers are those that its core reads.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.fakes.http_server import Delivery, HttpServer, Request, Response
from tests.fakes.snowflake.account import Account
from tests.fakes.snowflake.administration import Administrator
from tests.fakes.snowflake.errors import LoginError, SqlError, cancelled, timed_out
from tests.fakes.snowflake.faults import LOGIN, Faults, Trouble
from tests.fakes.snowflake.limits import Limits
from tests.fakes.snowflake.logins import Doors
from tests.fakes.snowflake.queries import Chunks, Query, Statement, new_id, spoiled
from tests.fakes.snowflake.results import Result
from tests.fakes.snowflake.selects import VERSION
from tests.fakes.snowflake.sessions import Session, Sessions
from tests.fakes.snowflake.statements import Statements
from tests.fakes.snowflake.workloads import Workloads

_JSON = {"content-type": "application/json"}
_TOKEN = re.compile(r'Snowflake Token="([^"]*)"')
_IN_PROGRESS = "333334"
_KEPT_RESULTS = 100
"""By judgement: more than clients have in progress at once."""
_TYPES = {"SELECT": 0x1000, "USE": 0x4300, "SHOW": 0x4400}
"""The connector's `_internal/statement_utils.py`."""


@dataclass
class FakeSnowflake:
    """One account on a port of its own; `statements` is its log.

    Seed `account` by hand or by `administer`, tighten `limits`, plan `faults`, and connect to 127.0.0.1 at `port`:
    `tests.fakes.snowflake.connecting` does that for a small shop.
    """

    account: Account = field(default_factory=Account)
    limits: Limits = field(default_factory=Limits)
    faults: Faults = field(default_factory=Faults)
    delay_seconds: float = 0.0
    """How long each statement takes."""
    delays: dict[str, float] = field(default_factory=dict)
    """How long a statement takes that begins so."""
    reshape: Callable[[Result], Result] | None = None
    """What becomes of every SHOW: `Result.with_more` and `Result.reordered` are what releases do."""
    statements: list[Statement] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    """Method and path of all that came."""
    telemetry: list[Any] = field(default_factory=list)
    """What the connector told about its user; the fixture fails the test for it."""
    broken: list[str] = field(default_factory=list)
    """Statements that this fake itself could not answer; the fixture fails the test for them."""
    cancellations: list[str] = field(default_factory=list)
    """Statements that were aborted by the client."""

    def __post_init__(self) -> None:
        self.sessions = Sessions(self.account, self.limits)
        self.workloads = Workloads(self.account)
        self._doors = Doors(self.account)
        self._doors.add("WORKLOAD_IDENTITY", self.workloads.enter)
        self.chunks = Chunks()
        self._statements = Statements(self.account, self.limits)
        self._queries: dict[str, Query] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._lock = threading.RLock()
        self._server = HttpServer(self.handle)

    @property
    def port(self) -> int:
        """Where it listens, on 127.0.0.1."""
        return self._server.port

    @property
    def warehouse_statements(self) -> list[Statement]:
        """Those that cost credits."""
        return [each for each in self.statements if each.warehouse]

    def administer(self, script: str) -> None:
        """Run statements as the account's administrator, next to the wire and its log."""
        with self._lock:
            Administrator(self.account).run(script)

    def stop(self) -> None:
        """Close the port."""
        self._server.stop()

    async def handle(self, request: Request) -> Response:
        """Answer one request."""
        url = urlsplit(request.path)
        self.requests.append(f"{request.method} {url.path}")
        query = dict(parse_qsl(url.query))
        try:
            if url.path.startswith("/chunks/"):
                return self._chunk(request, url.path.removeprefix("/chunks/"))
            if found := re.fullmatch(r"/queries/([^/]+)/result", url.path):
                return await self._result(request, found[1])
            return await self._post(request, url.path, query)
        except LoginError as error:
            return _refused(error, login=url.path.endswith("login-request"))

    async def _post(self, request: Request, path: str, query: dict[str, str]) -> Response:
        body = _body(request)
        if path == "/session/v1/login-request":
            return self._troubled_login(query, body.get("data", {}))
        if path == "/session/token-request":
            return self._renew(request, body)
        if path == "/queries/v1/query-request":
            return await self._query(request, query.get("requestId", ""), body)
        if path == "/queries/v1/abort-request":
            return self._abort(request, body)
        if path == "/session/heartbeat":
            self._session(request).heartbeats += 1
            return _success(None)
        if path == "/session" and query.get("delete") == "true":
            self._session(request).closed = True
            return _success(None)
        if path.startswith("/telemetry"):
            self.telemetry.append(body)
            return _success("Log Received")
        return Response(404, b"<html><body>Not Found</body></html>", {"content-type": "text/html"})

    def _troubled_login(self, query: dict[str, str], data: dict[str, Any]) -> Response:
        trouble = self.faults.of(new_id(), LOGIN)
        if trouble is None:
            return self._login(query, data)
        if trouble.fault.status != 200:
            return trouble.fault.response()
        return replace(self._login(query, data), delivery=trouble.fault.delivery)

    def _login(self, query: dict[str, str], data: dict[str, Any]) -> Response:
        with self._lock:
            user = self._doors.enter(data)
            session = self.sessions.open(user, query, data)
        told = {
            "masterToken": session.master_token,
            "token": session.token,
            "validityInSeconds": self.limits.session_seconds,
            "masterValidityInSeconds": self.limits.master_seconds,
            "displayUserName": user.name,
            "serverVersion": VERSION,
            "firstLogin": False,
            "healthCheckInterval": 45,
            "sessionId": session.id,
            "parameters": _parameters(session),
            "sessionInfo": _where(session, "databaseName", "schemaName", "warehouseName", "roleName"),
        }
        return _success(told)

    def _renew(self, request: Request, body: dict[str, Any]) -> Response:
        session = self.sessions.renew(_token(request), str(body.get("oldSessionToken", "")))
        told = {
            "sessionToken": session.token,
            "validityInSecondsST": self.limits.session_seconds,
            "masterToken": session.master_token,
            "validityInSecondsMT": self.limits.master_seconds,
            "sessionId": session.id,
        }
        return _success(told)

    def _session(self, request: Request) -> Session:
        return self.sessions.by_token(_token(request))

    def _chunk(self, request: Request, name: str) -> Response:
        packed = self.chunks.body(name, request.headers.get("x-amz-server-side-encryption-customer-key"))
        fault = self.chunks.fault(name)
        if fault in ("cut", "hang"):
            delivery: Delivery = "cut" if fault == "cut" else "hang"
            return Response(200, packed or b"", {**_JSON, "content-encoding": "gzip"}, delivery)
        if packed is None or fault == "gone":
            return Response(403, b"<Error><Code>AccessDenied</Code></Error>", {"content-type": "application/xml"})
        if fault:
            packed = spoiled(packed, fault)
        return Response(200, packed, {**_JSON, "content-encoding": "gzip"})

    async def _query(self, request: Request, request_id: str, body: dict[str, Any]) -> Response:
        session = self._session(request)
        trouble = self.faults.of(request_id, str(body.get("sqlText", "")))
        fault = trouble.take() if trouble else None
        if fault is not None and fault.session:
            session.meet(fault.session)
            session = self._session(request)
        if fault is not None and fault.status != 200:
            return fault.response()
        query = self._queries.get(request_id)
        if query is None:
            # A request that comes again asks for the result of the query that it began.
            query = self._begin(session, request_id, body, trouble)
        wait = 0.0 if body.get("asyncExec") else self.limits.answer_seconds
        response = await self._told(request, session, query, wait)
        return replace(response, delivery=fault.delivery) if fault else response

    def _begin(self, session: Session, request_id: str, body: dict[str, Any], trouble: Trouble | None) -> Query:
        sql = str(body.get("sqlText", ""))
        statement = Statement(session.id, sql, session.role, str(session.parameters["QUERY_TAG"]), new_id())
        self.statements.append(statement)
        query = Query(statement, time.monotonic(), trouble)
        self._queries[request_id] = self._queries[query.id] = query
        # Results are large, and no client comes back for old ones: two entries a query.
        for old in list(self._queries)[: max(0, len(self._queries) - 2 * _KEPT_RESULTS)]:
            del self._queries[old]
        bound = body.get("bindings") or {}
        values = [bound[each]["value"] for each in sorted(bound, key=int)]
        own = (body.get("parameters") or {}).get("STATEMENT_TIMEOUT_IN_SECONDS")
        query.timeout_seconds = min(float(own or session.timeout_seconds), session.timeout_seconds)
        task = asyncio.ensure_future(self._run(query, session, values))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return query

    async def _run(self, query: Query, session: Session, bindings: list[str | None]) -> None:
        resuming = 0.0
        try:
            with self._lock:
                read = self._statements.read(query.statement.sql, session, bindings)
                if read.needs_warehouse:
                    warehouse = self._statements.warehouse(session)
                    resuming = query.wake(warehouse)
                    query.statement.warehouse = warehouse.name
            await self._pause(query, resuming)
            with self._lock:
                query.result = read.run()
                if self.reshape and query.statement.sql.startswith("SHOW"):
                    query.result = self.reshape(query.result)
            query.statement.rows = len(query.result.rows)
        except SqlError as error:
            query.error = error
        except Exception as error:  # noqa: BLE001 - a fault of this fake's own is told, and fails the test.
            self.broken.append(f"{query.statement.sql}: {error!r}")
            query.error = SqlError("000603", "XX000", "SQL execution internal error: processing aborted.")
        finally:
            query.statement.code = query.error.code if query.error else ""
            query.statement.seconds = time.monotonic() - query.started
            query.done.set()

    async def _pause(self, query: Query, resuming: float) -> None:
        text = query.statement.sql
        seconds = next((each for start, each in self.delays.items() if text.startswith(start)), self.delay_seconds)
        seconds += resuming
        late = seconds > query.timeout_seconds
        if seconds:
            try:
                await asyncio.wait_for(query.cancelled.wait(), min(seconds, query.timeout_seconds))
            except TimeoutError:
                pass
            else:
                raise cancelled()
        if late:
            raise timed_out(query.timeout_seconds)

    async def _told(self, request: Request, session: Session, query: Query, wait: float) -> Response:
        try:
            await asyncio.wait_for(query.done.wait(), wait)
        except TimeoutError:
            told = {
                "getResultUrl": f"/queries/{query.id}/result",
                "queryId": query.id,
                "queryAbortsAfterSecs": int(session.timeout_seconds),
                "progressDesc": None,
            }
            message = "Query execution in progress. Asynchronous execution mode requested"
            return _answer({"data": told, "code": _IN_PROGRESS, "message": message, "success": True})
        if query.error is not None:
            return _failed(query, query.error)
        assert query.result is not None
        address = f"http://{request.headers.get('host', f'127.0.0.1:{self.port}')}"
        told = {
            "parameters": _parameters(session),
            **self.chunks.told(query, self.limits, address),
            **_where(session, "finalDatabaseName", "finalSchemaName", "finalWarehouseName", "finalRoleName"),
            "queryId": query.id,
            "sqlState": "00000",
            "statementTypeId": _TYPES.get(query.statement.sql.split()[0].upper(), 0),
            "numberOfBinds": 0,
            "arrayBindSupported": False,
            "version": 1,
            "databaseProvider": None,
        }
        return _success(told)

    async def _result(self, request: Request, query_id: str) -> Response:
        session = self._session(request)
        query = self._queries.get(query_id)
        if query is None or query.statement.session != session.id:
            return _answer({"data": None, "code": "000612", "message": "Result not found", "success": False})
        return await self._told(request, session, query, self.limits.answer_seconds)

    def _abort(self, request: Request, body: dict[str, Any]) -> Response:
        session = self._session(request)
        query = self._queries.get(str(body.get("requestId", "")))
        if query is None or query.statement.session != session.id or query.done.is_set():
            text = "Identified SQL statement is not currently executing."
            return _answer({"data": None, "code": "000605", "message": text, "success": False})
        self.cancellations.append(query.statement.sql)
        query.cancelled.set()
        return _success(None)


def _body(request: Request) -> dict[str, Any]:
    raw = request.body
    if request.headers.get("content-encoding") == "gzip":
        raw = gzip.decompress(raw)
    read = json.loads(raw or b"{}")
    assert isinstance(read, dict)
    return read


def _token(request: Request) -> str:
    found = _TOKEN.fullmatch(request.headers.get("authorization", ""))
    return found[1] if found else ""


def _parameters(session: Session) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in sorted(session.parameters.items())]


def _where(session: Session, *names: str) -> dict[str, Any]:
    return dict(zip(names, (session.database, None, session.warehouse, session.role), strict=True))


def _answer(body: dict[str, Any]) -> Response:
    packed = gzip.compress(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(), compresslevel=1)
    return Response(200, packed, {**_JSON, "content-encoding": "gzip"})


def _success(data: Any) -> Response:
    return _answer({"data": data, "code": None, "message": None, "success": True})


def _refused(error: LoginError, *, login: bool) -> Response:
    data = {"authnMethod": "", "signInOptions": {}} if login else None
    return _answer({"data": data, "code": error.code, "message": error.message, "success": False, "headers": None})


def _failed(query: Query, error: SqlError) -> Response:
    data = {
        "internalError": False,
        "errorCode": error.code,
        "age": 0,
        "sqlState": error.state,
        "queryId": query.id,
        "line": -1,
        "pos": -1,
        "type": "COMPILATION",
    }
    return _answer({"data": data, "code": error.code, "message": error.message, "success": False, "headers": None})
