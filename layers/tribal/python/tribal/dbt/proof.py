"""Prove that an edit of YAML has changed what it was meant to change, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from tribal.dbt.yaml_nodes import STRING, Node


class Leaf(NamedTuple):
    """One node without what it contains."""

    kind: str
    tag: str
    value: str = ""
    anchor: str | None = None


Path = tuple[str | int | tuple[Leaf, int], ...]
"""Keys and positions from the root. A key that is not a text, or a repeated one, is a node with its occurrence."""


def leaves(root: Node | None) -> dict[Path, Leaf]:
    """List every node of a document by its path. Aliases are not followed; the order of keys does not matter."""
    return dict(_walk((), root)) if root is not None else {}


def _walk(path: Path, node: Node) -> Iterator[tuple[Path, Leaf]]:
    yield path, Leaf(node.kind, node.tag, node.value, node.anchor)
    if node.kind == "sequence":
        for number, item in enumerate(node.items):
            yield from _walk((*path, number), item)
    elif node.kind == "mapping":
        seen: Counter[Leaf] = Counter()
        for key, value in node.pairs:
            leaf = Leaf(key.kind, key.tag, key.value, key.anchor)
            seen[leaf] += 1
            if leaf == Leaf("scalar", STRING, key.value) and seen[leaf] == 1:
                yield from _walk((*path, key.value), value)
            else:
                yield from _walk((*path, (leaf, seen[leaf]), "key"), key)
                yield from _walk((*path, (leaf, seen[leaf]), "value"), value)


def expected_leaves(path: Path, value: object) -> Iterator[tuple[Path, Leaf]]:
    """List the nodes that plain data is parsed as."""
    if isinstance(value, Mapping):
        yield path, Leaf("mapping", "mapping")
        for key, each in value.items():
            yield from expected_leaves((*path, key), each)
    elif isinstance(value, list):
        yield path, Leaf("sequence", "sequence")
        for number, each in enumerate(value):
            yield from expected_leaves((*path, number), each)
    elif isinstance(value, str):
        yield path, Leaf("scalar", STRING, value)
    else:
        kind = "bool" if value is True else "int"
        yield path, Leaf("scalar", f"tag:yaml.org,2002:{kind}", str(value).lower())


def first_difference(expected: Mapping[Path, Leaf], found: Mapping[Path, Leaf]) -> str | None:
    """Return the path at which two documents differ; `None` if they are equal."""
    for path in [*expected, *found]:
        if expected.get(path) != found.get(path):
            return ".".join(map(str, path)) or "the document"
    return None


class ChangedLines(NamedTuple):
    """How many lines an edit has added, and how many it has changed."""

    added: int
    changed: int


def changed_lines(before: bytes, after: bytes, meant: Collection[int]) -> ChangedLines | None:
    """Count the lines that an edit has added and changed; `None` if another line differs or is gone.

    Args:
        before: the file as it was.
        after: the file as it is now.
        meant: the lines, from 1, that may differ; none of them may be gone.
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    at = 0
    for number, line in enumerate(old, 1):
        if number in meant:
            continue
        # The last line may get a line break, where lines follow it.
        endings = (line,) if line.endswith((b"\n", b"\r")) else (line, line + b"\n", line + b"\r\n", line + b"\r")
        while at < len(new) and new[at] not in endings:
            at += 1
        if at == len(new):
            return None
        at += 1
    return ChangedLines(len(new) - len(old), len(meant)) if len(new) >= len(old) else None
