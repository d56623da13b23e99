"""The pages of domains, databases and the catalog."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.identity import locations
from tribal.rendering.markdown import escape_text, fence, link, page, table
from tribal.rendering.mermaid import DIAGRAM_TABLES, drawn_tables
from tribal.rendering.names import linked_prose, short_name
from tribal.rendering.words import correction, number, row_figure
from tribal_contracts import DomainDocument, DomainTable, OverviewDocument, OverviewDomain


def domain_page(document: DomainDocument) -> str:
    """The page of a domain, at `docs/{database}/{domain}/README.md`."""
    path = locations.domain_page_file(document.database, document.domain)
    database = f"{locations.database_directory(document.database)}/{locations.CATALOG_OVERVIEW_PAGE}"
    breadcrumbs = [
        link("Catalog", path, locations.CATALOG_OVERVIEW_PAGE),
        link(escape_text(document.database), path, database),
        escape_text(document.domain),
    ]
    return page(
        [
            " / ".join(breadcrumbs),
            f"# {escape_text(document.title)}",
            _prose(document, path),
            f"**Domain** · {number(len(document.tables), 'table')}{_owned_by(document)}{_written_by(document)}",
            f"## Tables\n\n{_tables(document.tables, path)}",
            _diagram(document),
            _common_joins(document.common_joins),
            _links(document, path),
            "---",
            correction(
                document.database, document.annotation_line, f"domains: {document.domain}:", ("title", "description")
            ),
        ]
    )


def _prose(document: DomainDocument, path: str) -> str:
    if document.description_source != "model":
        return escape_text(document.description)
    return linked_prose(document.description, {table.name: table.path for table in document.tables}, path)


def _owned_by(document: DomainDocument) -> str:
    return f" · owner {escape_text(document.owner)}" if document.owner else ""


def _written_by(document: DomainDocument) -> str:
    if document.description_source != "model":
        return ""
    sure = f" ({document.description_confidence * 100:.0f} %)" if document.description_confidence is not None else ""
    return f" · _Written by a model{sure} from names; no one has confirmed it._"


def _tables(tables: Sequence[DomainTable], path: str) -> str:
    rows = [
        (
            link(short_name(entry.name), path, entry.path),
            row_figure(entry.row_count),
            str(entry.column_count),
            escape_text(entry.description),
        )
        for entry in tables
    ]
    return table(("Table", "Rows, about", "Columns", "Description"), rows, right=(1, 2))


def _diagram(document: DomainDocument) -> str:
    if not document.er_diagram:
        return "No foreign key joins these tables to each other." if len(document.tables) > 1 else ""
    blocks = ["## Diagram", fence(document.er_diagram, "mermaid")]
    drawn = drawn_tables(document.er_diagram)
    if left_out := len(document.tables) - drawn:
        which = "the tables that keys join" if drawn < DIAGRAM_TABLES else "the most connected tables"
        blocks.append(f"The diagram shows {which}; {number(left_out, 'table')} of the list above left out.")
    return "\n\n".join(blocks)


def _common_joins(joins: Sequence[str]) -> str:
    return "## Common joins\n\n" + fence("\n\n".join(joins), "sql") if joins else ""


def _links(document: DomainDocument, path: str) -> str:
    if not document.links:
        return ""
    rows = [
        (
            link(escape_text(other.domain), path, locations.domain_page_file(document.database, other.domain)),
            str(other.keys),
        )
        for other in document.links
    ]
    return "## Related domains\n\n" + table(("Domain", "Keys between them"), rows, right=(1,))


def overview_page(document: OverviewDocument) -> str:
    """The page of a database, at `docs/{database}/README.md`, or of the catalog, at `docs/README.md`."""
    if document.scope == "catalog":
        return _catalog_page(document)
    path = f"{locations.database_directory(document.name)}/{locations.CATALOG_OVERVIEW_PAGE}"
    return page(
        [
            f"{link('Catalog', path, locations.CATALOG_OVERVIEW_PAGE)} / {escape_text(document.name)}",
            f"# {escape_text(document.name)}",
            *(escape_text(part) for part in document.description.split("\n\n")),
            f"## Domains\n\n{_domains(document.domains, path)}",
            "---",
            correction(document.name, document.annotation_line, "", ("description",)),
        ]
    )


def _catalog_page(document: OverviewDocument) -> str:
    path = locations.CATALOG_OVERVIEW_PAGE
    sections = []
    for database in document.databases:
        place = f"{locations.database_directory(database)}/{locations.CATALOG_OVERVIEW_PAGE}"
        domains = [entry for entry in document.domains if entry.database == database]
        sections.append(f"## {link(escape_text(database), path, place)}\n\n{_domains(domains, path)}")
    return page([f"# {escape_text(document.name)}", escape_text(document.description), *sections])


def _domains(domains: Sequence[OverviewDomain], path: str) -> str:
    rows = [
        (link(escape_text(entry.title), path, entry.path), str(entry.table_count), escape_text(entry.description))
        for entry in domains
    ]
    return table(("Domain", "Tables", "Description"), rows, right=(1,))
