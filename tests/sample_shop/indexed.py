"""A small shop, documented by hand: what indexing and retrieval are tried on, written as a run would leave it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.fakes import FixedClock, RecordingSink
from tribal.identity.hashing import bytes_hash
from tribal.identity.locations import DOCS, MANIFEST_FILE, domain_directory, table_stem
from tribal.identity.table_names import TableIdentity
from tribal.indexing import IndexingContext, IndexingRequest, index_documents
from tribal.ports import Embedder, IndexWriter, ObjectStore, StopToken
from tribal_contracts import (
    Contract,
    Description,
    DocumentationManifest,
    DocumentedColumn,
    DocumentedForeignKey,
    DocumentedIndex,
    DocumentedKey,
    DocumentedRelation,
    DomainDocument,
    DomainLink,
    DomainTable,
    IndexableFile,
    IndexerProgress,
    InferredKey,
    OverviewDocument,
    Relationship,
    RelationshipsDocument,
    TableDocument,
)

NOW = "2026-11-21T02:45:00Z"
NO_HASH = "0" * 64


@dataclass(frozen=True)
class Key:
    """A foreign key to another table of the same database."""

    columns: tuple[str, ...]
    table: str
    """`schema.table`."""
    references: tuple[str, ...]
    nullable: bool = False


def table_document(
    name: str,
    columns: str,
    *,
    domain: str,
    keys: Sequence[Key] = (),
    comment: str = "",
    comments: Mapping[str, str] | None = None,
    samples: Mapping[str, list[str]] | None = None,
    rows: int = 100,
) -> TableDocument:
    """Document a table; the first of its columns, given as words, is its primary key."""
    identity = TableIdentity.parse(name)
    names = columns.split()
    of_keys = {column for key in keys for column in key.columns}
    nullable = {column for key in keys if key.nullable for column in key.columns}
    return TableDocument(
        schema_version="1.0",
        name=str(identity),
        database=identity.database,
        database_type="postgres",
        schema_=identity.schema,
        table=identity.table,
        domain=domain,
        kind="table",
        description=_description(comment, f"Holds {identity.table}."),
        row_count=rows,
        columns=[
            DocumentedColumn(
                name=column,
                type="integer" if column.endswith(("id", "no")) else "text",
                nullable=column in nullable,
                default_value=None,
                description=_description((comments or {}).get(column, ""), f"The {column}."),
                is_primary_key=column == names[0],
                is_foreign_key=column in of_keys,
                samples=(samples or {}).get(column),
            )
            for column in names
        ],
        primary_key=DocumentedKey(name=f"{identity.table}_pkey", columns=names[:1]),
        unique_keys=[],
        foreign_keys=[
            DocumentedForeignKey(
                name=_key_name(identity, key),
                columns=list(key.columns),
                references_table=f"{identity.database}.{key.table}",
                references_columns=list(key.references),
                nullable=key.nullable,
            )
            for key in keys
        ],
        indexes=[DocumentedIndex(name=f"{identity.table}_pkey", columns=names[:1], unique=True)],
        checks=[],
        relations=[],
        samples_taken=samples is not None,
        documented_at=NOW,
        input_hash=NO_HASH,
        metadata_hash=NO_HASH,
    )


def _description(comment: str, otherwise: str) -> Description:
    if comment:
        return Description(text=comment, source="comment", confidence=1.0)
    return Description(text=otherwise, source="derived", confidence=0.3)


def _key_name(identity: TableIdentity, key: Key) -> str:
    return f"{identity.table}_{'_'.join(key.columns)}_fkey"


def with_relations(tables: Sequence[TableDocument]) -> list[TableDocument]:
    """The tables with both ends of every key among them."""
    relations: defaultdict[str, list[DocumentedRelation]] = defaultdict(list)
    for table in tables:
        for key in table.foreign_keys:
            own, other = key.columns, key.references_columns
            relations[table.name].append(_relation(key.references_table, "references", own, other))
            relations[key.references_table].append(_relation(table.name, "referenced_by", other, own))
    return [table.model_copy(update={"relations": relations[table.name]}) for table in tables]


def _relation(name: str, relationship: str, own: list[str], other: list[str]) -> DocumentedRelation:
    return DocumentedRelation.model_validate(
        {
            "name": name,
            "relationship": relationship,
            "via_columns": own,
            "other_columns": other,
            "path": "x.md",
            "description": f"{relationship} {name}",
        }
    )


def shop_tables() -> list[TableDocument]:
    """Thirteen tables in two databases and four domains."""
    return with_relations(
        [
            table_document(
                "shop.crm.customer",
                "cust_id name email region_id",
                domain="customers",
                keys=[Key(("region_id",), "crm.region", ("region_id",), nullable=True)],
                comment="People and companies who buy from us.",
                samples={"name": ["Alder & Sons"]},
                rows=1200,
            ),
            table_document("shop.crm.region", "region_id name", domain="customers", comment="Sales territories."),
            table_document(
                "shop.crm.address",
                "address_id cust_id street city",
                domain="customers",
                keys=[Key(("cust_id",), "crm.customer", ("cust_id",))],
                rows=-1,
            ),
            table_document(
                "shop.sales.order_header",
                "order_id cust_id placed_at status",
                domain="sales",
                keys=[Key(("cust_id",), "crm.customer", ("cust_id",))],
                comment="One row an order.",
                comments={"status": "Where the order stands in fulfilment."},
            ),
            table_document(
                "shop.sales.order_line",
                "order_id line_no product_id qty unit_price",
                domain="sales",
                keys=[
                    Key(("order_id",), "sales.order_header", ("order_id",)),
                    Key(("product_id",), "stock.product", ("product_id",)),
                ],
            ),
            table_document(
                "shop.sales.shipment",
                "shipment_id order_id line_no shipped_at carrier",
                domain="sales",
                keys=[Key(("order_id", "line_no"), "sales.order_line", ("order_id", "line_no"), nullable=True)],
            ),
            table_document("shop.stock.product", "product_id sku name list_price", domain="stock"),
            table_document(
                "shop.stock.stock_level",
                "stock_id product_id warehouse_id on_hand",
                domain="stock",
                keys=[
                    Key(("product_id",), "stock.product", ("product_id",)),
                    Key(("warehouse_id",), "stock.warehouse", ("warehouse_id",)),
                ],
            ),
            table_document("shop.stock.warehouse", "warehouse_id name city", domain="stock"),
            table_document(
                "shop.hr.employee",
                "emp_no name mgr_emp_no salary",
                domain="people",
                keys=[Key(("mgr_emp_no",), "hr.employee", ("emp_no",), nullable=True)],
            ),
            table_document('shop.hr."Leave Request"', "leave_id emp_no days", domain="people"),
            table_document("web.public.visit", "visit_id session_id page referrer", domain="marketing"),
            table_document("web.public.customer", "id login", domain="customers"),
        ]
    )


def write_documentation(store: ObjectStore, tables: Sequence[TableDocument]) -> DocumentationManifest:
    """Write the tables with their domain, relationship and overview files, and the manifest that lists them."""
    files = [_put(store, _table_path(table), table, "table", table) for table in tables]
    by_domain: defaultdict[tuple[str, str], list[TableDocument]] = defaultdict(list)
    for table in tables:
        by_domain[table.database, table.domain].append(table)
    domains = {table.name: table.domain for table in tables}
    for (database, domain), members in sorted(by_domain.items()):
        folder = domain_directory(database, domain)
        files.append(_put(store, f"{folder}/domain.json", _domain(members, domains), "domain", members[0]))
        keys = _relationships(members, domains)
        files.append(_put(store, f"{folder}/relationships.json", keys, "relationship", members[0]))
    overview = OverviewDocument(
        schema_version="1.0",
        scope="catalog",
        name="everything",
        description="",
        databases=sorted({table.database for table in tables}),
        table_count=len(tables),
        domains=[],
    )
    if tables:
        files.append(_put(store, "overview.json", overview, "overview", tables[0]))
    return write_manifest(store, files)


def write_manifest(store: ObjectStore, files: Sequence[IndexableFile]) -> DocumentationManifest:
    """Publish a manifest of these files."""
    manifest = DocumentationManifest(
        schema_version="1.0",
        completed_at=NOW,
        plan_hash=NO_HASH,
        status="complete",
        databases=[],
        work_units=[],
        total_files=len(files),
        indexable_files=list(files),
    )
    store.put(MANIFEST_FILE, manifest.to_json())
    return manifest


def _table_path(table: TableDocument) -> str:
    return table_stem(domain_directory(table.database, table.domain), table.schema_, table.table) + ".json"


def _put(store: ObjectStore, path: str, document: Contract, kind: str, of: TableDocument) -> IndexableFile:
    data = document.to_json()
    store.put(DOCS + path, data)
    of_table = {"schema": of.schema_, "table": of.table, "work_unit": f"{of.database}_{of.domain}"}
    return IndexableFile.model_validate(
        {
            "path": path,
            "type": kind,
            "database": of.database,
            "domain": of.domain,
            "content_hash": bytes_hash(data),
            "size_bytes": len(data),
            "modified_at": NOW,
            **(of_table if kind == "table" else {}),
        }
    )


def _domain(members: Sequence[TableDocument], domains: Mapping[str, str]) -> DomainDocument:
    first = members[0]
    elsewhere = {domains.get(relation.name, first.domain) for table in members for relation in table.relations}
    return DomainDocument(
        schema_version="1.0",
        database=first.database,
        database_type="postgres",
        domain=first.domain,
        title=first.domain.title(),
        description=f"All about {first.domain} in {first.database}.",
        tables=[
            DomainTable(
                name=table.name,
                description=table.description.text,
                row_count=table.row_count,
                column_count=len(table.columns),
                path=_table_path(table),
            )
            for table in members
        ],
        er_diagram=f"erDiagram\n    {first.table}",
        common_joins=[f"SELECT 1 /* {first.domain} */"],
        links=[DomainLink(domain=domain, keys=1) for domain in sorted(elsewhere - {first.domain})],
    )


def _relationships(members: Iterable[TableDocument], domains: Mapping[str, str]) -> RelationshipsDocument:
    found = list(members)
    return RelationshipsDocument(
        schema_version="1.0",
        database=found[0].database,
        domain=found[0].domain,
        relationships=[
            Relationship(
                name=key.name,
                from_table=table.name,
                from_columns=key.columns,
                from_domain=table.domain,
                to_table=key.references_table,
                to_columns=key.references_columns,
                to_domain=domains.get(key.references_table, table.domain),
                nullable=key.nullable,
                source="declared",
                description=f"{table.table} belongs to {key.references_table}.",
            )
            for table in found
            for key in table.foreign_keys
        ],
        inferred_keys=[
            InferredKey(**key.model_dump(exclude={"path"}))
            for table in found
            for key in table.inferred_keys
            if key.from_table == table.name
        ],
    )


def index_all(
    store: ObjectStore, index: IndexWriter, embedder: Embedder | None = None, **options: Any
) -> IndexerProgress:
    """Index what the store holds."""
    context = IndexingContext(store, index, embedder, FixedClock(), RecordingSink(), stop=StopToken())
    return index_documents(context, IndexingRequest(**options))
