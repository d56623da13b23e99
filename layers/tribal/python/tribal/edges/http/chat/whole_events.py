"""Makes the events of an answer complete and ordered, whatever their source does."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tribal.capabilities.chat.errors import ChatFailed
from tribal.capabilities.chat.events import ChatEvent, Finished, Governed, SourcesFound, Step, TextPiece
from tribal.errors import TribalError
from tribal.ports.stopping import StopToken

if TYPE_CHECKING:
    from tribal_contracts import AgentError

GRACE_SECONDS = 5.0
"""How long after its deadline an answer may still say how it ended. By judgement."""
LAST_EVENTS = 100
"""How many events of an answer that was asked to stop are read, to find out how it ended. By judgement."""
_MARK = re.compile(r"\[(\d+)\]")
"""How the text cites a source."""
_LOG = logging.getLogger(__name__)

EventSource = Callable[[StopToken], Generator[ChatEvent, None, None]]
"""Makes the events of an answer; it may block, and begins with the first event."""


@dataclass(frozen=True, slots=True)
class AnswerEvents:
    """The events of one answer.

    Args:
        source: makes them; it may end early, fail, or continue after its end.
        published: the time of errors.
    """

    source: EventSource
    published: Callable[[], str]

    def __call__(self, stop: StopToken) -> Generator[ChatEvent, None, None]:
        """The events in the order of both framings, with exactly one `Finished`, last.

        Steps come before the text, what the laws say and the sources at most once each; others are left out. A source
        that ends without `Finished`, or fails, is finished with an error. After a request to stop, or the deadline,
        no text is passed on: an answer that had more ends with an error, after the sources that its text cites.
        """
        order = _Order()
        error: TribalError | None = None
        try:
            with closing(self.source(stop)) as events:
                for event in events:
                    if isinstance(event, Finished):
                        if order.lacks_text and event.reason == "stop":
                            event = replace(event, reason="error", error=self._described(_why_ended(stop)))
                        if event.reason == "error" and event.error is None:
                            event = replace(event, error=self._described(_unexpected()))
                        yield order.finished(event)
                        return
                    if _has_ended(stop):
                        found = order.cited_sources(event)
                        if order.ignored > LAST_EVENTS:
                            break
                        yield from found
                    elif order.allows(event):
                        yield event
        except Exception as failure:  # noqa: BLE001 - the outermost edge: the headers are sent, so the answer says it
            if order.is_finished:
                _LOG.debug("an answer failed after its end", exc_info=True)
                return
            _LOG.debug("an answer failed", exc_info=True)
            error = failure if isinstance(failure, TribalError) else None
        yield order.finished(Finished("error", error=self._described(error or _why_ended(stop))))

    def _described(self, error: TribalError) -> AgentError:
        return error.to_agent_error(self.published())


class _Order:
    """What of an answer has been passed on."""

    def __init__(self) -> None:
        self.is_finished = False
        self.ignored = 0
        self.lacks_text = False
        """Whether the answer went on after it was asked to stop."""
        self._cited: set[str] = set()
        self._governed: Governed | None = None
        self._has_text = False
        self._has_sources = False

    def allows(self, event: object) -> bool:
        """Whether an event may come now; records it."""
        match event:
            case Step(text):
                return bool(text) and not self._has_text
            case TextPiece(text):
                self._has_text = self._has_text or bool(text)
                self._cited.update(_MARK.findall(text))
                return bool(text)
            case SourcesFound():
                first, self._has_sources = not self._has_sources, True
                return first
            case Governed():
                first, self._governed = self._governed is None, self._governed or event
                return first
        return False

    def cited_sources(self, event: object) -> list[SourcesFound]:
        """Return the sources among what comes too late that the text so far cites; records the rest as ignored."""
        if isinstance(event, SourcesFound) and self.allows(event):
            return [SourcesFound(tuple(each for each in event.sources if each.source_id in self._cited))]
        self.ignored += 1
        self.lacks_text = self.lacks_text or (isinstance(event, TextPiece) and bool(event.text))
        return []

    def finished(self, event: Finished) -> Finished:
        """The last event, which repeats what the laws say."""
        self.is_finished = True
        if event.governor is None and self._governed is not None:
            return replace(event, governor=self._governed.verdict)
        return event


def _has_ended(stop: StopToken) -> bool:
    return stop.requested or stop.remaining_seconds() < -GRACE_SECONDS


def _why_ended(stop: StopToken) -> TribalError:
    if isinstance(stop.cause, TribalError):
        return stop.cause
    if stop.remaining_seconds() <= 0:
        return ChatFailed("the answer took longer than `chat.answer_seconds` allows; ask for less at once")
    return _unexpected()


def _unexpected() -> ChatFailed:
    return ChatFailed("the answer failed unexpectedly; ask again, and report it if that does not help")
