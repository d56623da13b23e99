"""What a path along keys costs: its steps, and what makes each step uncertain.

The unit is a hundredth of a step, in whole numbers, so that equal costs are equal. Every constant is by judgement;
docs/adr/0038 explains them and gives the effect of each on the public sets.
"""

from __future__ import annotations

import math

from tribal.joins.graph import FEW_CHILDREN, JoinGraph, Way
from tribal_contracts import KeyEdge

STEP = 100
"""One step along a key."""
ACROSS = 40
"""One step between tables that share their rows, such as a table and its extension: little more than one table."""
NULLABLE = 20
"""A nullable key: the join loses rows or becomes a LEFT JOIN, but means the same."""
ROLE = 20
"""A role word, such as `creator` in `creator_user_id`: of several keys to a table, the plain one is usually meant."""
UNCERTAINTY = 400
"""An inferred key with confidence 0; at .8, it costs as much as one more declared step."""
DEFAULT_CONFIDENCE = 0.5
"""Confidence of an inferred key that has none: it is as likely wrong as right."""
SHARED_PARENT = 100
"""From a child up to a parent and down to another child: every row of one meets every row of the other. Down to a child
that links the parent to another table costs nothing instead: the rows that it relates belong together."""
SHARED_BY = 25
"""Added for each doubling of the parent's children: the more tables share a parent, the less that says about them. The
logarithm is the one that keyword search over databases uses for steps against a key."""
NO_BRIDGE = 50
"""From a parent down to a child and up to another parent, if the child references other tables too. A table that
references only these two is their bridge and costs nothing extra."""
OTHER_PARENTS = 10
"""Added for each doubling of the child's other parents."""
HUB = 50
"""Passing a table in any direction, multiplied by `Ties.fan_in`."""

NEARLY_EQUAL = 15
"""Two paths are about as good if they differ by at most this: less than any single cost above except other parents."""
NEARLY_EQUAL_BRIDGES = 25
"""The same for two bridges of equal length, for example if one column is nullable: they relate different rows."""
OTHER_MEANING = STEP
"""How much more a path with another meaning may cost and still be the intended one: one declared key."""


def key_cost(key: KeyEdge, graph: JoinGraph) -> int:
    """The cost of following a key, in either direction."""
    doubt = round(UNCERTAINTY * (1 - confidence_of(key)))
    step = ACROSS if key.identifies == "alone" else STEP
    return step + NULLABLE * key.nullable + ROLE * graph.role_words(key) + doubt


def confidence_of(key: KeyEdge) -> float:
    """How certain a key is, from 0 to 1; 1 if it is declared."""
    if key.source != "inferred":
        return 1.0
    return DEFAULT_CONFIDENCE if key.confidence is None else key.confidence


def transit_cost(table: str, way: Way, then: Way, graph: JoinGraph) -> int:
    """The cost of passing a table between two steps, by the way of each."""
    ties = graph.tied(table)
    cost = HUB * ties.fan_in
    if way == "up" and then == "down":
        cost += SHARED_PARENT + SHARED_BY * math.log2(max(ties.children / FEW_CHILDREN, 1))
    if way == "down" and then == "up":
        cost += NO_BRIDGE * (ties.parents > 2) + OTHER_PARENTS * math.log2(max(ties.parents - 1, 1))
    return round(cost)
