"""`check_sql` checks against what the caller may see, and asks for policies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sample_shop.indexed import Key, table_document, with_relations
from tests.sample_shop.retrieval import call, code, toolbox_over
from tribal.capabilities.retrieval.checking.check_sql import MAX_FINDINGS, check_sql
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.errors import IndexNotReady
from tribal.identity.scope import Scope
from tribal_contracts import CheckSqlInput, DatabaseType
from tribal_contracts.knowledge import KnowledgeCheckOutput


@pytest.fixture(name="garage", scope="module")
def garage_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    car = table_document("db.s.car", "id vin status", domain="d")
    status = car.columns[2].model_copy(update={"allowed_values": ["new", "sold"], "allowed_values_complete": True})
    tables = [
        car.model_copy(update={"columns": [*car.columns[:2], status], "server_database": "garage"}),
        table_document("db.s.trip", "id km_no", domain="d").model_copy(
            update={"partitions": ["db.s.trip_2024", "db.secret.trip_2025"]}
        ),
        table_document("db.s.sale", "id car_id price_no", domain="d", keys=[Key(("car_id",), "s.car", ("id",))]),
        table_document("db.secret.salary", "id amount_no", domain="d"),
        table_document("other.s.note", "id", domain="d"),
    ]
    toolbox = toolbox_over(tmp_path_factory.mktemp("garage"), None, with_relations(tables))
    yield toolbox
    toolbox.index.close()


def test_a_query_is_checked_with_the_documents_and_keys_of_its_database(garage: Toolbox) -> None:
    sql = "SELECT c.vin, sum(s.price_no) FROM garage.s.car c JOIN s.sale s ON s.car_id = c.id GROUP BY c.vin"
    answer = call(garage, "check_sql", sql=sql, database="DB")
    assert (answer.success, answer.valid, answer.findings) == (True, True, [])
    assert answer.tables == ["db.s.car", "db.s.sale"]
    assert set(answer.columns) == {"db.s.car.vin", "db.s.car.id", "db.s.sale.price_no", "db.s.sale.car_id"}
    wrong = call(
        garage, "check_sql", sql="SELECT 1 FROM car c, sale s WHERE c.status = 'old' AND s.id = c.id", database="db"
    )
    assert [(each.severity, each.code) for each in wrong.findings] == [
        ("error", "value_not_allowed"),
        ("warning", "join_without_key"),
    ]
    assert wrong.findings[1].suggestion == "s.car_id = c.id"


def test_a_hidden_table_is_unknown_and_never_suggested(garage: Toolbox) -> None:
    scoped = replace(garage, scope=Scope(schemas=frozenset({("db", "s")})))
    for sql in ("SELECT 1 FROM secret.salary", "SELECT 1 FROM salary", "SELECT 1 FROM salry"):
        assert [each.code for each in call(garage, "check_sql", sql=sql, database="db").findings] in (
            [],
            ["unknown_table"],
        )
        (finding,) = call(scoped, "check_sql", sql=sql, database="db").findings
        assert finding.code == "unknown_table"
        assert "secret" not in (finding.suggestion or "")
        assert "secret." not in finding.message.replace("secret.salary in", "")


def test_a_partition_has_the_columns_of_its_table_where_the_caller_may_see_it(garage: Toolbox) -> None:
    answer = call(
        garage, "check_sql", sql="SELECT t.km_no FROM trip_2024 t JOIN secret.trip_2025 USING (id)", database="db"
    )
    assert (answer.findings, answer.tables) == ([], ["db.s.trip"])
    assert [note.split(",")[0] for note in answer.notes] == [
        "db.s.trip_2024 is a partition of db.s.trip",
        "db.secret.trip_2025 is a partition of db.s.trip",
    ]
    (wrong,) = call(garage, "check_sql", sql="SELECT nope FROM s.trip_2024", database="db").findings
    assert wrong.code == "unknown_column"
    scoped = replace(garage, scope=Scope(schemas=frozenset({("db", "s")})))
    assert call(scoped, "check_sql", sql="SELECT km_no FROM s.trip_2024", database="db").valid
    (hidden,) = call(scoped, "check_sql", sql="SELECT km_no FROM secret.trip_2025", database="db").findings
    assert hidden.code == "unknown_table"
    assert code(call(scoped, "get_table_schema", table="db.secret.trip_2025")) == "RET_TABLE_NOT_FOUND"
    shown = call(scoped, "get_table_schema", table="trip_2024").schema_
    assert (shown.name, shown.notes[0].split(",")[0]) == ("db.s.trip", "db.s.trip_2024 is a partition of db.s.trip")
    assert call(garage, "get_lineage", table="s.trip_2024").notes == [shown.notes[0]]


def test_the_database_is_named_only_where_the_caller_sees_several(garage: Toolbox) -> None:
    assert "db, other" in call(garage, "check_sql", sql="SELECT vin FROM car").error.message
    scoped = replace(garage, scope=Scope(schemas=frozenset({("db", "s")})))
    assert call(scoped, "check_sql", sql="SELECT vin FROM car").valid


def test_input_that_names_nothing_known_says_what_to_change(garage: Toolbox) -> None:
    assert code(call(garage, "check_sql", sql="SELECT 1", database="nowhere")) == "RET_DATABASE_NOT_FOUND"
    answer = call(garage, "check_sql", sql="SELECT 1", database="db", schema="scret")
    assert "secret" in answer.error.message


def test_many_findings_are_cut_and_errors_stay(garage: Toolbox) -> None:
    names = ", ".join(f"n{number}" for number in range(MAX_FINDINGS + 10))
    answer = call(garage, "check_sql", sql=f"SELECT {names} FROM car", database="db")
    assert (answer.valid, len(answer.findings), answer.truncated) == (False, MAX_FINDINGS, True)


def test_policies_block_or_warn_and_are_named_when_they_cannot_be_read(garage: Toolbox) -> None:
    def violated(_sql: str, _dialect: DatabaseType) -> KnowledgeCheckOutput:
        found = {
            "knowledgeItemId": "p",
            "knowledgeItemTitle": "No cars",
            "constraint": {"operator": "must_not_use", "target": "table", "pattern": "s.car"},
            "message": "ask the service",
            "location": {"file": "query.sql", "line": 2},
        }
        return KnowledgeCheckOutput.model_validate(
            {
                "passed": False,
                "violations": [{**found, "severity": "block"}, {**found, "severity": "warn"}],
                "summary": {"info": 0, "warn": 1, "block": 1},
            }
        )

    def failing(_sql: str, _dialect: DatabaseType) -> KnowledgeCheckOutput:
        raise IndexNotReady("the snapshot is damaged")

    request = CheckSqlInput(sql="SELECT vin\nFROM car", database="db")
    answer = check_sql(request, garage, violated)
    assert [(each.code, each.line) for each in answer.findings] == [("policy_blocked", 2), ("policy_warning", 2)]
    assert not answer.valid
    unread = check_sql(request, garage, failing)
    assert (unread.valid, unread.not_checked) == (True, ["policies: the snapshot is damaged"])
    assert check_sql(request, garage, lambda _sql, _dialect: None).findings == []


def test_the_parser_is_not_loaded_before_there_is_sql() -> None:
    import subprocess
    import sys

    probe = "import sys, tribal.capabilities.retrieval.checking.check_sql; assert 'sqlglot' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", probe], check=False, cwd=Path.cwd()).returncode == 0
