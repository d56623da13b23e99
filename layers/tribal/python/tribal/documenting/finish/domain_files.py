"""Write the three files of a domain when their inputs change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tribal.documenting.finish.collected_documents import TableEntry
from tribal.documenting.finish.publishing import Publisher
from tribal.documenting.finish.summaries import TableSummary, summarize
from tribal.errors import describe_unexpected
from tribal.identity import locations
from tribal.identity.hashing import object_hash
from tribal.joins.statements import Join, SqlTable, join_sql
from tribal.masking import redact_text
from tribal.ports import Clock, Describers, DomainContext, DomainDescription, ObjectStore, ProgressSink
from tribal.rendering import RENDERER_VERSION
from tribal.rendering.mermaid import er_diagram
from tribal.rendering.overview_pages import domain_page
from tribal.store import put_if_changed, read_record
from tribal.store.annotations import LocatedDomainAnnotation
from tribal_contracts import (
    AgentError,
    Description,
    DomainDocument,
    DomainLink,
    IndexableFile,
    ModelUsage,
    Relationship,
    RelationshipsDocument,
    TableDocument,
    agent_error,
)

COMMON_JOINS = 10
"""The most joins in a domain's overview."""
DOMAIN_FILES_VERSION = "8"
"""Change it whenever the same documents would produce different domain files."""


@dataclass(frozen=True, slots=True, eq=False)
class DomainPlan:
    """One domain of one database with its tables."""

    database: str
    domain: str
    title: str
    entries: Sequence[TableEntry]
    words: LocatedDomainAnnotation | None = None
    """The domain's annotation, if any."""
    titled: bool = False
    """Whether a person chose the title."""

    @property
    def directory(self) -> str:
        """The folder of its files, relative to `docs/`."""
        return locations.domain_directory(self.database, self.domain)


@dataclass(frozen=True, slots=True)
class DomainOutcome:
    """The files of a domain; `lost` are tables whose documents are missing from the store."""

    document: DomainDocument | None
    files: tuple[IndexableFile, ...]
    lost: tuple[str, ...] = ()
    usage: ModelUsage | None = None
    """The model's usage for it in this run."""
    warning: AgentError | None = None
    """Why rules describe it instead of the model."""
    failure: AgentError | None = None
    """Why it could not be written."""


@dataclass(frozen=True, slots=True)
class DomainWriter:
    """Writes domains; `domains` maps documented tables to domains, `comments` schemas to comments."""

    store: ObjectStore
    publisher: Publisher
    describers: Describers
    sink: ProgressSink
    clock: Clock
    domains: Mapping[str, str]
    comments: Mapping[tuple[str, str], str]
    places: Mapping[str, str]
    """By database, a hash over all tables' domains: links change when a neighbour moves to another domain."""

    def write(self, plan: DomainPlan) -> DomainOutcome:
        """Write the files of one domain unless their inputs are unchanged."""
        inputs = self._input_hash(plan)
        path = f"{plan.directory}/domain.json"
        document = read_record(self.store, locations.DOCS + path, DomainDocument)
        if document is not None and document.input_hash == inputs:
            files = [
                self.publisher.unchanged_file(path),
                self.publisher.unchanged_file(f"{plan.directory}/relationships.json"),
            ]
            if files[0] is not None and files[1] is not None:
                self._write_page(document)
                return DomainOutcome(document, (files[0], files[1]))
        summaries, lost = self._summaries(plan)
        if not summaries:
            return DomainOutcome(None, (), lost)
        described = self._described(plan, summaries)
        # Without a hash, the next run retries a domain that waits for its model.
        document = self._document(plan, summaries, described, inputs if described.warning is None else None)
        likely = {summary.listed.name: summary.inferred_keys for summary in summaries}
        relationships = RelationshipsDocument(
            schema_version="1.0",
            database=plan.database,
            domain=plan.domain,
            relationships=sorted(
                _outgoing_keys(summaries), key=lambda key: (key.from_table, key.name, key.from_columns)
            ),
            inferred_keys=[key for name in sorted(likely) for key in likely[name]],
        )
        first = self._publish(document, plan)
        second = self.publisher.publish(
            f"{plan.directory}/relationships.json",
            relationships.to_json(),
            "relationship",
            database=plan.database,
            domain=plan.domain,
        )
        return DomainOutcome(document, (first, second), lost, described.usage, described.warning)

    def failed(self, plan: DomainPlan, error: Exception) -> DomainOutcome:
        """The outcome of a domain that could not be written: the files of an earlier run, if they are intact."""
        failure = agent_error(
            "DOC_DOMAIN_FAILED",
            f"the pages of domain {plan.domain!r} of {plan.database!r} could not be written; earlier pages are "
            f"kept. This is a bug in Tribal Knowledge, please report it: {redact_text(describe_unexpected(error))}",
            timestamp=self.clock.published(),
            context={"database": plan.database, "domain": plan.domain, "error": type(error).__name__},
        )
        path = f"{plan.directory}/domain.json"
        files = [
            self.publisher.unchanged_file(path),
            self.publisher.unchanged_file(f"{plan.directory}/relationships.json"),
        ]
        if files[0] is None or files[1] is None:
            return DomainOutcome(None, (), failure=failure)
        document = read_record(self.store, locations.DOCS + path, DomainDocument)
        return DomainOutcome(document, (files[0], files[1]), failure=failure)

    def retitled(self, outcome: DomainOutcome, plan: DomainPlan) -> DomainOutcome:
        """Rewrite a domain with its title from the plan."""
        if outcome.document is None:
            return outcome
        document = outcome.document.model_copy(update={"title": plan.title})
        return replace(outcome, document=document, files=(self._publish(document, plan), *outcome.files[1:]))

    def _publish(self, document: DomainDocument, plan: DomainPlan) -> IndexableFile:
        path = f"{plan.directory}/domain.json"
        file = self.publisher.publish(path, document.to_json(), "domain", database=plan.database, domain=plan.domain)
        self._write_page(document)
        return file

    def _write_page(self, document: DomainDocument) -> None:
        page = locations.domain_page_file(document.database, document.domain)
        put_if_changed(self.store, locations.DOCS + page, domain_page(document).encode())

    def _input_hash(self, plan: DomainPlan) -> str:
        return object_hash(
            [
                sorted([entry.indexable.path, entry.indexable.content_hash] for entry in plan.entries),
                plan.title,
                plan.titled,
                self._schema_comments(plan),
                self.describers.of(plan.database).version,
                RENDERER_VERSION,
                DOMAIN_FILES_VERSION,
                self.places[plan.database],
                plan.words.model_dump(mode="json") if plan.words else None,
            ]
        )

    def _schema_comments(self, plan: DomainPlan) -> list[str]:
        schemas = sorted({entry.indexable.schema_ or "" for entry in plan.entries})
        return [self.comments[plan.database, name] for name in schemas if (plan.database, name) in self.comments]

    def _summaries(self, plan: DomainPlan) -> tuple[list[TableSummary], tuple[str, ...]]:
        summaries, lost = [], []
        for entry in plan.entries:
            file = entry.indexable
            document = read_record(self.store, locations.DOCS + file.path, TableDocument, file.content_hash)
            if document is None:
                self.sink.note(f"{file.path} is missing or damaged; document {entry.name} again")
                lost.append(entry.name)
                continue
            summaries.append(summarize(document, entry, self.domains))
        summaries.sort(key=lambda summary: (-summary.degree, summary.listed.name))
        return summaries, tuple(lost)

    def _described(self, plan: DomainPlan, summaries: Sequence[TableSummary]) -> DomainDescription:
        """The description of a domain, by a person or the describer."""
        if plan.words and plan.words.description:
            return DomainDescription(Description(text=plan.words.description, source="human", confidence=1.0))
        context = DomainContext(
            database=plan.database,
            domain=plan.domain,
            title=plan.title,
            tables=[(summary.listed.name, summary.listed.description) for summary in summaries],
            schema_comments=self._schema_comments(plan),
        )
        return self.describers.of(plan.database).describe_domain(context)

    def _document(
        self, plan: DomainPlan, summaries: Sequence[TableSummary], described: DomainDescription, inputs: str | None
    ) -> DomainDocument:
        said = described.description
        return DomainDocument(
            schema_version="1.0",
            database=plan.database,
            database_type=summaries[0].database_type,
            domain=plan.domain,
            title=plan.title if plan.titled else described.title or plan.title,
            owner=plan.words.owner if plan.words else None,
            description=said.text,
            description_source=said.source,
            description_confidence=said.confidence if said.source == "model" else None,
            tables=[summary.listed for summary in summaries],
            er_diagram=er_diagram(
                [summary.diagram for summary in summaries],
                _outgoing_keys(summaries),
                likely=[key for summary in summaries for key in summary.inferred_keys],
            ),
            common_joins=_common_joins(summaries),
            links=_links(plan.domain, summaries, self.domains),
            annotation_line=plan.words.line if plan.words else None,
            input_hash=inputs,
        )


def _outgoing_keys(summaries: Iterable[TableSummary]) -> list[Relationship]:
    return [key for summary in summaries for key in summary.keys]


def _common_joins(summaries: Sequence[TableSummary]) -> list[str]:
    """Joins along the domain's keys, starting with its most connected tables."""
    by_name = {summary.listed.name: summary for summary in summaries}
    inner = [key for key in _outgoing_keys(summaries) if key.to_table in by_name and key.to_table != key.from_table]
    inner.sort(
        key=lambda key: (
            -by_name[key.from_table].degree - by_name[key.to_table].degree,
            key.from_table,
            key.name,
            key.from_columns,
        )
    )
    return [_join(key, by_name) for key in inner[:COMMON_JOINS]]


def _join(key: Relationship, by_name: Mapping[str, TableSummary]) -> str:
    parent: SqlTable = by_name[key.to_table].sql
    columns = tuple(zip(key.from_columns, key.to_columns, strict=False))
    child = by_name[key.from_table]
    return join_sql(child.sql, [Join(parent, columns, not key.nullable)], child.database_type)


def _links(domain: str, summaries: Sequence[TableSummary], domains: Mapping[str, str]) -> list[DomainLink]:
    keys: Counter[str] = Counter(key.to_domain for key in _outgoing_keys(summaries))
    keys.update(domains[name] for summary in summaries for name in summary.referenced_by if name in domains)
    del keys[domain]
    return [DomainLink(domain=other, keys=count) for other, count in sorted(keys.items(), key=lambda i: (-i[1], i[0]))]
