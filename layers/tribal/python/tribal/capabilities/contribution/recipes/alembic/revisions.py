"""Alembic's revisions, read from their syntax trees; nothing of the repository is run or imported."""

from __future__ import annotations

import ast
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tribal.capabilities.contribution.recipes.recipe import RecipeBlocked

_UNKNOWN = object()


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision script."""

    id: str
    path: str
    down: tuple[str, ...]
    """Revisions that run before it and that it replaces as heads."""
    upgrade: Sequence[ast.stmt]
    """The body of its `upgrade`."""
    constants: Mapping[str, str]
    """Strings by the names that the module gives them."""


def parse_python(source: bytes) -> ast.Module | None:
    """Return the syntax tree of a module; `None` if it cannot be parsed."""
    with warnings.catch_warnings():
        # Such as an invalid escape in a literal, which is none of our concern.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def read_revision(path: str, source: bytes) -> Revision | None:
    """Read a script; `None` if it is not a revision.

    Raises:
        RecipeBlocked: it cannot be parsed, or its place in the chain is computed.
    """
    tree = parse_python(source)
    if tree is None:
        raise RecipeBlocked(f"cannot parse {path!r} as Python; repair it, and try again")
    values = {name: value for statement in tree.body for name, value in _assigned(statement)}
    if "revision" not in values:
        return None
    constants = {name: text for name, node in values.items() if isinstance(text := literal(node, {}), str)}
    revision = literal(values["revision"], constants)
    down = literal(values["down_revision"], constants) if "down_revision" in values else None
    downs = down if isinstance(down, tuple) else () if down is None else (down,)
    if not isinstance(revision, str) or not all(isinstance(each, str) for each in downs):
        raise RecipeBlocked(f"the revision in {path!r} is computed; write `revision` and `down_revision` as literals")
    bodies = [each.body for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "upgrade"]
    return Revision(revision, path, tuple(map(str, downs)), bodies[-1] if bodies else [], constants)


def literal(node: ast.expr | None, constants: Mapping[str, str]) -> object:
    """Return the value of a literal: a string, `None`, or a tuple of them; an unknown object for all else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return tuple(literal(each, constants) for each in node.elts)
    if isinstance(node, ast.Name):
        return constants.get(node.id, _UNKNOWN)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = _operands(node)
        texts = [literal(part, constants) for part in parts]
        if all(isinstance(text, str) for text in texts):
            return "".join(map(str, texts))
    return _UNKNOWN


def _operands(node: ast.expr) -> list[ast.expr]:
    """Return the operands of a sum, which nests on the left, without recursion."""
    parts = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts.append(node.right)
        node = node.left
    return [node, *reversed(parts)]


def _assigned(statement: ast.stmt) -> Iterable[tuple[str, ast.expr]]:
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Name):
                yield target.id, statement.value
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
        yield statement.target.id, statement.value


def assigned_values(source: bytes, name: str) -> list[ast.expr]:
    """Return the values that a module assigns to a name, anywhere, or passes as an argument of that name."""
    nodes = list(ast.walk(parse_python(source) or ast.Module([], [])))
    assigned = [value for node in nodes if isinstance(node, ast.stmt) for key, value in _assigned(node) if key == name]
    return [*assigned, *(node.value for node in nodes if isinstance(node, ast.keyword) and node.arg == name)]


def chain_of(revisions: Sequence[Revision]) -> list[Revision]:
    """Return the revisions in the order in which they run; the only head is last.

    Raises:
        RecipeBlocked: there is no head or more than one, a revision exists twice, or one is missing.
    """
    by_id: dict[str, Revision] = {}
    for each in revisions:
        if other := by_id.get(each.id):
            raise RecipeBlocked(f"{other.path!r} and {each.path!r} have the same revision {each.id!r}; rename one")
        by_id[each.id] = each
    waiting = {each.id: set(each.down) for each in revisions}
    above: dict[str, list[str]] = defaultdict(list)
    for each in revisions:
        for down in each.down:
            if down not in by_id:
                raise RecipeBlocked(f"{each.path!r} continues from revision {down!r}, which is missing")
            above[down].append(each.id)
    heads = sorted(each.id for each in revisions if each.id not in above)
    if len(heads) != 1:
        raise RecipeBlocked(
            f"Alembic has {len(heads)} heads ({', '.join(map(repr, heads))}); run `alembic merge heads`, and try again"
            if heads
            else "Alembic has no revision to continue from; add the first one yourself"
        )
    ready = sorted((each for each, downs in waiting.items() if not downs), reverse=True)
    chain: list[Revision] = []
    while ready:
        chain.append(by_id[ready.pop()])
        for name in above[chain[-1].id]:
            waiting[name].discard(chain[-1].id)
            if not waiting[name]:
                ready.append(name)
    if len(chain) < len(revisions):
        raise RecipeBlocked("Alembic's revisions form a circle; repair `down_revision`, and try again")
    return chain
