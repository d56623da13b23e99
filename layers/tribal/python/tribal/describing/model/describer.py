"""The describer that asks a model for descriptions that nothing else provides, and estimates what that costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from tribal.describing.model.failing import FailureStreak
from tribal.describing.model.fitness import USUAL_ANSWER_TOKENS
from tribal.describing.model.prose_cache import ProseCache
from tribal.describing.model.questions import (
    ANSWER_SCHEMA,
    Prompting,
    Question,
    domain_key,
    domain_question,
    earlier_question_key,
    is_open,
    question_key,
    table_questions,
)
from tribal.describing.model.questions.domains import MAX_TABLES
from tribal.describing.model.text_counter import TextCounter
from tribal.describing.model.writing import Writer, WriteResult, unanswered
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
from tribal.ports.models.calls import BYTES_A_TOKEN
from tribal.text_checks import KnownNames
from tribal_contracts import (
    AgentError,
    Description,
    Evidence,
    KeptProse,
    KeptSlice,
    ModelQuote,
    ModelTest,
    ModelUsage,
    WrittenTexts,
    agent_error,
)

MODEL_VERSION = "2"
"""Change it whenever the same model text would yield different descriptions."""
CONFIDENCE = 0.6
"""For model text that passed the checks: above what rules read from names, below what samples show."""


@dataclass(frozen=True, slots=True)
class RunModel:
    """The model of a run, and what its describers share."""

    model: LanguageModel
    """Gets one question per table, or several for a wide table."""
    facts: ModelFacts
    """Prices, for quotes."""
    failing: FailureStreak
    """Counts questions without an answer."""
    confidence: float = CONFIDENCE
    """Confidence of the model's texts."""
    test: ModelTest | None = None
    """Its recorded test, which says how fast it writes."""

    def seconds(self, answer_tokens: int) -> float:
        """Estimate the time of an answer of so many tokens, besides what the model thinks."""
        if self.test is None or not self.test.tokens_per_second:
            return _SECONDS_A_CALL
        more = self.test.usage.output_tokens / max(self.test.usage.calls, 1) - USUAL_ANSWER_TOKENS
        return (answer_tokens + max(more, 0.0)) / self.test.tokens_per_second


class ModelDescriber:
    """Uses a model's text for open descriptions, and rules for the rest or if the model fails.

    Args:
        asked: the model, which is asked about what is open.
        prompting: what all questions share.
        cache: stores the model's texts.
        names: the names of the catalog; read with the first answer.
        clock: dates cached texts and warnings.
    """

    def __init__(
        self,
        asked: RunModel,
        prompting: Prompting,
        cache: ProseCache,
        names: Callable[[], KnownNames | None],
        clock: Clock,
    ) -> None:
        self._rules = RulesDescriber()
        self._asked = asked
        self._prompting = prompting
        self._cache = cache
        self._names = names
        self._clock = clock
        self._texts = TextCounter()

    @cached_property
    def version(self) -> str:
        """The versions of rules and prompts, the model, and the settings that its prose depends on."""
        key = self._prompting.key(None)[:16]
        confidence = f":{self._asked.confidence:.2f}" * (self._asked.confidence != CONFIDENCE)
        return f"{self._rules.version}+{MODEL_VERSION}:{self._prompting.model}:{key}{confidence}"

    @property
    def texts(self) -> WrittenTexts:
        """Texts about tables and columns that the model has written so far."""
        return self._texts.total

    @property
    def at_once(self) -> int:
        """The number of calls that may run at once."""
        return self._prompting.settings.parallel_calls

    @property
    def longest_seconds(self) -> float:
        """One call and its repair; further questions about a wide table may be postponed."""
        return 2 * self._prompting.settings.deadline_seconds

    def quote(self, context: TableContext) -> ModelQuote | None:
        """What the questions about a table would cost; `None` if nothing is open or the answers are cached."""
        rules = self._rules.describe_table(context)
        questions = table_questions(context, rules, self._prompting)
        if not questions:
            return None
        kept = self._cache.find(questions[0].subject, *self._keys(context, rules))
        if kept.prose is not None:
            return None
        left = filter(None, (unanswered(each, kept.slices) for each in questions))
        return _quote_questions(left, self._prompting, self._asked)

    def requests(self, context: TableContext) -> list[ModelRequest]:
        """The questions about what is open in a table."""
        questions = table_questions(context, self._rules.describe_table(context), self._prompting)
        return [question.request(self._prompting.limits) for question in questions]

    def quote_domain(self, context: DomainContext, *, changed: bool) -> ModelQuote | None:
        """What the question about a domain would cost; `None` if it is not open or the answer is cached."""
        if not self._is_open(context):
            return None
        if not changed and self._cache.find(context.domain, domain_key(context, self._prompting)).prose:
            return None
        return _quote_domain(min(len(context.tables), MAX_TABLES), self._prompting, self._asked)

    def describe_table(self, context: TableContext) -> TableDescription:
        """Describe a table: texts from people, comments and declarations are kept, the model writes the rest.

        Raises:
            DescriptionPostponed: when the time left is too short for a call.
            StoreError: when the cache or the budget cannot be read or written.
        """
        rules = self._rules.describe_table(context)
        questions = table_questions(context, rules, self._prompting)
        if not questions:
            return rules
        name = questions[0].subject
        key, earlier_key = self._keys(context, rules)
        kept = self._cache.find(name, key, earlier_key)
        if kept.prose is not None:
            self._cache.move(kept.prose, key)
            return self._described(rules, kept.prose, context, asked=questions[0].asks_text)
        written = self._counted(self._writer(name, kept.slices).write(questions))
        if written.failure is not None:
            return replace(rules, usage=written.usage, warning=self._warning(written.failure, "table", name))
        self._texts.count(written)
        prose = self._cache.keep(name, key, self._prompting.model, written)
        described = self._described(rules, prose, context, asked=questions[0].asks_text)
        return replace(described, usage=written.usage)

    def describe_domain(self, context: DomainContext) -> DomainDescription:
        """Title and describe a domain, unless the comments of its schemas say what it is.

        Raises:
            StoreError: when the cache or the budget cannot be read or written.
        """
        rules = self._rules.describe_domain(context)
        if not self._is_open(context):
            return rules
        key = domain_key(context, self._prompting)
        prose, usage = self._cache.find(context.domain, key).prose, None
        if prose is None:
            written = self._counted(self._writer(context.domain, {}).write([domain_question(context, self._prompting)]))
            usage = written.usage
            if written.failure is not None:
                return replace(rules, usage=usage, warning=self._warning(written.failure, "domain", context.domain))
            prose = self._cache.keep(context.domain, key, self._prompting.model, written)
        said = _said(prose.text, [_NAMES], self._asked.confidence) if prose.text else rules.description
        return DomainDescription(said, title=prose.title, usage=usage)

    def _described(
        self, rules: TableDescription, prose: KeptProse, context: TableContext, *, asked: bool
    ) -> TableDescription:
        return _with_prose(rules, prose, _shown_keys(context), asked=asked, confidence=self._asked.confidence)

    def _keys(self, context: TableContext, rules: TableDescription) -> tuple[str, str]:
        return question_key(context, rules, self._prompting), earlier_question_key(context, rules, self._prompting)

    def _is_open(self, context: DomainContext) -> bool:
        # The names of a domain's tables are too many to tell what a model that failed its test has made up.
        return (
            not self._prompting.is_strict
            and bool(context.tables)
            and self._rules.describe_domain(context).description.source == "derived"
        )

    def _writer(self, subject: str, slices: Mapping[str, KeptSlice]) -> Writer:
        def keep_slice(key: str, part: KeptSlice) -> None:
            self._cache.keep_slice(subject, key, self._prompting.model, part)

        return Writer(self._asked.model, self._names(), self._prompting.limits, slices, keep_slice)

    def _counted(self, written: WriteResult) -> WriteResult:
        if written.failure is None or written.text or written.columns:
            self._asked.failing.end()
        else:
            self._asked.failing.count(written.failure, written.usage.time_ms)
        return written

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


def _with_prose(
    rules: TableDescription, prose: KeptProse, keys: bool, *, asked: bool, confidence: float
) -> TableDescription:
    """The rules' description, with the model's text where there is one and samples do not say more.

    Args:
        asked: whether the model was asked for the table's own text.
    """
    evidence = [_NAMES, *([_KEYS] if keys else []), *([_SAMPLES] if prose.from_samples else [])]
    columns = {
        name: _said(prose.columns[name], evidence, confidence) if name in prose.columns and is_open(said) else said
        for name, said in rules.columns.items()
    }
    if not prose.text:
        return replace(rules, columns=columns, left_to_rules=_why_open(prose) if asked else "")
    return replace(rules, table=_said(prose.text, evidence, confidence), columns=columns)


def _why_open(prose: KeptProse) -> str:
    broken = sorted({dropped.rule for dropped in prose.dropped if not dropped.subject})
    return f"what the model wrote broke the rules {', '.join(broken)}" if broken else "the model left it open"


def _said(text: str, evidence: list[Evidence], confidence: float) -> Description:
    return Description(text=text, source="model", confidence=confidence, evidence=evidence)


_SECONDS_A_CALL = 8.0
"""Typical response time of a model that was not tested; an estimate."""
# Typical lengths in tokens, estimated: a short sentence per column, two or three per table, plus JSON.
_TEXT_TOKENS = 100
_COLUMN_TOKENS = 35
_DOMAIN_TABLE_BYTES = 160
"""Per table in a question about a domain: its name and the start of its description."""
_SCHEMA_BYTES = ModelRequest("", "", ANSWER_SCHEMA, 1, 1.0).size_bytes


def _quote_questions(questions: Iterable[Question], prompting: Prompting, asked: RunModel) -> ModelQuote:
    """The cost of these questions if each is answered at the first attempt."""
    quote = ModelQuote()
    for question in questions:
        answer = _TEXT_TOKENS * question.asks_text + _COLUMN_TOKENS * len(question.columns)
        quote += _call(len(question.request_part.encode()), answer, prompting, asked)
    return quote


def _quote_domain(tables: int, prompting: Prompting, asked: RunModel) -> ModelQuote:
    """The cost of a question about a domain with this many tables."""
    return _call(_DOMAIN_TABLE_BYTES * tables, _TEXT_TOKENS, prompting, asked)


def _call(part_bytes: int, answer_tokens: int, prompting: Prompting, asked: RunModel) -> ModelQuote:
    sent = -(-(len(prompting.prefix.encode()) + _SCHEMA_BYTES + part_bytes) // BYTES_A_TOKEN)
    came = answer_tokens + prompting.thinking_tokens // 2
    return ModelQuote(
        calls=1,
        tokens=sent + came,
        nanodollars=asked.facts.cost(ModelUsage(input_tokens=sent, output_tokens=came)),
        seconds=round(asked.seconds(answer_tokens) / prompting.settings.parallel_calls, 3),
    )
