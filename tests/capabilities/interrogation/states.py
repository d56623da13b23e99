"""A store that checks every state of a session, and parties that misbehave as planned."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import jsonschema

from tests.fakes.fixed_clock import FixedClock
from tests.fakes.interrogation import ScriptedDetective, ScriptedWitness, do_nothing, gap
from tests.fakes.memory_store import MemoryStore
from tribal.capabilities.interrogation.sessions.loop import Interrogation
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.capabilities.interrogation.sessions.transitions import NewSession, create
from tribal.store import require_seal
from tribal_contracts.interrogation.rules import broken_by_change, broken_rules
from tribal_contracts.interrogation.sessions import Gap, InterrogationSession
from tribal_contracts.schemas import json_schema

ID = "7f3c1f52-6f0e-4b3a-9d53-0f5f3b1f9a11"
TERM = timedelta(seconds=60)
SCHEMA = jsonschema.Draft7Validator(json_schema("interrogation-session"), format_checker=jsonschema.FormatChecker())
GAPS = (gap("orders", "high"), gap("revenue"), gap("customer"), gap("last year"), gap("country", "low"))
TEXTS = {"orders": "One row is an order.", "revenue": "Without tax; disputed.", "customer": "", "last year": "By date."}


class CheckedStore(MemoryStore):
    """Requires that each state of a session is valid, and follows from the one before."""

    def __init__(self) -> None:
        super().__init__()
        self.states: list[InterrogationSession] = []

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        etag = super().put(key, data, if_match=if_match, if_absent=if_absent)
        require_seal(key, data)
        assert not [*SCHEMA.iter_errors(json.loads(data))]
        session = InterrogationSession.from_json(data)
        assert broken_rules(session) == []
        if self.states:
            assert broken_by_change(self.states[-1], session) == []
        self.states.append(session)
        return etag


def new_session(limit: int = 5, session_id: str = ID) -> InterrogationSession:
    now = FixedClock().published()
    return create(
        NewSession(
            id=session_id,
            hypothesis="What was revenue per customer last year?",
            iteration_limit=limit,
            now=now,
            owner="ann",
        )
    )


@dataclass
class Setting:
    """A session in a store, and what runs it."""

    store: MemoryStore = field(default_factory=CheckedStore)
    clock: FixedClock = field(default_factory=FixedClock)
    gaps: Sequence[Gap] = GAPS
    begin: Callable[[str], None] = do_nothing
    switches_at: frozenset[int] = frozenset({2})
    asked: list[str] = field(default_factory=list)

    def start(self, limit: int = 5) -> Setting:
        Sessions(self.store).create(new_session(limit))
        return self

    def interrogation(self, holder: str = "one", store: MemoryStore | None = None) -> Interrogation:
        return Interrogation(
            sessions=Sessions(store or self.store),
            detective=ScriptedDetective(
                tuple(self.gaps), lambda step: self.begin(step), self.asked, switches_at=self.switches_at
            ),
            witness=ScriptedWitness(TEXTS, lambda step: self.begin(step)),
            clock=self.clock,
            holder=holder,
            term=TERM,
        )

    def run(self, holder: str = "one") -> InterrogationSession:
        return self.interrogation(holder).run(ID)

    def stored(self) -> InterrogationSession:
        return Sessions(self.store).read(ID).record
