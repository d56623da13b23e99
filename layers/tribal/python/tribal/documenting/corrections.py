"""Propose a correction as a diff, and write it after confirmation."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from functools import partial
from io import StringIO
from typing import Any, Literal

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from tribal.errors import (
    ConfigurationError,
    CorrectionOutdated,
    ObjectDamaged,
    ObjectNotFound,
    PreconditionFailed,
    RequestRefused,
)
from tribal.identity import locations
from tribal.identity.hashing import bytes_hash
from tribal.identity.table_names import format_name, parse_name
from tribal.ports import ObjectStore
from tribal.store.annotations import MAX_ANNOTATIONS_NODES, parse_annotations
from tribal.yaml_lines import compose_yaml, control_character, plain_value

_CODE = "DOC_ANNOTATIONS_INVALID"


@dataclass(frozen=True, slots=True)
class AnnotationChange:
    """A proposed change to an annotations file."""

    key: str
    """The file's key in the store."""
    before: bytes | None
    """`None` if the file does not exist yet."""
    after: bytes
    etag: str | None

    @property
    def fingerprint(self) -> str:
        """A hash that identifies exactly this change."""
        return bytes_hash(b"\n".join([(self.etag or "").encode(), bytes_hash(self.after).encode()]))

    def difference(self, context_lines: int) -> str:
        """The change as a unified diff; empty if nothing changes."""
        before, after = (_lines(data or b"") for data in (self.before, self.after))
        return "\n".join(difflib.unified_diff(before, after, self.key, self.key, n=context_lines, lineterm=""))

    def write(self, store: ObjectStore) -> None:
        """Write the file unless it has changed since.

        Raises:
            CorrectionOutdated: when someone changed it in the meantime.
        """
        try:
            if self.etag is None:
                store.put(self.key, self.after, if_absent=True)
            else:
                store.put(self.key, self.after, if_match=self.etag)
        except PreconditionFailed as error:
            raise CorrectionOutdated(f"{self.key} was changed in the meantime; preview the correction again") from error


def propose(store: ObjectStore, database: str, subject: Subject, new_text: str) -> AnnotationChange:
    """Propose a new text in a database's annotations file; an empty text removes it.

    Raises:
        ConfigurationError: when the file cannot be used, or cannot be edited without losing content.
    """
    key, (data, etag) = locations.annotations_file(database), _file(store, database)
    return AnnotationChange(key, data, edited(data, key, subject, new_text), etag)


def written_texts(store: ObjectStore, database: str) -> Callable[[Subject], str | None]:
    """Return a function that looks up the text about a subject in the annotations file.

    Documents show such a text after the next run.

    Raises:
        ConfigurationError: when the file cannot be used.
    """
    return texts_in(_file(store, database)[0], locations.annotations_file(database))


def _file(store: ObjectStore, database: str) -> tuple[bytes | None, str | None]:
    key = locations.annotations_file(database)
    try:
        found = store.get(key)
    except ObjectNotFound as error:
        if error.blocked:
            raise ConfigurationError(f"{key} is a folder or a broken link; remove it", code=_CODE) from error
        return None, None
    except ObjectDamaged as error:
        raise ConfigurationError(f"{key} cannot be read ({error.message}); restore your file", code=_CODE) from error
    return found.data, found.etag


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines()


_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
_NESTED = re.compile(
    r"^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n(?=(?:[ \t]*(?:#[^\n]*)?\n)*( *)(- |[^\s#-]))", re.MULTILINE
)
"""A key without a value in its line, and what begins below it: a list or a mapping."""
_NEVER_FOLDED = 1_000_000
_NEEDS_QUOTES = re.compile(
    "[^\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|^[ \n]|[ \n]$", re.MULTILINE
)
"""Text that YAML parsers disagree on (line breaks, tabs, outer spaces of a line), which needs escapes."""

_Content = dict[str, Any]


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


def texts_in(data: bytes | None, key: str) -> Callable[[Subject], str | None]:
    """Return a function that looks up the text about a subject in a file, if there is one.

    Raises:
        ConfigurationError: when the file cannot be used.
    """
    return partial(_text_at, _content(data, key))


def _text_at(content: _Content, subject: Subject) -> str | None:
    found: Any = content
    for step in subject.path(content):
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


def _content(data: bytes | None, key: str) -> _Content:
    if data is None:
        return {}
    parse_annotations(data, key)
    root = compose_yaml(key, data, code=_CODE, max_nodes=MAX_ANNOTATIONS_NODES)
    content = None if root is None else plain_value(root)
    return content if isinstance(content, dict) else {}


def _read(text: str, key: str) -> _Content | None:
    try:
        return _content(text.encode(), key)
    except ConfigurationError:
        return None


def _with_text(content: _Content, path: tuple[str, ...], new_text: str) -> _Content:
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
    nested = [(len(found[2]) - len(found[1]), found[3] == "- ") for found in _NESTED.finditer(text)]
    offset = next((more for more, is_list in nested if is_list), 0)
    mapping = next((more for more, is_list in nested if not is_list and more > 0), 2)
    yaml.indent(mapping=mapping, sequence=offset + 2, offset=offset)
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
