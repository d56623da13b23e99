"""Checks files, dependencies and documented tables against policies: the tool `knowledge_check`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tribal.capabilities.knowledge.documented_tables import DocumentedTables, sql_dialects
from tribal.capabilities.knowledge.errors import KnowledgeInputInvalid, NothingPublished
from tribal.capabilities.knowledge.policies.checking import Rule, check
from tribal.capabilities.knowledge.policies.collecting import DocumentedNames, collect_evidence
from tribal.capabilities.knowledge.policies.dependencies import spellings
from tribal.capabilities.knowledge.policies.evidence import NameUse, SourceFile
from tribal.capabilities.knowledge.policies.file_names import ReadFiles, names_tables, read_here
from tribal.capabilities.knowledge.policies.inclusions import FindFile
from tribal.capabilities.knowledge.policies.unapplied import notes_on_unapplied
from tribal.capabilities.knowledge.snapshots.visible_items import VisibleItems, visible_items
from tribal.errors import IndexNotReady
from tribal_contracts import KnowledgeSettings
from tribal_contracts.knowledge import (
    MAX_VIOLATIONS,
    KnowledgeCheckInput,
    KnowledgeCheckOutput,
    Severity,
    Target,
)

if TYPE_CHECKING:
    from tribal.ports import Application, Caller
    from tribal_contracts import DatabaseType

ANSWER_BYTES = 12_000
"""Limit for all violations together: 3,000 tokens."""
MAX_FILES_BYTES = 1 << 20
"""Limit for one call. Source: docs/contracts.md, Knowledge."""
READING_SECONDS = 1.75
"""Time for reading all files of one call, if another process reads them."""
EVALUATION_SECONDS = 0.6
"""Time for evaluating the constraints of such a call: milliseconds, unless a file has very many names."""
_SQL_FILE = "query.sql"


def check_request(
    request: KnowledgeCheckInput,
    visible: VisibleItems,
    documented: DocumentedTables,
    read: ReadFiles = read_here,
    is_late: Callable[[], bool] = lambda: False,
) -> KnowledgeCheckOutput:
    """Check a request against the policies that apply to the caller.

    `read` reads its files. Rules that remain when `is_late` returns true count as not evaluated.

    Raises:
        KnowledgeInputInvalid: when a path occurs twice, or the files together are too large.
        KnowledgeNotFound: when an item that it names does not exist.
        IndexNotReady: when it names tables, and none are documented.
    """
    files = [SourceFile.of(_path(each.path), each.content) for each in request.files or ()]
    paths = [each.path for each in files]
    if len(set(paths)) < len(paths):
        twice = next(path for path in paths if paths.count(path) > 1)
        raise KnowledgeInputInvalid(f"files: {twice!r} occurs twice")
    if sum(len(each.data) for each in files) > MAX_FILES_BYTES:
        raise KnowledgeInputInvalid(f"files: they exceed {MAX_FILES_BYTES:,} bytes together; send fewer at once")
    rules = rules_of(visible, request.knowledge_item_ids)
    dependencies = [each.name for each in request.dependencies or ()]
    what = CheckRequest(
        files,
        request.tables or (),
        request.complete,
        request.min_severity,
        dependencies,
        notes_unapplied=request.complete,
    )
    return _bounded(check_evidence(what, rules, documented, visible.unusable, read, is_late))


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The input of a check.

    Attributes:
        files: their paths are unique.
        tables: globs of documented tables.
        is_complete: whether nothing was left out.
        least: less severe violations are counted but not listed.
        dependencies: names of those that are in no file.
        most: how many violations are listed; `None` for all.
        find: finds a file of requirements that a checked file includes.
        notes_unapplied: whether constraints that apply to none of the files are reported.
    """

    files: Sequence[SourceFile]
    tables: Sequence[str]
    is_complete: bool
    least: Severity
    dependencies: Sequence[str] = ()
    most: int | None = MAX_VIOLATIONS
    find: FindFile = lambda _: None
    notes_unapplied: bool = False


def check_evidence(
    request: CheckRequest,
    rules: Sequence[Rule],
    documented: DocumentedTables,
    warnings: Sequence[str] = (),
    read: ReadFiles = read_here,
    is_late: Callable[[], bool] = lambda: False,
) -> KnowledgeCheckOutput:
    """Check files, dependencies and tables; see `check_request`.

    Raises:
        IndexNotReady: when tables are checked, and none are documented.
    """
    needed: set[Target] = {rule.constraint.target for rule in rules}
    documented_names = replace(
        _documented_names(request, needed, documented),
        dependencies=[NameUse(spellings(each)) for each in request.dependencies],
    )
    evidence, warned = collect_evidence(
        request.files, documented_names, needed, is_complete=request.is_complete, read=read, find=request.find
    )
    unapplied = notes_on_unapplied(rules, evidence) if request.notes_unapplied else []
    notes = [*warnings, *documented.warnings, *warned, *unapplied]
    return check(rules, evidence, request.least, notes, request.most, is_late)


def _documented_names(
    request: CheckRequest, needed: Collection[Target], documented: DocumentedTables
) -> DocumentedNames:
    if request.tables:
        return documented.names(request.tables)
    if not {"table", "column"} & {*needed} or not any(names_tables(each.path) for each in request.files):
        return DocumentedNames()
    try:
        return documented.names(())
    except IndexNotReady:
        # Resolve names by their parts.
        return DocumentedNames(dialects=sql_dialects(documented.databases))


def _bounded(answer: KnowledgeCheckOutput) -> KnowledgeCheckOutput:
    """As many violations as fit, at least one."""
    size = 0
    for number, each in enumerate(answer.violations):
        size += len(each.to_compact_json())
        if number and size > ANSWER_BYTES:
            return answer.model_copy(
                update={"violations": answer.violations[:number], "returned": number, "truncated": True}
            )
    return answer


def rules_of(visible: VisibleItems, ids: Collection[str] | None) -> list[Rule]:
    """The constraints to check: those of accepted items, or of the named items whatever their status.

    Of several items with one id the most specific counts, and of the less specific ones what blocks.

    Raises:
        KnowledgeNotFound: when a named item does not exist.
    """
    known = {visible.item(number).id for number in visible.seen}
    unknown = next((each for each in ids or () if each not in known), None)
    if unknown is not None:
        raise visible.missing(unknown)
    first = set(visible.first())
    rules: list[Rule] = []
    for number in visible.seen:
        item = visible.item(number)
        if item.id in ids if ids is not None else item.status == "accepted":
            softens = item.unreadable == "warn"
            own = [Rule(item.id, item.title, item.severity, each, softens) for each in item.constraints]
            rules += own if number in first else [each for each in own if each.severity == "block"]
    return rules


def _path(path: str) -> str:
    """A path in the form that globs match: relative, with `/`.

    Raises:
        KnowledgeInputInvalid: when it leads out of the project.
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts or not parts:
        raise KnowledgeInputInvalid(
            f"files: the path {path[:100]!r} is outside the project; make it relative to the project"
        )
    return "/".join(parts)


@dataclass(frozen=True, slots=True)
class SqlPolicyChecker:
    """The `PolicyChecker` of published policies."""

    app: Application

    def check_sql(self, sql: str, database: DatabaseType, caller: Caller) -> KnowledgeCheckOutput | None:
        """Check one text of SQL; see `PolicyChecker`."""
        try:
            items = visible_items(caller, self.app)
        except NothingPublished:
            if self.app.setting(KnowledgeSettings) is None:
                return None
            raise
        rules = rules_of(items, None)
        needed: set[Target] = {rule.constraint.target for rule in rules}
        request = CheckRequest([SourceFile(_SQL_FILE, sql)], (), is_complete=False, least="info")
        names = _documented_names(request, needed, DocumentedTables(self.app.index(), caller.scope))
        evidence, warned = collect_evidence(
            request.files, replace(names, dialects=(database,)), needed, is_complete=request.is_complete
        )
        return check(rules, evidence, request.least, [*items.unusable, *warned])
