"""Report annotations of tables that do not exist; they are probably misspelt or outdated."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from tribal.documenting.annotations import read_annotations
from tribal.identity import locations
from tribal.identity.table_names import TableIdentity, format_name
from tribal.ports import RunContext
from tribal_contracts import DatabaseAnalysis, RunOutline


def note_unknown_tables(outline: RunOutline, run: RunContext) -> None:
    """Report annotations of tables that are not in the plan; unreachable databases are skipped.

    Raises:
        ConfigurationError: when an annotations file cannot be used.
    """
    for analysis in outline.databases:
        if analysis.status == "reachable":
            for message in _messages(analysis, run):
                run.sink.note(message)


def _messages(analysis: DatabaseAnalysis, run: RunContext) -> Iterator[str]:
    annotations = read_annotations(run.store, analysis.name)
    if not annotations:
        return
    identities = (TableIdentity.parse(name) for names in analysis.domains.values() for name in names)
    known = {(identity.schema, identity.table) for identity in identities}
    schemas = {schema for schema, _ in known}
    names = sorted(map(".".join, known))
    for (schema, table), annotation in sorted(annotations.items()):
        if (schema, table) in known:
            continue
        close = difflib.get_close_matches(f"{schema}.{table}", names, n=1)
        hint = f"did you mean {close[0]}?" if close else "it is misspelt, was dropped, or is excluded by databases.yaml"
        what = "a table" if schema in schemas else "a table of an unknown schema,"
        file = f"{locations.annotations_file(analysis.name)}, line {annotation.line},"
        yield f"{file} describes {what} {format_name((schema, table))}, which does not exist in {analysis.name}; {hint}"
