"""Annotations: descriptions that people write, in `annotations/{database}.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml
from pydantic import ValidationError

from tribal.errors import ConfigurationError, ObjectDamaged, ObjectNotFound
from tribal.identity import locations
from tribal.identity.table_names import format_name, parse_name
from tribal.ports import ObjectStore
from tribal.yaml_lines import at_line, compose_yaml, line_of, locate, plain_value, shape_problem
from tribal_contracts import Annotations, DomainAnnotation, LocatedMetric, LocatedTerm, Metric, TableAnnotation, Term

MAX_ANNOTATIONS_BYTES = 5_000_000
MAX_ANNOTATIONS_NODES = 500_000
_CODE = "DOC_ANNOTATIONS_INVALID"


class LocatedAnnotation(TableAnnotation):
    """The annotation of a table, and its first line."""

    line: int


class LocatedDomainAnnotation(DomainAnnotation):
    """The annotation of a domain, and its first line."""

    line: int


@dataclass(frozen=True, slots=True)
class OverviewAnnotations:
    """The annotations of a database and of its domains."""

    description: str | None = None
    line: int | None = None
    domains: Mapping[str, LocatedDomainAnnotation] = field(default_factory=dict)


class TableAnnotations(dict[tuple[str, str], LocatedAnnotation]):
    """Annotations by schema and table, and the owners of domains.

    Args:
        tables: the annotations.
        owners: by domain.
    """

    def __init__(
        self, tables: Mapping[tuple[str, str], LocatedAnnotation] | None = None, owners: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(tables or {})
        self._owners = owners or {}

    def owner_of(self, table: tuple[str, str], domain: str) -> str | None:
        """The owner of a table or, without one, of its domain."""
        annotation = self.get(table)
        own = annotation.owner if annotation is not None else None
        return own or self._owners.get(domain)


def read_annotations(store: ObjectStore, database: str) -> TableAnnotations:
    """The table annotations of a database; empty if there is no file.

    Raises:
        ConfigurationError: when the file cannot be used; the message names file and line, and says what to write.
    """
    data = _read(store, database)
    key = locations.annotations_file(database)
    return TableAnnotations() if data is None else parse_annotations(data, key)


def read_overview_annotations(store: ObjectStore, database: str) -> OverviewAnnotations:
    """The annotations of a database and its domains; empty if there is no file.

    Raises:
        ConfigurationError: when the file cannot be used; the message names file and line, and says what to write.
    """
    data, key = _read(store, database), locations.annotations_file(database)
    annotations, root = (None, None) if data is None else _parse(data, key)
    if annotations is None or root is None:
        return OverviewAnnotations()
    lines = _lines_of(root, "domains")
    return OverviewAnnotations(
        description=annotations.description,
        line=line_of(locate(root, ("description",))) if annotations.description else None,
        domains={
            name: LocatedDomainAnnotation(**annotation.model_dump(), line=lines.get(name, 1))
            for name, annotation in annotations.domains.items()
        },
    )


def read_defined(store: ObjectStore, database: str) -> tuple[list[LocatedMetric], list[LocatedTerm]]:
    """The metrics and terms in a database's annotations file, with their lines; empty if there is no file.

    Raises:
        ConfigurationError: when the file cannot be used; the message names file and line, and says what to write.
    """
    data, key = _read(store, database), locations.annotations_file(database)
    annotations, root = (Annotations(), None) if data is None else _parse(data, key)
    if root is None:
        return [], []

    def place(section: str, number: int) -> dict[str, Any]:
        return {"file": key, "line": line_of(locate(root, (section, number)))}

    return (
        [LocatedMetric(**e.model_dump(), **place("metrics", n)) for n, e in enumerate(annotations.metrics)],
        [LocatedTerm(**e.model_dump(), **place("terms", n)) for n, e in enumerate(annotations.terms)],
    )


def _read(store: ObjectStore, database: str) -> bytes | None:
    key = locations.annotations_file(database)
    try:
        data = store.get(key).data
    except ObjectNotFound as error:
        if error.blocked:
            _refuse(key, None, "is a folder or a broken link; restore your file or remove it")
        return None
    except ObjectDamaged as error:
        _refuse(key, None, f"cannot be read ({error.message}); restore your file or remove it")
    if len(data) > MAX_ANNOTATIONS_BYTES:
        _refuse(
            key, None, f"is larger than {MAX_ANNOTATIONS_BYTES:,} bytes; split the database's notes or shorten them"
        )
    return data


def parse_annotations(data: bytes, key: str) -> TableAnnotations:
    """Parse an annotations file; `key` names it in messages.

    Raises:
        ConfigurationError: when the file cannot be used.
    """
    annotations, root = _parse(data, key)
    return TableAnnotations() if root is None else _by_table(annotations, key, root)


def _parse(data: bytes, key: str) -> tuple[Annotations, yaml.Node | None]:
    root = compose_yaml(key, data, code=_CODE, max_nodes=MAX_ANNOTATIONS_NODES)
    if root is None:
        return Annotations(), None
    content = plain_value(root)
    try:
        annotations = Annotations.model_validate({} if content is None else content)
    except ValidationError as error:
        problem = _shape_problem(key, root, error)
        # Not chained: the cause quotes the file.
        raise problem from None
    return annotations, root


def _by_table(annotations: Annotations, key: str, root: yaml.Node) -> TableAnnotations:
    tables: dict[tuple[str, str], LocatedAnnotation] = {}
    lines = _lines_of(root, "tables")
    for name, annotation in annotations.tables.items():
        line = lines.get(name, 1)
        try:
            parts = parse_name(name)
        except ValueError:
            parts = ()
        if len(parts) != 2:
            _refuse(key, line, f'has {name!r}, which is not a table name; write "schema.table"')
        if parts in tables:
            _refuse(key, line, f"names {format_name(parts)} twice; keep one of the two")
        tables[parts[0], parts[1]] = LocatedAnnotation(**annotation.model_dump(), line=line)
    owners = {name: each.owner for name, each in annotations.domains.items() if each.owner}
    return TableAnnotations(tables, owners)


def _lines_of(root: yaml.Node, section: str) -> dict[str, int]:
    top = {key.value: value for key, value in root.value} if isinstance(root, yaml.MappingNode) else {}
    named = top.get(section)
    pairs = named.value if isinstance(named, yaml.MappingNode) else []
    return {key.value: line_of(key) for key, _ in pairs if isinstance(key, yaml.ScalarNode)}


def _shape_problem(key: str, root: yaml.Node, error: ValidationError) -> ConfigurationError:
    first = error.errors(include_url=False, include_input=False)[0]
    where = tuple(part for part in first["loc"] if part != "[key]")
    hint = _HINTS.get(str(where[0]) if where else "", _HINTS[""]).get(first["type"]) or shape_problem(first)
    name = ".".join(map(str, where)) or "the file"
    return at_line(key, line_of(locate(root, where)), f"{name} {hint}", code=_CODE)


def _hints(known: str, held: str) -> dict[str, str]:
    shape = f"should hold {held}, indented below it"
    return {
        "extra_forbidden": f"is an unknown key; {known}",
        "model_type": shape,
        "model_attributes_type": shape,
        "missing": f"is missing; {known}",
    }


_HINTS = {
    "": _hints("the file has description, domains, tables, metrics and terms", "tables"),
    "tables": _hints("a table has description, owner and columns", "description or columns"),
    "domains": _hints("a domain has title, description and owner", "title or description"),
    "metrics": _hints(f"a metric has {', '.join(Metric.model_fields)}", "name, description, expression and tables"),
    "terms": _hints(f"a term has {', '.join(Term.model_fields)}", "name and definition"),
}
"""By section of the file, what to write instead of a mistake."""


def _refuse(key: str, line: int | None, problem: str) -> NoReturn:
    raise at_line(key, line, problem, code=_CODE)
