"""The documentation as a witness: it repeats what is documented, with sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribal.answering.answer import numbered
from tribal.answering.statements import Statement
from tribal.capabilities.interrogation.parties import WitnessAnswer
from tribal.capabilities.interrogation.rules.reading import SessionReader
from tribal.errors import ToolInputInvalid
from tribal_contracts.answering.answers import AskInput
from tribal_contracts.interrogation.sessions import InterrogationSession

DOCUMENTATION = "documentation:1"


@dataclass(frozen=True, slots=True)
class DocumentationWitness:
    """Answers the detective's own questions exactly, and other questions as `ask` does."""

    reader: SessionReader

    def answer(self, session: InterrogationSession, question: str) -> WitnessAnswer:
        """Return the statements of the documentation, one per line; may be empty."""
        asked = [each for each in self.reader.read(session).inquiries if each.question == question]
        if asked:
            return _answer(asked[0].statements)
        try:
            answer = self.reader.documentation.answer(AskInput(question=question, domain=session.domain))
        except ToolInputInvalid:
            return _answer(())
        return WitnessAnswer("\n".join(each.text for each in answer.statements), DOCUMENTATION, tuple(answer.sources))


def _answer(said: Sequence[Statement]) -> WitnessAnswer:
    _, sources = numbered(said)
    return WitnessAnswer("\n".join(dict.fromkeys(each.text for each in said)), DOCUMENTATION, tuple(sources))
