"""Why a path may not be the intended one, and how the alternatives differ."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from tribal.identity.table_names import TableIdentity, format_name
from tribal.joins.costs import NEARLY_EQUAL, NEARLY_EQUAL_BRIDGES, OTHER_MEANING
from tribal.joins.graph import HUB, JoinGraph, Step, Ties, Way
from tribal.joins.paths import Path, way_along

MAX_ALTERNATIVES = 3
"""Limit in the contract of `get_join_path`."""
SUBJECT = 1
"""Role words that a plain key may have: the only key to users is often called `owner`."""
Unique = Callable[[str, Sequence[str]], bool | None]
"""Whether some columns of a table are unique; `None` if unknown."""


def fans_out(step: Step, unique: Unique) -> bool | None:
    """Whether one row may join several at a step; `None` if unknown."""
    if step.to_parent and step.key.source == "declared":
        return False
    one = unique(step.target, step.target_columns)
    return None if one is None else not one


def alternatives_to(best: Path, others: Sequence[Path]) -> list[Path]:
    """The cheapest other paths: one for each sequence of tables, plus those over other columns if they are as good."""
    found: list[Path] = []
    tables, columns = {best.tables}, {_columns(best)}
    for other in others:
        nearly_equal = other.tables == best.tables and other.cost - best.cost <= NEARLY_EQUAL
        if _columns(other) not in columns and (nearly_equal or other.tables not in tables):
            found.append(other)
        tables.add(other.tables)
        columns.add(_columns(other))
    return found[:MAX_ALTERNATIVES]


def ambiguities_of(best: Path, others: Sequence[Path], graph: JoinGraph) -> list[str]:
    """Why a path is ambiguous, given the other paths to the same table; empty if it is not."""
    ambiguities = []
    shown = alternatives_to(best, others)
    as_good = [other for other in shown if other.cost - best.cost <= NEARLY_EQUAL]
    if as_good:
        ambiguities.append(f"about as good is a path {_differences(as_good, best)}")
    for step in best.steps[:-1]:
        ties = graph.tied(step.target)
        if ties.fan_in >= HUB:
            ambiguities.append(f"it {_passes(step.target, ties)}")
    shared = list(_shared_parents(best))
    if shared:
        parents = ", ".join(map(_short_name, shared))
        around = any(not any(_shared_parents(other)) for other in others)
        other = ", and others do not" if around else ": every row of one side meets every row of the other"
        ambiguities.append(f"it joins many to many by the shared parent {parents}{other}")
    ambiguities.extend(_other_meanings(best, [other for other in shown if other not in as_good], graph))
    return ambiguities


def _other_meanings(best: Path, others: Sequence[Path], graph: JoinGraph) -> Iterator[str]:
    """How a path differs from slightly more expensive ones that relate rows in another way."""
    near = [other for other in others if other.cost - best.cost <= OTHER_MEANING]
    near = [other for other in near if not any(_shared_parents(other))]
    bridges = [other for other in near if any(_shared_children(other))]
    straight = [other for other in near if other not in bridges]
    children = list(_shared_children(best))
    if children and straight:
        through = ", ".join(map(_short_name, children))
        yield f"it joins many to many by the shared child {through}, and a path {_differences(straight, best)} does not"
    rivals = [other for other in bridges if _rivals(other, best, bool(children))]
    if rivals and not any(_shared_parents(best)):
        as_well = " as well" if children else ", and this one does not"
        yield f"a path {_differences(rivals, best)} joins many to many{as_well}"
    roles = _roles(best, graph) - (0 if children else SUBJECT)
    plainer = [other for other in near if other.tables != best.tables and _roles(other, graph) < roles]
    if plainer:
        columns = ", ".join(_child_columns(step) for step in best.steps if graph.role_words(step.key))
        yield f"it follows a key that names a role ({columns}), and a path {_differences(plainer, best)} a plainer one"


def _rivals(bridge: Path, best: Path, is_bridge: bool) -> bool:
    """Whether a many-to-many path is as likely to be meant."""
    if is_bridge:
        return len(bridge.steps) == len(best.steps) and bridge.cost - best.cost <= NEARLY_EQUAL_BRIDGES
    return len(bridge.steps) <= len(best.steps)


def _roles(path: Path, graph: JoinGraph) -> int:
    return sum(graph.role_words(step.key) for step in path.steps)


def reasons_for(other: Path, best: Path, graph: JoinGraph) -> list[str]:
    """How another path differs from the best one, and what makes it worse."""
    reasons = [_difference(other, best)]
    more = len(other.steps) - len(best.steps)
    if more:
        reasons.append(f"{abs(more)} join{'s' if abs(more) > 1 else ''} {'more' if more > 0 else 'fewer'}")
    shared = list(_shared_parents(other))
    if shared:
        reasons.append(f"many to many by the shared parent {', '.join(map(_short_name, shared))}")
    elif any(_shared_parents(best)):
        reasons.append("no shared parent")
    children = list(_shared_children(other))
    if children and not any(_shared_children(best)):
        reasons.append(f"many to many by the shared child {', '.join(map(_short_name, children))}")
    elif not children and any(_shared_children(best)):
        reasons.append("no shared child")
    for step in other.steps[:-1]:
        ties = graph.tied(step.target)
        if ties.fan_in >= HUB:
            reasons.append(_passes(step.target, ties))
    empty, less_empty = (_nullable(path) for path in (other, best))
    if len(empty) > len(less_empty):
        reasons.append(f"may be null: {', '.join(column for column in empty if column not in less_empty)}")
    inferred = [step for step in other.steps if step.key.source == "inferred"]
    if inferred:
        reasons.append(f"not declared: {', '.join(_child_columns(step) for step in inferred)}")
    return reasons


def _shared_parents(path: Path) -> Iterator[str]:
    """The parents between two children of a path, where rows join many to many."""
    return _turns(path, {"up"}, "down")


def _shared_children(path: Path) -> Iterator[str]:
    """The children between two parents of a path, where rows join many to many."""
    return _turns(path, {"down", "link"}, "up")


def _turns(path: Path, ways: Collection[Way], then: Way) -> Iterator[str]:
    """The tables that a path reaches one way and leaves another; steps across do not count."""
    for number, step in enumerate(path.steps):
        if step.way == then and way_along(path.steps[:number]) in ways:
            yield step.source


def _differences(others: Sequence[Path], best: Path) -> str:
    return ", or one ".join(_difference(other, best) for other in others)


def _difference(other: Path, best: Path) -> str:
    if other.tables == best.tables:
        mine, theirs = (_keys(path) for path in (other, best))
        return f"by {', '.join(column for column in mine if column not in theirs)}"
    through = [table for table in other.tables[1:-1] if table not in best.tables]
    if through:
        return f"through {', '.join(map(_short_name, through))}"
    return "through fewer tables" if len(other.steps) < len(best.steps) else "through the same tables in another order"


def hub_text(ties: Ties) -> str:
    """How much of a hub a table is, as a clause about it."""
    return f"which {ties.children} tables reference, {ties.share:.0%} of its schema"


def _passes(table: str, ties: Ties) -> str:
    return f"passes {_short_name(table)}, {hub_text(ties)}"


def _columns(path: Path) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    return tuple((step.target, tuple(step.source_columns), tuple(step.target_columns)) for step in path.steps)


def _keys(path: Path) -> list[str]:
    return [_child_columns(step) for step in path.steps]


def _nullable(path: Path) -> list[str]:
    return [_child_columns(step) for step in path.steps if step.key.nullable and step.key.source == "declared"]


def _child_columns(step: Step) -> str:
    table = TableIdentity.parse(step.key.from_table)
    return ", ".join(format_name((table.schema, table.table, column)) for column in step.key.from_columns)


def _short_name(table: str) -> str:
    identity = TableIdentity.parse(table)
    return format_name((identity.schema, identity.table))
