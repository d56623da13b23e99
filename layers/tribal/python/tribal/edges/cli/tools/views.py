"""Custom views of answers about tables and domains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tribal.edges.cli.console import counted
from tribal.edges.cli.tools.ask_view import ASK_VIEWS
from tribal.edges.cli.tools.knowledge_views import KNOWLEDGE_VIEWS
from tribal.edges.cli.tools.layout import print_grid, print_indented, print_match
from tribal.edges.cli.tools.lineage_view import LINEAGE_VIEWS
from tribal.edges.cli.tools.memory_views import MEMORY_VIEWS, change_lines
from tribal.rendering.words import DIALECTS, further_meanings, lists_values, meaning_sources

if TYPE_CHECKING:
    from rich.console import Console

    from tribal_contracts import (
        ColumnDetail,
        GetDomainOverviewOutput,
        GetJoinPathOutput,
        GetQueryContextOutput,
        GetTableSchemaOutput,
        GuidanceItem,
        ListDomainsOutput,
        RelatedTable,
        SearchTablesOutput,
    )

_INDENT = 3


def _print_search(answer: SearchTablesOutput, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape

    if not answer.tables:
        out.print("No table matches.")
        return
    for place, table in enumerate(answer.tables, start=1):
        facts, texts = [f"{table.relevance_score:.2f}", table.domain], [escape(table.description)]
        if table.row_count >= 0:
            facts.append(f"about {counted(table.row_count, 'row')}")
        if table.key_columns:
            columns = ", ".join(column.name for column in table.key_columns)
            texts.append(f"[dim]columns:[/] {escape(columns)}")
        print_match(out, place, table.name, facts, texts, table.reasons)
    shown = len(answer.tables)
    if answer.total_matches > shown:
        out.print(f"[dim]the best {shown} of {counted(answer.total_matches, 'matching table')}; more with --limit[/]")


def _print_table(answer: GetTableSchemaOutput, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape

    schema = answer.schema_
    if schema is None:
        return
    rows = "rows unknown" if schema.row_count < 0 else f"about {counted(schema.row_count, 'row')}"
    counted_on = f" on {schema.row_count_at[:10]}" if schema.row_count_at and schema.row_count >= 0 else ""
    kind = f"{(schema.kind or 'table').replace('_', ' ')}{f' in {DIALECTS[schema.dialect]}' if schema.dialect else ''}"
    owner = f", owner {escape(schema.owner)}" if schema.owner else ""
    out.print(f"[bold]{escape(schema.name)}[/]  [dim]{kind}, {escape(schema.domain)}, {rows}{counted_on}{owner}[/]")
    print_indented(out, escape(schema.description))
    out.print()
    keys = set(schema.primary_key)
    columns = [
        (
            escape(f"{column.name} (key)" if column.name in keys else column.name),
            escape(column.type),
            "yes" if column.nullable else "no",
            escape(_column_text(column)),
        )
        for column in schema.columns
    ]
    print_grid(out, ("column", "type", "null", "description"), columns)
    _print_section(
        out,
        "References",
        [
            (escape(", ".join(key.columns)), escape(f"-> {key.references_table} ({', '.join(key.references_columns)})"))
            for key in schema.foreign_keys
        ],
    )
    related = schema.related_tables or ()
    referring = [table for table in related if table.relationship == "referenced_by" and table.source != "inferred"]
    _print_section(
        out,
        "Referenced by",
        [(escape(table.name), escape(f"by {', '.join(table.via_columns)}")) for table in referring],
    )
    _print_section(
        out, "Likely keys (not declared)", [_likely(table) for table in related if table.source == "inferred"]
    )
    _print_section(
        out,
        "Indexes",
        [
            (
                escape(index.name),
                escape(f"({', '.join(index.columns)}){', unique' * index.unique} {index.terms}".rstrip()),
            )
            for index in schema.indexes
        ],
    )
    for heading, tables, total in (
        ("Reads", schema.reads, schema.reads_total),
        ("Read by", schema.read_by, schema.read_by_total),
    ):
        more = (total or 0) - len(tables or ())
        rest = [("and", f"{more:,} more")] if more > 0 else []
        _print_section(out, heading, [*((escape(table), "") for table in tables or ()), *rest])
    if schema.definition:
        out.print("\n[bold]Definition[/]")
        print_indented(out, escape(schema.definition), _INDENT)
    if schema.notes:
        out.print("\n[bold]Notes[/]")
    for note in schema.notes or ():
        print_indented(out, escape(note), _INDENT)
    guidance = answer.guidance or ()
    _print_guidance(out, "Decided", [each for each in guidance if each.kind != "memory"])
    _print_guidance(out, "Remembered", [each for each in guidance if each.kind == "memory"])
    if schema.documentation:
        out.print(f"\n[dim]more: {escape(schema.documentation)}[/]")


def _print_guidance(out: Console, heading: str, items: Sequence[GuidanceItem]) -> None:
    from tribal.edges.cli.safe_console import escape

    if items:
        out.print(f"\n[bold]{heading}[/]")
    for each in items:
        which = "" if each.kind == "memory" else f"{each.kind} {each.id}, "
        print_indented(out, escape(each.text), _INDENT)
        said = escape(f"{which}{each.layer}, by {each.author}, {each.age} ago")
        print_indented(out, f"[dim]{said}[/]", _INDENT)
        for line in change_lines(each.changed_tables):
            print_indented(out, line, _INDENT)


def _likely(table: RelatedTable) -> tuple[str, str]:
    from tribal.edges.cli.safe_console import escape

    arrow = "->" if table.relationship == "references" else "<-"
    return escape(", ".join(table.via_columns)), escape(f"{arrow} {table.name}, {table.confidence or 0:.0%} likely")


def _column_text(column: ColumnDetail) -> str:
    default = f" Default: {column.default_value}." if column.default_value else ""
    values, meanings = column.allowed_values or (), further_meanings(column.value_meanings, column.description_source)
    allowed = ""
    if values and not lists_values(column.description, column.description_source, values, column.value_meanings):
        listed = [f"{value} ({meanings[value].text})" if value in meanings else value for value in values]
        others = " and others" if column.allowed_values_complete is False else ""
        allowed = f" Values: {', '.join(listed)}{others}{meaning_sources(meanings)}."
    samples = f" E.g. {', '.join(column.samples)}." if column.samples else ""
    return f"{column.description}{allowed}{default}{samples}".strip()


def _print_section(out: Console, heading: str, rows: Sequence[tuple[str, str]]) -> None:
    if rows:
        out.print(f"\n[bold]{heading}[/]")
        print_grid(out, (), rows, _INDENT)


def _print_join(answer: GetJoinPathOutput, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape
    from tribal.identity.table_names import TableIdentity

    # The whole output is SQL, including the comments, so that it can be pasted or piped unchanged.
    ends = f"{answer.source} to {answer.target}:"
    if not answer.path_found:
        _print_comment(out, f"{ends} no path of keys")
        return
    _print_comment(out, f"{ends} {counted(answer.hop_count or 0, 'join')}")
    repeating = [step.to_alias or step.to_table for step in answer.path or () if step.fans_out]
    if repeating:
        _print_comment(out, f"several rows of {', '.join(repeating)} may match one earlier row: check sums and counts")
    out.print(f"{escape(answer.sql_snippet or '')};", soft_wrap=True)
    for number, other in enumerate(answer.alternatives or (), start=1):
        tables = " > ".join(TableIdentity.parse(step.to_table).table for step in other.path)
        _print_comment(out, f"or {number}. by {tables}: {'; '.join(other.reasons)}")
    if answer.alternatives:
        _print_comment(out, "--json prints their SQL")


def _print_comment(out: Console, text: str) -> None:
    """Print a comment of SQL; on a terminal, wrapped into several."""
    from rich.text import Text

    mark = "-- "
    # A line break in a name would end the comment.
    plain = Text(" ".join(text.split()))
    for line in [plain] if out.soft_wrap else plain.wrap(out, max(out.width - len(mark), _INDENT)):
        line.rstrip()
        out.print(Text(mark) + line, soft_wrap=True)


def _print_domain(answer: GetDomainOverviewOutput, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape

    out.print(f"[bold]{escape(answer.domain)}[/]  [dim]in {escape(', '.join(answer.databases))}[/]")
    print_indented(out, escape(answer.description))
    out.print()
    rows = [
        (
            f"[bold]{escape(table.name)}[/]",
            "unknown" if table.row_count < 0 else f"about {table.row_count:,}",
            escape(table.description),
        )
        for table in answer.tables
    ]
    print_grid(out, ("table", "rows", "description"), rows)
    if answer.common_joins:
        joins = "\n\n".join(answer.common_joins)
        out.print(f"\n-- common joins\n{escape(joins)}", soft_wrap=True)


def _print_domains(answer: ListDomainsOutput, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape

    rows = [
        (
            f"[bold]{escape(domain.name)}[/]",
            f"{domain.table_count:,}",
            escape(", ".join(domain.databases)),
            escape(domain.description),
        )
        for domain in answer.domains
    ]
    print_grid(out, ("domain", "tables", "in", "description"), rows)


def _print_context(answer: GetQueryContextOutput, out: Console) -> None:
    from tribal.edges.cli.safe_console import escape

    # As it is, so that it can be piped into another program.
    out.print(escape(answer.text), soft_wrap=True)


VIEWS: dict[str, Callable[[Any, Console], None]] = {
    "search_tables": _print_search,
    "get_table_schema": _print_table,
    "get_join_path": _print_join,
    "get_domain_overview": _print_domain,
    "list_domains": _print_domains,
    "get_query_context": _print_context,
    **ASK_VIEWS,
    **KNOWLEDGE_VIEWS,
    **LINEAGE_VIEWS,
    **MEMORY_VIEWS,
}
"""Views by tool name; other answers use the default view."""
