"""Reads one file of knowledge as an item.

Front matter describes the item if there is any; a decision record without it uses its own format. The file is data:
nothing in it is evaluated, followed or rendered here.

Source: docs/contracts.md, Knowledge.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import yaml
from pydantic import JsonValue, ValidationError

from tribal.capabilities.knowledge.errors import PatternInvalid
from tribal.capabilities.knowledge.items.decisions import (
    REJECTED,
    SUMMARY_CHARS,
    day,
    day_of,
    is_template,
    known_status,
    status_of,
    summary_of,
    title_of,
)
from tribal.capabilities.knowledge.items.markdown_outline import Outline, outline
from tribal.capabilities.knowledge.items.places import Place
from tribal.capabilities.knowledge.policies.patterns import expression, path_glob
from tribal.errors import ConfigurationError, ItemUnusable
from tribal.identity.table_names import slug
from tribal.yaml_lines import compose_yaml, line_of, locate, plain_value, shape_problem
from tribal_contracts.knowledge import (
    SEVERITIES,
    STATUSES,
    TYPES,
    Constraint,
    KnowledgeStatus,
    KnowledgeType,
    Severity,
    Unreadable,
)

MAX_BYTES = 1 << 20
"""Size limit of a file."""
MAX_CONSTRAINTS = 200
MAX_TAGS = 50
MAX_TITLE_CHARS = 300
MAX_METADATA_BYTES = 16_384
_FENCED = ("yaml", "yml")
_CONSTRAINTS = "constraints"
_OWN = frozenset(
    "id type title summary status severity tags metadata supersedes constraints unreadable created updated date layer"
    " createdAt updatedAt".split()
)
"""Known keys of front matter; others are stored as metadata."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}\Z")
_FRONT = re.compile(r"---[ \t]*\r?\n(?P<yaml>.*?)(?:^|\n)---[ \t]*(?:\r?\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ReadItem:
    """The contents of a file, without what only its history shows.

    Attributes:
        created: the declared day, else `None`.
        superseded_by: paths or ids, as written.
    """

    id: str
    type: KnowledgeType
    title: str
    summary: str
    content: str
    status: KnowledgeStatus
    severity: Severity
    tags: Sequence[str] = ()
    constraints: Sequence[Constraint] = ()
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    created: str | None = None
    updated: str | None = None
    supersedes: str | None = None
    unreadable: Unreadable | None = None
    superseded_by: Sequence[str] = ()
    warnings: Sequence[str] = ()

    @property
    def tables(self) -> list[str]:
        """Names of the tables that it declares."""
        named = self.metadata.get("tables")
        return [each for each in named if isinstance(each, str)] if isinstance(named, list) else []


def read_item(path: str, data: bytes, place: Place) -> ReadItem | None:
    """The item of a file; `None` if it is not published, because it was rejected or is a template.

    Raises:
        ItemUnusable: with the line and what to do.
    """
    if len(data) > MAX_BYTES:
        raise ItemUnusable(f"it is larger than {MAX_BYTES:,} bytes", None)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ItemUnusable("it is not UTF-8; save it as UTF-8", line) from None
    front, node, body, first_line = _front_matter(path, text)
    document = outline(body, first_line)
    if is_template(document):
        return None
    status, superseded_by, warnings = _status(front, node, document)
    if status == REJECTED:
        return None
    title = _title(front, node, document, text)
    return ReadItem(
        id=_id(front, node, path),
        type=_type(front, node, place),
        title=title,
        summary=_text(front, node, "summary", SUMMARY_CHARS * 3) or summary_of(document, title),
        content=body.strip("\n"),
        status=status,
        severity=_one_of(front, node, "severity", SEVERITIES) or ("info" if place.type == "adr" else "warn"),
        tags=_tags(front, node),
        constraints=_constraints(path, front, node, document),
        metadata=_metadata(front, node),
        created=_day(front, "created", "createdAt", "date") or day_of(document),
        updated=_day(front, "updated", "updatedAt"),
        supersedes=_text(front, node, "supersedes", 200),
        unreadable=_one_of(front, node, "unreadable", get_args(Unreadable)),
        superseded_by=superseded_by,
        warnings=warnings,
    )


def _front_matter(path: str, text: str) -> tuple[dict[str, Any], yaml.Node | None, str, int]:
    """Front matter as data and as nodes, the text below it, and the first line of that text."""
    found = _FRONT.match(text)
    if found is None:
        return {}, None, text, 1
    # An extra line, so that line numbers match the file.
    root = _composed(path, "\n" + found["yaml"])
    after = text.count("\n", 0, found.end()) + 1
    if root is None:
        return {}, None, text[found.end() :], after
    if not isinstance(root, yaml.MappingNode):
        raise ItemUnusable("front matter must be keys and values", line_of(root))
    return plain_value(root), root, text[found.end() :], after


def _composed(path: str, text: str) -> yaml.Node | None:
    try:
        return compose_yaml(path, text.encode("utf-8", "surrogatepass"))
    except ConfigurationError as error:
        line = (error.context or {}).get("line")
        problem = error.message.partition(": ")[2]
        raise ItemUnusable(problem, line if isinstance(line, int) else None) from None


def _line(node: yaml.Node | None, *location: str | int) -> int | None:
    return None if node is None else line_of(locate(node, location))


def _text(front: Mapping[str, Any], node: yaml.Node | None, key: str, most: int) -> str | None:
    value = front.get(key)
    if value is None or value == "":
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or len(value) > most:
        raise ItemUnusable(f"{key}: must be text of at most {most} characters", _line(node, key))
    return " ".join(value.split())


def _one_of(front: Mapping[str, Any], node: yaml.Node | None, key: str, allowed: Sequence[str]) -> Any:
    value = front.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or value.casefold() not in allowed:
        raise ItemUnusable(f"{key}: must be one of {', '.join(allowed)}", _line(node, key))
    return value.casefold()


def _id(front: Mapping[str, Any], node: yaml.Node | None, path: str) -> str:
    own = _text(front, node, "id", 200)
    if own is None:
        return slug(path.rpartition("/")[2].rpartition(".")[0])[:200]
    if not _ID.match(own):
        raise ItemUnusable("id: may only have letters, digits, dots, - and _", _line(node, "id"))
    return own


def _type(front: Mapping[str, Any], node: yaml.Node | None, place: Place) -> KnowledgeType:
    own: KnowledgeType | None = _one_of(front, node, "type", TYPES)
    if own is not None and own != place.type:
        raise ItemUnusable(f"type: is {own!r}, but the folder is for the type {place.type!r}", _line(node, "type"))
    layer = front.get("layer")
    if layer is not None and layer != place.layer:
        raise ItemUnusable(f"layer: must be {place.layer!r}, the layer of its folder", _line(node, "layer"))
    return place.type


def _title(front: Mapping[str, Any], node: yaml.Node | None, document: Outline, text: str) -> str:
    own = _text(front, node, "title", MAX_TITLE_CHARS)
    if own is not None:
        return own
    matter = _FRONT.match(text)
    # Some records have their heading inside the front matter, where YAML takes it for a comment.
    found = title_of(document) or (title_of(outline(matter["yaml"])) if matter else None)
    if found is None:
        raise ItemUnusable("it has no title: add a first heading, or `title` in front matter", 1)
    return found.text[:MAX_TITLE_CHARS]


def _status(
    front: Mapping[str, Any], node: yaml.Node | None, document: Outline
) -> tuple[KnowledgeStatus | Any, Sequence[str], Sequence[str]]:
    """The status, the items that supersede it, and warnings."""
    value = front.get("status")
    if isinstance(value, dict) and all(each is None for each in value.values()):
        # `{accepted}`, as templates write it.
        front = {**front, "status": " ".join(map(str, value))}
    own = _text(front, node, "status", 500)
    if own is not None:
        status, is_placeholder = known_status(own)
        if status is None or is_placeholder:
            raise ItemUnusable(f"status: must be one of {', '.join(STATUSES)}", _line(node, "status"))
        return status, (), ()
    declared = status_of(document)
    if declared is None:
        return "accepted", (), ("it has no status: treated as accepted",)
    if declared.status is None:
        raise ItemUnusable(f"the status must be one of {', '.join(STATUSES)}", declared.line)
    return declared.status, declared.superseded_by, ()


def _tags(front: Mapping[str, Any], node: yaml.Node | None) -> list[str]:
    value = front.get("tags") or []
    listed = value.split(",") if isinstance(value, str) else value
    if not isinstance(listed, list) or len(listed) > MAX_TAGS or not all(isinstance(each, str) for each in listed):
        raise ItemUnusable(f"tags: must be a list of at most {MAX_TAGS} texts", _line(node, "tags"))
    return list(dict.fromkeys(each.strip()[:64] for each in listed if each.strip()))


def _metadata(front: Mapping[str, Any], node: yaml.Node | None) -> dict[str, JsonValue]:
    own = front.get("metadata") or {}
    if not isinstance(own, dict):
        raise ItemUnusable("metadata: must have keys indented below it", _line(node, "metadata"))
    others = {key: value for key, value in front.items() if key not in _OWN}
    metadata = {**others, **own}
    if len(json.dumps(metadata, ensure_ascii=False).encode()) > MAX_METADATA_BYTES:
        raise ItemUnusable(f"metadata: must not be larger than {MAX_METADATA_BYTES:,} bytes", _line(node, "metadata"))
    return metadata


def _day(front: Mapping[str, Any], *keys: str) -> str | None:
    return next((found for key in keys if isinstance(front.get(key), str) and (found := day(front[key]))), None)


def _constraints(path: str, front: Mapping[str, Any], node: yaml.Node | None, document: Outline) -> list[Constraint]:
    declared: list[tuple[Any, yaml.Node | None, int]] = []
    if _CONSTRAINTS in front:
        declared.append((front, node, 0))
    for fence in document.fences:
        if fence.language in _FENCED and re.search(rf"^{_CONSTRAINTS}[ \t]*:", fence.text, re.MULTILINE):
            root = _composed(path, "\n" * fence.number + fence.text)
            if isinstance(root, yaml.MappingNode):
                declared.append((plain_value(root), root, fence.number))
    if len(declared) > 1:
        raise ItemUnusable("constraints are given twice: keep them in one place", _line(declared[1][1], _CONSTRAINTS))
    if not declared:
        return []
    ((holder, root, _),) = declared
    listed = holder[_CONSTRAINTS]
    if not isinstance(listed, list) or len(listed) > MAX_CONSTRAINTS:
        raise ItemUnusable(f"constraints: must be a list of at most {MAX_CONSTRAINTS}", _line(root, _CONSTRAINTS))
    return [_constraint(each, root, number) for number, each in enumerate(listed)]


def _constraint(value: Any, root: yaml.Node | None, number: int) -> Constraint:
    where: tuple[str | int, ...] = (_CONSTRAINTS, number)
    try:
        constraint = Constraint.model_validate(value)
    except ValidationError as error:
        detail = error.errors()[0]
        name = ".".join(str(part) for part in detail["loc"])
        line = _line(root, *where, *detail["loc"])
        raise ItemUnusable(f"constraint {number + 1}: {name} {_problem(detail)}".replace(":  ", ": "), line) from None
    is_glob = constraint.operator in ("must_exist", "must_not_exist")
    for key, read, pattern in (
        ("pattern", path_glob if is_glob else expression, constraint.pattern),
        ("appliesTo", path_glob, constraint.applies_to),
    ):
        try:
            if pattern is not None:
                read(pattern)
        except PatternInvalid as error:
            raise ItemUnusable(f"constraint {number + 1}: {key}: {error.message}", _line(root, *where, key)) from None
    return constraint


def _problem(detail: Mapping[str, Any]) -> str:
    if detail["type"] == "missing":
        return "is missing"
    if detail["type"] == "extra_forbidden":
        return "is not a key of a constraint"
    return shape_problem(detail)
