"""Answer an approved question with the models for its intent, or from the documents alone."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

from tribal.capabilities.chat.answers.citations import Citations
from tribal.capabilities.chat.answers.extractive import (
    LEAST_EVIDENCE,
    Cited,
    answers,
    extractive_statements,
    plain_text,
    unexplained_words,
)
from tribal.capabilities.chat.answers.finding import Finder, Found
from tribal.capabilities.chat.answers.model_answer import ModelAnswer, ModelResult, OfflineAnswer
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
from tribal.capabilities.chat.parts import CHAT_SHARE
from tribal.capabilities.chat.rights import ASK_CHAT
from tribal.errors import TribalError
from tribal.ports import ModelFailure, StopToken
from tribal.ports.models.chains import (
    ChainedModel,
    ModelAccount,
    ModelPrompt,
    NoReply,
    Reading,
    Reply,
    StreamedAnswer,
)
from tribal.rendering.markdown import fence
from tribal.rendering.words import listing
from tribal_contracts import ModelEntry
from tribal_contracts.answering.answers import Answer, AnswerVerdict
from tribal_contracts.chat.events import FinishReason
from tribal_contracts.chat.settings import CollectionEntry, Intent
from tribal_contracts.chat.state import EXTRACTIVE

LISTED = 30
"""Maximum number of listed domains and files. By judgement."""
CLOSING_SECONDS = 1.0
"""Time to finish an answer after a model's last word. By judgement."""
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
    _unexplained: tuple[str, ...] = ()

    def events(self, stop: StopToken) -> Generator[ChatEvent, None, Finished]:
        """Yield the answer and its sources; return how it ended, without the verdict of the laws.

        Raises:
            TribalError: when the answer was stopped. The sources of the text so far are yielded first.
        """
        parts = self.finder.parts
        names = route(self.finder.entry, self.intent, parts.models.entries) if parts.asks_models else []
        try:
            documented = yield from self._by_models(names, stop) if names else self._from_documents()
        except TribalError:
            yield from self._cited()
            raise
        yield from self._cited()
        answer = self._documented_answer
        return Finished(
            self._reason,
            model=self._answered_by,
            dropped_sentences=self._dropped,
            warnings=tuple(dict.fromkeys((*self.warnings, *self._citations.notes, *_messages(answer)))),
            verdict=self._verdict(documented=documented),
            unexplained=self._unexplained,
            reading=self.found.documented.answer.reading if self.found.documented else None,
            main_tables=tuple(answer.main_tables or ()) if answer else (),
            left_out=(answer.total or 0) - (answer.returned or 0) if answer else 0,
        )

    def _verdict(self, *, documented: bool) -> AnswerVerdict:
        if not documented:
            return "not_documented"
        answer = self._documented_answer
        is_partly = answer is not None and answer.verdict == "partly" and not self._is_from_passages
        return "partly" if is_partly or self._unexplained else "answered"

    @property
    def _documented_answer(self) -> Answer | None:
        """The documentation's answer; `None` if passages rank first, or if files and domains are listed."""
        if self.found.documented is None or self.found.passages_lead or self.intent == "syllabus_query":
            return None
        return self.found.documented.answer

    @property
    def _is_from_passages(self) -> bool:
        """Whether passages answer what the documentation does not: they rank first, or a model cited one."""
        return self.found.passages_lead or (self._answered_by != EXTRACTIVE and self._citations.has_passage)

    def _cited(self) -> Iterator[ChatEvent]:
        if self._citations.sources:
            yield SourcesFound(self._citations.sources)

    def _by_models(self, names: Sequence[str], stop: StopToken) -> Generator[ChatEvent, None, bool]:
        if obstacle := self._obstacle():
            self.warnings.append(f"no model was asked: {obstacle}")
            return (yield from self._from_documents())
        statements = list(self._offline_statements())
        first = [source for _, cited in statements for source in cited]
        sources = dict(enumerate(dict.fromkeys((*first, *self._sources())), 1))
        if not sources:
            return (yield from self._from_documents())
        documented = self._documented_answer
        answer = ModelAnswer(
            self.conversation,
            self.intent,
            OfflineAnswer(
                statements,
                documented.sql if documented else None,
                self._verdict(documented=self._documents_answer),
            ),
            sources,
            self._citations,
            self.finder.documentation if self.finder.has_documentation else None,
        )
        reply = yield from self._ask(names, answer, stop)
        if isinstance(reply, Reply):
            self._answered_by, result = reply.model, reply.value
            if result.not_documented and not result.released:
                yield TextPiece(f"{NOTHING}\n\n" if answers(self.found) else "")
                yield from self._statements()
                return False
            yield from self._broken_off(result)
            if result.failure is None:
                yield from self._remarks(with_sql=not result.has_query)
            return self._documents_answer or self._citations.has_passage
        self.warnings.append("no model's answer passed the checks; this answer is from the documents alone")
        yield TextPiece("_The model did not answer; this answer is from the documents alone._\n\n")
        return (yield from self._from_documents())

    def _ask(
        self, names: Sequence[str], answer: ModelAnswer, stop: StopToken
    ) -> Generator[ChatEvent, None, Reply[ModelResult] | NoReply]:
        """Ask the models in turn. An answer in which no sentence passes the checks is not used."""
        parts, settings = self.finder.parts, self.finder.parts.settings
        prompt = ModelPrompt(
            instructions=parts.instructions(),
            answer_tokens=settings.answer_tokens,
            # Another model, or the documents, answer sooner.
            last_retries=False,
            ends_when_spent=False,
            closing_seconds=CLOSING_SECONDS,
            most_usd=settings.per_answer_usd,
            most_usd_setting="chat.per_answer_usd",
        )
        account = ModelAccount(self.finder.account, settings.per_caller_day_usd, CHAT_SHARE)
        with closing(parts.models.chain([ChainedModel(name) for name in names], account, stop)) as chain:
            return (yield from chain.stream(prompt, answer.data(), partial(self._read, answer, stop)))

    def _read(
        self, answer: ModelAnswer, stop: StopToken, name: str, pieces: StreamedAnswer | ModelFailure
    ) -> Generator[ChatEvent, None, Reading[ModelResult] | ModelFailure]:
        if isinstance(pieces, ModelFailure):
            self.warnings.append(f"{name}: {pieces.message}")
            return pieces
        yield Step(f"Asking {name}.")
        result = yield from answer.read(pieces, stop)
        failure = result.failure
        self._dropped += result.dropped
        self.warnings += result.warnings
        if failure is not None:
            self.warnings.append(f"{name}: {failure.message}")
            stop.check()
        if result.not_documented and not result.released:
            return Reading(result)
        self._reason = "length" if failure is not None and failure.kind == "truncated" else "stop"
        return Reading(result) if result.released else failure or Reading(None)

    def _broken_off(self, result: ModelResult) -> Iterator[ChatEvent]:
        failure = result.failure
        if failure is None:
            return
        if failure.kind == "truncated":
            return
        yield TextPiece("\n\n_The model stopped here; the rest is from the documents alone._\n")
        yield from self._statements()

    def _obstacle(self) -> str:
        """Return why no model may be asked; empty if one may."""
        caller, parts = self.finder.caller, self.finder.parts
        if not caller.may(ASK_CHAT):
            return f"you need the {ASK_CHAT!r} right"
        documented = self.found.documented
        databases = {each.database for each in documented.documents.values()} if documented else set()
        if databases:
            try:
                may_send = parts.models.may_send()
            except TribalError as error:
                return error.message
            kept = sorted(name for name in databases if may_send is not None and not may_send(name))
            if kept:
                return f"`describer: rules` excludes {', '.join(kept)} from models"
        return ""

    def _sources(self) -> list[Source]:
        """Return further sources for a model, in addition to those of the answer without a model."""
        if self.intent == "syllabus_query":
            return self._listing()
        course = self.finder.entry.course
        said = [*documented_sources(self.found.documented, course).values()] if self.found.documented else []
        tables = further_tables(self.found.documented, said, course) if self.found.documented else []
        passages = [passage_source(each) for each in self.found.passages]
        return [*said, *passages, *tables]

    def _listing(self) -> list[Source]:
        """Return the files, and the domains of the documentation."""
        course = self.finder.entry.course
        domains: list[Source] = []
        if self.finder.has_documentation and self.found.documented is not None:
            domains = [domain_source(each, course) for each in self.finder.documentation.domains()[:LISTED]]
        return [*(file_source(each, course) for each in self.finder.files()[:LISTED]), *domains]

    def _from_documents(self) -> Generator[ChatEvent, None, bool]:
        count = yield from self._statements()
        if self.intent == "syllabus_query":
            return count > 0
        if not count:
            yield TextPiece(f"{NOTHING}\n")
            return False
        yield from self._remarks()
        return self._documents_answer

    @property
    def _documents_answer(self) -> bool:
        """Whether the documentation or a passage answers the question without a model."""
        is_quoted = self.found.relevance.passage >= LEAST_EVIDENCE
        return self.intent == "syllabus_query" or is_quoted or answers(self.found)

    def _offline_statements(self) -> Iterator[Cited]:
        """Return the statements of the answer without a model, each with its sources."""
        if self.intent == "syllabus_query":
            return ((each.text, [each]) for each in self._listing())
        return extractive_statements(self.conversation.question, self.found, self.finder.entry.course)

    def _statements(self) -> Generator[ChatEvent, None, int]:
        count = 0
        for text, sources in self._offline_statements():
            count += 1
            yield TextPiece(f"- {plain_text(text)} {self._citations.cite(sources)}\n")
        return count

    def _remarks(self, *, with_sql: bool = True) -> Iterator[ChatEvent]:
        """Say which words nothing explains, and show the SQL draft."""
        if self.intent == "syllabus_query":
            return
        self._unexplained = () if self._is_from_passages else unexplained_words(self.found)
        if self._unexplained:
            words = listing([f"\u201c{word}\u201d" for word in self._unexplained])
            yield TextPiece(f"\n{plain_text(f'Nothing documented explains {words}.')}\n")
        documented = self._documented_answer
        if with_sql and documented is not None and documented.sql:
            yield TextPiece(f"\n{fence(documented.sql, 'sql')}\n")


def _messages(answer: Answer | None) -> Iterator[str]:
    """Yield the warnings of the documentation's answer."""
    yield from (each.message for each in (answer.warnings if answer else None) or ())


def route(entry: CollectionEntry, intent: Intent, models: Mapping[str, ModelEntry]) -> list[str]:
    """Return the models of a collection for an intent, in order. A tutor asks Groq after Gemini, and only to reason."""
    names = entry.models_for(intent)
    if entry.profile != "tutor" or not isinstance(entry.models, list):
        return names
    gemini = [name for name in names if models[name].provider == "gemini"]
    others = [name for name in names if name not in gemini]
    return [*gemini, *others] if intent == "reasoning" or not gemini else gemini
