"""Joins along keys that no one declared are marked as such."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sample_shop.indexed import Key, table_document, with_relations
from tests.sample_shop.retrieval import call, codes, toolbox_over
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.key_inference.references import EXACT


@pytest.fixture(name="garage", scope="module")
def garage_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    tables = [
        table_document("db.s.car", "id vin", domain="d"),
        table_document("db.s.maker", "id", domain="d"),
        table_document("db.s.model", "id maker_id", domain="d", keys=[Key(("maker_id",), "s.maker", ("id",))]),
        table_document("db.s.sale", "id car_id model_id", domain="d"),
        table_document("db.s.car_wash", "id car_id", domain="d"),
        table_document("db.s.weather", "day", domain="d"),
        table_document("other.s.car_note", "id car_id", domain="d"),
    ]
    toolbox = toolbox_over(tmp_path_factory.mktemp("garage"), None, with_relations(tables))
    yield toolbox
    toolbox.index.close()


def test_a_path_over_guessed_keys_is_marked_left_and_warned_of(garage: Toolbox) -> None:
    answer = call(garage, "get_join_path", source_table="db.s.car", target_table="db.s.maker")
    assert [step.to_table for step in answer.path] == ["db.s.sale", "db.s.model", "db.s.maker"]
    assert [step.source for step in answer.path] == ["inferred", "inferred", None]
    assert [step.confidence for step in answer.path] == [EXACT, EXACT, None]
    assert {step.join_type for step in answer.path} == {"LEFT"}
    assert codes(answer) == ["RET_JOIN_INFERRED"]
    assert "steps 1, 2" in answer.warnings[0].message


def test_what_likely_references_one_row_is_joined_without_it_unless_it_is_asked_for(garage: Toolbox) -> None:
    ends = {"source_table": "db.s.sale", "target_table": "db.s.car_wash"}
    answer = call(garage, "get_join_path", **ends)
    (step,) = answer.path
    assert (step.on_clause, step.source, step.confidence) == ("t0.car_id = t1.car_id", "inferred", EXACT)
    assert [evidence.of for evidence in step.evidence] == ["db.s.car"]
    assert (answer.hop_count, step.fans_out, codes(answer)) == (1, True, ["RET_JOIN_INFERRED", "RET_JOIN_AMBIGUOUS"])
    assert "car AS" not in answer.sql_snippet
    through = call(garage, "get_join_path", **ends, also=["db.s.car"])
    assert {step.to_table for step in through.path} == {"db.s.car", "db.s.car_wash"}


def test_a_declared_path_is_never_replaced_or_marked(garage: Toolbox) -> None:
    answer = call(garage, "get_join_path", source_table="db.s.model", target_table="db.s.maker")
    assert [(step.source, step.confidence) for step in answer.path] == [(None, None)]
    assert codes(answer) == []


def test_a_guess_never_takes_the_place_of_a_declared_path_that_is_too_long(tmp_path: Path) -> None:
    tables = [
        table_document("db.s.a", "id c_id b_id", domain="d", keys=[Key(("b_id",), "s.b", ("id",))]),
        table_document("db.s.b", "id c_id", domain="d", keys=[Key(("c_id",), "s.c", ("id",))]),
        table_document("db.s.c", "id", domain="d"),
    ]
    toolbox = toolbox_over(tmp_path, None, with_relations(tables))
    short = call(toolbox, "get_join_path", source_table="db.s.a", target_table="db.s.c", max_hops=1)
    assert (short.success, short.path_found, short.path) == (True, False, None)
    assert codes(short) == ["RET_ANSWER_PARTIAL"]
    assert "max_hops 2" in short.warnings[0].message
    assert len(call(toolbox, "get_join_path", source_table="db.s.a", target_table="db.s.c", max_hops=2).path) == 2
    toolbox.index.close()


def test_without_evidence_there_is_no_join(garage: Toolbox) -> None:
    answer = call(garage, "get_join_path", source_table="db.s.car", target_table="db.s.weather")
    assert (answer.success, answer.path_found, answer.path) == (True, False, None)
    assert codes(answer) == []


def test_tables_of_two_databases_are_not_joined_and_the_answer_says_why(garage: Toolbox) -> None:
    answer = call(garage, "get_join_path", source_table="db.s.car", target_table="other.s.car_note")
    assert (answer.success, answer.path_found, answer.path) == (True, False, None)
    assert codes(answer) == ["RET_JOIN_CROSS_DATABASE"]
    assert "query each" in answer.warnings[0].message
    third = call(garage, "get_join_path", source_table="db.s.car", target_table="db.s.sale", also=["other.s.car_note"])
    assert (third.path_found, codes(third)) == (False, ["RET_JOIN_CROSS_DATABASE"])
