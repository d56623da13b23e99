"""A deterministic detective without a model: it asks what an analyst would ask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tribal.capabilities.interrogation.parties import Analysis, Audit, Question, WitnessAnswer
from tribal.capabilities.interrogation.rules.contradicted import contradicted, contradictions_of
from tribal.capabilities.interrogation.rules.inquiries import Inquiry
from tribal.capabilities.interrogation.rules.reading import SessionReader
from tribal.capabilities.interrogation.sessions.audits import summary_of
from tribal_contracts.interrogation.sessions import Contradiction, Gap, InterrogationSession

RULES = "rules:1"


@dataclass(frozen=True, slots=True)
class RulesDetective:
    """Asks every question about the hypothesis, in order."""

    reader: SessionReader

    def next_question(self, session: InterrogationSession) -> Question:
        """Return the first question that has not been asked."""
        asked = {pair.question for pair in session.qa_pairs}
        every = self.reader.read(session).inquiries
        return Question(next((each.question for each in every if each.question not in asked), every[-1].question))

    def analyse(self, session: InterrogationSession, question: str, answer: WitnessAnswer) -> Analysis:
        """Return what the documentation lacks, and the questions without an answer. Continues until all questions are
        asked."""
        answers = {pair.question: pair.answer for pair in session.qa_pairs} | {question: answer.text}
        read = self.reader.read(session)
        unasked = [each for each in read.inquiries if each.question not in answers]
        gaps = [*contradicted(read.focus), *(gap for each in read.inquiries for gap in _gaps(each, answers))]
        return Analysis(tuple(gaps), bool(unasked), RULES)

    def audit(self, session: InterrogationSession) -> Audit:
        """Return the contradictions between texts and the catalog, and a summary."""
        found = tuple(self._contradictions(session))
        return Audit(summary_of(session, found), found)

    def _contradictions(self, session: InterrogationSession) -> Iterator[Contradiction]:
        for name, each in contradictions_of(self.reader.read(session).focus):
            citing = (
                place
                for place, pair in enumerate(session.qa_pairs)
                if any(source.name == name for source in pair.sources or ())
            )
            place = next(citing, 0)
            yield Contradiction(qa_pair_indexes=[place, place], description=each.description)


def _gaps(inquiry: Inquiry, answers: dict[str, str]) -> Sequence[Gap]:
    """Return the gaps of an inquiry. If it can be answered, it counts as a gap itself until the witness answers."""
    if not inquiry.statements or answers.get(inquiry.question, "").strip():
        return inquiry.gaps
    text = f"not answered: {inquiry.question}"
    return [*inquiry.gaps, Gap(category="missing_information", description=text, severity="medium")]
