"""Coverage and findings over the written documentation. Reads nothing but the store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tribal.catalog import locations
from tribal.documenting.review.literals import shown_literals
from tribal.errors import ManifestError
from tribal.masking import detect
from tribal.masking.value_shapes import is_date, is_number
from tribal.naming import index_terms, read_name, tokenize_text
from tribal.ports import ObjectStore
from tribal.store import read_record, require_manifest
from tribal_contracts import Description, IndexableFile, LintRules, TableDocument

Rule = Literal["undocumented", "unclear", "unmasked", "orphaned", "without_key"]
RULES: tuple[Rule, ...] = ("unmasked", "undocumented", "unclear", "orphaned", "without_key")
"""Every rule, most severe first."""

FEW_WORDS = 3
"""A description of fewer words hardly adds anything to the name."""
GUESSED_BELOW = 0.4
"""A derived description of lower confidence says little or nothing beyond the name."""
_NOT_DOCUMENTED = "Not documented"
_WITH_KEYS = ("table", "partitioned_table")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to improve; `column` is unset if it concerns the table itself."""

    rule: Rule
    table: str
    column: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many items exist, and how many of them are documented."""

    documented: int
    total: int

    @property
    def percent(self) -> float:
        """Per cent, rounded down to one decimal, so that 100 means all; 100 if there are none."""
        return (1000 * self.documented // self.total) / 10 if self.total else 100.0


@dataclass(frozen=True, slots=True)
class LintReport:
    """The findings of the enabled rules, sorted by table, and the coverage, which does not depend on the rules."""

    findings: tuple[Finding, ...]
    tables: Coverage
    columns: Coverage
    minimum_coverage: float

    @property
    def covered(self) -> bool:
        """Whether coverage reaches the required minimum."""
        return min(self.tables.percent, self.columns.percent) >= self.minimum_coverage

    @property
    def unmasked(self) -> bool:
        """Whether any value is shown that should have been masked."""
        return any(finding.rule == "unmasked" for finding in self.findings)

    def count(self, rule: Rule) -> int:
        """Number of findings of one rule."""
        return sum(finding.rule == rule for finding in self.findings)


def lint(store: ObjectStore, rules: LintRules) -> LintReport:
    """Check every table's document, one after the other.

    Raises:
        ManifestError: when nothing is documented yet, or a document is missing or cannot be read.
    """
    manifest = require_manifest(store).manifest
    findings: list[Finding] = []
    tables = documented_tables = columns = documented_columns = 0
    for file in manifest.indexable_files:
        if file.type == "table":
            document = _document(file, store)
            tables += 1
            documented_tables += is_documented(document.description)
            columns += len(document.columns)
            documented_columns += sum(is_documented(column.description) for column in document.columns)
            findings.extend(finding for finding in find(document) if getattr(rules, finding.rule))
    findings.sort(key=lambda finding: finding.table)
    return LintReport(
        tuple(findings),
        Coverage(documented_tables, tables),
        Coverage(documented_columns, columns),
        rules.minimum_coverage,
    )


def _document(file: IndexableFile, store: ObjectStore) -> TableDocument:
    document = read_record(store, locations.DOCS + file.path, TableDocument)
    if document is None:
        raise ManifestError(
            f"{locations.DOCS}{file.path} is missing or damaged; `tribal run` writes it anew",
            code="MANIFEST_FILE_MISSING",
        )
    return document


def is_documented(description: Description) -> bool:
    """Whether a person, or a comment in the catalog, says more than the name does."""
    if not description.text.strip():
        return False
    if description.source != "derived":
        return True
    return description.confidence >= GUESSED_BELOW and not description.text.startswith(_NOT_DOCUMENTED)


def find(document: TableDocument) -> Iterator[Finding]:
    """The findings of every rule in one document, in order of its columns."""
    name = document.name
    yield from _words(name, None, document.description, document.table, document.schema_)
    if document.kind in _WITH_KEYS:
        if document.primary_key is None:
            yield Finding("without_key", name, None, "has no primary key")
        if not document.foreign_keys and not document.relations:
            yield Finding("orphaned", name, None, "no key leads to it or from it")
    for column in document.columns:
        yield from _words(name, column.name, column.description, column.name, document.table)
        for value in column.samples or ():
            # Masking does not run the detectors on short numbers and dates either.
            kind = None if is_number(value) or is_date(value) else detect(value)
            if kind is not None:
                yield Finding("unmasked", name, column.name, f"a value is shown that {_looks_like(kind)}")
    for shown in shown_literals(document):
        yield Finding("unmasked", name, shown.column, f"its {shown.what} shows what {_looks_like(shown.kind)}")


def _looks_like(kind: str) -> str:
    return f"looks like {kind.replace('_', ' ')}; document it again with --force"


def _words(table: str, column: str | None, description: Description, *names: str) -> Iterator[Finding]:
    if not is_documented(description):
        yield Finding("undocumented", table, column, "nothing tells what it means")
    elif description.source != "derived":
        if restates(description.text, *names):
            yield Finding("unclear", table, column, "its description only says its name again")
        elif len(tokenize_text(description.text)) < FEW_WORDS:
            yield Finding("unclear", table, column, f"its description has fewer than {FEW_WORDS} words")


def restates(text: str, *names: str) -> bool:
    """Whether every content word of a text appears, in full or abbreviated, in one of the names."""
    known = {term for name in names for term in index_terms(" ".join((name, *read_name(name)[1])))}
    return set(index_terms(text)) <= known
