"""What a scope keeps from the answers about a table that may be seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_case
from tests.sample_shop.indexed import Key, table_document, with_relations
from tests.sample_shop.retrieval import call, toolbox_over
from tribal.capabilities.retrieval.bounded_table import bounded_table
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.identity.scope import Scope
from tribal.scoping.bounds import OPEN, WITHHELD
from tribal_contracts import Description, DocumentedIndex, TableDocument, ValueMeaning

PUB = Scope(schemas=frozenset({("shop", "pub")}))
BOTH = Scope(schemas=frozenset({("shop", "pub"), ("shop", "vault")}))


def derived(text: str) -> Description:
    return Description(text=text, source="derived", confidence=0.3)


def telling_table() -> TableDocument:
    """A table whose every part names the schema `vault`."""
    document = table_document(
        "shop.pub.invoice",
        "id number state payee_id made note",
        domain="billing",
        keys=[Key(("payee_id",), "vault.payee", ("id",), nullable=True)],
        comment="Fed by `payroll` every night.",
        comments={"note": "Free words.", "made": "See vault.payee."},
        samples={"state": ["glad"]},
    )
    changes: dict[str, dict[str, Any]] = {
        "number": {"default_value": "nextval('vault.numbers'::regclass)"},
        "state": {"type": "vault.mood", "allowed_values": ["glad"], "description": derived("One of glad, sad.")},
        "payee_id": {"description": derived("Identifies the payee (vault.payee.id). Empty where there is none.")},
    }
    return document.model_copy(
        update={
            "columns": [column.model_copy(update=changes.get(column.name, {})) for column in document.columns],
            "indexes": [
                DocumentedIndex(name="i", columns=["id", "vault.rank(id)"], unique=False),
                DocumentedIndex(name="invoice_rank_idx", columns=["vault.rank(id)"], unique=False),
            ],
            "notes": [
                "Deleted rows stay.",
                "May be empty, so that an INNER JOIN loses rows: payee_id (to vault.payee).",
            ],
        }
    )


def tables() -> list[TableDocument]:
    junction = table_document(
        "shop.pub.link",
        "id invoice_id",
        domain="billing",
        keys=[Key(("invoice_id",), "pub.invoice", ("id",)), Key(("id",), "vault.payee", ("id",))],
    )
    told = "At most one row for each combination of rows of pub.invoice and vault.payee. Referred to by pub.x."
    view = table_document("shop.pub.seen", "id", domain="billing").model_copy(
        update={"kind": "view", "description": derived("Reads vault.payee. Referred to by pub.y.")}
    )
    return with_relations(
        [
            telling_table(),
            junction.model_copy(update={"description": derived(told)}),
            view,
            table_document("shop.vault.payee", "id secret", domain="payroll"),
            table_document("shop.vault.payroll", "id", domain="payroll", comment="Own words."),
        ]
    )


@pytest.fixture(name="shop", scope="module")
def shop_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    toolbox = toolbox_over(tmp_path_factory.mktemp("bounds"), None, tables())
    yield toolbox
    toolbox.index.close()


def schema_of(toolbox: Toolbox, table: str, scope: Scope = PUB) -> Any:
    answer = call(replace(toolbox, scope=scope), "get_table_schema", table=table, include_samples=True)
    assert answer.success, answer.error
    return answer.schema_


def test_types_defaults_and_expressions_that_name_what_is_hidden_are_withheld(shop: Toolbox) -> None:
    schema = schema_of(shop, "invoice")
    columns = {column.name: column for column in schema.columns}
    assert columns["number"].default_value == WITHHELD == "(withheld)"
    assert (columns["state"].type, columns["state"].samples, columns["state"].description) == (WITHHELD, [], "")
    assert [(index.name, index.columns) for index in schema.indexes] == [
        ("i", ["id", WITHHELD]),
        (WITHHELD, [WITHHELD]),
    ]


def test_what_hidden_views_say_of_values_is_left_out(tmp_path: Path) -> None:
    meanings = {
        "0": ValueMeaning(text="draft", source="view", view="shop.vault.v"),
        "1": ValueMeaning(text="sent", source="view", view="shop.pub.v"),
    }
    listed = {"allowed_values": ["0", "1"], "allowed_values_from": "view", "allowed_values_complete": False}
    hidden = {"state": listed | {"value_meanings": {"0": meanings["0"]}}, "step": listed | {"value_meanings": meanings}}
    document = table_document("shop.pub.bill", "id state step", domain="billing")
    columns = [column.model_copy(update=hidden.get(column.name, {})) for column in document.columns]
    toolbox = toolbox_over(tmp_path, None, [document.model_copy(update={"columns": columns})])
    seen = {column.name: column for column in schema_of(toolbox, "bill").columns}
    assert (seen["state"].allowed_values, seen["state"].value_meanings) == (None, None)
    assert (seen["step"].allowed_values, seen["step"].value_meanings) == (["1"], {"1": meanings["1"]})


def test_look_up_values_ancestors_and_partitions_of_hidden_tables_are_withheld(tmp_path: Path) -> None:
    document = table_document(
        "shop.pub.invoice",
        "id payee_id kind_id state_id",
        domain="billing",
        keys=[Key(("payee_id",), "vault.payee", ("id",)), Key(("kind_id",), "pub.kind", ("id",))],
    )
    listed = {
        "allowed_values": ["1"],
        "allowed_values_from": "lookup",
        "allowed_values_complete": True,
        "value_meanings": {"1": ValueMeaning(text="Tents", source="lookup")},
    }
    checked = {**listed, "allowed_values_from": "check"}
    two_keys = document.foreign_keys[0].model_copy(update={"name": "second", "columns": ["state_id"]})
    columns = [
        column.model_copy(update={"payee_id": listed, "kind_id": listed, "state_id": checked}.get(column.name, {}))
        for column in document.columns
    ]
    changed = document.model_copy(
        update={
            "columns": columns,
            "foreign_keys": [*document.foreign_keys, two_keys],
            "inherits_from": ["shop.vault.old", "shop.pub.kind"],
            "partition_of": "shop.vault.old",
            "partition_strategy": "range",
            "partition_key": "vault.month(id)",
            "notes": [
                "Written by the routine vault.pay: Every night.",
                "Written by the routine pub.pay.",
                "The trigger paid calls vault.log after UPDATE, for each row.",
            ],
        }
    )
    hidden = [table_document(f"shop.vault.{name}", "id", domain="payroll") for name in ("payee", "old")]
    visible = table_document("shop.pub.kind", "id", domain="billing")
    toolbox = toolbox_over(tmp_path, None, with_relations([changed, visible, *hidden]))
    seen = schema_of(toolbox, "invoice")
    columns_seen = {column.name: column for column in seen.columns}
    assert (columns_seen["payee_id"].allowed_values, columns_seen["payee_id"].value_meanings) == (None, None)
    assert columns_seen["payee_id"].allowed_values_from is None
    assert columns_seen["kind_id"].value_meanings["1"].text == "Tents"
    assert (columns_seen["state_id"].allowed_values, columns_seen["state_id"].value_meanings) == (["1"], None)
    assert (seen.inherits_from, seen.partition_of, seen.partition_key) == (["shop.pub.kind"], None, WITHHELD)
    assert seen.notes == ["Written by the routine pub.pay."]
    assert schema_of(toolbox, "invoice", BOTH).inherits_from == ["shop.vault.old", "shop.pub.kind"]
    toolbox.index.close()


def test_what_people_and_comments_say_is_withheld_whole_with_its_source(shop: Toolbox) -> None:
    schema = schema_of(shop, "invoice")
    columns = {column.name: column for column in schema.columns}
    assert (schema.description, schema.description_source) == ("", "comment")
    assert (columns["made"].description, columns["made"].description_source) == ("", "comment")
    assert columns["note"].description == "Free words."
    listed = call(replace(shop, scope=PUB), "get_domain_overview", domain="billing").tables
    assert {table.name: (table.description, table.description_source) for table in listed}["shop.pub.invoice"] == (
        "",
        "comment",
    )


def test_derived_sentences_that_name_what_is_hidden_are_left_out(shop: Toolbox) -> None:
    schema = schema_of(shop, "invoice")
    assert {column.name: column for column in schema.columns}["payee_id"].description == ""
    assert schema.notes == ["Deleted rows stay."]
    assert schema_of(shop, "seen").description == "Referred to by pub.y."
    assert schema_of(shop, "link").description == "Referred to by pub.x."


def test_keys_and_relations_to_hidden_tables_are_left_out_whole(shop: Toolbox) -> None:
    schema = schema_of(shop, "link")
    assert [key.references_table for key in schema.foreign_keys] == ["shop.pub.invoice"]
    assert [table.name for table in schema.related_tables] == ["shop.pub.invoice"]
    found = call(replace(shop, scope=PUB), "search_tables", query="invoice payee", limit=20).tables
    columns = {column.name: column.is_foreign_key for table in found for column in table.key_columns}
    assert columns.get("payee_id") in (None, False)


def test_who_may_see_it_all_is_shown_it_all(shop: Toolbox) -> None:
    for scope in (BOTH, Scope(databases=frozenset({"shop"}))):
        assert schema_of(shop, "invoice", scope) == schema_of(shop, "invoice", Scope())


def test_an_open_scope_leaves_a_document_as_it_is() -> None:
    document = telling_table()
    assert bounded_table(document, OPEN) is document


@each_case("query", ["payroll", "night", "payee", "vault", "glad", "mood rank"])
def test_search_matches_nothing_that_is_withheld(shop: Toolbox, query: str) -> None:
    everyone = call(shop, "search_tables", query=query, limit=20)
    narrow = call(replace(shop, scope=PUB), "search_tables", query=query, limit=20)
    assert everyone.total_matches > 0 or query == "mood rank"
    reasons = [reason for table in narrow.tables for reason in table.reasons or ()]
    assert not any("documentation says" in reason for reason in reasons)
    # A column of its own says `payee`.
    assert narrow.total_matches == (1 if query == "payee" else 0)


def test_a_derived_sentence_that_names_a_schema_without_any_documented_table_is_withheld(tmp_path: Any) -> None:
    table = table_document("shop.pub.invoice", "id", domain="billing")
    told = derived("Taken unchanged from cellar.stock.id.")
    columns = [table.columns[0].model_copy(update={"description": told})]
    toolbox = toolbox_over(tmp_path, None, [table.model_copy(update={"columns": columns})])
    assert schema_of(toolbox, "invoice", Scope()).columns[0].description == told.text
    assert schema_of(toolbox, "invoice").columns[0].description == ""


def test_what_a_comment_says_of_a_value_is_withheld_if_it_mentions_something_hidden(tmp_path: Path) -> None:
    document = table_document("shop.pub.invoice", "id kind", domain="billing")
    told = {"c": ValueMeaning(text="sent", source="comment"), "d": ValueMeaning(text="to vault.pay", source="comment")}
    listed = {"allowed_values": ["c", "d"], "allowed_values_from": "comment", "value_meanings": told}
    columns = [document.columns[0], document.columns[1].model_copy(update=listed)]
    hidden = table_document("shop.vault.pay", "id", domain="payroll")
    toolbox = toolbox_over(tmp_path, None, with_relations([document.model_copy(update={"columns": columns}), hidden]))
    seen, everything = (schema_of(toolbox, "invoice", scope).columns[1] for scope in (PUB, BOTH))
    assert (seen.allowed_values, seen.value_meanings) == (["c"], {"c": told["c"]})
    assert (everything.allowed_values, everything.value_meanings) == (["c", "d"], told)
    toolbox.index.close()


def test_labels_and_notes_of_other_schemas_are_not_searched(tmp_path: Any) -> None:
    table = table_document("shop.pub.invoice", "id", domain="billing")
    typed = table.columns[0].model_copy(update={"type": "cellar.mood", "allowed_values": ["merry"]})
    note = "May be empty, so that an INNER JOIN loses rows: id (to cellar.barrel)."
    toolbox = toolbox_over(tmp_path, None, [table.model_copy(update={"columns": [typed], "notes": [note]})])
    for query in ("merry", "barrel"):
        assert call(toolbox, "search_tables", query=query).total_matches == 1
        assert call(replace(toolbox, scope=PUB), "search_tables", query=query).total_matches == 0


def test_scores_are_those_of_an_index_that_never_held_what_is_hidden(tmp_path: Any) -> None:
    visible = [
        table_document("shop.pub.invoice", "id", domain="billing", comment="Fed by `payroll`."),
        table_document("shop.pub.receipt", "id", domain="billing"),
    ]
    hidden = table_document("shop.vault.payroll", "id", domain="payroll")
    silent = visible[0].model_copy(update={"description": derived("Holds invoice.")})

    def answer(name: str, tables: list[TableDocument]) -> list[tuple[str, float]]:
        folder = tmp_path / name
        folder.mkdir()
        toolbox = replace(toolbox_over(folder, None, tables), scope=PUB)
        found = call(toolbox, "search_tables", query="payroll invoice").tables
        return [(table.name, table.relevance_score) for table in found]

    assert answer("all", [*visible, hidden]) == answer("rest", [silent, visible[1]])


def test_a_domain_whose_name_tells_of_hidden_tables_goes_by_another(tmp_path: Any) -> None:
    toolbox = toolbox_over(
        tmp_path,
        None,
        [
            table_document("shop.pub.invoice", "id", domain="zorvik"),
            table_document("shop.pub.receipt", "id", domain="sales"),
            table_document("shop.vault.zorvik_list", "id", domain="zorvik"),
        ],
    )
    narrow = replace(toolbox, scope=PUB)
    listed = call(narrow, "list_domains").domains
    assert [(domain.name, domain.table_count) for domain in listed] == [("sales", 1), ("withheld-1", 1)]
    overview = call(narrow, "get_domain_overview", domain="withheld-1")
    assert [table.name for table in overview.tables] == ["shop.pub.invoice"]
    found = call(narrow, "search_tables", query="invoice", domain="withheld-1")
    assert [table.name for table in found.tables] == ["shop.pub.invoice"]
    assert "it is named in the question" in found.tables[0].reasons
    shown = schema_of(narrow, "invoice")
    assert (shown.domain, shown.documentation) == ("withheld-1", None)
    assert not call(narrow, "get_domain_overview", domain="zorvik").success
    hinted = call(narrow, "search_tables", query="zorvik").query_interpretation
    assert hinted.domain_hint is None
    assert call(toolbox, "search_tables", query="zorvik").query_interpretation.domain_hint == "zorvik"


def test_a_domain_described_by_what_is_hidden_has_no_description(tmp_path: Any) -> None:
    # The sample shop describes every domain by its name and its database.
    toolbox = toolbox_over(
        tmp_path,
        None,
        [
            table_document("shop.pub.invoice", "id", domain="zorvik"),
            table_document("shop.vault.zorvik", "id", domain="y"),
        ],
    )
    described = call(toolbox, "get_domain_overview", domain="zorvik").description
    assert described == "All about zorvik in shop."
    narrow = call(replace(toolbox, scope=PUB), "get_domain_overview", domain="withheld-1")
    assert (narrow.success, narrow.description) == (True, "")


def test_a_diagram_with_a_hidden_type_is_left_out(tmp_path: Any) -> None:
    table = table_document("shop.pub.invoice", "id", domain="billing")
    typed = table.model_copy(update={"columns": [table.columns[0].model_copy(update={"type": "vault.mood"})]})
    toolbox = toolbox_over(tmp_path, None, [typed])
    assert call(toolbox, "get_domain_overview", domain="billing").er_diagram is not None
    assert call(replace(toolbox, scope=PUB), "get_domain_overview", domain="billing").er_diagram is None
