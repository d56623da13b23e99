"""The definitions that a caller may see."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.fakes import MemoryStore
from tribal.capabilities.retrieval.definitions.visible import visible_definitions
from tribal.identity.locations import DEFINITIONS_FILE
from tribal.identity.scope import Scope
from tribal.ports import DerivedValues
from tribal.scoping.bounds import OPEN, Bounds
from tribal.store import put_record
from tribal_contracts import Definitions

TABLES = [
    SimpleNamespace(database="shop", schema=schema, table=table, domain="general")
    for schema, table in (("crm", "customer"), ("crm", "visit"), ("hr", "salary_grade"))
]
CRM = Bounds.of(Scope(schemas=frozenset({("shop", "crm")})), TABLES)
SHOP = Bounds.of(Scope(databases=frozenset({"shop"})), TABLES)
VISIBLE, HIDDEN = ["shop.crm.customer"], ["shop.crm.customer", "shop.hr.salary_grade"]


def query(name: str, tables: list[str], **more: object) -> dict[str, object]:
    base = {"file": f"queries/{name}.sql", "line": 1, "database": "shop", "tables": tables, "status": "current"}
    return {**base, "questions": ["Who?"], "sql": "SELECT 1", "is_safe": True, **more}


def term(name: str, tables: list[str], **more: object) -> dict[str, object]:
    base = {"file": "databases.yaml", "line": 1, "tables": tables, "status": "current"}
    return {**base, "name": name, "definition": "It is so.", **more}


def metric(name: str, tables: list[str], **more: object) -> dict[str, object]:
    base = {"file": "databases.yaml", "line": 1, "database": "shop", "tables": tables, "status": "current"}
    return {**base, "name": name, "description": "A number.", "expression": "sum(cents)", "is_safe": True, **more}


DEFINITIONS = Definitions.model_validate(
    {
        "schema_version": "1.0",
        "metrics": [
            metric("open", VISIBLE),
            metric("waits", VISIBLE, is_safe=False, status="stale"),
            metric("over hidden", HIDDEN),
            metric("unknown table", VISIBLE, is_bounded=False, status="stale"),
            metric("told in SQL", VISIBLE, expression="sum(cents /* as salary_grade has it */)"),
        ],
        "terms": [
            term("open", VISIBLE),
            term("of everyone", []),
            term("of this database", [], database="shop"),
            term("of another database", [], database="bank"),
            term("hidden", HIDDEN),
            term("told in words", [], definition="Not as in `salary_grade`."),
        ],
        "queries": [
            query("open", VISIBLE),
            query("locks", VISIBLE, is_safe=False, status="broken"),
            query("hidden", HIDDEN),
            query("broken", VISIBLE, is_bounded=False, status="broken"),
            query("told", VISIBLE, questions=["Who has which salary_grade?"]),
            query("commented", VISIBLE, sql="SELECT 1 -- see hr.salary_grade"),
            query("literal", VISIBLE, sql="SELECT 'salary_grade'"),
        ],
        "unusable": [{"file": "queries/salary_grade.sql", "line": 1, "message": "it is so"}],
    }
)


@pytest.fixture
def store() -> MemoryStore:
    made = MemoryStore()
    put_record(made, DEFINITIONS_FILE, DEFINITIONS)
    return made


def test_a_caller_sees_what_names_only_tables_of_the_scope(store: MemoryStore) -> None:
    found = visible_definitions(CRM, store, DerivedValues())
    assert [each.name for each in found.metrics] == ["open"]
    assert [each.name for each in found.terms] == ["open", "of everyone", "of this database"]
    assert [each.file for each in found.queries] == ["queries/open.sql"]
    assert found.unusable == []
    assert b"salary_grade" not in found.to_json()


def test_a_caller_of_a_whole_database_sees_also_what_names_unknown_tables(store: MemoryStore) -> None:
    found = visible_definitions(SHOP, store, DerivedValues())
    assert [each.name for each in found.metrics] == [each.name for each in DEFINITIONS.metrics if each.is_safe]
    assert "of another database" not in [each.name for each in found.terms]
    assert len(found.queries) == len([each for each in DEFINITIONS.queries if each.is_safe])


def test_sql_that_does_more_than_read_is_shown_to_no_one(store: MemoryStore) -> None:
    for bounds in (CRM, SHOP, OPEN):
        found = visible_definitions(bounds, store, DerivedValues())
        assert all(each.is_safe for each in (*found.metrics, *found.queries))
        assert found.metrics
        assert found.queries


def test_sql_that_an_earlier_version_did_not_check_is_shown_to_no_one_until_the_next_run() -> None:
    store, earlier = MemoryStore(), DEFINITIONS.model_dump(mode="json")
    for item in (*earlier["metrics"], *earlier["terms"], *earlier["queries"]):
        del item["is_safe"]
    put_record(store, DEFINITIONS_FILE, Definitions.model_validate(earlier))
    found = visible_definitions(OPEN, store, DerivedValues())
    assert (found.metrics, found.queries, len(found.terms)) == ([], [], len(DEFINITIONS.terms))


def test_definitions_are_cached_until_a_run_changes_them(store: MemoryStore) -> None:
    derived = DerivedValues()
    first = visible_definitions(CRM, store, derived)
    assert visible_definitions(CRM, store, derived) is first
    assert visible_definitions(OPEN, store, derived).unusable == DEFINITIONS.unusable
    put_record(store, DEFINITIONS_FILE, Definitions(schema_version="1.0"))
    assert visible_definitions(OPEN, store, derived).metrics == []
    store.delete(DEFINITIONS_FILE)
    assert visible_definitions(OPEN, store, derived).metrics == []
