"""A detective that is a language model, with other models as fallback."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from tribal.capabilities.interrogation.asking_models.prose import QUESTIONS, STATEMENTS, ProseCheck, Resolve
from tribal.capabilities.interrogation.asking_models.replies import ask
from tribal.capabilities.interrogation.asking_models.requests import (
    ANALYSIS_SCHEMA,
    AUDIT_SCHEMA,
    GAP_CHARS,
    QUESTION_SCHEMA,
    SEVERITIES,
    analysis_data,
    audit_data,
    question_data,
    texts_of,
)
from tribal.capabilities.interrogation.asking_models.summaries import markdown_summary
from tribal.capabilities.interrogation.errors import DetectiveUnreachable, PartyFailed
from tribal.capabilities.interrogation.parties import Analysis, Audit, Question, WitnessAnswer
from tribal.ports.models.chains import ModelChain, ModelPrompt, NoReply, Reading
from tribal.prompt_templates import Prompts
from tribal.rendering.words import bounded
from tribal_contracts.answering.open_gaps import GAP_CATEGORIES
from tribal_contracts.interrogation.sessions import (
    MAX_CONTRADICTIONS,
    MAX_QUESTION_CHARS,
    Contradiction,
    Gap,
    InterrogationSession,
)

QUESTION_TOKENS, ANALYSIS_TOKENS, AUDIT_TOKENS = 400, 2_000, 3_000
"""Maximum tokens of each answer. By judgement: more than twice what the limits on its texts need."""
MOST_NEW_GAPS = 8
"""Maximum number of new gaps per answer."""
_NOT_EXISTING = "it names a table or column that does not exist"
_NO_QUESTION = "the question is empty, repeats an earlier one or breaks a rule"
_NO_DESCRIPTION = "the description of a gap is empty or breaks a rule"
_NEUTRAL: Mapping[str, str] = {
    "missing_information": "The documentation lacks something that the hypothesis needs.",
    "ambiguity": "The documentation allows more than one interpretation of the hypothesis.",
    "inconsistency": "The documentation contradicts itself or the catalog.",
    "vagueness": "The documentation is unclear about something that the hypothesis needs.",
}
"""Descriptions of gaps for which a model wrote no valid description."""


@dataclass(frozen=True, slots=True)
class _Findings:
    """Findings of a model about an answer."""

    closed: frozenset[int]
    gaps: tuple[Gap, ...]
    ask_again: bool


class ModelDetective:
    """Asks the first model, and the next model if that one fails.

    The model chooses categories, severities and the numbers of the gaps to close. It also writes texts, which are
    checked. Earlier gaps keep their text until the model closes them.

    Args:
        chain: the models in the order in which a call tries them.
        prompts: the prompt templates of interrogations.
        resolve: finds tables and columns within the scope of the session.
    """

    def __init__(self, chain: ModelChain, prompts: Prompts, resolve: Resolve) -> None:
        self._chain = chain
        self._resolve = resolve
        texts = prompts.texts
        self._question = _prompt(texts["detective_question.md"], QUESTION_SCHEMA, QUESTION_TOKENS)
        self._analysis = _prompt(texts["detective_analysis.md"], ANALYSIS_SCHEMA, ANALYSIS_TOKENS)
        self._audit = _prompt(texts["detective_audit.md"], AUDIT_SCHEMA, AUDIT_TOKENS)

    def next_question(self, session: InterrogationSession) -> Question:
        """Return the next question. If no model finds a new one, rules generate it."""
        data = question_data(session)
        check, asked = self._check(data), {_normalised(pair.question) for pair in session.qa_pairs}

        def read(value: Mapping[str, Any]) -> Reading[str]:
            text = value.get("question")
            if not isinstance(text, str):
                return Reading(None)
            checked = check.check(text, QUESTIONS)
            question = bounded(checked.text, MAX_QUESTION_CHARS)
            if not question or _normalised(question) in asked:
                return Reading(_question_by_rules(session, asked), (_NO_QUESTION,), checked.invented)
            return Reading(question, *_faults(checked.invented))

        reply = ask(self._chain, self._question, data, read, _unreachable)
        return Question(reply.value, reply.cost)

    def analyse(self, session: InterrogationSession, question: str, answer: WitnessAnswer) -> Analysis:
        """Return the open gaps after an answer. An empty answer closes no gap, and at least one gap is then open."""
        data = analysis_data(session, question, answer)
        check, before = self._check(data), session.open_gaps
        reply = ask(self._chain, self._analysis, data, lambda value: self._findings(value, check), _unreachable)
        found, is_empty = reply.value, not answer.text.strip()
        closed = frozenset[int]() if is_empty else found.closed
        gaps = [gap for number, gap in enumerate(before, 1) if number not in closed]
        gaps += [gap for gap in found.gaps if not _is_known(gap, gaps)]
        if is_empty and not gaps:
            gaps.append(
                Gap(category="missing_information", description=_NEUTRAL["missing_information"], severity="medium")
            )
        return Analysis(tuple(gaps), found.ask_again, reply.model, cost=reply.cost)

    def audit(self, session: InterrogationSession) -> Audit:
        """Return the contradictions between answers, and a summary."""
        data = audit_data(session)
        check, count = self._check(data), len(session.qa_pairs)

        def read(value: Mapping[str, Any]) -> Reading[Audit]:
            listed, summary = value.get("contradictions"), value.get("summary")
            if not isinstance(summary, str) or not _is_list(listed):
                return Reading(None)
            found = [_contradiction(each, check, count) for each in listed[:MAX_CONTRADICTIONS]]
            text, invented = markdown_summary(summary, check)
            audit = Audit(text, tuple(each for each in found if each is not None))
            faults, names = _faults(invented)
            return Reading(audit, faults if text else (*faults, "the summary is empty or breaks a rule"), names)

        reply = ask(self._chain, self._audit, data, read, _unreachable)
        return Audit(reply.value.summary, reply.value.contradictions, reply.cost)

    def _check(self, data: Mapping[str, Any]) -> ProseCheck:
        return ProseCheck(self._resolve, tuple(texts_of(data)))

    def _findings(self, value: Mapping[str, Any], check: ProseCheck) -> Reading[_Findings]:
        closed, listed, ask_again = value.get("closed"), value.get("gaps"), value.get("ask_again")
        if not (_is_list(closed) and _is_list(listed) and isinstance(ask_again, bool)):
            return Reading(None)
        gaps: list[Gap] = []
        faults: dict[str, None] = {}
        invented: list[str] = []
        for each in listed[:MOST_NEW_GAPS]:
            read = self._gap(each, check)
            if read.value is None:
                return Reading(None)
            gaps.append(read.value)
            faults.update(dict.fromkeys(read.faults))
            invented += read.invented
        numbers = frozenset(number for number in closed if type(number) is int)
        return Reading(_Findings(numbers, tuple(gaps), ask_again), tuple(faults), tuple(invented))

    def _gap(self, value: object, check: ProseCheck) -> Reading[Gap]:
        """Read a gap. Targets and sentences that name something that does not exist are left out."""
        if not isinstance(value, Mapping):
            return Reading(None)
        category, severity, named = value.get("category"), value.get("severity"), value.get("target")
        text = value.get("description")
        if not (
            category in GAP_CATEGORIES and severity in SEVERITIES and isinstance(named, str) and isinstance(text, str)
        ):
            return Reading(None)
        target = self._resolve(named.strip()) if named.strip() else None
        checked = check.check(text, STATEMENTS)
        description = bounded(checked.text, GAP_CHARS)
        unknown = (named,) if named.strip() and target is None else ()
        faults, invented = _faults((*checked.invented, *unknown))
        if not description:
            faults = (*faults, _NO_DESCRIPTION)
        gap = Gap(category=category, severity=severity, target=target, description=description or _NEUTRAL[category])
        return Reading(gap, faults, invented)


def _prompt(instructions: str, schema: Mapping[str, Any], answer_tokens: int) -> ModelPrompt:
    return ModelPrompt(instructions=instructions, schema=schema, answer_tokens=answer_tokens)


def _unreachable(reply: NoReply) -> PartyFailed:
    return DetectiveUnreachable(
        f"no detective could be reached: {reply.message}", reply.cost.notes, temporary=reply.may_pass
    )


def _faults(invented: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    names = tuple(invented)
    return ((_NOT_EXISTING,) if names else ()), names


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_known(gap: Gap, gaps: Sequence[Gap]) -> bool:
    """Return whether a gap of this category is already open for the same target, or with the same text."""
    return any(
        gap.category == each.category
        and (gap.description == each.description if gap.target is None else gap.target == each.target)
        for each in gaps
    )


def _normalised(question: str) -> str:
    return " ".join(question.lower().split()).rstrip("?!. ")


def _question_by_rules(session: InterrogationSession, asked: set[str]) -> str:
    """Return a new question about an open gap, or otherwise about the hypothesis."""
    for gap in session.open_gaps:
        about = f" about {gap.target}" if gap.target else ""
        question = bounded(
            f"What does the documentation say{about} that closes this gap: {gap.description}", MAX_QUESTION_CHARS
        )
        if _normalised(question) not in asked:
            return question
    number = session.current_iteration + 1
    return f"What else is documented that the hypothesis needs (question {number})?"


def _contradiction(value: object, check: ProseCheck, pairs: int) -> Contradiction | None:
    if not isinstance(value, Mapping):
        return None
    first, second, text = value.get("first"), value.get("second"), value.get("description")
    if type(first) is not int or type(second) is not int or not isinstance(text, str):
        return None
    low, high = sorted((first - 1, second - 1))
    description = bounded(check.check(text, STATEMENTS).text, GAP_CHARS)
    if not description or not 0 <= low <= high < pairs:
        return None
    return Contradiction(qa_pair_indexes=[low, high], description=description)
