"""Answers of the tools as a person reads them: plain in a pipe, quiet everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tribal.edges.cli.console import console, counted

if TYPE_CHECKING:
    from rich.console import Console

    from tribal_contracts import (
        GetDomainOverviewOutput,
        GetJoinPathOutput,
        GetTableSchemaOutput,
        ListDomainsOutput,
        SearchTablesOutput,
        ToolOutput,
    )


def print_answer(answer: ToolOutput) -> None:
    """Print what was found on standard output; what to know about it, and what went wrong, on standard error."""
    from rich.markup import escape

    out, err = console(), console(stderr=True)
    if answer.error is not None:
        err.print(f"[red]error:[/] {escape(answer.error.message)}")
        suggestions = (answer.error.context or {}).get("suggestions")
        if isinstance(suggestions, list) and suggestions:
            err.print(f"Did you mean {escape(', '.join(str(name) for name in suggestions))}?")
        return
    _PRINTERS[type(answer).__name__](answer, out)
    for warning in answer.warnings or ():
        err.print(f"[yellow]note:[/] {escape(warning.message)}")


def _print_search(answer: SearchTablesOutput, out: Console) -> None:
    from rich.markup import escape

    if not answer.tables:
        out.print("No table matches.")
        return
    for place, table in enumerate(answer.tables, start=1):
        rows = "" if table.row_count < 0 else f", about {table.row_count:,} rows"
        out.print(
            f"[bold]{place}. {escape(table.name)}[/]  [dim]{table.relevance_score:.2f}, {escape(table.domain)}{rows}[/]"
        )
        out.print(f"   {escape(table.description)}")
        if table.key_columns:
            columns = ", ".join(column.name for column in table.key_columns)
            out.print(f"   [dim]columns:[/] {escape(columns)}")
        if table.reasons:
            out.print(f"   [dim]because:[/] {escape('; '.join(table.reasons))}")
    shown = len(answer.tables)
    if answer.total_matches > shown:
        out.print(f"[dim]the best {shown} of {counted(answer.total_matches, 'table')} that match; more with --limit[/]")


def _print_table(answer: GetTableSchemaOutput, out: Console) -> None:
    from rich.markup import escape
    from rich.table import Table

    schema = answer.schema_
    if schema is None:
        return
    rows = "unknown" if schema.row_count < 0 else f"about {schema.row_count:,}"
    out.print(f"[bold]{escape(schema.name)}[/]  [dim]domain {escape(schema.domain)}, rows: {rows}[/]")
    out.print(escape(schema.description))
    out.print()
    view = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for heading in ("column", "type", "null", "description"):
        view.add_column(heading, overflow="fold")
    keys = set(schema.primary_key)
    for column in schema.columns:
        name = f"{column.name} (key)" if column.name in keys else column.name
        samples = f" e.g. {', '.join(column.samples)}" if column.samples else ""
        view.add_row(
            escape(name), escape(column.type), "yes" if column.nullable else "no", escape(column.description + samples)
        )
    out.print(view)
    for key in schema.foreign_keys:
        out.print(
            f"references {escape(key.references_table)}: {escape(', '.join(key.columns))} = "
            f"{escape(', '.join(key.references_columns))}"
        )
    for related in schema.related_tables or ():
        if related.relationship == "referenced_by":
            out.print(f"referenced by {escape(related.name)}")
    for note in schema.notes or ():
        out.print(f"[yellow]note:[/] {escape(note)}")
    if answer.next_cursor:
        out.print(f"[dim]more columns: --cursor {escape(answer.next_cursor)}[/]")


def _print_join(answer: GetJoinPathOutput, out: Console) -> None:
    from rich.markup import escape

    if not answer.path_found:
        out.print(
            f"No path of keys leads from {escape(answer.source)} to {escape(answer.target)}; try a larger --max-hops."
        )
        return
    out.print(
        f"-- {escape(answer.source)} to {escape(answer.target)}: {counted(answer.hop_count or 0, 'join')}",
        soft_wrap=True,
    )
    out.print(escape(answer.sql_snippet or ""), soft_wrap=True)


def _print_domain(answer: GetDomainOverviewOutput, out: Console) -> None:
    from rich.markup import escape

    out.print(f"[bold]{escape(answer.domain)}[/]  [dim]in {escape(', '.join(answer.databases))}[/]")
    out.print(escape(answer.description))
    for table in answer.tables:
        out.print(f"  [bold]{escape(table.name)}[/]: {escape(table.description)}")
    for join in answer.common_joins or ():
        out.print(f"\n{escape(join)}", soft_wrap=True)
    if answer.next_cursor:
        out.print(f"[dim]more tables: --cursor {escape(answer.next_cursor)}[/]")


def _print_domains(answer: ListDomainsOutput, out: Console) -> None:
    from rich.markup import escape

    for domain in answer.domains:
        tables = counted(domain.table_count, "table")
        out.print(f"[bold]{escape(domain.name)}[/]  [dim]{tables} in {escape(', '.join(domain.databases))}[/]")
        out.print(f"  {escape(domain.description)}")
    if answer.next_cursor:
        out.print(f"[dim]more domains: --cursor {escape(answer.next_cursor)}[/]")


_PRINTERS: dict[str, Callable[[Any, Console], None]] = {
    "SearchTablesOutput": _print_search,
    "GetTableSchemaOutput": _print_table,
    "GetJoinPathOutput": _print_join,
    "GetDomainOverviewOutput": _print_domain,
    "ListDomainsOutput": _print_domains,
}
