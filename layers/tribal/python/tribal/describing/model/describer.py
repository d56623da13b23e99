"""The describer that asks a model for what nobody has said and rules do not know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property

from tribal.describing.model.grounding import KnownNames
from tribal.describing.model.questions import (
    Asking,
    domain_key,
    domain_question,
    is_open,
    question_key,
    table_questions,
)
from tribal.describing.model.questions.domains import MAX_TABLES
from tribal.describing.model.quoting import quote_domain, quote_questions
from tribal.describing.model.shelf import ProseShelf
from tribal.describing.model.writing import Writer, unanswered
from tribal.describing.rules.describer import RulesDescriber
from tribal.errors import DescriptionPostponed
from tribal.ports import (
    Clock,
    DomainContext,
    DomainDescription,
    LanguageModel,
    ModelFacts,
    ModelFailure,
    ModelRequest,
    TableContext,
    TableDescription,
)
from tribal_contracts import AgentError, Description, Evidence, KeptProse, KeptSlice, ModelQuote, agent_error

MODEL_VERSION = "1"
"""To be changed whenever the same prose would be put into other descriptions."""
CONFIDENCE = 0.6
"""Of what a model wrote and the checks let pass: above what rules read from names, below what samples show."""


class ModelDescriber:
    """Fills what is open with a model's prose; rules describe the rest, and everything where the model fails.

    Args:
        model: is asked one question a table, or a few of a wide one.
        asking: what is the same for all questions. facts: prices, for quotes.
        shelf: keeps the prose.
        names: the names of the catalog; read when the first answer is.
        clock: dates what is kept and warned of.
    """

    def __init__(
        self,
        model: LanguageModel,
        asking: Asking,
        facts: ModelFacts,
        shelf: ProseShelf,
        names: Callable[[], KnownNames | None],
        clock: Clock,
    ) -> None:
        self._rules = RulesDescriber()
        self._model = model
        self._asking = asking
        self._facts = facts
        self._shelf = shelf
        self._names = names
        self._clock = clock

    @cached_property
    def version(self) -> str:
        """The versions of rules and prompts, the model, and the settings that its prose depends on."""
        return f"{self._rules.version}+{MODEL_VERSION}:{self._asking.model}:{self._asking.key(None)[:16]}"

    @property
    def at_once(self) -> int:
        """As many as calls may be under way."""
        return self._asking.settings.calls_at_once

    @property
    def longest_seconds(self) -> float:
        """One call and its repair; of a wide table, the rest may be postponed."""
        return 2 * self._asking.settings.call_timeout_seconds

    def quote(self, context: TableContext) -> ModelQuote | None:
        """What the questions about a table would cost; `None` if nothing is open, or the prose is kept."""
        rules = self._rules.describe_table(context)
        questions = table_questions(context, rules, self._asking)
        if not questions:
            return None
        kept = self._shelf.find(questions[0].subject, question_key(context, rules, self._asking))
        if kept.prose is not None:
            return None
        left = [part for each in questions for part in unanswered(each, kept.slices)]
        return quote_questions(left, self._asking, self._facts)

    def requests(self, context: TableContext) -> list[ModelRequest]:
        """The questions about what is open in a table."""
        questions = table_questions(context, self._rules.describe_table(context), self._asking)
        return [question.request(self._asking.settings.call_timeout_seconds) for question in questions]

    def quote_domain(self, context: DomainContext, *, changed: bool) -> ModelQuote | None:
        """What the question about a domain would cost; `None` if it is not open, or the prose is kept."""
        if not self._is_open(context):
            return None
        if not changed and self._shelf.find(context.domain, domain_key(context, self._asking)).prose:
            return None
        return quote_domain(min(len(context.tables), MAX_TABLES), self._asking, self._facts)

    def describe_table(self, context: TableContext) -> TableDescription:
        """Describe a table: what a person, a comment or a declaration says stands, the model writes the rest.

        Raises:
            DescriptionPostponed: when the time left is too short for a call.
            StoreError: when prose or budget cannot be read or written.
        """
        rules = self._rules.describe_table(context)
        questions = table_questions(context, rules, self._asking)
        if not questions:
            return rules
        name = questions[0].subject
        key = question_key(context, rules, self._asking)
        kept = self._shelf.find(name, key)
        if kept.prose is not None:
            return _with_prose(rules, kept.prose, _shown_keys(context), asked=questions[0].asks_text)
        written = self._writer(name, kept.slices).write(questions)
        if written.failure is not None:
            return replace(rules, usage=written.usage, warning=self._warning(written.failure, "table", name))
        prose = self._shelf.keep(name, key, self._asking.model, written)
        described = _with_prose(rules, prose, _shown_keys(context), asked=questions[0].asks_text)
        return replace(described, usage=written.usage)

    def describe_domain(self, context: DomainContext) -> DomainDescription:
        """Title and describe a domain, unless the comments of its schemas say what it is.

        Raises:
            StoreError: when prose or budget cannot be read or written.
        """
        rules = self._rules.describe_domain(context)
        if not self._is_open(context):
            return rules
        key = domain_key(context, self._asking)
        prose, usage = self._shelf.find(context.domain, key).prose, None
        if prose is None:
            written = self._writer(context.domain, {}).write([domain_question(context, self._asking)])
            usage = written.usage
            if written.failure is not None:
                return replace(rules, usage=usage, warning=self._warning(written.failure, "domain", context.domain))
            prose = self._shelf.keep(context.domain, key, self._asking.model, written)
        said = _said(prose.text, [_NAMES]) if prose.text else rules.description
        return DomainDescription(said, title=prose.title, usage=usage)

    def _is_open(self, context: DomainContext) -> bool:
        return bool(context.tables) and self._rules.describe_domain(context).description.source == "derived"

    def _writer(self, subject: str, slices: Mapping[str, KeptSlice]) -> Writer:
        def keep_slice(key: str, part: KeptSlice) -> None:
            self._shelf.keep_slice(subject, key, self._asking.model, part)

        return Writer(self._model, self._names(), self._asking.settings.call_timeout_seconds, slices, keep_slice)

    def _warning(self, failure: ModelFailure, what: str, name: str) -> AgentError:
        if failure.kind == "interrupted" and what == "table":
            raise DescriptionPostponed(failure.message)
        exhausted = failure.kind == "exhausted"
        subject = name if what == "table" else f"the domain {name}"
        return agent_error(
            "DOC_BUDGET_EXHAUSTED" if exhausted else "DOC_LLM_FAILED",
            f"rules describe {subject} until the next run asks the model: {failure.message}",
            timestamp=self._clock.published(),
            context={what: name, "reason": failure.message},
        )


_NAMES = Evidence(kind="read", of="names")
_KEYS = Evidence(kind="declared", of="keys")
_SAMPLES = Evidence(kind="seen", of="samples")


def _shown_keys(context: TableContext) -> bool:
    return bool(context.table.foreign_keys or context.incoming)


def _with_prose(rules: TableDescription, prose: KeptProse, keys: bool, *, asked: bool) -> TableDescription:
    """The rules' description with the model's prose where it has any and samples do not tell more.

    Args:
        asked: whether the model was asked for the table's own text.
    """
    evidence = [_NAMES, *([_KEYS] if keys else []), *([_SAMPLES] if prose.from_samples else [])]
    columns = {
        name: _said(prose.columns[name], evidence) if name in prose.columns and is_open(said) else said
        for name, said in rules.columns.items()
    }
    if not prose.text:
        return replace(rules, columns=columns, left_to_rules=_why_open(prose) if asked else "")
    return replace(rules, table=_said(prose.text, evidence), columns=columns)


def _why_open(prose: KeptProse) -> str:
    broken = sorted({dropped.rule for dropped in prose.dropped if not dropped.subject})
    return f"what the model wrote broke the rules {', '.join(broken)}" if broken else "the model left it open"


def _said(text: str, evidence: list[Evidence]) -> Description:
    return Description(text=text, source="model", confidence=CONFIDENCE, evidence=evidence)
