"""Answer a question as a series of events: laws first, then an answer with sources. Source: chat specification, 1 to
3."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace

from tribal.capabilities.chat.answers.extractive import plain_text
from tribal.capabilities.chat.answers.finding import Finder, Found
from tribal.capabilities.chat.asking.answering import Answering
from tribal.capabilities.chat.asking.auditing import AuditedAnswers
from tribal.capabilities.chat.asking.intents import intent_of
from tribal.capabilities.chat.collections.visibility import find_collection
from tribal.capabilities.chat.conversations import Conversation, read_conversation
from tribal.capabilities.chat.errors import ChatFailed, ChatForbidden, CollectionMismatch
from tribal.capabilities.chat.events import ChatEvent, Finished, Governed, Step, TextPiece
from tribal.capabilities.chat.laws.integrity import integrity
from tribal.capabilities.chat.laws.normalising import visible
from tribal.capabilities.chat.laws.scope import (
    NothingRetrieved,
    scope_by_distance,
    scope_by_relevance,
)
from tribal.capabilities.chat.laws.verdicts import MASTERY, LawVerdict, govern
from tribal.capabilities.chat.parts import chat_parts
from tribal.capabilities.chat.rights import READ_DOCUMENTATION
from tribal.errors import StoreError, TribalError, describe_unexpected
from tribal.identity.hashing import object_hash
from tribal.ports import Application, Caller, StopToken
from tribal.questions.follow_ups import standalone
from tribal.questions.pointers import has_subject
from tribal.ranking.calibration import LEAST_TOPIC
from tribal_contracts import AgentError
from tribal_contracts.chat.requests import ChatRequest
from tribal_contracts.chat.settings import CollectionEntry
from tribal_contracts.chat.state import AgentState, GovernorVerdict, Law


@dataclass(frozen=True, slots=True)
class Chat:
    """The chat of one caller."""

    caller: Caller
    app: Application

    def open(self, request: ChatRequest) -> OpenedChat:
        """Check a request before it is answered. Raises the same errors as `require_ready`.

        Raises:
            QuestionInvalid: when the question or the conversation before it is invalid.
        """
        finder = self.require_ready(request.collection)
        return OpenedChat(read_conversation(request), finder.entry, finder)

    def require_ready(self, collection: str | None) -> Finder:
        """Check that the caller can ask a collection, by default the configured one.

        Raises:
            ChatForbidden: when the caller may not ask.
            CollectionNotFound: when the collection does not exist for the caller.
            CollectionMismatch: when its index was not built with the configured embedding model.
            IndexNotReady: when there is nothing to answer from.
        """
        if not self.caller.may(READ_DOCUMENTATION):
            raise ChatForbidden(f"you need the {READ_DOCUMENTATION!r} right to ask questions")
        parts = chat_parts(self.app)
        entry = find_collection(collection or parts.settings.default_collection, parts.settings, self.caller)
        finder = Finder(entry, self.caller, self.app, parts, account_of(self.caller))
        finder.require_ready()
        return finder


def account_of(caller: Caller) -> str:
    """Return the account that the caller's chats of a day are charged to."""
    return f"chat:{object_hash(['chat', caller.subject])[:16]}"


@dataclass(slots=True)
class OpenedChat:
    """A question that passed the first checks. Its events can be read once."""

    conversation: Conversation
    entry: CollectionEntry
    finder: Finder
    state: AgentState = field(init=False)
    """Results of the steps so far; replaced at every step."""
    answer: list[str] = field(default_factory=list)
    """Pieces of the answer so far."""

    def __post_init__(self) -> None:
        caller = self.finder.caller
        self.state = AgentState(
            messages=self.conversation.messages(),
            query=self.conversation.question,
            user_id=caller.subject,
            user_email=None,
            intent="fast",
            model_selected="",
            retrieved_context=[],
            governor_approved=False,
            response=None,
            error=None,
            collection=self.entry.title,
            law_violated=None,
            governor_reason=None,
        )

    def events(self, stop: StopToken) -> Generator[ChatEvent, None, None]:
        """Yield everything that happens until the answer ends. Even after a failure, exactly one `Finished` comes last.

        Args:
            stop: a request to end the answer early. The text so far is kept. The answer also ends at the deadline
                of `stop` and after `chat.answer_seconds`.
        """
        started = time.monotonic()
        seconds = min(float(self.finder.parts.settings.answer_seconds), stop.remaining_seconds())
        limited = _Limited(stop, lambda: seconds - (time.monotonic() - started))
        finished: Finished | None = None
        try:
            for event in self._events(limited):
                if isinstance(event, Finished):
                    finished = event
                    break
                if isinstance(event, TextPiece):
                    self.answer.append(event.text)
                yield event
        except TribalError as error:
            finished = self._failed(error.to_agent_error(self._now()))
        except Exception as error:  # noqa: BLE001 - the outermost edge of an answer, which must end as data
            failure = ChatFailed(f"the answer failed: {describe_unexpected(error)[:300]}")
            finished = self._failed(failure.to_agent_error(self._now()))
        assert finished is not None, "every answer ends"
        self._end(finished)
        yield self._stored(finished)

    def _events(self, stop: StopToken) -> Generator[ChatEvent, None, None]:
        typed, rules = self.conversation, self.finder.parts.settings.intents
        meant = standalone(typed.question, typed.user_turns, self.finder.topic)
        intent = intent_of(meant, rules)
        self.state = self.state.model_copy(update={"intent": intent})
        yield Step(f"Intent: {intent}.")
        if meant != typed.question:
            yield Step(f"Read as: {plain_text(meant)}")
        lookup = _Lookup(self.finder, meant)
        verdict, failures = self._govern(meant, lookup)
        self._note(verdict)
        yield Governed(verdict)
        yield Step(_said(verdict))
        if not verdict.approved:
            yield TextPiece(verdict.reason or "")
            yield Finished("content-filter", verdict, intent=intent, model="", warnings=failures, verdict="refused")
            return
        stop.check()
        found = lookup.best()
        yield Step(_found(found))
        answering = Answering(replace(typed, question=meant), intent, found, self.finder)
        finished = yield from answering.events(stop)
        warnings = (*typed.warnings, *failures, *finished.warnings)
        yield replace(finished, governor=verdict, intent=intent, warnings=tuple(dict.fromkeys(warnings)))

    def _govern(self, meant: str, lookup: _Lookup) -> tuple[GovernorVerdict, tuple[str, ...]]:
        entry, conversation = self.entry, self.conversation
        failures: list[str] = []
        # "And the weather?" after "what is documented?" is about the weather.
        adds_subject = meant != conversation.question and has_subject(conversation.question)

        def scope() -> LawVerdict:
            threshold = entry.threshold
            try:
                found = lookup.all()
            except NothingRetrieved as error:
                return LawVerdict(False, str(error))
            if entry.profile == "tutor":
                assert threshold is not None, "a tutor has a threshold"
                return scope_by_distance([each.relevance for each in found], threshold)
            return scope_by_relevance(
                [each.relevance for each in found],
                LEAST_TOPIC if threshold is None else threshold,
                asks_what_exists=self.state.intent == "syllabus_query" and not adds_subject,
            )

        def failed(law: Law, error: Exception) -> None:
            why = error.message if isinstance(error, TribalError) else type(error).__name__
            code = error.code if isinstance(error, CollectionMismatch) else "CHAT_LAW_FAILED"
            failures.append(f"{code}: the {law} law could not be evaluated: {why}")

        laws: dict[Law, Callable[[], LawVerdict]] = {
            "scope": scope,
            "integrity": lambda: integrity(
                conversation.question, conversation.user_turns, entry.profile, entry.laws.integrity.patterns, meant
            ),
            "mastery": lambda: MASTERY,
        }
        return govern(laws, failed), tuple(failures)

    def _note(self, verdict: GovernorVerdict) -> None:
        changes = {
            "governor_approved": verdict.approved,
            "law_violated": verdict.law_violated,
            "governor_reason": verdict.reason,
        }
        self.state = self.state.model_copy(update=changes)

    def _end(self, finished: Finished) -> None:
        text = "".join(self.answer)
        changes = {
            "response": text or None,
            "model_selected": finished.model or "",
            "error": None if finished.error is None else finished.error.message,
            "messages": [*self.state.messages, {"role": "assistant", "content": text}],
        }
        self.state = self.state.model_copy(update=changes)

    def _stored(self, finished: Finished) -> Finished:
        """Store the answer if `chat.audit` is on; add a warning if that fails."""
        finder = self.finder
        if not finder.parts.settings.audit:
            return finished
        try:
            AuditedAnswers(finder.caller, finder.app).store(self.state)
        except StoreError as error:
            return replace(finished, warnings=(*finished.warnings, f"the answer was not stored: {error.message}"))
        return finished

    def _failed(self, error: AgentError) -> Finished:
        approved = self.state.governor_approved
        return Finished("error", GovernorVerdict(approved=True) if approved else None, error, self.state.intent)

    def _now(self) -> str:
        return self.finder.app.clock.published()


class _Limited(StopToken):
    """A stop token with an earlier deadline."""

    __slots__ = ("_outer",)

    def __init__(self, outer: StopToken, remaining: Callable[[], float]) -> None:
        super().__init__(lambda: min(remaining(), outer.remaining_seconds()))
        self._outer = outer

    @property
    def requested(self) -> bool:
        return self._outer.requested or self._cause is not None

    @property
    def cause(self) -> Exception | None:
        return self._outer.cause or self._cause

    def check(self) -> None:
        self._outer.check()
        super().check()

    def has_time_for(self, seconds: float) -> bool:
        return not self._outer.requested and super().has_time_for(seconds)


class _Lookup:
    """Search results for a question, which is searched for only once."""

    def __init__(self, finder: Finder, question: str) -> None:
        self._finder = finder
        # A disguised text is about what it shows.
        is_disguised = unicodedata.normalize("NFKC", question) != question or not question.isprintable()
        self._texts = [question, visible(question)] if is_disguised else [question]
        self._found: list[Found] | None = None

    def all(self) -> list[Found]:
        """Return the results for the question as typed and, if characters are disguised, also as a reader sees it."""
        if self._found is None:
            self._found = self._finder.find(self._texts)
        return self._found

    def best(self) -> Found:
        """Return the result to answer from."""
        return max(self.all(), key=lambda each: (max(each.relevance.topic, each.relevance.passage), -_distance(each)))


def _distance(found: Found) -> float:
    return 4.0 if found.relevance.distance is None else found.relevance.distance


def _said(verdict: GovernorVerdict) -> str:
    if not verdict.approved:
        return f"The {verdict.law_violated} law refused the question."
    idle = f" Not enforced: {', '.join(verdict.not_enforced)}." if verdict.not_enforced else ""
    return f"The laws approved the question.{idle}"


def _found(found: Found) -> str:
    tables = len(found.documented.documents) if found.documented else 0
    passages = len(found.passages)
    return (
        f"Found {tables} {'table' if tables == 1 else 'tables'} and {passages}"
        f" {'passage' if passages == 1 else 'passages'}."
    )
