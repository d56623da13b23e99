"""Ask questions for commands: on this machine, or in the environment of `--profile`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import typer

from tribal.edges.cli.options import client_of, opened_folder, refuse_with_profile

if TYPE_CHECKING:
    from tribal.capabilities.chat.events import ChatEvent
    from tribal.edges.cli.profile.client import Client
    from tribal.ports import Application, Caller
    from tribal_contracts import Contract
    from tribal_contracts.chat.events import FinishEvent
    from tribal_contracts.chat.requests import ChatRequest


class ChatClient(Protocol):
    """The chat, as one caller uses it."""

    @property
    def streams_catalog(self) -> bool:
        """Whether a question that names no collection is put to `catalog`, because that has models."""
        ...

    def require_ready(self, collection: str | None) -> None:
        """Check, where that costs nothing, that a collection can be asked; raises as a question would."""
        ...

    def events(self, request: ChatRequest) -> Iterator[ChatEvent]:
        """The events of an answer, `Finished` last; raises before the first one when the request is not valid."""
        ...

    def answer(self, arguments: Mapping[str, Any], *, limited: bool) -> Contract:
        """Return the answer of the tool `ask`; limited, it has the size that saves a model's context."""
        ...


@contextmanager
def opened_chat(context: typer.Context, project: Path, *, no_model: bool) -> Iterator[ChatClient]:
    """Open the chat of a command; without models, nothing that it does sends anything to one."""
    if no_model:
        refuse_with_profile(
            context,
            "--no-model",
            "requests cannot carry it; the environment answers without a model if the collection lists none, or if the "
            "caller lacks the right chat:ask",
        )
    if context.obj is not None:
        yield DeployedChat(client_of(context))
        return
    from tribal.capabilities.chat.parts import without_models

    with opened_folder(project) as (app, caller):
        yield LocalChat(without_models(app) if no_model else app, caller)


@dataclass(frozen=True, slots=True)
class LocalChat:
    """The chat on this machine."""

    app: Application
    caller: Caller

    @property
    def streams_catalog(self) -> bool:
        """Whether the entry of the documentation itself lists models that may be asked."""
        from tribal.capabilities.chat.parts import chat_parts

        parts = chat_parts(self.app)
        entry = parts.settings.entry("catalog")
        return parts.asks_models and entry is not None and bool(entry.every_model)

    def require_ready(self, collection: str | None) -> None:
        """Check that a collection can be asked."""
        from tribal.capabilities.chat.asking.chat import Chat

        Chat(self.caller, self.app).require_ready(collection)

    def events(self, request: ChatRequest) -> Iterator[ChatEvent]:
        """The events of an answer, as every edge sends them."""
        from tribal.capabilities.chat.asking.chat import Chat
        from tribal.edges.http.chat.whole_events import AnswerEvents
        from tribal.ports import StopToken

        opened = Chat(self.caller, self.app).open(request)
        return AnswerEvents(opened.events, self.app.clock.published)(StopToken())

    def answer(self, arguments: Mapping[str, Any], *, limited: bool) -> Contract:
        """Return the answer of the tool `ask`."""
        from tribal.edges.cli.tools.calling import local_call

        return local_call(self.app, self.caller, limited=limited)("ask", arguments)


@dataclass(frozen=True, slots=True)
class DeployedChat:
    """The chat of an environment."""

    client: Client
    streams_catalog = False

    def require_ready(self, collection: str | None) -> None:
        """Leave it to the first question, whose refusal says the same."""

    def events(self, request: ChatRequest) -> Iterator[ChatEvent]:
        """The events of an answer; the specification's framing leaves out the verdict, which its end repeats."""
        from tribal.capabilities.chat.events import SourcesFound, Step, TextPiece
        from tribal.edges.http.chat.routes import QUESTIONS
        from tribal.errors import DeploymentUnreachable
        from tribal_contracts.chat import events

        for event in self.client.events(QUESTIONS, request, events.ChatEvent):
            match event.root:
                case events.ReasoningDelta():
                    yield Step(event.root.reasoningDelta.strip())
                case events.TextDelta():
                    yield TextPiece(event.root.textDelta)
                case events.SourcesEvent():
                    yield SourcesFound(tuple(event.root.sources))
                case events.FinishEvent():
                    yield _finished(event.root)
                    return
        raise DeploymentUnreachable("the answer was cut off; ask again")

    def answer(self, arguments: Mapping[str, Any], *, limited: bool) -> Contract:  # noqa: ARG002 - it always is
        """Return the answer of the tool `ask`, whose size the environment limits."""
        return self.client.call("ask", arguments)


def _finished(event: FinishEvent) -> ChatEvent:
    from tribal.capabilities.chat.events import Finished

    return Finished(
        reason=event.finish_reason,
        governor=event.governor,
        error=event.error,
        intent=event.intent,
        model=event.model_selected,
        dropped_sentences=event.dropped_sentences,
        warnings=tuple(event.warnings or ()),
        verdict=event.verdict or "answered",
        unexplained=tuple(event.unexplained or ()),
        reading=event.reading,
        main_tables=tuple(event.main_tables or ()),
    )
