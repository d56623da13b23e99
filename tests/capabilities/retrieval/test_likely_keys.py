"""Likely keys of the index: shown as such next to a table, and no part of answers about declared keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sample_shop.indexed import Key, table_document, with_relations
from tests.sample_shop.retrieval import call, toolbox_over
from tribal.capabilities.retrieval.graphs import join_graph
from tribal.capabilities.retrieval.toolbox import Toolbox, open_index
from tribal.identity.scope import Scope
from tribal.identity.table_names import TableIdentity
from tribal_contracts import DocumentedInferredKey, KeyEvidence, TableDocument


def likely(child: str, parent: str, same_name: str) -> DocumentedInferredKey:
    evidence = [
        KeyEvidence(kind="name", of=parent),
        KeyEvidence(kind="sister", of=same_name),
        KeyEvidence(kind="values", of=f"{parent}.id", compared=10, found=9),
    ]
    column = TableIdentity.parse(parent).table + "_id"
    return DocumentedInferredKey(
        from_table=child,
        from_columns=[column],
        to_table=parent,
        to_columns=["id"],
        confidence=0.9,
        evidence=evidence,
        path="x.md",
    )


def with_likely(document: TableDocument, *keys: DocumentedInferredKey) -> TableDocument:
    return document.model_copy(update={"inferred_keys": list(keys)})


@pytest.fixture(name="garage", scope="module")
def garage_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    to_car = likely("db.s.sale", "db.s.car", "db.vault.old_sale.car_id")
    to_owner = likely("db.s.car", "db.vault.owner", "db.s.sale.owner_id")
    to_model = likely("db.s.sale", "db.s.model", "db.s.old.model_id")
    tables = with_relations(
        [
            table_document("db.s.car", "id vin owner_id", domain="d"),
            table_document("db.s.model", "id car_id", domain="d", keys=[Key(("car_id",), "s.car", ("id",))]),
            table_document("db.s.sale", "id car_id model_id", domain="d"),
            table_document("db.vault.owner", "id", domain="d"),
        ]
    )
    keys = {
        "db.s.car": (to_car, to_owner),
        "db.s.sale": (to_car, to_model),
        "db.s.model": (to_model,),
        "db.vault.owner": (to_owner,),
    }
    documents = [with_likely(table, *keys[table.name]) for table in tables]
    toolbox = toolbox_over(tmp_path_factory.mktemp("garage"), None, documents)
    yield toolbox
    toolbox.index.close()


def test_the_index_holds_likely_keys_with_what_they_rest_on(garage: Toolbox) -> None:
    graph = garage.index.key_graph()
    assert graph is not None
    edges = {(edge.from_table, edge.to_table): edge for edge in graph.edges}
    edge = edges["db.s.sale", "db.s.car"]
    assert (edge.source, edge.confidence, edge.nullable) == ("inferred", 0.9, True)
    assert [each.kind for each in edge.evidence or ()] == ["name", "sister", "values"]
    assert edges["db.s.model", "db.s.car"].source == "declared"


def test_a_likely_relation_is_marked_and_comes_after_declared_ones(garage: Toolbox) -> None:
    schema = call(garage, "get_table_schema", table="db.s.car").schema_
    shown = [(table.name, table.relationship, table.via_columns, table.source) for table in schema.related_tables]
    assert shown == [
        ("db.s.model", "referenced_by", ["id"], None),
        ("db.s.sale", "referenced_by", ["id"], "inferred"),
        ("db.vault.owner", "references", ["owner_id"], "inferred"),
    ]
    assert (schema.related_tables[1].confidence, len(schema.related_tables[1].evidence)) == (0.9, 3)
    assert schema.foreign_keys == []


def test_a_likely_key_and_its_evidence_tell_nothing_of_what_a_caller_may_not_see(garage: Toolbox) -> None:
    bounded = replace(garage, scope=Scope(schemas=frozenset({("db", "s")})))
    answer = call(bounded, "get_table_schema", table="db.s.car")
    assert [table.name for table in answer.schema_.related_tables] == ["db.s.model", "db.s.sale"]
    assert [each.kind for each in answer.schema_.related_tables[1].evidence] == ["name", "values"]
    assert "vault" not in answer.model_dump_json()


def test_a_step_along_a_likely_key_tells_nothing_of_what_a_caller_may_not_see(garage: Toolbox) -> None:
    def kinds(toolbox: Toolbox) -> list[str]:
        answer = call(toolbox, "get_join_path", source_table="db.s.sale", target_table="db.s.car")
        (step,) = answer.path
        return [evidence.kind for evidence in step.evidence]

    assert kinds(garage) == ["name", "sister", "values"]
    assert kinds(replace(garage, scope=Scope(schemas=frozenset({("db", "s")})))) == ["name", "values"]


def test_a_declared_key_is_taken_next_to_the_likely_ones_of_the_index(garage: Toolbox) -> None:
    graph = join_graph(open_index(garage), garage)
    assert graph.steps["db.s.sale"][0].key.source == "inferred"
    answer = call(garage, "get_join_path", source_table="db.s.model", target_table="db.s.car")
    assert [step.source for step in answer.path] == [None]


def test_an_index_without_likely_keys_shows_none(tmp_path: Path) -> None:
    toolbox = toolbox_over(tmp_path, None, [table_document("db.s.car", "id vin", domain="d")])
    assert call(toolbox, "get_table_schema", table="db.s.car").schema_.related_tables == []
    toolbox.index.close()
