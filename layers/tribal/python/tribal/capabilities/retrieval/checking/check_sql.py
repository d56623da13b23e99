"""Tool `check_sql`: whether a query fits the documented tables and the company's policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tribal.capabilities.retrieval.checking.indexed_tables import indexed_tables
from tribal.capabilities.retrieval.names import find_database, near_misses, partition_of
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox, open_index
from tribal.errors import ToolInputInvalid, TribalError
from tribal.identity.table_names import TableIdentity
from tribal.sql.checking.findings import Checked, Finding
from tribal.sql.checking.known import KnownTables
from tribal_contracts import AgentError, DatabaseType
from tribal_contracts.knowledge import KnowledgeCheckOutput
from tribal_contracts.retrieval.checking import CheckSqlInput, CheckSqlOutput, SqlFinding

MAX_FINDINGS = 50
MAX_NAMES = 500
"""Both by judgement: more make an answer of about 8,000 tokens."""

CheckPolicies = Callable[[str, DatabaseType], KnowledgeCheckOutput | None]
"""Checks SQL against policies; `None` without any. Raises `TribalError` when they cannot be read."""


def check_sql(request: CheckSqlInput, toolbox: Toolbox, policies: CheckPolicies | None = None) -> CheckSqlOutput:
    """Check one query of a documented database.

    Raises:
        DatabaseNotFound: when no documented database has that name.
        ToolInputInvalid: when there are several databases and none is named, or the schema does not exist.
        IndexNotReady: when there is no finished index.
    """
    opened = open_index(toolbox)
    name = _only(opened) if request.database is None else find_database(request.database, opened.tables)
    known = indexed_tables(name, opened, toolbox)
    if request.schema_ is not None:
        known = replace(known, search_path=(_schema(request.schema_, known),))
    # The parser takes 0.3 s to load, so it is loaded only where there is SQL.
    from tribal.sql.checking.check import check

    checked = check(request.sql, known)
    violations, unread = _policy_findings(request.sql, known.dialect, policies)
    findings = sorted([*checked.findings, *violations], key=lambda each: (each.line, each.column))
    checked = replace(checked, findings=findings, not_checked=[*checked.not_checked, *unread])
    return _answer(checked, name, toolbox, opened.warnings)


def _only(opened: OpenIndex) -> str:
    databases = sorted({each.database for each in opened.tables})
    if len(databases) != 1:
        raise ToolInputInvalid(f"database: say which one the SQL is for: {', '.join(databases)}")
    return databases[0]


def _answer(checked: Checked, database: str, toolbox: Toolbox, warnings: Sequence[AgentError]) -> CheckSqlOutput:
    # Of many findings, the errors are needed most.
    chosen = sorted(range(len(checked.findings)), key=lambda place: not checked.findings[place].is_error)[:MAX_FINDINGS]
    columns = [f"{table}.{column}" for table, column in checked.columns]
    is_whole = len(checked.findings) <= MAX_FINDINGS and max(len(columns), len(checked.tables)) <= MAX_NAMES
    partial = f"at most {MAX_FINDINGS} findings and {MAX_NAMES} names are shown; correct those and check again"
    return CheckSqlOutput(
        success=True,
        tokens_used=0,
        valid=checked.is_valid,
        findings=[_shown(checked.findings[place]) for place in sorted(chosen)],
        tables=list(checked.tables[:MAX_NAMES]),
        columns=columns[:MAX_NAMES],
        not_checked=list(checked.not_checked[:MAX_NAMES]),
        notes=[
            partition_of(TableIdentity(database, *partition), TableIdentity(database, *table))
            for partition, table in checked.partitions[:MAX_NAMES]
        ]
        or None,
        truncated=None if is_whole else True,
        warnings=[*warnings, *(() if is_whole else (toolbox.warning("RET_ANSWER_PARTIAL", partial),))] or None,
    )


def _shown(finding: Finding) -> SqlFinding:
    return SqlFinding(
        severity="error" if finding.is_error else "warning",
        code=finding.code,
        message=finding.message,
        line=finding.line,
        column=finding.column,
        suggestion=finding.suggestion,
    )


def _schema(text: str, known: KnownTables) -> str:
    """The schema of that name, in any case if that is unique."""
    schemas = sorted({schema for schema, _ in known.names})
    loose = [each for each in schemas if each.casefold() == text.casefold()]
    if text in schemas or len(loose) == 1:
        return text if text in schemas else loose[0]
    near = ", ".join(near_misses(text, schemas) or schemas[:5])
    raise ToolInputInvalid(f"schema: no documented schema is called {text[:120]!r}; one of these may be meant: {near}")


def _policy_findings(
    sql: str, dialect: DatabaseType, policies: CheckPolicies | None
) -> tuple[Sequence[Finding], Sequence[str]]:
    if policies is None:
        return (), ()
    try:
        answer = policies(sql, dialect)
    except TribalError as error:
        return (), [f"policies: {error.message}"]
    if answer is None:
        return (), ()
    findings = [
        Finding(
            (each.location.line if each.location else None) or 1,
            1,
            "policy_blocked" if each.severity == "block" else "policy_warning",
            f"{each.message} [{each.knowledge_item_id}: {each.knowledge_item_title}]",
        )
        for each in answer.violations
    ]
    return findings, [f"policies: {each}" for each in answer.warnings or ()]
