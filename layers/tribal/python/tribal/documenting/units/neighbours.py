"""What was published about the tables next to those of a unit, and the order in which a unit's tables are described."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from tribal.identity import locations
from tribal.identity.table_names import TableIdentity
from tribal.ports import ObjectStore
from tribal.store import read_record
from tribal_contracts import CatalogSlice, DomainDocument, TableSpec


def published_domain(database: str, domain: str, store: ObjectStore) -> DomainDocument | None:
    """The overview of a domain, which only Finish writes: while a run documents, it is that of the run before."""
    directory = locations.domain_directory(database, domain)
    return read_record(store, f"{locations.DOCS}{directory}/domain.json", DomainDocument)


def published_descriptions(part: CatalogSlice, store: ObjectStore) -> Mapping[str, str]:
    """The last published descriptions of a slice's neighbours, by fully qualified name; those without are missing."""
    domains = sorted({neighbour.domain for neighbour in part.neighbours.values()})
    documents = [published_domain(part.database, domain, store) for domain in domains]
    listed = {table.name: table.description for document in documents if document for table in document.tables}
    return {name: listed[name] for name in part.neighbours if listed.get(name)}


def referenced_first(specs: Iterable[TableSpec], part: CatalogSlice) -> list[TableSpec]:
    """Tables in their order, but each after those that it references."""
    by_name = {spec.fully_qualified_name: spec for spec in specs}
    references = defaultdict[str, list[str]](list)
    for table in part.tables:
        name = str(TableIdentity(part.database, table.schema_name, table.table_name))
        for key in table.foreign_keys:
            references[name].append(str(TableIdentity(part.database, key.references_schema, key.references_table)))
    return [by_name[name] for name in _after_references(list(by_name), references) if name in by_name]


def _after_references(names: Sequence[str], references: Mapping[str, Sequence[str]]) -> list[str]:
    """The names, each after all that it references, directly or not; a cycle is cut where it closes."""
    found, seen = list[str](), set[str]()
    left = [iter(names)]
    path: list[str] = []
    while left:
        following = next((name for name in left[-1] if name not in seen), None)
        if following is not None:
            seen.add(following)
            path.append(following)
            left.append(iter(references.get(following, ())))
        else:
            left.pop()
            found += path[-1:]
            del path[-1:]
    return found
