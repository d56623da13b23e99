"""Detectives and witnesses over the real clients, and models that do their job."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from pydantic import SecretStr

from tests.fakes.claude import FakeClaude
from tests.fakes.fixed_clock import FixedClock
from tests.fakes.memory_store import MemoryStore
from tests.fakes.model_servers.minds import schema_of
from tests.fakes.openai import FakeOpenAI
from tribal.adapters.anthropic.model import anthropic_model
from tribal.adapters.openai.model import openai_model
from tribal.capabilities.interrogation.asking_models.detective import ModelDetective
from tribal.capabilities.interrogation.asking_models.witness import ModelWitness
from tribal.capabilities.interrogation.parties import Detective, Witness
from tribal.capabilities.interrogation.sessions.loop import Interrogation
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.capabilities.interrogation.sessions.transitions import NewSession, create
from tribal.jobs.clock import SystemClock
from tribal.models import Budget, CappedModel, Caps, Spender, Timing
from tribal.models.chain import Chain, Link, OpenModel
from tribal.models.known_models import model_facts
from tribal.ports import LanguageModel, Provider, StopToken
from tribal.prompt_templates import INTERROGATING, load_prompts
from tribal_contracts import NANODOLLARS, ModelEntry
from tribal_contracts.answering.answers import AnswerSource
from tribal_contracts.interrogation.sessions import InterrogationSession

OPENAI_KEY, CLAUDE_KEY = "sk-test-Zq7Zq7Zq7Zq7Zq7Zq7", "sk-ant-test-Zq8Zq8Zq8Zq8Zq8"
ID = "7f3c1f52-6f0e-4b3a-9d53-0f5f3b1f9a11"
ORDERS, TOTAL = "shop.sales.orders", "shop.sales.orders.total"
HYPOTHESIS = "What was revenue per customer last year?"
DOCUMENTATION = f"{ORDERS}: an order of a customer. {TOTAL}: what the customer pays, in cents."
SOURCE = AnswerSource(id="1", kind="table", name=ORDERS, uri="tribal://table/shop/sales/orders")
OTHER_SOURCE = AnswerSource(id="2", kind="term", name="revenue", uri="tribal://term/revenue")
PROMPTS = load_prompts(templates=INTERROGATING)


def resolve(name: str) -> str | None:
    """Knows one table and one column."""
    return next((full for full in (ORDERS, TOTAL) if full == name or full.endswith(f".{name}")), None)


def context(question: str) -> tuple[str, Sequence[AnswerSource]]:
    """Knows something about any question but an empty one."""
    return (DOCUMENTATION, [SOURCE, OTHER_SOURCE]) if question else ("", [])


def data_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """What a request shows."""
    found: dict[str, Any] = json.loads(body["messages"][-1]["content"])
    return found


def gap(target: str = ORDERS, severity: str = "high", **more: str) -> dict[str, str]:
    """A gap as a model reports it."""
    return {
        "category": "missing_information",
        "severity": severity,
        "target": target,
        "description": f"Nothing says what one row of {target} is.",
        **more,
    }


_QUESTIONS = ["Which table has the orders", "Which column has the amount", "Which date counts", "What is left out"]


def works(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """A model that does what the prompts ask for: two gaps, of which each answer closes the first."""
    data, wanted = data_of(body), (schema_of(body) or {})["properties"]
    if "question" in wanted:
        number = len(data["asked"])
        return {"question": f"{_QUESTIONS[number % 4]}{', once more' * (number // 4)}?"}
    if "answer" in wanted:
        return {"answer": f"An order is a row of {ORDERS}.", "sources": [1]}
    if "summary" in wanted:
        return {
            "contradictions": [{"first": 1, "second": 1, "description": "The answer names two currencies."}],
            "summary": f"The hypothesis can be answered.\n\n- Revenue is in {TOTAL}.\n- See [this](https://x.example).",
        }
    first = [gap(), gap(TOTAL, "medium", description=f"Nothing says in which currency {TOTAL} is.")]
    return {"closed": [1] if data["open_gaps"] else [], "gaps": [] if data["asked"] else first, "ask_again": True}


def openai_party(server: FakeOpenAI, timeout_seconds: float = 10.0) -> OpenModel:
    """OpenAI, as the fake serves it."""
    server.keys.add(OPENAI_KEY)
    entry = ModelEntry(
        provider="openai",
        name="gpt-6-luna",
        base_url=server.address,
        api_key_secret="OPENAI",
        binds_answers=True,
    )
    model = openai_model(entry, model_facts(entry), SecretStr(OPENAI_KEY))
    return party("openai:gpt-6-luna", model, entry, timeout_seconds)


def claude_party(server: FakeClaude, timeout_seconds: float = 10.0) -> OpenModel:
    """Claude, as the fake serves it."""
    server.keys.add(CLAUDE_KEY)
    entry = ModelEntry(
        provider="anthropic",
        name="claude-haiku-5-5",
        base_url=server.address,
        api_key_secret="CLAUDE",
    )
    model = anthropic_model(entry, model_facts(entry), SecretStr(CLAUDE_KEY))
    return party("anthropic:claude-haiku-5-5", model, entry, timeout_seconds)


def party(
    name: str,
    model: LanguageModel,
    entry: ModelEntry,
    timeout_seconds: float,
    store: MemoryStore | None = None,
    usd: float = 1.0,
) -> OpenModel:
    """A model within the caps of a session."""
    timing = Timing(SystemClock(None))
    caps = Caps(round(usd * NANODOLLARS), round(20 * NANODOLLARS), calls_at_once=5)
    budget = Budget(
        store or MemoryStore(), caps, Spender(f"session:{ID}", model.name, f"test/{name}"), timing, beat_seconds=None
    )
    price = model_facts(entry).worst_price
    capped = CappedModel(model, budget, price, StopToken(), timing)
    return OpenModel(name=name, model=capped, timeout_seconds=timeout_seconds)


def chain_of(*models: OpenModel) -> Chain:
    """A chain of models that are open."""
    return Chain([Link(each.name, Provider.of(each)) for each in models])


def detective_of(*parties: OpenModel) -> ModelDetective:
    """A detective that knows one table."""
    return ModelDetective(chain_of(*parties), PROMPTS, resolve)


def witness_of(model: OpenModel, documentation: str = DOCUMENTATION) -> ModelWitness:
    """A witness that knows one table."""
    return ModelWitness(
        model.name,
        chain_of(model),
        PROMPTS,
        lambda question: (documentation, context(question)[1]) if question else ("", ()),
        resolve,
    )


@dataclass
class Setting:
    """A session in a store, and who takes part in it."""

    detective: Detective
    witness: Witness
    hypothesis: str = HYPOTHESIS
    limit: int = 5
    store: MemoryStore = field(default_factory=MemoryStore)
    clock: FixedClock = field(default_factory=FixedClock)

    def run(self) -> InterrogationSession:
        """Run it to its end."""
        sessions = Sessions(self.store)
        new = NewSession(id=ID, hypothesis=self.hypothesis, iteration_limit=self.limit, now=self.clock.published())
        sessions.create(create(new))
        return Interrogation(
            sessions=sessions,
            detective=self.detective,
            witness=self.witness,
            clock=self.clock,
            holder="test",
            term=timedelta(minutes=30),
        ).run(ID)

    def file(self) -> bytes:
        """The stored session."""
        (key,) = self.store.keys("sessions/")
        return self.store.get(key).data
