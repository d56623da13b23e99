"""The part of the page's data for diagrams and joins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.page_data.keys import column_names
from tests.sample_shop.indexed import Key, table_document, with_relations
from tests.sample_shop.retrieval import toolbox_over
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.identity.scope import Scope
from tribal.page_data import joins
from tribal.page_data.joins import keys_part, keys_with_joins
from tribal.page_data.survey import survey
from tribal_contracts import DocumentedInferredKey, KeyEvidence, TableDocument

ONE_SCHEMA = Scope(schemas=frozenset({("db", "s")}))


def _tables() -> list[TableDocument]:
    extension = table_document("db.s.profile", "user_id", domain="d", keys=[Key(("user_id",), "s.User", ("id",))])
    evidence = [KeyEvidence(kind="name", of="db.vault.secret")]
    likely = DocumentedInferredKey(
        from_table="db.s.note",
        from_columns=["author"],
        to_table="db.s.User",
        to_columns=["id"],
        confidence=0.9,
        evidence=evidence,
        path="x.md",
    )
    secret = [Key((f"part_{each}",), "s.part", ("id",)) for each in range(2)]
    return [
        table_document("db.s.User", "id", domain="d").model_copy(update={"inferred_keys": [likely]}),
        extension,
        table_document("db.s.note", "id author user_id", domain="d").model_copy(update={"inferred_keys": [likely]}),
        table_document("db.s.part", 'id "Car Id"', domain="d", keys=[Key(("id",), "s.gone", ("id",), nullable=True)]),
        table_document("db.s.car", "id order", domain="d", keys=[Key(("order",), "s.part", ("id",), nullable=True)]),
        *(
            table_document(f"db.vault.secret_{number}", "id part_0 part_1", domain="v", keys=secret)
            for number in range(9)
        ),
        table_document("other.s.car", "vin", domain="d"),
    ]


@pytest.fixture(name="toolbox", scope="module")
def toolbox_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    toolbox = toolbox_over(tmp_path_factory.mktemp("keys"), None, with_relations(_tables()))
    yield toolbox
    toolbox.index.close()


def _lines(part: Any, toolbox: Toolbox) -> dict[tuple[str, ...], list[Any]]:
    """Everything of each key but its ends, by the names of its tables and its columns."""
    names = [table.name for table in survey(toolbox).tables]
    return {(names[child], names[parent], *column_names(part, own)): rest for child, parent, own, _, *rest in part["k"]}


def test_a_diagram_has_declared_and_likely_keys_between_documented_tables(toolbox: Toolbox) -> None:
    part = keys_part(survey(toolbox), toolbox)
    assert {name: rest for name, rest in _lines(part, toolbox).items() if "vault" not in name[0]} == {
        ("db.s.profile", "db.s.User", "user_id"): [4],
        ("db.s.note", "db.s.User", "author"): [3],
        ("db.s.car", "db.s.part", "order"): [1],
    }
    names = [table.name for table in survey(toolbox).tables]
    assert column_names(part, part["p"][names.index("db.s.profile")]) == ["user_id"]
    assert ["order", '"order"', "order"] in [list(name) for name in part["c"]]


def test_a_restricted_caller_learns_nothing_of_hidden_tables(toolbox: Toolbox) -> None:
    restricted = replace(toolbox, scope=ONE_SCHEMA, derived=type(toolbox.derived)())
    part = keys_part(survey(restricted), restricted)
    assert "j" not in part
    assert {len(line) for line in part["k"]} == {5}
    text = json.dumps(part)
    assert "secret" not in text
    assert "part_0" not in text


def test_a_site_has_what_joins_cost_and_the_keys_that_are_guessed(toolbox: Toolbox) -> None:
    part = keys_with_joins(survey(toolbox), toolbox)
    lines = _lines(part, toolbox)
    assert lines["db.s.car", "db.s.part", "order"] == [1, 140, 1]
    *cost, (evidence,) = lines["db.s.note", "db.s.User", "author"]
    assert cost[1:] == [180, 1, 0.9]
    assert part["j"]["v"][evidence] == {"kind": "name", "of": "db.vault.secret"}
    guessed = [name for name, rest in lines.items() if rest[0] & 64]
    assert ("db.s.note", "db.s.User", "user_id") in guessed
    assert set(part["j"]["g"]) >= {"0,0"}
    names = [table.name for table in survey(toolbox).tables]
    assert column_names(part, part["p"][names.index("other.s.car")]) == ["vin"]
    assert [database[:2] for database in part["j"]["b"]] == [[14, "db."], [1, "other."]]


def test_schemas_beyond_the_limit_are_not_compared(toolbox: Toolbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joins, "COMPARED_TABLES", 5)
    assert set(keys_with_joins(survey(toolbox), toolbox)["j"]["g"]) == {"0,0"}
    monkeypatch.setattr(joins, "GUESSED_KEYS", 0)
    assert keys_with_joins(survey(toolbox), toolbox)["j"]["g"] == {}
