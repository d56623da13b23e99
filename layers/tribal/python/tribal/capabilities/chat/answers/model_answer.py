"""Answers by a model: each sentence is checked before it is shown, and at most one checked query is allowed."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tribal.answering.documentation import Documentation
from tribal.capabilities.chat.answers.citations import Citations
from tribal.capabilities.chat.answers.grounding import Grounding, is_addressed_to_a_model
from tribal.capabilities.chat.answers.releasing import CodeBlock, Releaser, Sentence
from tribal.capabilities.chat.answers.sources import Source
from tribal.capabilities.chat.conversations import Conversation
from tribal.capabilities.chat.events import TextPiece
from tribal.errors import TribalError
from tribal.ports import ModelFailure, StopToken
from tribal.ports.models.chains import StreamedAnswer
from tribal.rendering.markdown import fence
from tribal.sql.scanner import without_comments
from tribal.text_checks import split_sentences
from tribal_contracts import DatabaseType
from tribal_contracts.answering.answers import AnswerVerdict
from tribal_contracts.chat.settings import Intent

NOT_DOCUMENTED = "NOT DOCUMENTED"
"""Answer that a model gives if its sources do not answer the question."""
EARLIER_TURNS, TURN_CHARS, SOURCE_CHARS = 6, 1_000, 2_400
"""Maximum earlier turns for a model, and maximum characters of a turn and of a source. By judgement."""
_SQL = ("", "sql", "postgresql", "postgres", "snowflake")


@dataclass(slots=True)
class ModelResult:
    """How a model's answer ended."""

    failure: ModelFailure | None = None
    released: int = 0
    """Number of sentences and queries that were shown."""
    dropped: int = 0
    has_query: bool = False
    not_documented: bool = False
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class OfflineAnswer:
    """The answer without a model, which a model may rephrase."""

    statements: Sequence[tuple[str, Sequence[Source]]]
    sql: str | None
    verdict: AnswerVerdict


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """Reads a model's answer to a question and checks it against the sources."""

    conversation: Conversation
    intent: Intent
    offline: OfflineAnswer
    sources: Mapping[int, Source]
    """Sources by the number that the model sees."""
    citations: Citations
    documentation: Documentation | None
    """Checks SQL; `None` if the collection has no databases."""

    def read(self, pieces: StreamedAnswer, stop: StopToken) -> Generator[TextPiece, None, ModelResult]:
        """Yield each complete sentence that passes the checks. Closing the generator cancels the call."""
        result, checked, releaser = ModelResult(), _Checked(self), Releaser()
        try:
            while True:
                try:
                    piece = next(pieces)
                except StopIteration as end:
                    outcome = end.value
                    break
                if stop.requested:
                    result.failure = ModelFailure("interrupted", "the answer was stopped")
                    return result
                yield from checked.release(releaser.feed(piece), result)
        finally:
            pieces.close()
        if not isinstance(outcome, ModelFailure) or outcome.kind == "truncated":
            # The last sentence of a truncated answer is not whole.
            yield from checked.release([] if isinstance(outcome, ModelFailure) else releaser.finish(), result)
        result.failure = outcome if isinstance(outcome, ModelFailure) else None
        return result

    def data(self) -> dict[str, Any]:
        """Return the request to a model: the answer without a model, then the remaining content of its sources."""
        turns = self.conversation.earlier[-EARLIER_TURNS:]
        numbers = {source: number for number, source in self.sources.items()}
        answer = [{"says": text, "n": [numbers[each] for each in sources]} for text, sources in self.offline.statements]
        said = {text for text, _ in self.offline.statements}
        texts = {
            number: "\n".join(line for line in each.text.splitlines() if line not in said)
            for number, each in self.sources.items()
        }
        return {
            "question": self.conversation.question,
            "purpose": self.intent,
            "earlier": [{"by": turn.role, "text": _without_orders(turn.text)[:TURN_CHARS]} for turn in turns],
            "answer": answer,
            "verdict": self.offline.verdict,
            "sql": self.offline.sql,
            "sources": [{"n": number, "says": text[:SOURCE_CHARS]} for number, text in texts.items() if text],
        }


def _without_orders(text: str) -> str:
    """Remove instructions to a model from an earlier turn, which a caller may have forged."""
    return " ".join(each for each in split_sentences(text) if not is_addressed_to_a_model(each))


class _Checked:
    """Releases the parts of an answer that pass the checks."""

    def __init__(self, answer: ModelAnswer) -> None:
        said = [turn.text for turn in answer.conversation.earlier if turn.role == "assistant"]
        self._answer = answer
        self._grounding = Grounding(answer.sources, answer.conversation.question, said)
        self._has_text = False

    def release(self, parts: Iterable[Sentence | CodeBlock], result: ModelResult) -> Iterator[TextPiece]:
        """Yield what may be shown of these sentences and code blocks."""
        for part in parts:
            text = self._query(part, result) if isinstance(part, CodeBlock) else self._sentence(part, result)
            if text is None:
                continue
            result.released += 1
            yield TextPiece(text)

    def _sentence(self, sentence: Sentence, result: ModelResult) -> str | None:
        if NOT_DOCUMENTED in sentence.text:
            result.not_documented = True
            return None
        checked = self._grounding.check(sentence.text)
        if checked is None:
            result.dropped += 1
            return None
        cited = self._answer.citations.cite([self._answer.sources[number] for number in checked.cited])
        lead = ("\n" if sentence.starts_line else " ") if self._has_text else ""
        self._has_text = True
        text = checked.text if checked.text[-1] in ".!?\u2026:" else f"{checked.text}."
        return f"{lead}{'- ' if sentence.is_item else ''}{text} {cited}"

    def _query(self, block: CodeBlock, result: ModelResult) -> str | None:
        sql = without_comments(block.text, self._dialect).strip()
        problem = self._problem(block.language, sql, result)
        if problem is not None:
            result.dropped += 1
            result.warnings.append(problem)
            return None
        result.has_query = self._has_text = True
        return f"\n\n{fence(sql, 'sql')}\n"

    @property
    def _dialect(self) -> DatabaseType:
        return next((each.dialect for each in self._answer.sources.values() if each.dialect is not None), "postgres")

    def _problem(self, language: str, sql: str, result: ModelResult) -> str | None:
        """Return why a code block is not shown; `None` if it is."""
        documentation = self._answer.documentation
        given = [each.database for each in self._answer.sources.values() if each.database is not None]
        databases = list(dict.fromkeys(given))
        if language not in _SQL or documentation is None or not databases:
            return "a code block was left out: only checked SQL on documented tables is shown"
        if result.has_query:
            return "a second query was left out: an answer may contain only one"
        if self._grounding.carries_out_instruction(sql):
            return "a query was left out because it follows an instruction found in a source"
        try:
            checks = [documentation.check_sql(sql, each) for each in databases]
        except TribalError as error:
            return f"a query was left out because it could not be checked: {error.message}"
        checked = next((each for each in checks if each.valid), checks[0])
        errors = [each for each in checked.findings if each.severity == "error"]
        if not errors:
            self._answer.citations.notes += [each.message for each in checked.findings]
            return None
        policies = [each.message for each in errors if each.code == "policy_blocked"]
        if policies:
            return f"a query was left out because a policy forbids it: {policies[0]}"
        return f"a query was left out because it is not valid: {errors[0].message}"
