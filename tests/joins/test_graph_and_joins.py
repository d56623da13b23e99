"""Join paths: cheapest, valid, in a fixed order; joins that keep the rows that they should."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Callable
from itertools import pairwise, product

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.capabilities.retrieval.graphs import role_words
from tribal.joins.costs import key_cost, transit_cost
from tribal.joins.graph import JoinGraph, Step
from tribal.joins.paths import MAX_EXTRA_COST, Keys, Start, cheapest_paths, way_along
from tribal.joins.statements import ROW_LIMIT, SqlTable, join_sql, join_steps, joins_along, same_name
from tribal_contracts import DatabaseType, KeyEdge, KeyIdentifies


def key(
    child: str,
    parent: str,
    *,
    name: str = "fk",
    nullable: bool = False,
    columns: int = 1,
    identifies: KeyIdentifies | None = None,
) -> KeyEdge:
    return KeyEdge(
        name=name,
        from_table=f"db.s.{child}",
        from_columns=[f"{parent}_{number}" for number in range(columns)],
        to_table=f"db.s.{parent}",
        to_columns=[f"id_{number}" for number in range(columns)],
        nullable=nullable,
        source="declared",
        identifies=identifies,
    )


def anything(_: str) -> bool:
    return True


def path(
    keys: list[KeyEdge], source: str, target: str, max_hops: int = 10, allowed: Callable[[str], bool] = anything
) -> list[Step] | None:
    return best(Keys(JoinGraph.of(keys), allowed), f"db.s.{source}", f"db.s.{target}", max_hops)


def best(keys: Keys, source: str, target: str, max_hops: int = 10) -> list[Step] | None:
    found = next(cheapest_paths(keys, Start({source}), target, max_hops), None)
    return None if found is None else list(found.steps)


def sql_of(
    source: str, found: list[Step], kind: DatabaseType = "postgres", server_name: Callable[[str], str] = same_name
) -> str:
    start = SqlTable.named(source, server_name)
    return join_sql(start, joins_along(found, server_name), kind, row_limit=ROW_LIMIT)


def names(found: list[Step] | None) -> list[str] | None:
    if found is None:
        return None
    return [found[0].source, *(step.target for step in found)] if found else []


tables = st.sampled_from("abcdef")
edges = st.lists(
    st.builds(
        key,
        tables,
        tables,
        name=st.sampled_from(["k1", "k2"]),
        nullable=st.booleans(),
        identifies=st.sampled_from([None, None, "alone", "with_another"]),
    ),
    max_size=12,
    unique_by=lambda edge: (edge.from_table, edge.to_table, edge.name),
)


def all_simple_paths(graph: JoinGraph, source: str, target: str, max_hops: int) -> list[list[Step]]:
    """Every path without a table twice, by trying everything."""
    paths: list[list[Step]] = []

    def walk(at: str, seen: frozenset[str], path: list[Step]) -> None:
        if at == target:
            paths.append(path)
            return
        if len(path) == max_hops:
            return
        for step in graph.steps.get(at, ()):
            if step.target not in seen:
                walk(step.target, seen | {step.target}, [*path, step])

    walk(source, frozenset({source}), [])
    return paths


def cost_of(path: list[Step], graph: JoinGraph) -> int:
    passed = (
        transit_cost(step.source, way_along(path[:number]), step.way, graph)
        for number, step in enumerate(path)
        if number
    )
    return sum(key_cost(step.key, graph) for step in path) + sum(passed)


@given(edges, tables, tables, st.integers(1, 5))
def test_the_paths_are_those_of_least_cost_among_all_that_are_short_enough(
    keys: list[KeyEdge], source: str, target: str, max_hops: int
) -> None:
    if source == target:
        return
    graph = JoinGraph.of(keys)
    found = list(cheapest_paths(Keys(graph, anything), Start({f"db.s.{source}"}), f"db.s.{target}", max_hops))
    every = all_simple_paths(graph, f"db.s.{source}", f"db.s.{target}", max_hops)
    costs = sorted(cost_of(path, graph) for path in every)
    assert [path.cost for path in found] == [cost for cost in costs if cost <= costs[0] + MAX_EXTRA_COST]
    assert [cost_of(list(path.steps), graph) for path in found] == [path.cost for path in found]
    for path in found:
        assert (path.tables[0], path.tables[-1]) == (f"db.s.{source}", f"db.s.{target}")
        assert all(before.target == after.source for before, after in pairwise(path.steps))
        assert len(set(path.tables)) == len(path.tables) <= max_hops + 1


def hub(children: int, name: str = "hub") -> list[KeyEdge]:
    return [key(f"child{number}", name) for number in range(children)]


def test_a_bridge_is_taken_before_a_parent_that_both_share() -> None:
    keys = [key("a", "hub"), key("t", "hub"), key("link", "a", nullable=True), key("link", "t", nullable=True)]
    assert names(path(keys, "a", "t")) == ["db.s.a", "db.s.link", "db.s.t"]
    assert names(path(keys[:2], "a", "t")) == ["db.s.a", "db.s.hub", "db.s.t"]


def test_a_longer_path_is_taken_round_a_table_that_nearly_every_table_references() -> None:
    keys = [key("a", "hub"), key("t", "hub"), key("a", "b"), key("b", "c"), key("t", "c", nullable=True)]
    few = [*keys, key("a", "p"), key("b", "p")]
    assert names(path(few, "a", "t")) == ["db.s.a", "db.s.hub", "db.s.t"]
    tenant = [*keys, *hub(20), key("b", "hub"), key("c", "hub")]
    assert names(path(tenant, "a", "t")) == ["db.s.a", "db.s.b", "db.s.c", "db.s.t"]
    assert names(path(tenant, "a", "t", max_hops=2)) == ["db.s.a", "db.s.hub", "db.s.t"]


def test_a_central_table_of_a_small_schema_is_no_hub() -> None:
    graph = JoinGraph.of(hub(4))
    assert graph.tied("db.s.hub").fan_in == 0 < JoinGraph.of(hub(8)).tied("db.s.hub").fan_in
    elsewhere = [key(f"x{number}", f"y{number}") for number in range(40)]
    shared_by_few = JoinGraph.of([*hub(8), *elsewhere]).tied("db.s.hub")
    assert shared_by_few.fan_in < JoinGraph.of(hub(8)).tied("db.s.hub").fan_in / 10


def test_of_two_bridges_the_one_that_references_nothing_else_is_taken() -> None:
    keys = [key(bridge, end) for bridge in ("a_fact", "z_link") for end in ("a", "t")]
    assert names(path(keys, "a", "t")) == ["db.s.a", "db.s.a_fact", "db.s.t"]
    fact = [key("a_fact", other) for other in ("x", "y")]
    assert names(path([*keys, *fact], "a", "t")) == ["db.s.a", "db.s.z_link", "db.s.t"]


def test_a_longer_path_of_single_rows_is_taken_before_a_child_that_is_about_something_of_its_own() -> None:
    straight = [key("a", "b"), key("b", "c"), key("c", "t")]
    bridge = [key("request", end, nullable=True) for end in ("a", "t")]
    assert names(path([*straight, *bridge], "a", "t")) == ["db.s.a", "db.s.request", "db.s.t"]
    own = [key("request", other) for other in ("x", "y", "z")]
    assert names(path([*straight, *bridge, *own], "a", "t")) == ["db.s.a", "db.s.b", "db.s.c", "db.s.t"]


def test_a_path_of_keys_that_are_never_null_is_taken_before_one_of_keys_that_may_be() -> None:
    keys = [key("t", "a_mid"), key("a_mid", "s", nullable=True), key("t", "z_mid"), key("z_mid", "s")]
    assert names(path(keys, "s", "t")) == ["db.s.s", "db.s.z_mid", "db.s.t"]


@each_case(("confidence", "through"), [(0.9, []), (0.5, ["db.s.m"]), (None, ["db.s.m"])])
def test_a_likely_key_is_taken_before_a_longer_declared_path_and_an_unlikely_one_after_it(
    confidence: float | None, through: list[str]
) -> None:
    inferred = key("a", "t").model_copy(update={"source": "inferred", "confidence": confidence, "nullable": True})
    assert names(path([inferred, key("a", "m"), key("m", "t")], "a", "t")) == ["db.s.a", *through, "db.s.t"]


def test_of_two_keys_to_one_table_the_one_without_a_role_is_meant() -> None:
    keys = [
        key("post", "users", name=name).model_copy(update={"from_columns": [column]})
        for name, column in (("a", "approver_user_id"), ("b", "user_id"), ("c", "creatorUserId"))
    ]
    graph = Keys(JoinGraph.of(keys, role_words), anything)
    for source, target in (("post", "users"), ("users", "post")):
        found = best(graph, f"db.s.{source}", f"db.s.{target}", 1)
        assert found is not None
        assert found[0].key.from_columns == ["user_id"]


def test_a_declared_way_is_taken_before_a_guessed_one_of_the_same_length() -> None:
    guessed = key("a", "b", name="a").model_copy(update={"source": "inferred"})
    found = path([guessed, key("a", "b", name="z", nullable=True)], "a", "b")
    assert found is not None
    assert found[0].key.source == "declared"


@given(edges, tables, tables, st.randoms())
def test_the_order_in_which_keys_are_listed_does_not_matter(
    keys: list[KeyEdge], source: str, target: str, randomly: random.Random
) -> None:
    shuffled = randomly.sample(keys, len(keys))
    assert path(keys, source, target) == path(shuffled, source, target)


@given(edges, tables, tables)
def test_a_table_that_is_not_allowed_is_never_passed(keys: list[KeyEdge], source: str, target: str) -> None:
    found = path(keys, source, target, allowed=lambda name: name != "db.s.b")
    assert "db.s.b" not in (names(found) or [])
    if "b" in (source, target):
        assert found is None


def test_a_way_round_a_table_that_is_not_allowed_is_taken_though_it_is_longer() -> None:
    keys = [key("a", "b"), key("b", "c"), key("a", "x"), key("x", "y"), key("y", "c")]
    assert names(path(keys, "a", "c")) == ["db.s.a", "db.s.b", "db.s.c"]
    round_it = path(keys, "a", "c", allowed=lambda name: name != "db.s.b")
    assert names(round_it) == ["db.s.a", "db.s.x", "db.s.y", "db.s.c"]
    assert path(keys[:2], "a", "c", allowed=lambda name: name != "db.s.b") is None


@given(edges, tables, tables)
def test_joins_are_inner_from_child_to_parent_over_keys_that_are_never_empty_until_the_first_left(
    keys: list[KeyEdge], source: str, target: str
) -> None:
    found = path(keys, source, target) or []
    shown = join_steps(found, "postgres")
    assert [row.step for row in shown] == list(range(1, len(found) + 1))
    left = False
    for number, (step, row) in enumerate(zip(found, shown, strict=True)):
        left = left or not (step.to_parent and not step.key.nullable)
        assert row.join_type == ("LEFT" if left else "INNER")
        assert (row.from_alias, row.to_alias) == (f"t{number}", f"t{number + 1}")
        assert (row.from_table, row.to_table) == (step.source, step.target)
    sql = sql_of(f"db.s.{source}", found)
    assert all(row.on_clause in sql for row in shown)
    assert "RIGHT" not in sql


def test_of_two_keys_to_the_same_table_the_one_that_is_never_empty_wins_then_the_first_name() -> None:
    found = path(
        [key("a", "b", name="a_first", nullable=True), key("a", "b", name="z"), key("a", "b", name="y")], "a", "b"
    )
    assert found is not None
    assert [step.key.name for step in found] == ["y"]


def test_of_two_ways_the_one_with_the_first_names_wins() -> None:
    keys = [key("a", "y"), key("y", "t"), key("a", "x"), key("x", "t")]
    assert names(path(keys, "a", "t")) == ["db.s.a", "db.s.x", "db.s.t"]


def test_a_table_is_joined_to_itself_by_its_own_key_from_child_to_parent() -> None:
    found = path([key("emp", "emp", nullable=True), key("emp", "dept")], "emp", "emp")
    assert found is not None
    (step,) = join_steps(found, "postgres")
    assert (step.join_type, step.on_clause) == ("LEFT", "t0.emp_0 = t1.id_0")


def test_a_table_without_a_key_on_itself_is_no_hop_away_from_itself() -> None:
    assert path([key("emp", "dept")], "emp", "emp") == []
    assert sql_of("db.s.emp", []) == "SELECT t0.*\nFROM s.emp AS t0\nLIMIT 100"


def test_a_longer_way_than_allowed_is_no_way() -> None:
    keys = [key("a", "b"), key("b", "c")]
    assert path(keys, "a", "c", max_hops=1) is None
    assert names(path(keys, "a", "c", max_hops=2)) == ["db.s.a", "db.s.b", "db.s.c"]


def test_a_composite_key_joins_on_all_its_columns() -> None:
    found = path([key("line", "order", columns=2)], "order", "line")
    assert found is not None
    (step,) = join_steps(found, "postgres")
    assert step.on_clause == "t0.id_0 = t1.order_0 AND t0.id_1 = t1.order_1"
    assert step.join_type == "LEFT"


def test_a_key_whose_columns_do_not_pair_up_joins_nothing() -> None:
    broken = key("a", "b").model_copy(update={"to_columns": []})
    assert path([broken], "a", "b") is None


def test_odd_names_are_quoted_for_the_server_and_its_own_database_name_is_used() -> None:
    edge = KeyEdge(
        name="fk",
        from_table='shop.sales."Order Items"',
        from_columns=["Order Id"],
        to_table="shop.sales.orders",
        to_columns=["select"],
        nullable=False,
        source="declared",
    )
    found = best(Keys(JoinGraph.of([edge]), anything), edge.from_table, edge.to_table, 1)
    assert found is not None
    sql = sql_of(edge.from_table, found, "snowflake", {"shop": "PROD"}.__getitem__)
    assert 'FROM PROD."sales"."Order Items" AS t0' in sql
    assert 'INNER JOIN PROD."sales"."orders" AS t1\n  ON t0."Order Id" = t1."select"' in sql


@each_case(("orders", "lines"), list(product([0, 2], [0, 3])))
def test_the_sql_runs_and_keeps_every_row_of_the_source(orders: int, lines: int) -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript("CREATE TABLE ord (id_0 INTEGER); CREATE TABLE line (ord_0 INTEGER, prod_0 INTEGER)")
    connection.executescript("CREATE TABLE prod (id_0 INTEGER)")
    connection.executemany("INSERT INTO ord VALUES (?)", [(number,) for number in range(orders)])
    connection.executemany("INSERT INTO line VALUES (0, ?)", [(number,) for number in range(lines)])
    found = path([key("line", "ord"), key("line", "prod")], "ord", "prod")
    assert found is not None
    sql = sql_of("db.s.ord", found)
    # SQLite has no schemas.
    rows = connection.execute(re.sub(r"\bs\.", "", sql)).fetchall()
    assert {row[0] for row in rows} == set(range(orders))


def test_who_acted_and_a_log_of_what_happened_are_roles() -> None:
    plain = key("task", "person").model_copy(update={"from_columns": ["person_id"]})
    actor = plain.model_copy(update={"from_columns": ["created_by"]})
    logged = plain.model_copy(update={"from_table": "db.s.audit_log"})
    assert role_words(plain) == 0 < role_words(logged) < role_words(actor)
