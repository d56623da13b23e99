"""Communities of a graph, and the graphs of tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.catalogs import column, table
from tribal.planning.domains.communities import find_communities
from tribal.planning.domains.table_graph import Graph, find_links, key_graph, tie_graph
from tribal_contracts import CatalogTable

TWO_TRIANGLES = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]


def graph(count: int, links: list[tuple[int, int]]) -> Graph:
    return key_graph(count, links)


def keyed(name: str, key: str, *columns: str) -> CatalogTable:
    """A table with a primary key of this name and no foreign key."""
    found = table(name, *(column(other) for other in columns))
    return found.model_copy(
        update={
            "columns": [column(key, nullable=False), *found.columns[1:]],
            "primary_key": found.primary_key and found.primary_key.model_copy(update={"columns": [key]}),
        }
    )


def test_clusters_with_one_link_between_them_are_told_apart() -> None:
    assert find_communities(graph(6, [*TWO_TRIANGLES, (2, 3)])) == [0, 0, 0, 1, 1, 1]


def test_who_is_tied_to_no_one_is_alone() -> None:
    assert find_communities(graph(3, [(0, 2)])) == [0, 1, 0]
    assert find_communities(graph(3, [])) == [0, 1, 2]
    assert find_communities([]) == []


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)).filter(lambda link: link[0] != link[1]), max_size=60))
def test_every_table_has_one_community_and_never_one_that_it_is_not_connected_with(
    links: list[tuple[int, int]],
) -> None:
    found = tie_graph(20, sorted(set(links)))
    labels = find_communities(found)
    assert len(labels) == 20
    assert labels == find_communities(found)
    reached = {0: {0}}
    for start in range(20):
        seen, stack = {start}, [start]
        while stack:
            for other in found[stack.pop()]:
                if other not in seen:
                    seen.add(other)
                    stack.append(other)
        reached[start] = seen
    assert all(labels[one] != labels[other] or other in reached[one] for one in range(20) for other in range(20))


def test_links_are_keys_and_what_views_read_each_once() -> None:
    view = table("s.v").model_copy(update={"kind": "view", "view_definition": "SELECT 1 FROM a JOIN s.a x ON true"})
    tables = [table("s.a", references=[("up", "s.a")]), table("s.b", references=[("x", "s.a"), ("y", "s.a")]), view]
    assert find_links(tables) == [(1, 0), (2, 0)]


def test_a_column_that_bears_the_key_of_one_table_alone_is_a_link_too() -> None:
    others = [table(f"s.t{n}") for n in range(3)]
    tables = [keyed("s.letter", "letter_id"), keyed("s.letter_scan", "scan_id", "letter_id"), *others]
    assert find_links(tables) == [(1, 0)]
    assert find_links([table("s.customer"), table("s.orders", column("CustomerId")), *others]) == [(1, 0)]


@pytest.mark.parametrize(
    "tables",
    [
        [keyed("s.letter", "letter_id"), keyed("s.memo", "letter_id"), keyed("s.scan", "scan_id", "letter_id")],
        [keyed("s.settings", "user_id"), keyed("s.orders", "order_id", "user_id"), table("s.shop")],
        [keyed("s.letter", "id"), keyed("s.scan", "scan_id", "id"), table("s.shop")],
    ],
    ids=["two tables have this key", "it does not hold the table's noun", "it says nothing"],
)
def test_a_column_that_may_mean_something_else_is_no_link(tables: list[CatalogTable]) -> None:
    assert find_links(tables) == []


def test_a_column_that_most_tables_bear_is_no_link() -> None:
    tables = [keyed("s.tenant", "tenant_id"), *(table(f"s.t{n}", column("tenant_id")) for n in range(3))]
    assert find_links(tables) == []
    assert find_links([*tables, *(table(f"s.u{n}") for n in range(3))]) == [(1, 0), (2, 0), (3, 0)]


def test_keys_to_one_table_count_one_together() -> None:
    keys = key_graph(3, [(0, 2), (1, 2)])
    assert [dict(row) for row in keys] == [{2: 0.5}, {2: 0.5}, {0: 0.5, 1: 0.5}]


def test_tables_that_refer_to_two_tables_in_common_are_tied_and_those_that_share_one_are_not() -> None:
    found = tie_graph(6, [(0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 5)])
    assert found[0][1] > 0
    assert 2 not in found[0]


def test_what_every_table_refers_to_makes_tables_less_alike_than_what_few_do() -> None:
    everyone = [(node, 6) for node in range(6)]
    few = tie_graph(10, [*everyone, (0, 7), (1, 7), (0, 8), (1, 8), (2, 9), (3, 9)])
    assert few[0][1] > few[2][3] > 0
