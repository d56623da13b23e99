"""Change one text in an annotations file and keep everything else."""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from io import StringIO
from typing import Any, Literal

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from tribal.documenting.annotations import MAX_ANNOTATIONS_NODES, parse_annotations
from tribal.errors import ConfigurationError, RequestRefused
from tribal.identity.table_names import format_name, parse_name
from tribal.yaml_lines import compose_yaml, control_character, plain_value

_CODE = "DOC_ANNOTATIONS_INVALID"
_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
_INDENTED = re.compile(r"^( +)[^\s#-]", re.MULTILINE)
_NEVER_FOLDED = 1_000_000
_NEEDS_QUOTES = re.compile(
    "[^\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|^[ \n]|[ \n]$", re.MULTILINE
)
"""Text that YAML parsers disagree on (line breaks, tabs, outer spaces of a line), which needs escapes."""

Content = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a text: a column of a table, a table, a domain or, with none of them, the database."""

    table: tuple[str, str] | None = None
    """Schema and table."""
    column: str | None = None
    domain: str | None = None
    said: Literal["description", "title"] = "description"
    """Only domains have titles."""

    def path(self, content: Mapping[str, Any]) -> tuple[str, ...]:
        """The path to the text in a file's content, which may spell the table differently."""
        if self.domain is not None:
            return "domains", self.domain, self.said
        if self.table is None:
            return (self.said,)
        table = _spelled(self.table, content.get("tables") or {})
        return ("tables", table, "columns", self.column) if self.column is not None else ("tables", table, self.said)


def _spelled(table: tuple[str, str], tables: Mapping[str, Any]) -> str:
    return next((name for name in tables if parse_name(name) == table), format_name(table))


def text_in(data: bytes | None, key: str, subject: Subject) -> str | None:
    """A file's text about a subject, if there is one.

    Raises:
        ConfigurationError: when the file cannot be used.
    """
    found: Any = _content(data, key)
    for step in subject.path(found):
        found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, str) else None


def edited(data: bytes | None, key: str, subject: Subject, new_text: str) -> bytes:
    """The file with a new text about the subject; an empty text removes it.

    Raises:
        ConfigurationError: when the file cannot be used, or cannot be edited without losing content.
        RequestRefused: when the text contains a control character.
    """
    if (control := control_character(new_text)) is not None:
        raise RequestRefused(f"the text contains the control character {control}; delete it")
    before = _content(data, key)
    path = subject.path(before)
    wanted = _with_text(before, path, new_text)
    text = (data or b"").decode("utf-8-sig")
    for quoted in (False, True):
        made = _written(text, path, _scalar(new_text, quoted=quoted))
        if (
            made is not None
            and _read(made, key) == wanted
            and _loaded(made) is not None
            and all(comment in made for comment in _comments(text))
        ):
            return made.encode()
    raise ConfigurationError(
        f"{key} cannot be edited automatically without losing content; change {'.'.join(path)!r} by hand",
        code=_CODE,
    )


def _content(data: bytes | None, key: str) -> Content:
    if data is None:
        return {}
    parse_annotations(data, key)
    root = compose_yaml(key, data, code=_CODE, max_nodes=MAX_ANNOTATIONS_NODES)
    content = None if root is None else plain_value(root)
    return content if isinstance(content, dict) else {}


def _read(text: str, key: str) -> Content | None:
    try:
        return _content(text.encode(), key)
    except ConfigurationError:
        return None


def _with_text(content: Content, path: tuple[str, ...], new_text: str) -> Content:
    """A copy of the content with the new text; an empty text is removed along with emptied parents."""
    first, *rest = path
    inner = content.get(first)
    changed: Any = new_text
    if rest:
        changed = _with_text(inner if isinstance(inner, dict) else {}, tuple(rest), new_text)
    copy = {**content, first: changed}
    return copy if changed else {name: value for name, value in copy.items() if name != first}


def _written(text: str, path: tuple[str, ...], scalar: str) -> str | None:
    loaded = _loaded(text)
    if loaded is None:
        return None
    yaml, root = loaded
    alone = not isinstance(root, CommentedMap)
    root = CommentedMap() if alone else root
    _put(root, path, scalar)
    out = StringIO()
    if root:
        yaml.dump(root, out)
    made = out.getvalue()
    if alone and text.strip():
        # A file of comments only.
        made = text.rstrip("\n") + "\n" + made
    return made.replace("\n", "\r\n") if "\r\n" in text else made


def _loaded(text: str) -> tuple[YAML, Any] | None:
    """The comment-preserving parser and its result; `None` if it cannot read the file."""
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = _NEVER_FOLDED
    indent = _INDENTED.search(text)
    yaml.indent(mapping=len(indent[1]) if indent else 2)
    try:
        return yaml, yaml.load(text)
    except (YAMLError, ValueError):  # `2024-99-99` is text to our reader and a broken date to this one
        return None


def _put(root: MutableMapping[str, Any], path: tuple[str, ...], scalar: str) -> None:
    first, *rest = path
    if not rest:
        if scalar:
            root[first] = scalar
        else:
            root.pop(first, None)
        return
    if not isinstance(root.get(first), MutableMapping):
        root[first] = CommentedMap()
    _put(root[first], tuple(rest), scalar)
    if not root[first]:
        del root[first]


def _scalar(new_text: str, *, quoted: bool) -> str:
    kind: type[str] = str
    if new_text and (quoted or _NEEDS_QUOTES.search(new_text)):
        kind = DoubleQuotedScalarString
    elif "\n" in new_text:
        kind = LiteralScalarString
    return kind(new_text)


def _comments(text: str) -> set[str]:
    return {line.strip() for line in _COMMENT.findall(text)}
