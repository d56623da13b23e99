"""Sources that an answer may cite: tables, joins, definitions, remarks, and passages of files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tribal.answering.documentation import DocumentedAnswer
from tribal.capabilities.chat.answers.passages import RankedPassage
from tribal.identity.addresses import Address
from tribal.identity.table_names import TableIdentity
from tribal.rendering.compact_table import compact_table
from tribal_contracts import DatabaseType, DomainInfo
from tribal_contracts.answering.answers import AnswerSource
from tribal_contracts.chat.collections import CollectionSource
from tribal_contracts.chat.events import ChatSource

TABLE_CHARS = 2_400
"""Maximum characters for a table's columns in a request to a model. By judgement: about 800 tokens."""


@dataclass(frozen=True, slots=True)
class Source:
    """A source that an answer may cite."""

    shown: ChatSource
    text: str
    """The content of the source."""
    database: str | None = None
    """Database of the table, if it is a table."""
    dialect: DatabaseType | None = None
    """SQL dialect of that database."""
    is_passage: bool = False
    file_id: str | None = None
    """ID of the passage's file, because several files may have the same name."""

    def numbered(self, number: int) -> Source:
        """Return a copy of the source with a different number."""
        return replace(self, shown=self.shown.model_copy(update={"source_id": str(number)}))


def documented_sources(found: DocumentedAnswer, course: str) -> dict[str, Source]:
    """Return the sources of a documented answer by ID. The source of a table contains everything known about it."""
    said: dict[str, list[str]] = {}
    for statement in found.answer.statements:
        for each in statement.sources:
            said.setdefault(each, []).append(statement.text)
    return {each.id: _documented(each, said.get(each.id, []), found, course) for each in found.answer.sources}


def further_tables(found: DocumentedAnswer, known: Iterable[Source], course: str) -> list[Source]:
    """Return the tables of the context that no statement mentions."""
    names = {each.shown.title for each in known}
    return [
        _documented(AnswerSource(id="1", kind="table", name=name, uri=_table_uri(name)), [], found, course)
        for name in found.documents
        if name not in names
    ]


def passage_source(found: RankedPassage) -> Source:
    """Return the source for a passage."""
    passage = found.match.passage
    shown = ChatSource(
        source_filename=passage.source_filename,
        source_path=found.path,
        page_number=passage.page_number,
        course_id=passage.course_id,
        source_id="1",
        title=f"{found.path or passage.source_filename}, page {passage.page_number}",
        distance=None if found.match.distance is None else round(found.match.distance, 6),
    )
    return Source(shown, passage.text, is_passage=True, file_id=found.match.source_id)


def domain_source(domain: DomainInfo, course: str) -> Source:
    """Return the source for a business domain."""
    database = domain.databases[0]
    shown = ChatSource(
        source_filename=domain.name,
        page_number=1,
        course_id=course,
        source_id="1",
        title=domain.name,
        url=str(Address("domain", (database, domain.name))),
    )
    tables = f"{domain.table_count:,} {'table' if domain.table_count == 1 else 'tables'}"
    return Source(shown, f"{domain.name}: {tables} in {', '.join(domain.databases)}. {domain.description}".strip())


def file_source(file: CollectionSource, course: str) -> Source:
    """Return the source for a file of a collection."""
    title = ", ".join(file.paths) or file.names[0]
    shown = ChatSource(
        source_filename=file.names[0],
        source_path=next(iter(file.paths), None),
        page_number=1,
        course_id=course,
        source_id="1",
        title=title,
    )
    pages = "" if file.kind != "pdf" else f", {file.pages:,} {'page' if file.pages == 1 else 'pages'}"
    return Source(shown, f"{title}{pages}.", is_passage=True, file_id=file.source_id)


def _documented(source: AnswerSource, said: list[str], found: DocumentedAnswer, course: str) -> Source:
    table = found.documents.get(source.name) if source.kind == "table" else None
    text = "\n".join(said)
    if table is not None:
        named = [column for each in found.parts for column in each.columns.get(source.name, ())]
        shown = compact_table(table, lambda column: column in named)
        text = f"{text}\n{shown[:TABLE_CHARS]}".strip()
    return Source(
        ChatSource(
            source_filename=_file_of(source, found.pages),
            page_number=1,
            course_id=course,
            source_id=source.id,
            title=source.name,
            url=source.uri if "://" in source.uri else None,
        ),
        text,
        database=None if table is None else table.database,
        dialect=None if table is None else table.database_type,
    )


def _file_of(source: AnswerSource, pages: Mapping[str, str]) -> str:
    """Return the page of a table, of a join's first table, or the file of a definition; otherwise the name."""
    if source.kind in ("metric", "term", "query"):
        return source.uri.partition("#")[0]
    first = source.name.partition(" and ")[0]
    return pages.get(first, source.name)


def _table_uri(name: str) -> str:
    identity = TableIdentity.parse(name)
    return str(Address("table", (identity.database, identity.schema, identity.table)))
