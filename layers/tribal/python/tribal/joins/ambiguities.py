"""Why a path may not be the one that is meant, and what speaks for or against the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from tribal.identity.table_names import TableIdentity, format_name
from tribal.joins.costs import NEARLY_EQUAL, NEARLY_EQUAL_BRIDGES, OTHER_MEANING
from tribal.joins.graph import HUB, Hop, JoinGraph, Ties
from tribal.joins.paths import Path

MAX_ALTERNATIVES = 3
"""As the contract of `get_join_path` has it."""
SUBJECT = 1
"""Words of a role that a key may have and be the plain one: many a key to users says `owner` where no other does."""
Unique = Callable[[str, Sequence[str]], bool | None]
"""Whether no two rows of a table have the same values in some columns; `None` if that is not known."""


def fans_out(hop: Hop, unique: Unique) -> bool | None:
    """Whether a hop may reach several rows from one; `None` if that is not known."""
    if hop.to_parent and hop.key.source == "declared":
        return False
    one = unique(hop.target, hop.target_columns)
    return None if one is None else not one


def alternatives_to(best: Path, others: Sequence[Path]) -> list[Path]:
    """The cheapest others: one for each sequence of tables, and those by other columns if they are as good."""
    found: list[Path] = []
    tables, columns = {best.tables}, {_columns(best)}
    for other in others:
        nearly_equal = other.tables == best.tables and other.cost - best.cost <= NEARLY_EQUAL
        if _columns(other) not in columns and (nearly_equal or other.tables not in tables):
            found.append(other)
        tables.add(other.tables)
        columns.add(_columns(other))
    return found[:MAX_ALTERNATIVES]


def doubts_about(best: Path, others: Sequence[Path], graph: JoinGraph, unique: Unique) -> list[str]:
    """What makes a path ambiguous, given the others that lead to the same table; empty if nothing does."""
    doubts = []
    shown = alternatives_to(best, others)
    as_good = [other for other in shown if other.cost - best.cost <= NEARLY_EQUAL]
    if as_good:
        doubts.append(f"about as good is a path {_differences(as_good, best)}")
    for hop in best.hops[:-1]:
        ties = graph.tied(hop.target)
        if ties.hubness >= HUB:
            doubts.append(f"it {_passes(hop.target, ties)}")
    shared = list(_shared_parents(best, unique))
    around = [other for other in others if not any(_shared_parents(other, unique))]
    if shared and around:
        doubts.append(f"it joins many to many by the shared parent {', '.join(map(_short, shared))}, and others do not")
    doubts.extend(_other_meanings(best, [other for other in shown if other not in as_good], graph, unique))
    return doubts


def _other_meanings(best: Path, others: Sequence[Path], graph: JoinGraph, unique: Unique) -> Iterator[str]:
    """What sets a path apart from others that are little dearer, where they relate rows in another way."""
    near = [other for other in others if other.cost - best.cost <= OTHER_MEANING]
    near = [other for other in near if not any(_shared_parents(other, unique))]
    bridges = [other for other in near if any(_shared_children(other, unique))]
    straight = [other for other in near if other not in bridges]
    children = list(_shared_children(best, unique))
    if children and straight:
        through = ", ".join(map(_short, children))
        yield f"it joins many to many by the shared child {through}, and a path {_differences(straight, best)} does not"
    rivals = [other for other in bridges if _rivals(other, best, bool(children))]
    if rivals and not any(_shared_parents(best, unique)):
        as_well = " as well" if children else ", and this one does not"
        yield f"a path {_differences(rivals, best)} joins many to many{as_well}"
    roles = _roles(best, graph) - (0 if children else SUBJECT)
    plainer = [other for other in near if other.tables != best.tables and _roles(other, graph) < roles]
    if plainer:
        columns = ", ".join(_child_columns(hop) for hop in best.hops if graph.role_words(hop.key))
        yield f"it follows a key that names a role ({columns}), and a path {_differences(plainer, best)} a plainer one"


def _rivals(bridge: Path, best: Path, is_bridge: bool) -> bool:
    """Whether a path that joins many to many is as likely meant: two such are alike if they cost much the same."""
    if is_bridge:
        return len(bridge.hops) == len(best.hops) and bridge.cost - best.cost <= NEARLY_EQUAL_BRIDGES
    return len(bridge.hops) <= len(best.hops)


def _roles(path: Path, graph: JoinGraph) -> int:
    return sum(graph.role_words(hop.key) for hop in path.hops)


def reasons_for(other: Path, best: Path, graph: JoinGraph, unique: Unique) -> list[str]:
    """What tells another path from the best one, and what speaks against it."""
    reasons = [_difference(other, best)]
    more = len(other.hops) - len(best.hops)
    if more:
        reasons.append(f"{abs(more)} join{'s' if abs(more) > 1 else ''} {'more' if more > 0 else 'fewer'}")
    shared = list(_shared_parents(other, unique))
    if shared:
        reasons.append(f"many to many by the shared parent {', '.join(map(_short, shared))}")
    elif any(_shared_parents(best, unique)):
        reasons.append("no shared parent")
    children = list(_shared_children(other, unique))
    if children and not any(_shared_children(best, unique)):
        reasons.append(f"many to many by the shared child {', '.join(map(_short, children))}")
    elif not children and any(_shared_children(best, unique)):
        reasons.append("no shared child")
    for hop in other.hops[:-1]:
        ties = graph.tied(hop.target)
        if ties.hubness >= HUB:
            reasons.append(_passes(hop.target, ties))
    empty, less_empty = (_nullable(path) for path in (other, best))
    if len(empty) > len(less_empty):
        reasons.append(f"may be null: {', '.join(column for column in empty if column not in less_empty)}")
    inferred = [hop for hop in other.hops if hop.key.source == "inferred"]
    if inferred:
        reasons.append(f"not declared: {', '.join(_child_columns(hop) for hop in inferred)}")
    return reasons


def _shared_parents(path: Path, unique: Unique) -> Iterator[str]:
    """The tables that a path passes from child to parent to child, many to many."""
    for before, after in pairwise(path.hops):
        if before.to_parent and not after.to_parent:
            children = (before.source, before.source_columns), (after.target, after.target_columns)
            if not any(unique(*child) for child in children):
                yield before.target


def _shared_children(path: Path, unique: Unique) -> Iterator[str]:
    """The tables that a path passes from parent to child to parent, many to many."""
    for before, after in pairwise(path.hops):
        if not before.to_parent and after.to_parent:
            sides = before.target_columns, after.source_columns
            if not any(unique(before.target, columns) for columns in sides):
                yield before.target


def _differences(others: Sequence[Path], best: Path) -> str:
    return ", or one ".join(_difference(other, best) for other in others)


def _difference(other: Path, best: Path) -> str:
    if other.tables == best.tables:
        mine, theirs = (_keys(path) for path in (other, best))
        return f"by {', '.join(column for column in mine if column not in theirs)}"
    through = [table for table in other.tables[1:-1] if table not in best.tables]
    if through:
        return f"through {', '.join(map(_short, through))}"
    return "through fewer tables" if len(other.hops) < len(best.hops) else "through the same tables in another order"


def _passes(table: str, ties: Ties) -> str:
    return f"passes {_short(table)}, which {ties.children} tables reference, {ties.share:.0%} of its schema"


def _columns(path: Path) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    return tuple((hop.target, tuple(hop.source_columns), tuple(hop.target_columns)) for hop in path.hops)


def _keys(path: Path) -> list[str]:
    return [_child_columns(hop) for hop in path.hops]


def _nullable(path: Path) -> list[str]:
    return [_child_columns(hop) for hop in path.hops if hop.key.nullable and hop.key.source == "declared"]


def _child_columns(hop: Hop) -> str:
    table = TableIdentity.parse(hop.key.from_table)
    return ", ".join(format_name((table.schema, table.table, column)) for column in hop.key.from_columns)


def _short(table: str) -> str:
    identity = TableIdentity.parse(table)
    return format_name((identity.schema, identity.table))
