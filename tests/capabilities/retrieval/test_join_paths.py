"""Tool `get_join_path` where paths compete, multiply rows, are too long, or join more than two tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_case
from tests.sample_shop.indexed import Key, table_document, with_relations
from tests.sample_shop.retrieval import call, code, codes, toolbox_over
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal_contracts import DocumentedIndex, TableDocument


def documented(name: str, columns: str, *parents: str, nullable: bool = False) -> TableDocument:
    """A table with a key to each parent: `table`, or `table.column` for a column of another name."""
    keys = []
    for parent in parents:
        table, _, column = parent.partition(".")
        keys.append(Key((column or f"{table}_id",), f"s.{table}", ("id",), nullable))
    return table_document(f"db.s.{name}", columns, domain="d", keys=keys)


def with_unique_index(table: TableDocument, column: str, predicate: str | None = None) -> TableDocument:
    index = DocumentedIndex(name="one_each", columns=[column], unique=True, predicate=predicate)
    return table.model_copy(update={"indexes": [*table.indexes, index]})


@pytest.fixture(name="forum", scope="module")
def forum_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    tables = [
        documented("tenant", "id name"),
        documented("member", "id tenant_id", "tenant"),
        documented("tag", "id tenant_id", "tenant"),
        documented("follow", "id tag_id member_id", "tag", "member"),
        documented("mute", "id tag_id member_id", "tag", "member"),
        documented("message", "id from_id to_id", "member.from_id", "member.to_id"),
        with_unique_index(documented("profile", "id member_id", "member"), "member_id"),
        with_unique_index(documented("session", "id member_id", "member"), "member_id", "ended IS NULL"),
        documented("invoice", "id tenant_id", "tenant"),
        *(documented(f"log_{number}", "id tenant_id", "tenant") for number in range(20)),
    ]
    toolbox = toolbox_over(tmp_path_factory.mktemp("forum"), None, with_relations(tables))
    yield toolbox
    toolbox.index.close()


def joined(toolbox: Toolbox, source: str, target: str, **more: Any) -> Any:
    answer = call(toolbox, "get_join_path", source_table=f"db.s.{source}", target_table=f"db.s.{target}", **more)
    assert answer.path_found, answer
    return answer


def reached(path: Any) -> list[str]:
    return [step.to_table[5:] for step in path]


def test_a_path_that_is_as_good_is_an_alternative_with_its_sql_and_reasons(forum: Toolbox) -> None:
    answer = joined(forum, "tag", "member")
    assert reached(answer.path) == ["follow", "member"]
    assert codes(answer) == ["RET_JOIN_AMBIGUOUS"]
    assert "through s.mute" in answer.warnings[0].message
    first = answer.alternatives[0]
    assert (reached(first.path), first.hop_count, first.reasons) == (["mute", "member"], 2, ["through s.mute"])
    assert "LEFT JOIN s.mute AS t1\n  ON t0.id = t1.tag_id" in first.sql_snippet


def test_two_roles_of_one_table_are_alternatives(forum: Toolbox) -> None:
    answer = joined(forum, "message", "member")
    (other,) = answer.alternatives
    assert {answer.path[0].on_clause, other.path[0].on_clause} == {"t0.from_id = t1.id", "t0.to_id = t1.id"}
    assert codes(answer) == ["RET_JOIN_AMBIGUOUS"]


def test_a_join_by_the_tenant_of_both_is_marked(forum: Toolbox) -> None:
    answer = joined(forum, "invoice", "log_1")
    assert reached(answer.path) == ["tenant", "log_1"]
    assert codes(answer) == ["RET_JOIN_AMBIGUOUS"]
    assert "which 23 tables reference" in answer.warnings[0].message


def test_a_join_that_nothing_speaks_against_has_no_alternatives(forum: Toolbox) -> None:
    answer = joined(forum, "follow", "tag")
    assert (codes(answer), answer.alternatives) == ([], None)


@each_case(
    ("source", "target", "fans_out"),
    [
        ("follow", "tag", [False]),
        ("tag", "follow", [True]),
        ("member", "profile", [False]),
        ("member", "session", [True]),
        ("profile", "session", [False, True]),
    ],
)
def test_a_step_says_whether_one_row_may_meet_several(
    forum: Toolbox, source: str, target: str, fans_out: list[bool]
) -> None:
    assert [step.fans_out for step in joined(forum, source, target).path] == fans_out


def test_several_tables_are_joined_as_one_tree(forum: Toolbox) -> None:
    answer = joined(forum, "follow", "tag", also=["profile", "db.s.member", "db.s.follow"])
    assert [(step.from_table[5:], step.to_table[5:], step.join_type) for step in answer.path] == [
        ("follow", "tag", "INNER"),
        ("follow", "member", "INNER"),
        ("member", "profile", "LEFT"),
    ]
    assert answer.hop_count == 3
    assert answer.sql_snippet.splitlines() == [
        "SELECT t0.*, t1.*, t2.*, t3.*",
        "FROM s.follow AS t0",
        "INNER JOIN s.tag AS t1",
        "  ON t0.tag_id = t1.id",
        "INNER JOIN s.member AS t2",
        "  ON t0.member_id = t2.id",
        "LEFT JOIN s.profile AS t3",
        "  ON t2.id = t3.member_id",
        "LIMIT 100",
    ]


def test_more_than_five_further_tables_are_refused(forum: Toolbox) -> None:
    asked = {"source_table": "follow", "target_table": "tag"}
    assert call(forum, "get_join_path", **asked, also=[f"log_{number}" for number in range(5)]).path_found
    assert code(call(forum, "get_join_path", **asked, also=[f"log_{number}" for number in range(6)])) == (
        "RET_QUERY_INVALID"
    )
    assert code(call(forum, "get_join_path", **asked, also=["nothing"])) == "RET_TABLE_NOT_FOUND"


def test_a_further_table_that_nothing_joins_is_named(tmp_path: Path) -> None:
    tables = [documented("a", "id b_id", "b"), documented("b", "id"), documented("weather", "day")]
    toolbox = toolbox_over(tmp_path, None, with_relations(tables))
    answer = call(toolbox, "get_join_path", source_table="a", target_table="b", also=["weather"])
    assert (answer.path_found, answer.path, codes(answer)) == (False, None, ["RET_ANSWER_PARTIAL"])
    assert "db.s.weather" in answer.warnings[0].message
    toolbox.index.close()


def test_a_better_path_that_is_longer_than_asked_for_is_said_to_be_there(tmp_path: Path) -> None:
    tables = [
        documented("tenant", "id"),
        documented("a", "id tenant_id b_id", "tenant", "b"),
        documented("b", "id c_id", "c"),
        documented("c", "id"),
        documented("t", "id tenant_id c_id", "tenant", "c"),
        *(documented(f"log_{number}", "id tenant_id", "tenant") for number in range(20)),
    ]
    toolbox = toolbox_over(tmp_path, None, with_relations(tables))
    short = joined(toolbox, "a", "t", max_hops=2)
    assert (reached(short.path), codes(short)) == (["tenant", "t"], ["RET_JOIN_AMBIGUOUS"])
    assert "a path of 3 joins is more likely: ask with max_hops 3" in short.warnings[0].message
    assert reached(joined(toolbox, "a", "t").path) == ["b", "c", "t"]
    toolbox.index.close()


def test_an_inferred_step_says_what_it_rests_on(tmp_path: Path) -> None:
    tables = [documented("car", "id"), documented("sale", "id car_id")]
    toolbox = toolbox_over(tmp_path, None, with_relations(tables))
    (step,) = joined(toolbox, "sale", "car").path
    assert (step.source, step.evidence[0].kind) == ("inferred", "name")
    toolbox.index.close()


def test_sql_for_snowflake_names_the_database_as_its_server_does(tmp_path: Path) -> None:
    on_server = {"database_type": "snowflake", "server_database": "PROD"}
    tables = [documented("tag", "id"), documented("note", "id tag_id", "tag")]
    toolbox = toolbox_over(tmp_path, None, with_relations([table.model_copy(update=on_server) for table in tables]))
    answer = joined(toolbox, "note", "tag")
    assert 'FROM PROD."s"."note" AS t0\nINNER JOIN PROD."s"."tag" AS t1' in answer.sql_snippet
    toolbox.index.close()
