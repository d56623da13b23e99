"""A path leaves out what only passes a value on, where an inferred key leads through it."""

from __future__ import annotations

from tests.cases import each_case
from tribal.joins.graph import Step
from tribal.joins.paths import without_pass_through
from tribal_contracts import KeyEdge, KeyEvidence

NAME = KeyEvidence(kind="name", of="db.s.customer")


def _key(child: str, parent: str, *, confidence: float | None = None) -> KeyEdge:
    """A key between columns such as `sale.customer_id`, of several columns where they are separated by a comma."""
    (table, columns), (other, others) = (each.split(".") for each in (child, parent))
    return KeyEdge(
        name=f"{child} = {parent}",
        from_table=f"db.s.{table}",
        from_columns=columns.split(","),
        to_table=f"db.s.{other}",
        to_columns=others.split(","),
        nullable=confidence is not None,
        source="declared" if confidence is None else "inferred",
        confidence=confidence,
        evidence=None if confidence is None else [NAME],
    )


def _joined(steps: list[Step]) -> list[str]:
    return [
        f"{step.source[5:]}({', '.join(step.source_columns)}) = {step.target[5:]}({', '.join(step.target_columns)})"
        for step in steps
    ]


SALE, MONTH = _key("sale.customer_id", "customer.id", confidence=0.9), _key("month.customer", "customer.id")


def test_two_children_are_joined_without_a_parent_that_one_of_them_only_likely_references() -> None:
    (step,) = without_pass_through([Step(SALE, True), Step(MONTH, False)])
    assert _joined([step]) == ["sale(customer_id) = month(customer)"]
    assert (step.key.source, step.key.confidence, step.key.nullable, step.key.evidence) == (
        "inferred",
        0.9,
        True,
        [NAME],
    )


def test_a_key_through_a_key_of_the_same_column_is_one_in_either_direction() -> None:
    visit = _key("visit.badge_id", "badge.id", confidence=0.8)
    badge = _key("badge.id", "person.id", confidence=0.9)
    up = without_pass_through([Step(visit, True), Step(badge, True)])
    down = without_pass_through([Step(badge, False), Step(visit, False)])
    assert (_joined(up), up[0].key.confidence) == (["visit(badge_id) = person(id)"], 0.8)
    assert _joined(down) == ["person(id) = visit(badge_id)"]


def test_columns_of_a_key_are_paired_whatever_their_order() -> None:
    one = _key("a.x,y", "p.k,l", confidence=0.9)
    other = _key("b.v,u", "p.l,k", confidence=0.9)
    assert _joined(without_pass_through([Step(one, True), Step(other, False)])) == ["a(x, y) = b(u, v)"]


@each_case(
    ("kept", "steps"),
    [
        ("declared keys", [Step(_key("sale.customer_id", "customer.id"), True), Step(MONTH, False)]),
        ("a child of both", [Step(SALE, False), Step(_key("sale.customer_id", "person.id", confidence=0.9), True)]),
        ("other columns", [Step(SALE, True), Step(_key("customer.area_id", "area.id", confidence=0.9), True)]),
        ("a part of a key", [Step(SALE, True), Step(_key("b.v,u", "customer.id,area", confidence=0.9), False)]),
    ],
)
def test_what_says_more_than_a_value_stays_in_a_path(kept: str, steps: list[Step]) -> None:
    assert without_pass_through(steps) == steps, kept
