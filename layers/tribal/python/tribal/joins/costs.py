"""What a path along keys costs: hops, and what makes each of them doubtful.

The unit is a hundredth of a hop, in whole numbers, so that equal costs are equal. Every constant is by judgement, about
what a path means; docs/adr/0038 says how they were reasoned and what each is worth on the public sets.
"""

from __future__ import annotations

import math

from tribal.joins.graph import FEW_CHILDREN, JoinGraph
from tribal_contracts import KeyEdge

HOP = 100
"""A key to follow."""
NULLABLE = 20
"""A key that may be null: the join loses rows or is LEFT, but means the same."""
ROLE = 20
"""A word of a role, such as `creator` in `creator_user_id`: of several keys to a table, the plain one is meant."""
DOUBT = 400
"""A key that is inferred, for all of the confidence that it lacks: at .8 it is as good as one more declared hop."""
UNSAID_CONFIDENCE = 0.5
"""Confidence of an inferred key that says none: it may as well be wrong."""
SHARED_PARENT = 100
"""From a child up to a parent and down to another child: every row of the one meets every row of the other."""
SHARED_BY = 25
"""The same, for each time that the number of the parent's children doubles: the more tables share it, the less their
sharing it says. The logarithm weighs a walk back along keys as keyword search over databases does."""
NO_BRIDGE = 50
"""From a parent down to a child and up to another parent, where the child references others as well: it is about
something of its own. A table that references these two alone is their bridge."""
OTHER_PARENTS = 10
"""The same, for each time that the number of the child's other parents doubles."""
HUB = 50
"""Passing a table in any direction, for its hubness (`Ties.hubness`)."""

NEARLY_EQUAL = 15
"""What two paths may differ in cost and be about as good: less than any single reason above, but for other parents."""
NEARLY_EQUAL_BRIDGES = 25
"""The same of two bridges of equally many hops, such as a column that may be null: they relate other rows."""
OTHER_MEANING = HOP
"""What a path that means something else may cost more and be what is meant: a declared key."""


def key_cost(key: KeyEdge, graph: JoinGraph) -> int:
    """What a key costs in either direction."""
    doubt = round(DOUBT * (1 - confidence_of(key)))
    return HOP + NULLABLE * key.nullable + ROLE * graph.role_words(key) + doubt


def confidence_of(key: KeyEdge) -> float:
    """How certain a key is, 0 to 1; a declared one is."""
    if key.source != "inferred":
        return 1.0
    return UNSAID_CONFIDENCE if key.confidence is None else key.confidence


def passing_cost(table: str, up: bool, then_up: bool, graph: JoinGraph) -> int:
    """What it costs to pass a table, reached by a hop up to it or down to it and left by another."""
    ties = graph.tied(table)
    cost = HUB * ties.hubness
    if up and not then_up:
        cost += SHARED_PARENT + SHARED_BY * math.log2(max(ties.children / FEW_CHILDREN, 1))
    if not up and then_up:
        cost += NO_BRIDGE * (ties.parents > 2) + OTHER_PARENTS * math.log2(max(ties.parents - 1, 1))
    return round(cost)
