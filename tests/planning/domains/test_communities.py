"""Communities of a graph, and the graphs of tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.catalogs import table
from tribal.planning.domains.communities import cohesion, find_communities
from tribal.planning.domains.table_graph import (
    LARGEST_PREFIX_GROUP,
    Graph,
    affinity_graph,
    cohesion_graph,
    find_links,
    key_graph,
)

TWO_TRIANGLES = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]


def graph(count: int, links: list[tuple[int, int]]) -> Graph:
    return cohesion_graph(count, links, [[f"t{n}"] for n in range(count)])


def test_clusters_with_one_link_between_them_are_told_apart() -> None:
    joined = graph(6, [*TWO_TRIANGLES, (2, 3)])
    assert find_communities(joined) == [0, 0, 0, 1, 1, 1]
    assert cohesion(joined, [0, 0, 0, 1, 1, 1]) == pytest.approx([5 / 7, 5 / 7])


def test_who_is_tied_to_nobody_is_alone() -> None:
    assert find_communities(graph(3, [(0, 2)])) == [0, 1, 0]
    assert find_communities(graph(3, [])) == [0, 1, 2]
    assert find_communities([]) == []


def test_a_community_that_holds_every_tie_has_nothing_to_compare_with() -> None:
    assert cohesion(graph(3, [(0, 1), (1, 2)]), [0, 0, 0]) == [0.0]


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)).filter(lambda link: link[0] != link[1]), max_size=60))
def test_every_table_has_one_community_and_never_one_that_it_is_not_connected_with(
    links: list[tuple[int, int]],
) -> None:
    found = graph(20, sorted(set(links)))
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


def test_keys_to_one_table_count_one_together() -> None:
    keys = key_graph(3, [(0, 2), (1, 2)])
    assert [dict(row) for row in keys] == [{2: 0.5}, {2: 0.5}, {0: 0.5, 1: 0.5}]


def test_a_first_word_connects_tables_unless_too_many_share_it() -> None:
    few = [["crm", "note"], ["crm", "lead"], ["crm", "call"], *([f"t{n}"] for n in range(9))]
    assert affinity_graph(12, [], few)[0] == pytest.approx({1: 0.25, 2: 0.25})
    many = [["crm", f"t{n}"] for n in range(LARGEST_PREFIX_GROUP + 1)] + [[f"t{n}"] for n in range(100)]
    assert not any(affinity_graph(len(many), [], many))


def test_a_first_word_that_is_a_table_connects_only_what_keys_connect() -> None:
    names = [["student"], ["student", "club"], ["student", "loan"], ["bank"], ["dorm"], ["club"]]
    found = affinity_graph(6, [(1, 0), (2, 3)], names)
    assert set(found[0]) == {1}
    assert set(found[2]) == {3}
