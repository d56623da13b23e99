"""Chooses who answers an approved question: the models of its intent in order, or the documents themselves."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice

from tribal.capabilities.chat.answers.citations import Citations
from tribal.capabilities.chat.answers.extractive import (
    Cited,
    extractive_statements,
    nearest_statement,
    plain_text,
    unexplained_line,
)
from tribal.capabilities.chat.answers.finding import Finder, Found
from tribal.capabilities.chat.answers.model_answer import ModelAnswer, ModelResult
from tribal.capabilities.chat.answers.sources import (
    Source,
    documented_sources,
    domain_source,
    file_source,
    further_tables,
    passage_source,
)
from tribal.capabilities.chat.conversations import Conversation
from tribal.capabilities.chat.events import ChatEvent, Finished, SourcesFound, Step, TextPiece
from tribal.capabilities.chat.parts import ChatModel
from tribal.capabilities.chat.rights import ASK_CHAT
from tribal.errors import ConfigurationError, TribalError
from tribal.ports import StopToken
from tribal.rendering.markdown import fence
from tribal_contracts.chat.events import FinishReason
from tribal_contracts.chat.settings import Intent
from tribal_contracts.chat.state import EXTRACTIVE

LISTED = 30
"""The most domains and files that are listed. By judgement."""
MOST_STATEMENTS = 12
"""The most statements of an answer without a model. By judgement: a screen of text."""
CLOSING_SECONDS = 1.0
"""What an answer needs after a model's last word. By judgement."""
NOTHING = "This is not documented here."


@dataclass(slots=True)
class Answering:
    """The answer to one approved question."""

    conversation: Conversation
    intent: Intent
    found: Found
    finder: Finder
    warnings: list[str] = field(default_factory=list)
    _citations: Citations = field(default_factory=Citations)
    _dropped: int = 0
    _answered_by: str = EXTRACTIVE
    _reason: FinishReason = "stop"

    def events(self, stop: StopToken) -> Generator[ChatEvent, None, Finished]:
        """The answer with its sources; returns how it ended, without the verdict.

        Raises:
            TribalError: the cause of a stop, after the sources of what was said until then.
        """
        parts = self.finder.parts
        names = parts.route(self.finder.entry, self.intent) if parts.asks_models else []
        try:
            documented = yield from self._by_models(names, stop) if names else self._from_documents()
        except TribalError:
            yield from self._cited()
            raise
        yield from self._cited()
        return Finished(
            self._reason,
            model=self._answered_by,
            dropped_sentences=self._dropped,
            warnings=tuple(dict.fromkeys((*self.warnings, *self._citations.notes))),
            documented=documented,
        )

    def _cited(self) -> Iterator[ChatEvent]:
        if self._citations.sources:
            yield SourcesFound(self._citations.sources)

    def _by_models(self, names: Sequence[str], stop: StopToken) -> Generator[ChatEvent, None, bool]:
        if obstacle := self._obstacle():
            self.warnings.append(f"no model was asked: {obstacle}")
            return (yield from self._from_documents())
        sources = dict(enumerate(self._sources(), 1))
        if not sources:
            return (yield from self._from_documents())
        with ExitStack() as closing:
            for model in self._models(names, stop, closing):
                result = yield from self._asked(model, sources, stop)
                if result.failure is not None:
                    stop.check()
                if result.not_documented and not result.released:
                    self._answered_by = model.name
                    return (yield from self._not_documented())
                is_cut = result.failure is not None and result.failure.kind == "truncated"
                self._reason = "length" if is_cut else "stop"
                if result.released:
                    self._answered_by = model.name
                    yield from self._broken_off(result)
                    return True
        self.warnings.append("no model gave an answer that could be checked; this is from the documents alone")
        yield TextPiece("_The model did not answer; this is from the documents alone._\n\n")
        return (yield from self._from_documents())

    def _asked(
        self, model: ChatModel, sources: dict[int, Source], stop: StopToken
    ) -> Generator[ChatEvent, None, ModelResult]:
        yield Step(f"Asking {model.name}.")
        finder = self.finder
        answer = ModelAnswer(
            self.conversation,
            self.intent,
            sources,
            self._citations,
            finder.parts.instructions(),
            finder.parts.settings.answer_tokens,
            finder.documentation if finder.has_documentation else None,
            finder.parts.settings.per_answer_usd,
        )
        result = yield from answer.ask(model, max(0.0, stop.remaining_seconds() - CLOSING_SECONDS), stop)
        self._dropped += result.dropped
        self.warnings += result.warnings
        if result.failure is not None:
            self.warnings.append(f"{model.name}: {result.failure.message}")
        return result

    def _broken_off(self, result: ModelResult) -> Iterator[ChatEvent]:
        failure = result.failure
        if failure is None:
            return
        if failure.kind == "truncated":
            return
        yield TextPiece("\n\n_The model broke off here; the rest is from the documents alone._\n")
        yield from self._statements()

    def _obstacle(self) -> str:
        """Why no model may be asked; empty if one may."""
        caller, parts = self.finder.caller, self.finder.parts
        if not caller.may(ASK_CHAT):
            return f"it needs the right {ASK_CHAT!r}"
        documented = self.found.documented
        databases = {each.database for each in documented.focus.context.documents.values()} if documented else set()
        if databases:
            try:
                may_send = parts.may_send()
            except TribalError as error:
                return error.message
            kept = sorted(name for name in databases if not may_send(name))
            if kept:
                return f"nothing about {', '.join(kept)} is sent to a model (describer: rules)"
        return ""

    def _models(self, names: Sequence[str], stop: StopToken, closing: ExitStack) -> Iterator[ChatModel]:
        """The models in order, each opened when the one before it failed."""
        for name in names:
            try:
                (model,) = self.finder.parts.models([name], self.finder.account, stop)
            except ConfigurationError as error:
                self.warnings.append(f"{name}: {error.message}")
                continue
            closing.callback(model.model.close)
            yield model

    def _sources(self) -> list[Source]:
        """What a model is given, the most important first."""
        if self.intent == "syllabus_query":
            return self._listing()
        course = self.finder.entry.course
        said = [*documented_sources(self.found.documented, course).values()] if self.found.documented else []
        tables = further_tables(self.found.documented, said, course) if self.found.documented else []
        passages = [passage_source(each) for each in self.found.passages]
        if self.found.passages_lead:
            return [*passages, *said, *tables]
        return [*said, *passages, *tables]

    def _listing(self) -> list[Source]:
        """What exists: domains of the documentation, and files."""
        course = self.finder.entry.course
        domains: list[Source] = []
        if self.finder.has_documentation and self.found.documented is not None:
            domains = [domain_source(each, course) for each in self.finder.documentation.domains()[:LISTED]]
        return [*(file_source(each, course) for each in self.finder.files()[:LISTED]), *domains]

    def _from_documents(self) -> Generator[ChatEvent, None, bool]:
        count = yield from self._statements()
        if not count:
            return (yield from self._not_documented())
        if self.intent != "syllabus_query":
            yield from self._remarks()
        return True

    def _statements(self) -> Generator[ChatEvent, None, int]:
        if self.intent == "syllabus_query":
            statements: Iterator[Cited] = ((each.text, [each]) for each in self._listing())
        else:
            every = extractive_statements(self.conversation.question, self.found, self.finder.entry.course)
            statements = islice(every, MOST_STATEMENTS)
        count = 0
        for text, sources in statements:
            count += 1
            yield TextPiece(f"- {plain_text(text)} {self._citations.cite(sources)}\n")
        return count

    def _remarks(self) -> Iterator[ChatEvent]:
        if line := unexplained_line(self.found):
            yield TextPiece(f"\n{plain_text(line)}\n")
        documented = self.found.documented
        if documented is not None and documented.answer.sql and not self.found.passages_lead:
            yield TextPiece(f"\n{fence(documented.answer.sql, 'sql')}\n")

    def _not_documented(self) -> Generator[ChatEvent, None, bool]:
        yield TextPiece(f"{NOTHING}\n")
        nearest = nearest_statement(self.found, self.finder.entry.course)
        if nearest is not None:
            text, sources = nearest
            yield TextPiece(f"{plain_text(text)} {self._citations.cite(sources)}\n")
        return False
