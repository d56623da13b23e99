"""Coverage and findings of the written documentation. Reads only the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from tribal.documenting.contradicted import Contradicted
from tribal.documenting.definitions.published import current_definitions
from tribal.documenting.files import table_documents
from tribal.documenting.todo import Blocked, gaps_by_table
from tribal.identity.table_names import TableIdentity
from tribal.identity.table_states import change_text
from tribal.identity.targets import current_gaps
from tribal.masking import (
    PLACEHOLDER,
    detect,
    detect_by_name,
    redact_expression,
    redact_labels,
    redact_text,
    redact_view,
)
from tribal.masking.value_shapes import is_date, is_number
from tribal.naming import tokenize_text
from tribal.ports import ObjectStore
from tribal.ports.remembering.guidance import Guidance
from tribal.rendering.gaps import FEW_WORDS, restates
from tribal.rendering.words import shorten
from tribal_contracts import (
    DatabaseType,
    DefinedMetric,
    DefinedTerm,
    Definitions,
    Description,
    DocumentedColumn,
    LintRules,
    LocatedMetric,
    LocatedTerm,
    TableDocument,
    VerifiedQuery,
)
from tribal_contracts.answering.open_gaps import OpenGap

Rule = Literal[
    "undocumented",
    "unclear",
    "unmasked",
    "orphaned",
    "without_key",
    "broken",
    "changed",
    "contradicted",
    "open_gaps",
]
RULES: tuple[Rule, ...] = (
    *("unmasked", "broken", "contradicted", "changed", "open_gaps"),
    *("undocumented", "unclear", "orphaned", "without_key"),
)
"""Every rule, most severe first."""

_QUESTION_CHARS = 100
_WITH_KEYS = ("table", "partitioned_table")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to improve; `column` is unset if it concerns the table itself, `table` for a definition."""

    rule: Rule
    table: str | None
    column: str | None
    message: str
    owner: str | None = None
    file: str | None = None
    """Of a metric, a term or a query."""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many items exist, and how many of them are documented."""

    documented: int
    total: int

    @property
    def percent(self) -> float:
        """Percentage, rounded down to one decimal, so 100 means all; 100 if there are no items."""
        return (1000 * self.documented // self.total) / 10 if self.total else 100.0


@dataclass(frozen=True, slots=True)
class LintReport:
    """The findings of the enabled rules, of definitions, then by table, and the coverage, which no rule changes."""

    findings: tuple[Finding, ...]
    tables: Coverage
    columns: Coverage
    minimum_coverage: float

    @property
    def share(self) -> Coverage:
        """Coverage of tables and columns together."""
        return Coverage(
            self.tables.documented + self.columns.documented,
            self.tables.total + self.columns.total,
        )

    @property
    def covered(self) -> bool:
        """Whether coverage reaches the required minimum."""
        return min(self.tables.percent, self.columns.percent) >= self.minimum_coverage

    @property
    def failed(self) -> bool:
        """Whether any value should have been masked, or any definition is broken."""
        return any(finding.rule in ("unmasked", "broken") for finding in self.findings)

    def count(self, rule: Rule) -> int:
        """Number of findings of one rule."""
        return sum(finding.rule == rule for finding in self.findings)


def lint(
    store: ObjectStore,
    rules: LintRules,
    metrics: Iterable[LocatedMetric] = (),
    terms: Iterable[LocatedTerm] = (),
    gaps: Iterable[OpenGap] = (),
    decisions: Callable[[TableIdentity], Sequence[Guidance]] | None = None,
) -> LintReport:
    """Check every table's document, one at a time, and every definition.

    Args:
        store: has the documents, the annotations and the SQL files.
        rules: which findings are reported.
        metrics: of the project file.
        terms: of the project file.
        gaps: for the rule `open_gaps`.
        decisions: returns the decisions that may be about a table, for the rule `contradicted`.

    Raises:
        ManifestError: when nothing is documented yet, or a document is missing or cannot be read.
    """
    findings: list[Finding] = []
    tables = documented_tables = columns = documented_columns = 0
    by_table = gaps_by_table(gaps)
    defined = current_definitions(store, metrics, terms)
    checked = Contradicted(store, defined.terms, decisions) if rules.contradicted else None
    for document in table_documents(store):
        tables += 1
        documented_tables += is_documented(document.description, table=True)
        columns += len(document.columns)
        documented_columns += sum(is_documented(column.description) for column in document.columns)
        found = (replace(finding, owner=document.owner) for finding in find(document, by_table.get(document.name, ())))
        findings.extend(finding for finding in found if getattr(rules, finding.rule))
        if checked:
            for contradiction, column in checked.of(document):
                findings.append(Finding("contradicted", document.name, column, contradiction, document.owner))
    findings.extend(finding for finding in find_in_definitions(defined) if getattr(rules, finding.rule))
    findings.sort(key=lambda finding: (finding.table or "", finding.file or "", finding.line or 0))
    return LintReport(
        tuple(findings),
        Coverage(documented_tables, tables),
        Coverage(documented_columns, columns),
        rules.minimum_coverage,
    )


def find_in_definitions(found: Definitions) -> Iterator[Finding]:
    """The files that cannot be used, the definitions that no longer fit their tables, and the changed queries."""
    for file in found.unusable:
        yield Finding("broken", None, None, file.message, None, file.file, file.line)
    items: list[DefinedMetric | DefinedTerm | VerifiedQuery] = [*found.metrics, *found.terms, *found.queries]
    for item in items:
        owner = None if isinstance(item, DefinedTerm) else item.owner
        for problem in item.problems:
            yield Finding("broken", None, None, f"{_what(item)}: {problem.message}", owner, item.file, problem.line)
    for query in found.queries:
        if query.status == "changed":
            changes = "; ".join(map(change_text, query.changes))
            message = f"since the query was verified, {changes}; check it with `tribal queries verify {query.file}`"
            yield Finding("changed", None, None, message, query.owner, query.file, query.line)


def _what(item: DefinedMetric | DefinedTerm | VerifiedQuery) -> str:
    if isinstance(item, VerifiedQuery):
        return "the query"
    return f"the {'metric' if isinstance(item, DefinedMetric) else 'term'} {item.name!r}"


def is_documented(description: Description, *, table: bool = False) -> bool:
    """Whether a column has a description or, for a table, one from a person, a comment or a model."""
    if not description.text.strip():
        return False
    return description.source != "derived" or not table


def find(document: TableDocument, gaps: Iterable[OpenGap] = ()) -> Iterator[Finding]:
    """The findings of every rule in one document, in order of its columns."""
    name = document.name
    yield from _of_questions(document, gaps)
    yield from _words(name, None, document.description, document.table, document.schema_)
    if document.kind in _WITH_KEYS:
        if document.primary_key is None:
            yield Finding("without_key", name, None, "has no primary key")
        if not (document.foreign_keys or document.relations or document.inferred_keys):
            yield Finding("orphaned", name, None, "has no keys to or from other tables, declared or likely")
    for column in document.columns:
        yield from _words(name, column.name, column.description, column.name, document.table)
        for value in column.samples or ():
            # Masking does not check short numbers and dates either.
            kind = None if is_number(value) or is_date(value) else detect(value)
            if kind is not None:
                yield Finding("unmasked", name, column.name, f"shows a value that {_looks_like(kind)}")
    for shown in _unmasked_literals(document):
        yield Finding("unmasked", name, shown.column, f"its {shown.what} shows text that {_looks_like(shown.kind)}")


def _of_questions(document: TableDocument, gaps: Iterable[OpenGap]) -> Iterator[Finding]:
    current = [gap for _, gap in current_gaps(document, gaps)]
    blocked = Blocked.by(current)
    if blocked.count:
        example = f', such as "{shorten(blocked.questions[0], _QUESTION_CHARS)}"' if blocked.questions else ""
        questions = "1 question" if blocked.count == 1 else f"{blocked.count} questions"
        message = f"{questions} cannot be answered without what it lacks{example}; `tribal todo` lists it"
        yield Finding("open_gaps", document.name, None, message)


def _looks_like(kind: str) -> str:
    return f"looks like {kind.replace('_', ' ')}; document it again with --force"


def _words(table: str, column: str | None, description: Description, *names: str) -> Iterator[Finding]:
    if not is_documented(description, table=column is None):
        yield Finding("undocumented", table, column, "has no description")
    elif description.source != "derived":
        if restates(description.text, *names):
            yield Finding("unclear", table, column, "its description only repeats its name")
        elif len(tokenize_text(description.text)) < FEW_WORDS:
            yield Finding("unclear", table, column, f"its description has fewer than {FEW_WORDS} words")


class _UnmaskedText(NamedTuple):
    """A sensitive part of a catalog text in a document; `column` is unset if it concerns the table itself."""

    column: str | None
    what: str
    kind: str


def _unmasked_literals(document: TableDocument) -> Iterator[_UnmaskedText]:
    """Sensitive literals in defaults, generated columns, labels, indexes, checks and the SQL of a view."""
    table, dialect, names = document.table, document.database_type, [column.name for column in document.columns]
    for column in document.columns:
        yield from _of_column(column, table, dialect)
    for index in document.indexes:
        texts = [part for part in index.columns if part not in names]
        texts += [index.predicate] if index.predicate else []
        for text in texts:
            yield from _new(None, f"index {index.name!r}", text, redact_expression(text, table=table, dialect=dialect))
    for check in document.checks:
        redacted = redact_expression(check.expression, table=table, dialect=dialect)
        yield from _new(None, f"check {check.name!r}", check.expression, redacted)
    if document.view_definition:
        redacted = redact_view(document.view_definition, view=table, columns=names, dialect=dialect)
        yield from _new(None, "definition", document.view_definition, redacted)


def _of_column(column: DocumentedColumn, table: str, dialect: DatabaseType) -> Iterator[_UnmaskedText]:
    for what, text in (("default", column.default_value), ("expression", column.generated)):
        if text:
            redacted = redact_expression(text, table=table, column=column.name, dialect=dialect)
            yield from _new(column.name, what, text, redacted)
    meanings = column.value_meanings or {}
    texts = "\n".join(meaning.text for meaning in meanings.values())
    yield from _new(column.name, "list of values", texts, redact_text(texts))
    labels = column.allowed_values or []
    shown = redact_labels(labels, table=table, column=column.name)
    if shown is None:
        yield _UnmaskedText(column.name, "list of values", str(detect_by_name(column.name, table)))
    else:
        yield from _new(column.name, "list of values", "\n".join(labels), "\n".join(shown))


def _new(column: str | None, what: str, text: str, redacted: str) -> Iterator[_UnmaskedText]:
    """One per kind that redaction hides and that was not hidden before."""
    hidden = Counter(PLACEHOLDER.findall(redacted)) - Counter(PLACEHOLDER.findall(text))
    for placeholder in sorted(hidden):
        yield _UnmaskedText(column, what, placeholder.strip("[]"))
