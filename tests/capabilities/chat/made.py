"""A chat over the sample shop and a handbook, with a model that writes what a test tells it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fakes.passages import SOURCE, DirectedEmbedder, MemoryIndexes
from tribal.capabilities.chat.asking.chat import Chat, OpenedChat
from tribal.capabilities.chat.collections.files import CollectionFiles
from tribal.capabilities.chat.events import ChatEvent, Finished, Governed, SourcesFound, TextPiece
from tribal.capabilities.chat.parts import ChatParts
from tribal.models.chain import Chain, Link, OpenModel
from tribal.ports import (
    Application,
    Caller,
    ModelAnswer,
    ModelFacts,
    ModelFailure,
    ModelOutcome,
    ModelRequest,
    Provider,
    StopToken,
)
from tribal.ports.models.chains import ChainedModel, ModelAccount
from tribal.prompt_templates import CHATTING, load_prompts
from tribal_contracts import ModelEntry, ModelUsage
from tribal_contracts.chat.collections import CollectionManifest, CollectionSource
from tribal_contracts.chat.requests import ChatMessage, ChatRequest
from tribal_contracts.chat.settings import ChatSettings, CollectionEntry

PROMPT = load_prompts(templates=CHATTING).texts["chat_answer.md"]


@dataclass
class WritingModel:
    """Writes what a test tells it, piece by piece, and counts its calls."""

    writes: str | Callable[[ModelRequest], str] = ""
    outcome: ModelOutcome | None = None
    """How it ends instead of completely."""
    requests: list[ModelRequest] = field(default_factory=list)
    closed: int = 0
    name: str = "scripted/model"

    def ask(self, _request: ModelRequest) -> ModelOutcome:
        raise AssertionError("a chat streams")

    def stream(self, request: ModelRequest) -> Generator[str, None, ModelOutcome]:
        self.requests.append(request)
        text = self.writes if isinstance(self.writes, str) else self.writes(request)
        try:
            for at in range(0, len(text), 7):
                yield text[at : at + 7]
        finally:
            self.closed += 1
        return self.outcome or ModelAnswer({}, ModelUsage(calls=1), text)

    def close(self) -> None:
        pass


def refused() -> ModelFailure:
    """A model that is down."""
    return ModelFailure("unavailable", "the server is down")


@dataclass(frozen=True)
class WritingModels:
    """The models of a test, as the application offers them."""

    models: Mapping[str, WritingModel]
    kept: Sequence[str] = ()
    """Databases whose content is not sent to a model."""

    @property
    def entries(self) -> Mapping[str, ModelEntry]:
        return {name: ModelEntry(provider="gemini", name=name, api_key_secret="KEY") for name in self.models}

    def require(self, name: str) -> ModelFacts:
        raise AssertionError(f"a chat opens {name} in a chain")

    def chain(self, models: Sequence[ChainedModel], _account: ModelAccount, stop: StopToken) -> Chain:
        return Chain([Link(each.name, Provider.of(self._opened(each.name))) for each in models], stop)

    def may_send(self) -> Callable[[str], bool]:
        return lambda name: name not in self.kept

    def _opened(self, name: str) -> OpenModel:
        return OpenModel(name=name, model=self.models[name], timeout_seconds=10.0, worst_usd=lambda _: 0.001)


@dataclass
class MadeChat:
    """A chat and what it uses."""

    app: Application
    models: dict[str, WritingModel]
    embedder: DirectedEmbedder
    indexes: MemoryIndexes

    def open(self, question: str, collection: str | None = None, *, caller: Caller | None = None) -> OpenedChat:
        return self.open_messages([("user", question)], collection, caller=caller)

    def open_messages(
        self, turns: Sequence[tuple[str, str]], collection: str | None = None, *, caller: Caller | None = None
    ) -> OpenedChat:
        messages = [ChatMessage(role=role, content=text) for role, text in turns]
        request = ChatRequest(messages=messages, collection=collection)
        return Chat(caller or Caller("ada"), self.app).open(request)

    def ask(self, question: str, collection: str | None = None, *, caller: Caller | None = None) -> Answered:
        return answered(self.open(question, collection, caller=caller))

    @property
    def calls(self) -> int:
        """Calls of all models."""
        return sum(len(each.requests) for each in self.models.values())


@dataclass(frozen=True)
class Answered:
    """Everything that one question brought."""

    events: list[ChatEvent]

    @property
    def text(self) -> str:
        return "".join(each.text for each in self.events if isinstance(each, TextPiece))

    @property
    def sources(self) -> list[str]:
        return [one.title for each in self.events if isinstance(each, SourcesFound) for one in each.sources]

    @property
    def end(self) -> Finished:
        (end,) = [each for each in self.events if isinstance(each, Finished)]
        assert self.events[-1] is end
        return end

    @property
    def approved(self) -> bool:
        (governed,) = [each for each in self.events if isinstance(each, Governed)]
        return governed.verdict.approved


def answered(opened: OpenedChat) -> Answered:
    """Read an answer to its end."""
    return Answered(list(opened.events(StopToken())))


def made_chat(
    app: Application,
    *entries: CollectionEntry,
    writes: Mapping[str, WritingModel] | None = None,
    kept: Sequence[str] = (),
    **settings: Any,
) -> MadeChat:
    """A chat with these collections and models.

    Args:
        app: with an index.
        entries: of `collections`.
        writes: the models by name.
        kept: databases whose content is not sent to a model.
        settings: of the section `chat`.
    """
    models, embedder, indexes = dict(writes or {}), DirectedEmbedder(), MemoryIndexes()

    parts = ChatParts(
        settings=ChatSettings(collections=[*entries], **settings),
        indexes=Provider.of(indexes),
        parser=Provider(lambda: None),  # type: ignore[arg-type, return-value]  # nothing is uploaded
        embedder=lambda *_: embedder,
        models=WritingModels(models, kept),
        instructions=lambda: PROMPT,
        scratch=Path("unused"),
    )
    return MadeChat(app.with_part(parts), models, embedder, indexes)


def add_file(app: Application, collection: str, *names: str, source: str = SOURCE) -> None:
    """Write a manifest that has one file."""
    files = CollectionFiles(app.store(), collection)
    listed = [CollectionSource(source_id=source, names=[*names], kind="pdf", pages=2, passages=2, added_at=_WHEN)]
    files.change_manifest(lambda _: CollectionManifest(sources=listed))


_WHEN = "2026-11-28T00:00:00Z"
