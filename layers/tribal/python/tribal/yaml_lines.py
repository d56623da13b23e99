"""Reads hand-written YAML as nodes that know their line numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from tribal.errors import ConfigurationError


def compose_yaml(name: str, data: bytes, *, code: str | None = None) -> yaml.Node | None:
    """The nodes of a file; `None` when it is empty.

    Args:
        name: the file's name in messages.
        data: its bytes.
        code: error code to raise with, when it is not the default of `ConfigurationError`.

    Raises:
        ConfigurationError: when it is not valid YAML in UTF-8; the message names the line.
    """
    try:
        return yaml.compose(data.decode("utf-8-sig"), yaml.SafeLoader)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise at_line(name, line, "is not UTF-8; save it as UTF-8", code=code) from error
    except yaml.YAMLError as error:
        raise not_yaml(name, error, code=code) from error
    except RecursionError as error:
        raise at_line(name, None, "is nested too deeply", code=code) from error


def plain_value(name: str, root: yaml.Node, *, code: str | None = None) -> Any:
    """A node as Python data, without variables.

    Raises:
        ConfigurationError: when a value in it is of no plain type.
    """
    loader = yaml.SafeLoader("")
    try:
        return loader.construct_document(root)
    except yaml.YAMLError as error:
        raise not_yaml(name, error, code=code) from error
    except RecursionError as error:
        raise at_line(name, None, "is nested too deeply", code=code) from error
    finally:
        loader.dispose()


def not_yaml(name: str, error: yaml.YAMLError, *, code: str | None = None) -> ConfigurationError:
    """The error for a file that is not valid YAML, with the line if it is known."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or "it is not YAML"
    line = mark.line + 1 if mark else None
    return at_line(name, line, f"cannot be read: {problem}; check the indentation and the quotes there", code=code)


def at_line(name: str, line: int | None, problem: str, *, code: str | None = None) -> ConfigurationError:
    """An error that names the file and the line."""
    place = f"{name}, line {line}" if line else name
    return ConfigurationError(f"{place}: {problem}", code=code, context={"file": name, "line": line})


def line_of(node: yaml.Node) -> int:
    """The line where a node begins, counted from 1."""
    return int(node.start_mark.line) + 1


def repeated_keys(root: yaml.Node) -> Iterator[yaml.ScalarNode]:
    """Duplicate keys of a mapping, of which YAML would silently keep only the last."""
    pending, visited = [root], set[int]()
    while pending:
        node = pending.pop()
        if id(node) in visited:
            continue
        visited.add(id(node))
        if isinstance(node, yaml.MappingNode):
            yield from _repeated(node)
            pending.extend(part for pair in node.value for part in pair)
        elif isinstance(node, yaml.SequenceNode):
            pending.extend(node.value)


def _repeated(mapping: yaml.MappingNode) -> Iterator[yaml.ScalarNode]:
    seen: set[str] = set()
    for key, _ in mapping.value:
        if isinstance(key, yaml.ScalarNode):
            if key.value in seen:
                yield key
            seen.add(key.value)


def locate(root: yaml.Node, location: Sequence[int | str]) -> yaml.Node:
    """The deepest existing node on the path to a location: the key itself, else the node that should contain it."""
    node = named = root
    for part in location:
        if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = named = node.value[part]
            continue
        pairs = node.value if isinstance(node, yaml.MappingNode) else ()
        pair = next((pair for pair in pairs if pair[0].value == str(part)), None)
        if pair is None:
            break
        named, node = pair
    return named
