"""A detective and a witness by script, held to the same conformance suites as the real ones.

Both depend on nothing but what they are given, except for the failures that a test plans.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tribal.capabilities.interrogation.parties import Analysis, Audit, Question, WitnessAnswer
from tribal.identity.table_names import TableIdentity
from tribal.identity.targets import target_hash, target_name
from tribal.ports.models.chains import Cost, TrailNote
from tribal_contracts import ModelUsage, TableDocument
from tribal_contracts.answering.answers import AnswerSource
from tribal_contracts.answering.open_gaps import GapQuestion, GapSeverity, OpenGap
from tribal_contracts.interrogation.sessions import Contradiction, Gap, InterrogationSession

DETECTIVE = "openai:gpt-4o"
OTHER = "anthropic:claude-sonnet-4"
WITNESS = "documentation:1"
SWITCH = TrailNote("provider_switch", "429 from the provider", DETECTIVE, OTHER)
USAGE = ModelUsage(calls=1, input_tokens=100, output_tokens=10, nanodollars=5)


def gap(target: str, severity: GapSeverity = "medium") -> Gap:
    return Gap(
        category="missing_information", description=f"nothing says what {target} is", severity=severity, target=target
    )


def open_gap(document: TableDocument, column: str | None, *questions: str, severity: GapSeverity = "medium") -> OpenGap:
    """A gap that these questions of an exam found in a document as it is."""
    target = target_name(TableIdentity.parse(document.name), column)
    return OpenGap(
        target=target,
        category="missing_information",
        target_hash=target_hash(document, column),
        questions=[
            GapQuestion(
                key=text, text=text, severity=severity, description=f"nothing says what {target} is", from_exam=True
            )
            for text in questions
        ],
        others={},
    )


def do_nothing(step: str) -> None:
    """Called at the beginning of each step; a test raises here, or stops a session."""


@dataclass
class ScriptedDetective:
    """Asks for one gap after the other; an answer that is not empty closes it."""

    gaps: tuple[Gap, ...]
    begin: Callable[[str], None] = do_nothing
    asked: list[str] = field(default_factory=list)
    switches_at: frozenset[int] = frozenset()
    """Pairs in which it switches its provider."""

    def next_question(self, session: InterrogationSession) -> Question:
        self.begin("question")
        text = f"What is {self._unasked(session)[0].target}?"
        self.asked.append(text)
        return Question(text, self._cost(session))

    def analyse(self, session: InterrogationSession, question: str, answer: WitnessAnswer) -> Analysis:
        self.begin("analysis")
        left = self._open(session)
        if answer.text.strip():
            left = [each for each in left if question != f"What is {each.target}?"]
        unasked = [each for each in self._unasked(session)[1:] if each.severity != "low"]
        return Analysis(tuple(left), bool(unasked), DETECTIVE, cost=Cost(usage=USAGE))

    def audit(self, session: InterrogationSession) -> Audit:
        self.begin("audit")
        disputed = [number for number, pair in enumerate(session.qa_pairs) if "disputed" in pair.answer]
        contradictions = [
            Contradiction(qa_pair_indexes=[number, number], description="it contradicts the catalog")
            for number in disputed
        ]
        return Audit(f"{len(session.qa_pairs)} questions were asked.", tuple(contradictions), Cost(usage=USAGE))

    def _cost(self, session: InterrogationSession) -> Cost:
        switched = session.current_iteration + 1 in self.switches_at
        return Cost((SWITCH,) if switched else (), USAGE)

    def _open(self, session: InterrogationSession) -> list[Gap]:
        return list(session.open_gaps if session.qa_pairs else self.gaps)

    def _unasked(self, session: InterrogationSession) -> list[Gap]:
        asked = {pair.question for pair in session.qa_pairs}
        order = sorted(self.gaps, key=lambda each: each.severity == "low")
        return [each for each in order if f"What is {each.target}?" not in asked] or [gap("anything else")]


@dataclass
class ScriptedWitness:
    """Knows some texts by what they are about."""

    texts: Mapping[str, str]
    begin: Callable[[str], None] = do_nothing

    def answer(self, session: InterrogationSession, question: str) -> WitnessAnswer:
        self.begin("answer")
        assert session.is_running
        target = question.removeprefix("What is ").removesuffix("?")
        text = self.texts.get(target, "")
        source = AnswerSource(id="1", kind="table", name=target, uri=f"tribal://{target}")
        return WitnessAnswer(text, WITNESS, (source,) if text else ())
