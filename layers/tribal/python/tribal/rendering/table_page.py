"""The Markdown page of a table."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tribal.identity import locations
from tribal.identity.table_names import TableIdentity, format_name, parse_name
from tribal.joins.outline import unique_columns
from tribal.rendering.gaps import PAGE_GAPS, gaps, page_lines
from tribal.rendering.likely_keys import LIKELY_KEYS, likely_key_list
from tribal.rendering.markdown import (
    cell_code,
    code_span,
    escape_text,
    fence,
    link,
    page,
    table,
)
from tribal.rendering.mermaid import ErColumn, ErTable, er_diagram
from tribal.rendering.names import linked_prose, linked_table
from tribal.rendering.page_joins import PAGE_JOINS, page_join
from tribal.rendering.words import (
    DIALECTS,
    NOT_VALIDATED,
    basis,
    correction,
    further_meanings,
    hidden_because,
    lists_values,
    meaning_sources,
    number,
    rows_phrase,
    uniqueness,
)
from tribal_contracts import (
    Description,
    DescriptionSource,
    DocumentedColumn,
    DocumentedRelation,
    Relationship,
    TableDocument,
    TableKind,
)

KIND_TITLES: dict[TableKind, str] = {
    "table": "Table",
    "partitioned_table": "Partitioned table",
    "partition": "Partition",
    "view": "View",
    "materialized_view": "Materialized view",
    "foreign_table": "Foreign table",
    "dynamic_table": "Dynamic table",
    "external_table": "External table",
    "iceberg_table": "Iceberg table",
    "hybrid_table": "Hybrid table",
}
# The shape of a number or a date adds nothing to its type.
_SHAPELESS_TYPES = ("bigint", "date", "double", "float", "integer", "number", "numeric", "real", "smallint", "time")
_SOURCES: dict[DescriptionSource, str] = {
    "human": "Written by a person.",
    "comment": "From the comment in the database.",
    "model": "Written by a {basis}; no one has confirmed it.",
    "derived": "Known from {basis}; no one has confirmed it.",
}


def table_page(document: TableDocument, path: str) -> str:
    """The page of a table; `path` is its own path relative to `docs/`, from which links are resolved."""
    heading = escape_text(format_name((document.schema_, document.table)))
    return page(
        [
            _breadcrumbs(document, path),
            f"# {heading}",
            _prose(document.description, document, path),
            _facts(document),
            _notes(document),
            f"## Columns\n\n{_columns(document, path)}",
            _relationships(document, path),
            _joins(document),
            _likely_keys(document, path),
            _lineage(document),
            _indexes(document),
            _checks(document),
            _view(document),
            _samples(document),
            _to_describe(document),
            "---",
            _correction(document),
        ]
    )


def _breadcrumbs(document: TableDocument, path: str) -> str:
    database = f"{locations.database_directory(document.database)}/{locations.CATALOG_OVERVIEW_PAGE}"
    domain = locations.domain_page_file(document.database, document.domain)
    return " / ".join(
        [
            link("Catalog", path, locations.CATALOG_OVERVIEW_PAGE),
            link(escape_text(document.database), path, database),
            link(escape_text(document.domain), path, domain),
            escape_text(document.table),
        ]
    )


def _facts(document: TableDocument) -> str:
    facts = [f"**{KIND_TITLES[document.kind]}** in {DIALECTS[document.database_type]}"]
    facts.append(number(len(document.columns), "column"))
    if document.kind != "view":
        facts.append(rows_phrase(document.row_count, document.row_count_at))
    if document.partition_count:
        facts.append(number(document.partition_count, "inheriting table" if document.kind == "table" else "partition"))
    if document.primary_key:
        facts.append("primary key " + ", ".join(code_span(name) for name in document.primary_key.columns))
    if document.owner:
        facts.append(f"owner {escape_text(document.owner)}")
    said = document.description
    facts.append(
        f"_{_SOURCES[said.source].format(basis=basis(said) or 'the catalog') if said.text else 'Not described yet.'}_"
    )
    return " · ".join(facts)


def _notes(document: TableDocument) -> str:
    if not document.notes:
        return ""
    return "## Good to know\n\n" + "\n".join(f"- {escape_text(note)}" for note in document.notes)


def _columns(document: TableDocument, path: str) -> str:
    parents = {
        column: relation
        for relation in reversed(document.relations)
        if relation.relationship == "references"
        for column in relation.via_columns
    }
    unique = unique_columns(document)
    rows = [
        (
            cell_code(column.name),
            cell_code(column.type),
            _key(column, parents.get(column.name), column.name in unique, path),
            "yes" if column.nullable else "no",
            _default(column),
            _column_text(column, document, path),
            basis(column.description),
        )
        for column in document.columns
    ]
    return table(("Column", "Type", "Key", "Nullable", "Default", "Description", "Known from"), rows)


def _key(column: DocumentedColumn, parent: DocumentedRelation | None, unique: bool, path: str) -> str:
    marks = [mark for mark, on in (("PK", column.is_primary_key), ("UK", unique)) if on]
    if column.is_foreign_key:
        marks.append(f"FK {linked_table(parent.name, path, parent.path)}" if parent else "FK")
    return ", ".join(marks)


def _default(column: DocumentedColumn) -> str:
    if column.identity:
        return f"identity, {escape_text(column.identity)}"
    if column.generated:
        return f"generated: {cell_code(column.generated)}"
    return cell_code(column.default_value) if column.default_value is not None else ""


def _prose(said: Description, document: TableDocument, path: str) -> str:
    """A text; in a model's text, names of related tables link to their pages."""
    if said.source != "model":
        return escape_text(said.text)
    return linked_prose(said.text, {relation.name: relation.path for relation in document.relations}, path)


def _column_text(column: DocumentedColumn, document: TableDocument, path: str) -> str:
    said, values = column.description, column.allowed_values or ()
    meanings = further_meanings(column.value_meanings, said.source)
    parts = [_prose(said, document, path)]
    if values and not lists_values(said.text, said.source, values, column.value_meanings):
        listed = [
            f"{cell_code(value)} ({escape_text(meanings[value].text)})" if value in meanings else cell_code(value)
            for value in values
        ]
        others = " and others" if column.allowed_values_complete is False else ""
        parts.append(f"Values: {', '.join(listed)}{others}{escape_text(meaning_sources(meanings))}.")
    return " ".join(part for part in parts if part)


def _relationships(document: TableDocument, path: str) -> str:
    if not document.relations:
        return ""
    rows = [
        (
            "references" if relation.relationship == "references" else "referenced by",
            linked_table(relation.name, path, relation.path),
            " and ".join(
                f"{cell_code(mine)} = {cell_code(theirs)}"
                for mine, theirs in zip(relation.via_columns, relation.other_columns, strict=False)
            ),
            escape_text(relation.description),
        )
        for relation in document.relations
    ]
    parts = ["## Relationships", table(("", "Table", "This table's column = the other's", "Meaning"), rows)]
    return "\n\n".join([*parts, fence(_diagram(document), "mermaid")])


def _likely_keys(document: TableDocument, path: str) -> str:
    if not document.inferred_keys:
        return ""
    parts = [f"## {LIKELY_KEYS}", likely_key_list(document, path)]
    if not document.relations:
        parts.append(fence(_diagram(document), "mermaid"))
    return "\n\n".join(parts)


def _diagram(document: TableDocument) -> str:
    keys = [column for column in document.columns if column.is_primary_key or column.is_foreign_key]
    own = ErTable(
        document.name,
        format_name((document.schema_, document.table)),
        tuple(ErColumn(c.name, c.type, c.is_primary_key, c.is_foreign_key) for c in keys),
    )
    names = [relation.name for relation in document.relations]
    names += [end for key in document.inferred_keys for end in (key.to_table, key.from_table)]
    others = {name: TableIdentity.parse(name) for name in names if name != document.name}
    tables = [own, *(ErTable(name, format_name((i.schema, i.table))) for name, i in others.items())]
    relationships = [_as_relationship(document, relation) for relation in document.relations]
    return er_diagram(tables, relationships, likely=document.inferred_keys)


def _as_relationship(document: TableDocument, relation: DocumentedRelation) -> Relationship:
    outgoing = relation.relationship == "references"
    here, there = (document.name, relation.via_columns), (relation.name, relation.other_columns)
    child, parent = (here, there) if outgoing else (there, here)
    return Relationship(
        name="",
        from_table=child[0],
        from_columns=child[1],
        from_domain=document.domain,
        to_table=parent[0],
        to_columns=parent[1],
        to_domain=document.domain,
        nullable=bool(relation.nullable),
        source="declared",
        description="",
    )


def _joins(document: TableDocument) -> str:
    if not document.relations:
        return ""
    statements = [page_join(document, relation) for relation in document.relations[:PAGE_JOINS]]
    left_out = len(document.relations) - PAGE_JOINS
    more = f"\n\n{number(left_out, 'more join')} can be written from the relationships above." if left_out > 0 else ""
    return "## Joins\n\n" + fence("\n\n".join(statements), "sql") + more


def _lineage(document: TableDocument) -> str:
    """What a view reads, and the views that read the table."""
    parts = [
        _read_tables("Reads", document.reads or (), document.reads_total),
        _read_tables("Read by", document.read_by or (), document.read_by_total),
    ]
    text = "\n\n".join(filter(None, parts))
    return f"## Lineage\n\n{text}" if text else ""


def _read_tables(label: str, names: Sequence[str], total: int | None) -> str:
    if not names:
        return ""
    shown = ", ".join(code_span(format_name(parse_name(name)[1:])) for name in names)
    more = (total or 0) - len(names)
    return f"{label} {shown}{f' and {more:,} more' if more > 0 else ''}."


def _indexes(document: TableDocument) -> str:
    if not document.indexes:
        return ""
    rows = [
        (
            cell_code(index.name),
            ", ".join(map(cell_code, index.columns))
            + (f", includes {', '.join(map(cell_code, index.include))}" if index.include else ""),
            uniqueness(index),
            cell_code(index.predicate) if index.predicate else "",
        )
        for index in document.indexes
    ]
    return "## Indexes\n\n" + table(("Index", "Columns", "Unique", "Only rows where"), rows)


def _checks(document: TableDocument) -> str:
    if not document.checks:
        return ""
    rows = [
        (cell_code(check.name), cell_code(check.expression) + (NOT_VALIDATED if check.validated is False else ""))
        for check in document.checks
    ]
    return "## Checks\n\n" + table(("Check", "Condition"), rows)


def _view(document: TableDocument) -> str:
    if document.view_definition is None:
        return ""
    return f"## Definition\n\n{fence(document.view_definition, 'sql')}"


def _samples(document: TableDocument) -> str:
    rows = []
    for column in document.columns:
        shown = ", ".join(cell_code(value) for value in column.samples or ())
        hidden = _hidden(column)
        if shown or hidden:
            rows.append((cell_code(column.name), shown, hidden))
    if not rows:
        return ""
    return "## Sample values\n\n" + table(("Column", "Values", "Not shown"), rows)


def _hidden(column: DocumentedColumn) -> str:
    """The shapes of values that are not shown, and what they may be."""
    shapes = () if column.type.startswith(_SHAPELESS_TYPES) else column.sample_patterns or ()
    parts = (escape_text(hidden_because(column)), ", ".join(cell_code(pattern) for pattern in shapes))
    return ": ".join(part for part in parts if part)


def _to_describe(document: TableDocument) -> str:
    missing = gaps(document)
    lines = page_lines(missing)
    if not lines:
        return ""
    left_out = len(missing.columns) - PAGE_GAPS
    more = f" ({number(left_out, 'more column')} without a description)" if left_out > 0 else ""
    file = code_span(locations.annotations_file(document.database))
    return f"## To describe\n\nWhat to document first, in {file}{more}:\n\n{fence(lines, 'yaml')}"


def _correction(document: TableDocument) -> str:
    key = json.dumps(format_name((document.schema_, document.table)), ensure_ascii=False)
    return correction(document.database, document.annotation_line, f"tables: {key}:", ("description", "columns"))
