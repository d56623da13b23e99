"""How a statement can go wrong on its way, each with where it stands that it can."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from tests.fakes.http_server import Delivery, Response

LOGIN = "LOGIN"
"""What log-ins are called where statements are named by how they begin."""
ALWAYS = 1_000_000

Chunk = Literal["", "cut", "garbage", "gone", "short", "hang"]


@dataclass(frozen=True)
class Fault:
    """What happens instead of an answer, or to one.

    Args:
        cites: where it is described. attempts: how many of the client's attempts meet it; a later one is answered.
        session: what becomes of the session first. chunk: what becomes of rows that the answer does not hold.
    """

    name: str
    cites: str
    status: int = 200
    delivery: Delivery = "whole"
    session: Literal["", "expired", "ended"] = ""
    chunk: Chunk = ""
    warehouse: bool = False
    """Whether the warehouse is suspended and cannot be resumed."""
    retry_after: int | None = None
    attempts: int = 1

    def always(self) -> Fault:
        """The same for every attempt."""
        return replace(self, attempts=ALWAYS)

    def response(self) -> Response:
        """What something in front of Snowflake answers."""
        headers = {"content-type": "text/html"}
        if self.retry_after is not None:
            headers["retry-after"] = str(self.retry_after)
        return Response(self.status, b"<html><body>PLANTED: come back later</body></html>", headers)


_RETRIED = "https://docs.snowflake.com/en/developer-guide/python-connector/python-connector-connect (retries)"
_CORE = "the connector's core, src/http/retry.rs"

EXPIRED = Fault("expired", "the connector's core: 390112 is renewed", session="expired")
ENDED = Fault("ended", "the connector's core: 390111 is a session that is gone", session="ended")
UNAVAILABLE = Fault("unavailable", _RETRIED, 503)
THROTTLED = Fault("throttled", _RETRIED, 429, retry_after=0)
RESET = Fault("reset", _CORE, delivery="reset")
HANG = Fault("hang", "something in between", delivery="hang", attempts=ALWAYS)
DRIP = Fault("drip", "something in between", delivery="drip", attempts=ALWAYS)
CUT = Fault("cut", "something in between", delivery="cut")
BROKEN_CHUNK = Fault("broken chunk", "something in between", chunk="garbage", attempts=ALWAYS)
CUT_CHUNK = Fault("cut chunk", "something in between", chunk="cut", attempts=ALWAYS)
SHORT_CHUNK = Fault("short chunk", "something in between", chunk="short", attempts=ALWAYS)
GONE_CHUNK = Fault("gone chunk", "addresses of chunks expire: the connector's core fetches new ones", chunk="gone")
HANGING_CHUNK = Fault("hanging chunk", "something in between", chunk="hang", attempts=ALWAYS)
SUSPENDED = Fault("suspended", "https://docs.snowflake.com/en/user-guide/resource-monitors", warehouse=True)

MIX = (EXPIRED, ENDED, UNAVAILABLE, THROTTLED, RESET, HANG, DRIP, CUT, BROKEN_CHUNK, SUSPENDED)
"""One of each, for faults by share."""


@dataclass
class Trouble:
    """A fault of one statement, and how many attempts still meet it."""

    fault: Fault
    left: int

    def take(self) -> Fault | None:
        """The fault that this attempt meets."""
        if self.left <= 0:
            return None
        self.left -= 1
        return self.fault


@dataclass
class _Planned:
    start: str
    fault: Fault
    times: int


@dataclass
class Faults:
    """Which statements meet which fault.

    Args:
        share: of all statements, each time the same ones for a `seed`, in whatever order they come. among: what they
            meet.
    """

    share: float = 0.0
    among: Sequence[Fault] = MIX
    seed: int = 0
    met: list[tuple[str, str]] = field(default_factory=list)
    """Statement and name of the fault, for all that met one."""

    def __post_init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._planned: list[_Planned] = []
        self._by_request: dict[str, Trouble | None] = {}

    def plan(self, start: str, fault: Fault, times: int = 1) -> None:
        """Let the next statements that begin so meet a fault; `LOGIN` means log-ins."""
        self._planned.append(_Planned(start, fault, times))

    def mix(self, share: float, among: Sequence[Fault] = MIX, seed: int = 0) -> None:
        """Let a share of all statements meet one of some faults, each time the same ones."""
        self.share, self.among, self.seed = share, among, seed
        self._seen.clear()

    def of(self, request: str, sql: str) -> Trouble | None:
        """What an attempt's statement meets; one answer for all attempts of a request."""
        if request not in self._by_request:
            fault = self._draw(sql)
            self._by_request[request] = None if fault is None else Trouble(fault, fault.attempts)
            if fault is not None:
                self.met.append((sql, fault.name))
        return self._by_request[request]

    def _draw(self, sql: str) -> Fault | None:
        for each in self._planned:
            if each.times > 0 and sql.startswith(each.start):
                each.times -= 1
                return each.fault
        if sql == LOGIN or not self.share:
            return None
        self._seen[sql] += 1
        drawn = random.Random(f"{self.seed} {sql} {self._seen[sql]}")
        return drawn.choice(self.among) if drawn.random() < self.share else None
