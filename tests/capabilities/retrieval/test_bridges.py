"""Tables that the first tables of an answer are joined through are added behind them, and marked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.sample_shop.indexed import Key, table_document, with_relations
from tests.sample_shop.retrieval import call, found, toolbox_over
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.identity.scope import Scope
from tribal.joins.graph import JOINED, MOST_BRIDGES, JoinGraph, bridges
from tribal_contracts import KeyEdge


def graph(*keys: str) -> JoinGraph:
    """Keys written as `child>parent`."""
    pairs = [key.split(">") for key in keys]
    return JoinGraph.of(
        [
            KeyEdge(
                name=f"{child}_{parent}",
                from_table=child,
                from_columns=[f"{parent}_id"],
                to_table=parent,
                to_columns=["id"],
                nullable=False,
                source="declared",
            )
            for child, parent in pairs
        ],
        lambda _: 0,
    )


def between(best: str, keys: JoinGraph, shown: str = "", hidden: str = "") -> dict[str, tuple[str, str]]:
    return bridges(best.split(), [*best.split(), *shown.split()], keys, lambda table: table not in hidden.split())


def test_an_association_table_bridges_what_it_associates() -> None:
    assert between("a b", graph("ab>a", "ab>b")) == {"ab": ("a", "b")}


def test_a_table_between_a_grandparent_and_a_grandchild_is_a_bridge() -> None:
    assert between("line customer", graph("line>order", "order>customer")) == {"order": ("line", "customer")}


def test_a_parent_that_two_tables_share_is_no_bridge() -> None:
    assert between("a b", graph("a>tenant", "b>tenant")) == {}
    assert between("a b", graph("a>tenant", "b>tenant", "ab>a", "ab>b")) == {"ab": ("a", "b")}


def test_tables_that_a_key_joins_or_that_nothing_joins_have_no_bridge() -> None:
    assert between("a b", graph("a>b", "ab>a", "ab>b")) == {}
    assert between("a b", graph("x>a", "y>b", "x>y")) == {}
    assert between("a", graph("ab>a")) == {}
    assert between("", graph("ab>a")) == {}


def test_of_several_bridges_the_one_with_the_fewest_neighbours_is_meant() -> None:
    assert between("a b", graph("wide>a", "wide>b", "wide>c", "slim>a", "slim>b")) == {"slim": ("a", "b")}


def test_what_is_hidden_or_shown_already_is_no_bridge() -> None:
    keys = graph("ab>a", "ab>b", "wide>a", "wide>b", "wide>c")
    assert between("a b", keys, hidden="ab") == {"wide": ("a", "b")}
    assert between("a b", keys, hidden="ab wide") == {}
    assert between("a b", keys, shown="ab") == {}


def test_there_are_only_so_many_bridges_those_of_the_best_first() -> None:
    keys = graph("ab>a", "ab>b", "ac>a", "ac>c", "bc>b", "bc>c")
    assert list(between("a b c", keys)) == ["ab", "ac"]
    assert MOST_BRIDGES == 2


@pytest.fixture(name="school", scope="module")
def school_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    """Pupils and courses, joined through a table that is named for neither, next to others that say "pupil"."""
    tables = [
        table_document("db.s.pupil", "id name", domain="d"),
        table_document("db.s.course", "id title", domain="d"),
        table_document(
            "db.links.t_47",
            "p c",
            domain="d",
            keys=[Key(("p",), "s.pupil", ("id",)), Key(("c",), "s.course", ("id",))],
        ),
        *(table_document(f"db.s.{name}_list", "no pupil course", domain="d") for name in ("lunch", "bus", "medal")),
    ]
    toolbox = toolbox_over(tmp_path_factory.mktemp("school"), None, with_relations(tables))
    yield toolbox
    toolbox.index.close()


def ask(toolbox: Toolbox, **arguments: Any) -> Any:
    return call(toolbox, "search_tables", query="pupils and courses", **arguments)


def test_a_bridge_comes_last_says_what_it_joins_and_is_counted(school: Toolbox) -> None:
    answer = ask(school, limit=20)
    assert set(found(answer)[:2]) == {"db.s.pupil", "db.s.course"}
    assert found(answer)[-1] == "db.links.t_47"
    (reason,) = [reason for reason in answer.tables[-1].reasons if reason.startswith("it joins ")]
    assert {"db.s.pupil", "db.s.course"} <= set(reason.removeprefix("it joins ").split(" and "))
    assert answer.total_matches == answer.returned == 6
    assert not answer.truncated


def test_a_bridge_never_displaces_the_first_three_and_an_answer_keeps_its_limit(school: Toolbox) -> None:
    every = found(ask(school, limit=20))
    assert JOINED == 3
    for limit in (1, 2, 3):
        assert found(ask(school, limit=limit)) == every[:limit]
    for limit in (4, 5):
        answer = ask(school, limit=limit)
        assert found(answer) == [*every[: limit - 1], "db.links.t_47"]
        assert (answer.total_matches, answer.truncated) == (6, True)


def test_a_bridge_below_the_least_score_that_is_asked_for_is_not_added(school: Toolbox) -> None:
    least = min(table.relevance_score for table in ask(school, limit=20).tables[:2])
    answer = ask(school, limit=20, min_score=least)
    assert "db.links.t_47" not in found(answer)
    assert answer.total_matches == answer.returned
    assert all(table.relevance_score >= least for table in answer.tables)


def test_a_bridge_that_is_hidden_or_filtered_out_is_not_shown(school: Toolbox) -> None:
    answer = ask(replace(school, scope=Scope(schemas=frozenset({("db", "s")}))), limit=20)
    assert len(found(answer)) == answer.total_matches == 5
    assert "t_47" not in answer.model_dump_json()
