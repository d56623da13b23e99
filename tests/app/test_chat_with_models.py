"""The chat with models as users have it: over the wire of OpenAI's protocol, within caps, and with server's vectors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.app.openai_project import KEY, write_project
from tests.cases import each_case
from tests.edges.cli.tribal_command import tribal
from tests.fakes.model_servers.script import Script
from tests.fakes.openai import FakeOpenAI, failures
from tests.waiting import wait_until
from tribal.app.local import local_application
from tribal.capabilities.chat.asking.chat import Chat, account_of
from tribal.capabilities.chat.events import Finished, TextPiece
from tribal.capabilities.chat.parts import chat_parts
from tribal.errors import ClientDisconnected, EmbeddingFailed
from tribal.models import read_spending
from tribal.ports import Application, Caller, StopToken
from tribal.settings import load_settings
from tribal_contracts.chat.requests import ChatMessage, ChatRequest
from tribal_contracts.chat.settings import CollectionEntry
from tribal_contracts.core.models import EmbeddingEntry

pytestmark = pytest.mark.slow

QUESTION = "which customers ordered something?"
COLLECTIONS = """collections:
  - {name: catalog, models: [large]}
"""


def writes(text: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda _: text


@pytest.fixture
def openai(open_vendor: Callable[[str], FakeOpenAI]) -> FakeOpenAI:
    server = open_vendor("openai")
    server.keys.add(KEY)
    server.mind = writes("Customers are in the shop [1]. There are 9,000 of them [1].")
    return server


@pytest.fixture
def project(tmp_path: Path, openai: FakeOpenAI) -> Path:
    return write_project(tmp_path, openai.address, COLLECTIONS)


@pytest.fixture
def app(project: Path) -> Iterator[Application]:
    settings = load_settings(project=project, environment={"OPENAI": KEY}, needs_databases=False)
    with closing(local_application(settings)) as built:
        yield built


def request(question: str = QUESTION) -> ChatRequest:
    return ChatRequest(messages=[ChatMessage(role="user", content=question)], collection="catalog")


def end_of(app: Application, stop: StopToken | None = None) -> Finished:
    events = list(Chat(Caller("ada"), app).open(request()).events(stop or StopToken()))
    assert isinstance(events[-1], Finished)
    return events[-1]


def test_the_command_streams_what_the_model_may_say_and_lists_its_sources(project: Path, openai: FakeOpenAI) -> None:
    done = tribal("ask", QUESTION, cwd=project, OPENAI=KEY)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Customers are in the shop. [1]")
    assert "9,000" not in done.stdout
    assert "Sources\n  [1]" in done.stdout
    (call,) = openai.calls
    assert call.body["stream"]
    assert KEY not in done.stdout + done.stderr


def test_no_model_answers_without_one(project: Path, openai: FakeOpenAI) -> None:
    done = tribal("ask", QUESTION, "--no-model", "--collection", "catalog", cwd=project, OPENAI=KEY)
    assert done.returncode == 0, done.stderr
    assert openai.calls == []


def test_a_refusal_exits_with_9_and_calls_nothing(project: Path, openai: FakeOpenAI) -> None:
    done = tribal("ask", "what is the weather in Paris on sundays", cwd=project, OPENAI=KEY)
    assert done.returncode == 9
    assert openai.calls == []


def test_without_its_key_the_documents_answer_and_the_message_names_the_secret(project: Path) -> None:
    done = tribal("ask", QUESTION, cwd=project)
    assert done.returncode == 0, done.stderr
    assert "OPENAI" in done.stderr
    assert "[1]" in done.stdout


def test_the_cost_is_booked_to_the_caller_whose_cap_ends_further_answers(app: Application, openai: FakeOpenAI) -> None:
    assert end_of(app).model == "gpt-6-luna"
    spent = read_spending(app.store(), app.clock).day_usd_by_account
    assert spent[account_of(Caller("ada"))] > 0
    parts = chat_parts(app)
    dear = parts.settings.model_copy(update={"per_answer_usd": 0.000001})
    refused = end_of(app.with_part(replace(parts, settings=dear)))
    assert refused.model == "extractive"
    assert any("per_answer_usd" in each for each in refused.warnings)
    assert len(openai.calls) == 1


@each_case("failure", [failures.OVERLOADED, failures.KEY_REFUSED, failures.RESET, failures.ERROR_IN_STREAM])
def test_a_server_that_fails_leads_to_an_extractive_answer(failure: Any, app: Application, openai: FakeOpenAI) -> None:
    openai.script = Script([failure] * 10)
    found = end_of(app)
    assert found.reason == "stop"
    assert found.error is None
    assert found.warnings


def test_a_client_that_leaves_cancels_the_call_and_its_cost_is_recorded(app: Application, openai: FakeOpenAI) -> None:
    openai.mind = writes("Customers are in the shop [1]. " * 200)
    openai.pace_seconds = 0.02
    stop = StopToken()
    for event in Chat(Caller("ada"), app).open(request()).events(stop):
        if isinstance(event, TextPiece):
            stop.request(ClientDisconnected("the client disconnected"))
    spending = read_spending(app.store(), app.clock)
    assert spending.day_usd_by_account[account_of(Caller("ada"))] > 0
    (left,) = wait_until(lambda: openai.departures)
    assert left.sent < left.events


EMBEDDING = EmbeddingEntry(
    provider="gemini", name="gemini-embedding-001", dimensions=768, api_key_secret="OPENAI", base_url="http://x"
)


def embedder(app: Application, server: FakeOpenAI, usd: float = 1.0, **changes: Any) -> Any:
    entry = EMBEDDING.model_copy(update={"base_url": server.address, **changes})
    return chat_parts(app).embedder(CollectionEntry(name="handbook", embedding=entry), "upload:1", usd)


def test_vectors_of_a_server_are_normalised_in_the_order_of_the_texts_and_booked(
    app: Application, open_vendor: Callable[[str], FakeOpenAI]
) -> None:
    server = open_vendor("gemini")
    server.keys.add(KEY)
    texts = [f"text number {number}" for number in range(150)]
    vectors = embedder(app, server).embed(texts)
    assert vectors.shape == (150, 768)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    again = embedder(app, server).embed(texts[7:8])
    assert np.allclose(vectors[7], again[0])
    assert [len(call.body["input"]) for call in server.calls] == [64, 64, 22, 1]
    assert all(call.body["dimensions"] == 768 for call in server.calls)
    assert read_spending(app.store(), app.clock).day_usd_by_account["upload:1"] > 0


def test_vectors_of_another_size_are_refused(app: Application, open_vendor: Callable[[str], FakeOpenAI]) -> None:
    server = open_vendor("ollama")
    server.native_dimensions = 512
    made = embedder(app, server, provider="ollama", name="nomic-embed-text", api_key_secret=None)
    with pytest.raises(EmbeddingFailed, match="512 dimensions instead of 768"):
        made.embed(["text"])


def test_embedding_above_its_cap_sends_nothing(app: Application, open_vendor: Callable[[str], FakeOpenAI]) -> None:
    server = open_vendor("gemini")
    server.keys.add(KEY)
    with pytest.raises(EmbeddingFailed, match="may cost"):
        embedder(app, server, usd=0.000001).embed(["text " * 500])
    assert server.calls == []


def test_a_server_that_refuses_the_key_is_reported_without_it(
    app: Application, open_vendor: Callable[[str], FakeOpenAI]
) -> None:
    server = open_vendor("gemini")
    with pytest.raises(EmbeddingFailed) as caught:
        embedder(app, server).embed(["text"])
    assert KEY not in str(caught.value)


def test_the_worst_price_is_known_before_anything_is_sent(app: Application, openai: FakeOpenAI) -> None:
    assert embedder(app, openai).worst_usd(1_000_000) == pytest.approx(4 * 0.15, rel=0.01)
    local = chat_parts(app).embedder(CollectionEntry(name="handbook"), "upload:1", 1.0)
    assert local.worst_usd(10**9) == 0.0
    assert json.dumps(local.model)
