"""The words of people about a database: `annotations/{database}.yaml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

import yaml
from pydantic import ValidationError

from tribal.catalog import locations
from tribal.catalog.identity import format_name, parse_name
from tribal.errors import ConfigurationError, ObjectNotFound
from tribal.ports import ObjectStore
from tribal_contracts import Annotations, DomainAnnotation, TableAnnotation

MAX_ANNOTATIONS_BYTES = 5_000_000
_CODE = "DOC_ANNOTATIONS_INVALID"


class PlacedAnnotation(TableAnnotation):
    """The words of a person about a table, and the line of the file where they begin."""

    line: int


class PlacedDomainAnnotation(DomainAnnotation):
    """The words of a person about a domain, and the line of the file where they begin."""

    line: int


@dataclass(frozen=True, slots=True)
class OverviewWords:
    """What a person says of a database and of its domains."""

    description: str | None = None
    line: int | None = None
    domains: Mapping[str, PlacedDomainAnnotation] = field(default_factory=dict)


TableAnnotations = Mapping[tuple[str, str], PlacedAnnotation]
"""By schema and table."""


def read_annotations(store: ObjectStore, database: str) -> TableAnnotations:
    """The annotations of a database; empty when there is no file.

    Raises:
        ConfigurationError: when the file cannot be used; the message names file, line and mend.
    """
    data = _read(store, database)
    return {} if data is None else parse_annotations(data, locations.annotations_file(database))


def read_overview_words(store: ObjectStore, database: str) -> OverviewWords:
    """What a person says of the database and its domains; nothing when there is no file.

    Raises:
        ConfigurationError: when the file cannot be used; the message names file, line and mend.
    """
    data, key = _read(store, database), locations.annotations_file(database)
    annotations, root = (None, None) if data is None else _parse(data, key)
    if annotations is None or root is None:
        return OverviewWords()
    lines = _lines_of(root, "domains")
    return OverviewWords(
        description=annotations.description,
        line=_line(root, ("description",)) if annotations.description else None,
        domains={
            name: PlacedDomainAnnotation(**annotation.model_dump(), line=lines.get(name, 1))
            for name, annotation in annotations.domains.items()
        },
    )


def _read(store: ObjectStore, database: str) -> bytes | None:
    key = locations.annotations_file(database)
    try:
        data = store.get(key).data
    except ObjectNotFound:
        return None
    if len(data) > MAX_ANNOTATIONS_BYTES:
        _refuse(
            key, None, f"is larger than {MAX_ANNOTATIONS_BYTES:,} bytes; split the database's notes or shorten them"
        )
    return data


def parse_annotations(data: bytes, key: str) -> TableAnnotations:
    """Read the text of an annotations file; `key` is its name in messages.

    Raises:
        ConfigurationError: when it cannot be used.
    """
    annotations, root = _parse(data, key)
    return {} if root is None else _by_table(annotations, key, root)


def _parse(data: bytes, key: str) -> tuple[Annotations, yaml.Node | None]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _refuse(key, data[: error.start].count(b"\n") + 1, "is not UTF-8; save it as UTF-8")
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if root is None:
            return Annotations(), None
        _refuse_doubles(key, root)
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or "it is no YAML"
        _refuse(key, mark.line + 1 if mark else None, f"cannot be read: {problem}; mend the YAML there")
    except RecursionError:
        _refuse(key, None, "is nested too deeply; write tables, then description and columns")
    try:
        annotations = Annotations.model_validate({} if content is None else content)
    except ValidationError as error:
        _refuse_shape(key, root, error)
    return annotations, root


def _by_table(annotations: Annotations, key: str, root: yaml.Node) -> TableAnnotations:
    tables: dict[tuple[str, str], PlacedAnnotation] = {}
    lines = _lines_of(root, "tables")
    for name, annotation in annotations.tables.items():
        try:
            parts = parse_name(name)
        except ValueError:
            parts = ()
        if len(parts) != 2:
            _refuse(key, _line(root, ("tables", name)), f'names {name!r}, which is no table; write "schema.table"')
        if parts in tables:
            _refuse(key, _line(root, ("tables", name)), f"names {format_name(parts)} twice; keep one of the two")
        tables[parts[0], parts[1]] = PlacedAnnotation(**annotation.model_dump(), line=lines.get(name, 1))
    return tables


def _lines_of(root: yaml.Node, section: str) -> dict[str, int]:
    top = {key.value: value for key, value in root.value} if isinstance(root, yaml.MappingNode) else {}
    named = top.get(section)
    pairs = named.value if isinstance(named, yaml.MappingNode) else []
    return {key.value: key.start_mark.line + 1 for key, _ in pairs if isinstance(key, yaml.ScalarNode)}


def _refuse_shape(key: str, root: yaml.Node, error: ValidationError) -> NoReturn:
    first = error.errors(include_url=False, include_input=False)[0]
    where = tuple(str(part) for part in first["loc"] if part != "[key]")
    mend = {
        "extra_forbidden": "is no key that is known here; a table has description and columns, a domain has title "
        "and description",
        "string_type": "should be text; put it in quotes",
        "dict_type": "should hold further keys, indented below it",
        "model_type": "should hold description or columns, indented below it",
        "model_attributes_type": "should hold description or columns, indented below it",
    }.get(first["type"], first["msg"])
    _refuse(key, _line(root, where), f"{'.'.join(where) or 'the file'} {mend}")


def _refuse_doubles(key: str, root: yaml.Node) -> None:
    """A key that stands twice would silently lose what a person wrote under the first."""
    for node in _mappings(root):
        seen: set[str] = set()
        for name, _ in node.value:
            if isinstance(name, yaml.ScalarNode):
                if name.value in seen:
                    _refuse(key, name.start_mark.line + 1, f"has {name.value!r} twice; keep one of the two")
                seen.add(name.value)


def _mappings(root: yaml.Node) -> Iterator[yaml.MappingNode]:
    pending, visited = [root], set[int]()
    while pending:
        node = pending.pop()
        if id(node) in visited:
            continue
        visited.add(id(node))
        if isinstance(node, yaml.MappingNode):
            yield node
            pending.extend(part for pair in node.value for part in pair)
        elif isinstance(node, yaml.SequenceNode):
            pending.extend(node.value)


def _line(root: yaml.Node, where: tuple[str, ...]) -> int:
    """The line of the deepest key on the way that the file has."""
    node, line = root, root.start_mark.line + 1
    for part in where:
        if not isinstance(node, yaml.MappingNode):
            break
        for name, value in node.value:
            if isinstance(name, yaml.ScalarNode) and name.value == part:
                node, line = value, name.start_mark.line + 1
                break
        else:
            break
    return line


def _refuse(key: str, line: int | None, problem: str) -> NoReturn:
    place = f"{key}, line {line}" if line else key
    raise ConfigurationError(f"{place}: {problem}", code=_CODE, context={"file": key, "line": line})
