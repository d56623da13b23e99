"""What an answer may cite: documented tables, joins, definitions and remarks, and passages of files."""

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
"""The most characters of a table's columns that a model is shown. By judgement: some 800 tokens."""


@dataclass(frozen=True, slots=True)
class Source:
    """Something that may be cited."""

    shown: ChatSource
    text: str
    """What it says."""
    database: str | None = None
    """Of a table."""
    dialect: DatabaseType | None = None
    """Of its database."""
    is_passage: bool = False
    file_id: str | None = None
    """Of a passage: its file, of whose name there may be others."""

    def numbered(self, number: int) -> Source:
        """The same under another number."""
        return replace(self, shown=self.shown.model_copy(update={"source_id": str(number)}))


def documented_sources(found: DocumentedAnswer, course: str) -> dict[str, Source]:
    """The sources of a documented answer by their ids in it; a table has all that is known of it."""
    said: dict[str, list[str]] = {}
    for statement in found.answer.statements:
        for each in statement.sources:
            said.setdefault(each, []).append(statement.text)
    return {each.id: _documented(each, said.get(each.id, []), found, course) for each in found.answer.sources}


def further_tables(found: DocumentedAnswer, known: Iterable[Source], course: str) -> list[Source]:
    """The other tables of the context, which no statement mentions."""
    names = {each.shown.title for each in known}
    return [
        _documented(AnswerSource(id="1", kind="table", name=name, uri=_table_uri(name)), [], found, course)
        for name in found.documents
        if name not in names
    ]


def passage_source(found: RankedPassage) -> Source:
    """A passage as a source."""
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
    """A business domain as a source."""
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
    """A file of a collection as a source."""
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
    """The page of a table or of a join's first one; the file of a definition; else its name."""
    if source.kind in ("metric", "term", "query"):
        return source.uri.partition("#")[0]
    first = source.name.partition(" and ")[0]
    return pages.get(first, source.name)


def _table_uri(name: str) -> str:
    identity = TableIdentity.parse(name)
    return str(Address("table", (identity.database, identity.schema, identity.table)))
