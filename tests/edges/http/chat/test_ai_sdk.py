"""The AI SDK with its defaults understands every answer: npm `ai` 6 in `make test`, 5 and 7 in `make verify`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.edges.http.chat.answers import ANSWER, APPROVED, MANUAL, REFUSED, TABLE
from tests.edges.http.chat.serving import ChatServer, chatting
from tests.edges.mcp.asked import index_project
from tests.edges.mcp.typescript_client import installed, run
from tribal.capabilities.chat.errors import CollectionNotFound
from tribal.capabilities.chat.events import ChatEvent, Finished, Governed, SourcesFound, Step, TextPiece
from tribal.edges.http.chat.routes import QUESTIONS
from tribal.errors import IndexNotReady
from tribal_contracts.chat.settings import ChatSettings

SOURCES = Path(__file__).parent / "ai_sdk"
CACHE = ROOT / ".cache" / "ai-sdk"
VERSIONS = (pytest.param("5", marks=pytest.mark.verify), "6", pytest.param("7", marks=pytest.mark.verify))
SENTENCE = "A customer places orders [1]. "
LONG = SENTENCE * (1_000_000 // len(SENTENCE))
UNICODE = (
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 e\u0301 \u0645\u0631\u062d\u0628\u0627 \u202eabc\u202c a\u2028b\u2029c "
    "\x00\x1b[31m \ufeff\ufffe data: [DONE]\r\n\r\ndata: {} \\u0041 </script>"
)
CHARACTERS = tuple(TextPiece(each) for each in UNICODE)
ANSWERS: dict[str, Sequence[ChatEvent | Exception] | Exception] = {
    "usual": ANSWER,
    "long": [*(TextPiece(LONG[at : at + 16_384]) for at in range(0, len(LONG), 16_384)), Finished("stop")],
    "in one piece": [TextPiece(LONG), Finished("stop")],
    "refused": [Governed(REFUSED), TextPiece("It asks for a solution."), Finished("content-filter", governor=REFUSED)],
    "failed before": CollectionNotFound("there is no collection 'x'; you may use catalog"),
    "unavailable": IndexNotReady("there is no index yet; run `tribal run`"),
    "failed during": [Step("found 1 source"), Governed(APPROVED), TextPiece("Half"), ZeroDivisionError("4711")],
    "failed at once": [ZeroDivisionError("4711")],
    "cut off": [TextPiece("Half of an ans"), Finished("length", warnings=("the answer was cut off",))],
    "unicode": [
        Step(UNICODE),
        *CHARACTERS,
        SourcesFound((MANUAL.model_copy(update={"title": UNICODE}),)),
        Finished("stop"),
    ],
    "half a character": [TextPiece("a\ud83d"), TextPiece("\ude00b"), Finished("stop")],
    "empty": [Finished("stop")],
    "only sources": [SourcesFound((TABLE, MANUAL)), Finished("stop")],
    "no end": [TextPiece("x")],
}


@pytest.fixture(name="sdk", scope="session")
def sdk_fixture() -> Path:
    return installed(SOURCES, CACHE, "three versions of the AI SDK")


@pytest.fixture(name="server", scope="module")
def server_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatServer]:
    folder = tmp_path_factory.mktemp("project")
    index_project(folder)
    with chatting(folder, ChatSettings(questions_per_minute=100_000)) as server:
        server.chats.by_question = ANSWERS
        yield server


@pytest.fixture(name="seen", scope="module")
def seen_fixture(
    server: ChatServer, sdk: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, Any]:
    """What a page has of each answer: through the transport, and through the class behind `useChat`."""
    questions = tmp_path_factory.mktemp("questions") / "questions.json"
    questions.write_text(json.dumps(list(ANSWERS)))
    node = shutil.which("node") or "node"
    ran = run(node, "ask.mjs", request.param, f"{server.address}{QUESTIONS}", str(questions), cwd=sdk)
    assert ran.returncode == 0, ran.stderr
    return dict(zip(ANSWERS, json.loads(ran.stdout), strict=True))


def parts_of(seen: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [part for part in seen["message"]["parts"] if part["type"] == kind]


def text_of(seen: dict[str, Any], kind: str = "text") -> str:
    return "".join(part["text"] for part in parts_of(seen, kind))


@pytest.mark.xdist_group("ai-sdk")
@pytest.mark.parametrize("seen", VERSIONS, indirect=True)
def test_the_ai_sdk_has_every_answer_whole(seen: dict[str, Any]) -> None:
    failing = {"failed before", "unavailable", "failed during", "failed at once", "no end"}
    for question, answer in seen.items():
        if question not in failing:
            assert answer["transport"]["errors"] == [], question
            assert (answer["page"]["status"], answer["page"]["error"]) == ("ready", None), question
            assert [part for part in parts_of(answer["page"], "text") if part["state"] != "done"] == [], question
    for way in ("transport", "page"):
        found = {question: answer[way] for question, answer in seen.items()}
        _is_usual(found["usual"])
        assert text_of(found["long"]) == text_of(found["in one piece"]) == LONG
        assert text_of(found["refused"]) == "It asks for a solution."
        (verdict,) = parts_of(found["refused"], "data-governor")
        assert verdict["data"]["law_violated"] == "integrity"
        assert text_of(found["cut off"]) == "Half of an ans"
        assert found["cut off"]["message"]["metadata"]["warnings"] == ["the answer was cut off"]
        assert text_of(found["unicode"]) == UNICODE
        assert text_of(found["unicode"], "reasoning") == f"{UNICODE}\n"
        assert parts_of(found["unicode"], "source-document")[0]["title"] == UNICODE
        assert text_of(found["half a character"]) == "a\ufffd\ufffdb"
        assert (text_of(found["empty"]), text_of(found["only sources"])) == ("", "")
        assert len(parts_of(found["only sources"], "source-url")) == 1


def _is_usual(seen: dict[str, Any]) -> None:
    kinds = [part["type"] for part in seen["message"]["parts"]]
    assert kinds == ["step-start", "reasoning", "text", "source-url", "source-document", "data-governor"]
    assert text_of(seen) == "Customers are people [1]. They return things [2]."
    assert text_of(seen, "reasoning") == "scope: approved\nfound 2 sources\n"
    (table,) = parts_of(seen, "source-url")
    assert (table["sourceId"], table["url"]) == ("1", "tribal://table/shop.crm.customer")
    (manual,) = parts_of(seen, "source-document")
    metadata = {"page_number": 7, "course_id": "COMP 237", "distance": 0.8}
    assert (manual["filename"], manual["providerMetadata"]["tribal"]) == ("manual.pdf", metadata)
    assert seen["message"]["metadata"] == {
        "intent": "fast",
        "model": "gemini-2.0-flash",
        "droppedSentences": 1,
        "verdict": "partly",
        "mainTables": ["shop.crm.customer"],
        "unexplained": ["zeppelin"],
        "reading": {"intent": "meaning", "mentions": [], "words": []},
        "warnings": ["old"],
    }
    assert seen["message"]["id"].startswith("msg-")


@pytest.mark.xdist_group("ai-sdk")
@pytest.mark.parametrize("seen", VERSIONS, indirect=True)
def test_the_ai_sdk_reports_every_failure_with_our_message(seen: dict[str, Any]) -> None:
    for question, code in (("failed before", "CHAT_COLLECTION_NOT_FOUND"), ("unavailable", "RET_INDEX_NOT_READY")):
        transport, page = seen[question]["transport"], seen[question]["page"]
        assert page["status"] == "error"
        for text in (transport["refused"], page["error"]):
            assert json.loads(text)["error"]["code"] == code
    for question, text in (("failed during", "Half"), ("failed at once", ""), ("no end", "x")):
        transport, page = seen[question]["transport"], seen[question]["page"]
        (error,) = transport["errors"]
        assert "the answer failed unexpectedly" in error
        assert text_of(transport) == text
        assert (page["status"], page["error"]) == ("error", error)
    assert "4711" not in json.dumps(seen)
