"""Several tables joined as a tree: each by the cheapest path to what is joined already."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.joins.test_graph_and_joins import anything, edges, key, names, tables
from tribal.joins.graph import JoinGraph
from tribal.joins.paths import Keys
from tribal.joins.statements import join_steps
from tribal.joins.trees import JoinTree, cheapest_tree
from tribal_contracts import KeyEdge


def tree(keys: list[KeyEdge], root: str, *others: str, max_hops: int = 3) -> JoinTree:
    return cheapest_tree(
        Keys(JoinGraph.of(keys), anything), f"db.s.{root}", [f"db.s.{other}" for other in others], max_hops
    )


def joined(found: JoinTree) -> list[str]:
    """Each step as `from to`, without database and schema."""
    return [f"{step.source[5:]} {step.target[5:]}" for step in found.steps]


def test_each_table_is_joined_to_the_nearest_one_that_is_joined_already() -> None:
    keys = [key("line", "order"), key("line", "product"), key("order", "customer"), key("product", "maker")]
    assert joined(tree(keys, "order", "maker", "customer")) == [
        "order customer",
        "order line",
        "line product",
        "product maker",
    ]
    assert joined(tree(keys, "customer", "line", "order", "product")) == [
        "customer order",
        "order line",
        "line product",
    ]


@given(edges, tables, st.lists(tables, min_size=1, max_size=4, unique=True))
def test_every_table_is_joined_once_and_only_to_one_that_is_there(
    keys: list[KeyEdge], root: str, others: list[str]
) -> None:
    others = [other for other in others if other != root]
    found = tree(keys, root, *others)
    there = [f"db.s.{root}"]
    for step in found.steps:
        assert step.source in there
        assert step.target not in there
        there.append(step.target)
    assert {f"db.s.{other}" for other in others} == {*there, *found.missing} & {f"db.s.{other}" for other in others}
    assert not {*there} & {*found.missing}


def test_left_passes_on_below_a_left_and_not_to_another_branch() -> None:
    keys = [key("line", "order"), key("line", "product"), key("order", "customer"), key("customer", "city")]
    found = tree(keys, "order", "product", "city")
    steps = join_steps(found.steps, "postgres")
    assert [(step.to_table[5:], step.join_type) for step in steps] == [
        ("line", "LEFT"),
        ("product", "LEFT"),
        ("customer", "INNER"),
        ("city", "INNER"),
    ]
    assert [f"{step.from_alias} {step.to_alias}" for step in steps] == ["t0 t1", "t1 t2", "t0 t3", "t3 t4"]
    assert steps[2].on_clause == "t0.customer_0 = t3.id_0"


def test_a_table_is_rather_joined_to_a_child_than_made_another_child_of_its_parent() -> None:
    keys = [key("order", "customer"), key("payment", "customer"), key("payment", "invoice"), key("invoice", "order")]
    assert joined(tree([*keys, key("payment", "order", nullable=True)], "order", "customer", "payment")) == [
        "order customer",
        "order payment",
    ]
    assert joined(tree(keys[:2], "order", "customer", "payment")) == ["order customer", "customer payment"]


def test_the_most_hops_hold_for_each_table_from_those_joined_before_it() -> None:
    keys = [key("a", "b"), key("b", "c"), key("c", "d"), key("d", "e")]
    assert tree(keys, "a", "c", "e", max_hops=2).missing == ()
    far = tree(keys, "a", "e", "b", max_hops=2)
    assert (joined(far), far.missing) == (["a b"], ("db.s.e",))


def test_a_table_is_joined_to_itself_and_then_to_others() -> None:
    found = tree([key("emp", "emp", nullable=True), key("emp", "dept")], "emp", "emp", "dept")
    assert sorted(joined(found)) == ["emp dept", "emp emp"]
    assert {step.from_alias for step in join_steps(found.steps, "postgres")} == {"t0"}


def test_a_better_path_that_is_longer_than_allowed_is_known_by_its_length() -> None:
    around = [key("a", "b"), key("b", "c"), key("c", "t")]
    hub = [key(child, "hub") for child in ("a", "t", *(f"child{number}" for number in range(20)))]
    (branch,) = tree([*around, *hub], "a", "t", max_hops=2).branches
    assert (names(list(branch.best.steps)), branch.better_hops) == (["db.s.a", "db.s.hub", "db.s.t"], 3)
    (branch,) = tree([*around, *hub], "a", "t").branches
    assert branch.better_hops is None
