"""Read the documentation for a session: what its hypothesis is about, and what to ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tribal.answering.documentation import Documentation
from tribal.answering.focus import Focus
from tribal.capabilities.interrogation.rules.inquiries import Inquiry, inquiries
from tribal_contracts.answering.answers import AskInput
from tribal_contracts.interrogation.sessions import InterrogationSession


@dataclass(frozen=True, slots=True)
class HypothesisReading:
    """What a hypothesis is about, and what to ask."""

    focus: Focus
    inquiries: Sequence[Inquiry]


@dataclass(frozen=True, slots=True)
class SessionReader:
    """Reads the hypothesis of a session once, within the caller's scope. Only the latest reading is kept."""

    documentation: Documentation
    _read: dict[str, HypothesisReading] = field(default_factory=dict)

    def read(self, session: InterrogationSession) -> HypothesisReading:
        """Return the reading of a session's hypothesis.

        Raises:
            IndexNotReady: when there is no finished index.
        """
        if session.id not in self._read:
            self._read.clear()
            text = session.hypothesis.text
            focus, filled = self.documentation.form(AskInput(question=text, domain=session.domain))
            self._read[session.id] = HypothesisReading(focus, inquiries(focus, filled, text))
        return self._read[session.id]
