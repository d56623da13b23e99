"""How well everything is documented, and what is amiss. Reads the store alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tribal.catalog import locations
from tribal.errors import ManifestError
from tribal.masking import detect
from tribal.masking.value_shapes import is_date, is_number
from tribal.naming import humanize, index_terms, tokenize_text
from tribal.ports import ObjectStore
from tribal.store import read_record, require_manifest
from tribal_contracts import Description, IndexableFile, LintRules, TableDocument

Rule = Literal["undocumented", "unclear", "unmasked", "orphaned", "without_key"]
RULES: tuple[Rule, ...] = ("unmasked", "undocumented", "unclear", "orphaned", "without_key")
"""Every rule, the gravest first."""

FEW_WORDS = 3
"""A description of fewer words can hardly say what its name does not."""
GUESSED_BELOW = 0.4
"""A derived description of less confidence says little or nothing beyond the name."""
_NOT_DOCUMENTED = "Not documented"
_WITH_KEYS = ("table", "partitioned_table")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to improve; `column` is unset where the table itself is meant."""

    rule: Rule
    table: str
    column: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many there are, and how many of them are documented."""

    documented: int
    total: int

    @property
    def percent(self) -> float:
        """In per cent, rounded down to a tenth, so that 100 means all; 100 of nothing."""
        return (1000 * self.documented // self.total) / 10 if self.total else 100.0


@dataclass(frozen=True, slots=True)
class LintReport:
    """The findings of the rules that are switched on, in order of tables, and the coverage whatever the rules."""

    findings: tuple[Finding, ...]
    tables: Coverage
    columns: Coverage
    minimum_coverage: float

    @property
    def covered(self) -> bool:
        """Whether as much is documented as has to be."""
        return min(self.tables.percent, self.columns.percent) >= self.minimum_coverage

    @property
    def unmasked(self) -> bool:
        """Whether a value is shown that must not be."""
        return any(finding.rule == "unmasked" for finding in self.findings)

    def count(self, rule: Rule) -> int:
        """How many findings a rule has."""
        return sum(finding.rule == rule for finding in self.findings)


def lint(store: ObjectStore, rules: LintRules) -> LintReport:
    """Look at the document of every table, one after the other.

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
            f"{locations.DOCS}{file.path} is missing or cannot be read; write it again with `tribal document --force`",
            code="MANIFEST_FILE_MISSING",
        )
    return document


def is_documented(description: Description) -> bool:
    """Whether somebody, or the catalog itself, says more of a thing than its name does."""
    if not description.text.strip():
        return False
    if description.source != "derived":
        return True
    return description.confidence >= GUESSED_BELOW and not description.text.startswith(_NOT_DOCUMENTED)


def find(document: TableDocument) -> Iterator[Finding]:
    """Everything that any rule finds in one document, in order of its columns."""
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
            # Short numbers and dates are what they are; the detectors are not asked about them when masking either.
            kind = None if is_number(value) or is_date(value) else detect(value)
            if kind is not None:
                message = (
                    f"a value is shown that looks like {str(kind).replace('_', ' ')}; document it again with --force"
                )
                yield Finding("unmasked", name, column.name, message)


def _words(table: str, column: str | None, description: Description, *names: str) -> Iterator[Finding]:
    if not is_documented(description):
        yield Finding("undocumented", table, column, "nothing tells what it means")
    elif description.source != "derived":
        if restates(description.text, *names):
            yield Finding("unclear", table, column, "its description only says its name again")
        elif len(tokenize_text(description.text)) < FEW_WORDS:
            yield Finding("unclear", table, column, f"its description has fewer than {FEW_WORDS} words")


def restates(text: str, *names: str) -> bool:
    """Whether every word of a text that carries a meaning stands, whole or abbreviated, in one of the names."""
    known = {term for name in names for term in (*index_terms(name), *index_terms(humanize(name)))}
    return set(index_terms(text)) <= known
