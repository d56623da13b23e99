"""Reads hand-written YAML as nodes that know their line numbers, and nodes as plain data.

What is read: mappings whose keys are text, lists, text, numbers, booleans and null. Aliases, anchors and tags are
refused: a few hundred bytes of them expand to gigabytes, or create unexpected types. Messages never quote what
the parser says, which quotes the file, which may contain a password.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import yaml

from tribal.errors import ConfigurationError

MAX_DEPTH = 32
MAX_NODES = 100_000
"""Keys and values of one file."""

# libyaml's parser is some ten times faster, where PyYAML was built with it.
_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_TAG = "tag:yaml.org,2002:"
_STR, _NULL, _BOOL, _INT, _FLOAT = (_TAG + kind for kind in ("str", "null", "bool", "int", "float"))
# Dates, octal, hexadecimal and sexagesimal numbers, infinity, merge keys: all of them are text here.
_PLAIN = (
    (_NULL, re.compile(r"(?:~|null|Null|NULL|)\Z")),
    (_BOOL, re.compile(r"(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)\Z")),
    (_INT, re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})\Z")),
    (_FLOAT, re.compile(r"[-+]?(?:[0-9]{1,17}\.[0-9]{0,17}|\.[0-9]{1,17})(?:[eE][-+]?[0-9]{1,2})?\Z")),
)
_TRUE = frozenset({"yes", "true", "on"})
_NOT_TEXT = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def compose_yaml(name: str, data: bytes, *, code: str | None = None, max_nodes: int = MAX_NODES) -> yaml.Node | None:
    """The nodes of a file, without duplicate keys; `None` when it is empty.

    Args:
        name: the file's name in messages.
        data: its bytes.
        code: error code to raise with, when it is not the default of `ConfigurationError`.
        max_nodes: number of keys and values that are read.

    Raises:
        ConfigurationError: when it is not such YAML in UTF-8; the message names the line.
    """
    text = _text(name, data, code)
    composer = _Composer(name, code, max_nodes)
    parser = _Parser(text)
    try:
        while parser.check_event():
            composer.take(parser.get_event())
    except yaml.YAMLError as error:
        line = _line_of_error(error, text)
        # Not chained: the cause quotes the line.
        raise at_line(name, line, f"cannot be read: {_CHECK}", code=code) from None
    finally:
        parser.dispose()
    return composer.root


_CHECK = "check the indentation, the colons and the quotes, and put text with special characters in quotes"


def _text(name: str, data: bytes, code: str | None) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise at_line(name, line, "is not UTF-8; save it as UTF-8", code=code) from None
    if found := _NOT_TEXT.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise at_line(name, line, f"has the control character {_code_point(found.group())}; delete it", code=code)
    return text


def control_character(text: str) -> str | None:
    """The first character of a text that YAML files may not contain, as `U+0007`; `None` if all are allowed."""
    found = _NOT_TEXT.search(text)
    return None if found is None else _code_point(found.group())


def _code_point(character: str) -> str:
    return f"U+{ord(character):04X}"


def _line_of_error(error: yaml.YAMLError, text: str) -> int | None:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        # What is missing at the end of the file is missed on its last line.
        return min(int(mark.line) + 1, text.count("\n") + 1)
    position = getattr(error, "position", None)
    return None if position is None else text.encode()[:position].count(b"\n") + 1


class _Composer:
    """Builds the nodes of one document from the parser's events, within the limits."""

    def __init__(self, name: str, code: str | None, max_nodes: int) -> None:
        self.root: yaml.Node | None = None
        self._name = name
        self._code = code
        self._left = self._most = max_nodes
        self._open: list[yaml.CollectionNode] = []
        self._keys: list[tuple[set[str], list[yaml.Node]]] = []
        """Of each open collection: the keys so far, and the key whose value is awaited."""

    def take(self, event: Any) -> None:
        if isinstance(event, yaml.AliasEvent):
            self._refuse(
                event,
                "cannot be read: it has an alias (*name); write it out, or put text that begins with * in quotes",
            )
        if isinstance(event, yaml.NodeEvent):
            self._node(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()
            self._keys.pop()
        elif isinstance(event, yaml.DocumentStartEvent) and self.root is not None:
            self._refuse(event, "cannot be read: it begins a second document (---); keep one in the file")

    def _node(self, event: Any) -> None:
        if event.anchor is not None:
            self._refuse(
                event,
                "cannot be read: it has an anchor (&name); leave it out, or put text that begins with & in quotes",
            )
        if event.tag not in (None, "!", _STR):
            self._refuse(
                event, "cannot be read: it has a tag (!name); leave it out, or put text that begins with ! in quotes"
            )
        if self._left == 0:
            self._refuse(event, f"has more than {self._most:,} keys and values up to there; is it the right file?")
        self._left -= 1
        if isinstance(event, yaml.ScalarEvent):
            start: Any = event.start_mark
            self._place(yaml.ScalarNode(_tag_of(event), event.value, start))
            return
        if len(self._open) == MAX_DEPTH:
            self._refuse(event, f"is nested too deeply: more than {MAX_DEPTH} levels")
        mapping = isinstance(event, yaml.MappingStartEvent)
        kind = yaml.MappingNode if mapping else yaml.SequenceNode
        node = kind(_TAG + ("map" if mapping else "seq"), [], event.start_mark, event.end_mark)
        self._place(node)
        self._open.append(node)
        self._keys.append((set(), []))

    def _place(self, node: yaml.Node) -> None:
        if not self._open:
            self.root = node
            return
        parent, (known, awaited) = self._open[-1], self._keys[-1]
        if isinstance(parent, yaml.SequenceNode):
            parent.value.append(node)
        elif awaited:
            parent.value.append((awaited.pop(), node))
        elif not isinstance(node, yaml.ScalarNode):
            self._refuse(node, "cannot be read: it has a list or a mapping as a key; a key is text")
        elif node.value in known:
            self._refuse(node, "has a key twice; keep one of the two")
        else:
            known.add(node.value)
            awaited.append(node)

    def _refuse(self, place: Any, problem: str) -> NoReturn:
        raise at_line(self._name, line_of(place), problem, code=self._code)


def _tag_of(event: Any) -> str:
    if event.tag is not None or not event.implicit[0]:
        return _STR
    return next((tag for tag, form in _PLAIN if form.match(event.value)), _STR)


def plain_value(node: yaml.Node, text_of: Callable[[yaml.ScalarNode], str] | None = None) -> Any:
    """A composed node as Python data.

    Args:
        node: the node; keys of mappings are always text.
        text_of: returns the value of a text node; by default, its text.
    """
    if isinstance(node, yaml.MappingNode):
        return {key.value: plain_value(value, text_of) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [plain_value(member, text_of) for member in node.value]
    assert isinstance(node, yaml.ScalarNode)
    if node.tag == _STR:
        return node.value if text_of is None else text_of(node)
    if node.tag == _NULL:
        return None
    if node.tag == _BOOL:
        return node.value.lower() in _TRUE
    return int(node.value) if node.tag == _INT else float(node.value)


def at_line(name: str, line: int | None, problem: str, *, code: str | None = None) -> ConfigurationError:
    """An error that names the file and the line."""
    place = f"{name}, line {line}" if line else name
    return ConfigurationError(f"{place}: {problem}", code=code, context={"file": name, "line": line})


def line_of(node: Any) -> int:
    """The line where a node or an event begins, counted from 1."""
    return int(node.start_mark.line) + 1


def locate(root: yaml.Node, location: Sequence[int | str]) -> yaml.Node:
    """The deepest existing node on the path to a location: the key itself, else the node that should contain it."""
    node = named = root
    for part in location:
        below = _below(node, part)
        if below is None:
            break
        named, node = below
    return named


def value_at(root: yaml.Node, location: Sequence[int | str]) -> yaml.Node | None:
    """The value at a location; `None` if it does not exist."""
    node = root
    for part in location:
        below = _below(node, part)
        if below is None:
            return None
        node = below[1]
    return node


def _below(node: yaml.Node, part: int | str) -> tuple[yaml.Node, yaml.Node] | None:
    """A child of a node: the key and value of a mapping, or an item of a list, given twice."""
    if isinstance(node, yaml.SequenceNode):
        return (node.value[part], node.value[part]) if isinstance(part, int) and part < len(node.value) else None
    pairs = node.value if isinstance(node, yaml.MappingNode) else ()
    return next((pair for pair in pairs if pair[0].value == str(part)), None)


_SHAPES = {
    "string_type": "should be text; put it in quotes",
    "bool_type": "should be true or false",
    "bool_parsing": "should be true or false",
    "float_type": "should be a number",
    "float_parsing": "should be a number",
    "finite_number": "should be a number",
    "list_type": "should be a list",
    "dict_type": "should hold further keys, indented below it",
    "model_type": "should hold further keys, indented below it",
    "model_attributes_type": "should hold further keys, indented below it",
    "literal_error": "should be {expected}",
    "greater_than_equal": "should be at least {ge:g}",
    "greater_than": "should be more than {gt:g}",
    "less_than_equal": "should be at most {le:g}",
    "less_than": "should be less than {lt:g}",
    "too_short": "should have at least {min_length} in it",
    "too_long": "should have at most {max_length} in it",
    "string_too_short": "should not be empty",
    "string_too_long": "should have at most {max_length} characters",
    "string_pattern_mismatch": "should have the form {pattern}",
    # What a contract's own check says, which never holds the value either.
    "value_error": "{error}",
}


def shape_problem(detail: Mapping[str, Any]) -> str:
    """What is wrong with a value, after one of pydantic's errors, in words that never hold the value."""
    kind: str = detail["type"]
    if kind.startswith("int_"):
        return "should be a whole number"
    return _SHAPES.get(kind, "cannot be used here").format_map(detail.get("ctx", {}))
