"""Documenting a work unit: what is written, what is left alone, and what a failure leaves behind."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import jsonschema
import pytest

from tests.cases import each_case
from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import TABLES, SamplingReader, Shop, failing
from tribal.documenting import document_unit
from tribal.errors import PlanError, StoreUnwritable, TableGone
from tribal.identity import locations
from tribal.identity.hashing import bytes_hash
from tribal_contracts import (
    UnitResult,
)
from tribal_contracts.schemas import json_schema

SALES = "shop_sales"


def statuses(result: UnitResult) -> dict[str, str]:
    return {table.name: table.status for table in result.tables}


def test_every_table_gets_its_document_and_its_page() -> None:
    shop = Shop()
    result = shop.document(shop.plan())[SALES]
    assert result.status == "completed"
    assert statuses(result) == {"shop.sales.customer": "documented", "shop.sales.orders": "documented"}
    document = shop.document_of("sales.orders")
    assert document.description.source == "derived"
    assert document.row_count == 10
    assert [relation.name for relation in document.relations] == ["shop.sales.customer", "shop.billing.invoice"]
    assert [relation.relationship for relation in document.relations] == ["references", "referenced_by"]
    assert "[sales.customer](sales.customer.md)" in shop.page_of("sales.orders")
    assert "[billing.invoice](../billing/billing.invoice.md)" in shop.page_of("sales.orders")


def test_what_an_earlier_version_left_in_a_slice_is_hidden_when_it_is_documented() -> None:
    secretive = column("password", "text").model_copy(update={"default_value": "'Zr7quelk'::text"})
    shop = Shop([table("sales.account", secretive, column("kind", "text"))])
    outline = shop.plan()
    (unit,) = (shop.unit(outline, unit_id) for unit_id in outline.unit_ids)
    assert unit.slice_file is not None
    written = shop.memory.get(unit.slice_file).data
    assert b"quelk" not in written
    data = written.replace(b"'[password]'::text", b"'Zr7quelk'::text")
    assert data != written
    key = locations.slice_file("shop", bytes_hash(data))
    shop.memory.put(key, data)
    document_unit(unit.model_copy(update={"slice_file": key}), shop.context(outline), None, shop.options)
    assert "quelk" not in shop.document_of("sales.account").to_json().decode() + shop.page_of("sales.account")


def test_what_is_recorded_of_a_file_is_what_lies_in_the_store() -> None:
    shop = Shop()
    for result in shop.document(shop.plan()).values():
        for documented in result.tables:
            assert documented.indexable is not None
            assert documented.indexable.path == documented.files[0].path
            for file in documented.files:
                data = shop.memory.get(locations.DOCS + file.path).data
                assert (file.content_hash, file.size_bytes) == (bytes_hash(data), len(data))


def test_the_progress_of_a_unit_tells_what_happened() -> None:
    shop = Shop()
    shop.document(shop.plan())
    progress = shop.progress(SALES)
    assert (progress.status, progress.tables_total, progress.tables_completed) == ("completed", 2, 2)
    assert (progress.tables_failed, progress.tables_skipped, progress.current_table) == (0, 0, None)
    assert progress.started_at is not None
    assert progress.completed_at is not None
    assert sorted(progress.output_files) == [
        "shop/sales/sales.customer.json",
        "shop/sales/sales.customer.md",
        "shop/sales/sales.orders.json",
        "shop/sales/sales.orders.md",
    ]


def test_every_written_file_keeps_its_exported_schema() -> None:
    shop = Shop()
    outline = shop.plan()
    shop.document(outline)
    shop.finish(outline)
    kinds = {
        "/domain.json": "domain-document",
        "/relationships.json": "relationships-document",
        "overview.json": "overview-document",
        "documentation-manifest.json": "documentation-manifest",
        "documenter-progress.json": "documenter-progress",
        "/progress.json": "work-unit-progress",
        "/result.json": "unit-result",
    }
    checked = set()
    for key, data in shop.contents().items():
        kind = next((kind for end, kind in kinds.items() if key.endswith(end)), None)
        if kind is None and key.startswith(locations.DOCS) and key.endswith(".json"):
            kind = "table-document"
        if kind is not None:
            jsonschema.Draft7Validator(json_schema(kind)).validate(json.loads(data))
            checked.add(kind)
    assert checked == {*kinds.values(), "table-document"}


def test_a_second_run_writes_nothing() -> None:
    shop = Shop()
    outline = shop.plan()
    reader = SamplingReader(TABLES)
    shop.document(outline, reader=reader)
    sampled = len(reader.asked)
    shop.forget_writes()
    shop.clock.advance(3600)
    results = shop.document(outline, reader=reader)
    assert shop.store.written == []
    assert [result.status for result in results.values()] == ["completed"] * 3
    assert len(reader.asked) == sampled, "an unchanged table is not sampled"
    assert shop.sink.outcomes("document") == {"documented": 4, "unchanged": 4}


def test_a_changed_table_is_the_only_one_that_is_written() -> None:
    shop = Shop()
    shop.document(shop.plan())
    shop.forget_writes()
    shop.replace(table("audit.change_log", column("op", "text", comment="What was done.")))
    shop.replace(*[t for t in TABLES if t.schema_name != "audit"])
    shop.document(shop.plan())
    documents = {key for key in shop.store.written if key.startswith(locations.DOCS)}
    assert documents == {"docs/shop/audit/audit.change_log.json", "docs/shop/audit/audit.change_log.md"}
    assert {key for key in shop.store.written if "work_units" in key} == {
        "progress/work_units/shop_audit/progress.json",
        "progress/work_units/shop_audit/result.json",
    }


def test_a_document_that_someone_deleted_or_edited_is_made_again() -> None:
    shop = Shop()
    outline = shop.plan()
    shop.document(outline)
    before = shop.contents(locations.DOCS)
    shop.memory.delete("docs/shop/sales/sales.orders.md")
    shop.memory.put("docs/shop/audit/audit.change_log.json", b"{}")
    shop.document(outline)
    assert shop.contents(locations.DOCS) == before


def test_force_documents_everything_again() -> None:
    shop = Shop()
    outline = shop.plan()
    shop.document(outline)
    shop.clock.advance(60)
    shop.document(outline, options=replace(shop.options, force=True))
    assert shop.sink.outcomes("document") == {"documented": 8}
    assert shop.document_of("sales.orders").documented_at == shop.clock.published()


def test_a_table_is_refreshed_when_its_document_is_too_old() -> None:
    shop = Shop()
    outline = shop.plan()
    options = replace(shop.options, max_age=timedelta(days=7))
    reader = SamplingReader(TABLES)
    shop.document(outline, reader=reader, options=options)
    shop.clock.advance(timedelta(days=6).total_seconds())
    shop.document(outline, reader=reader, options=options)
    assert shop.sink.outcomes("document") == {"documented": 4, "unchanged": 4}
    shop.clock.advance(timedelta(days=2).total_seconds())
    shop.document(outline, options=options)
    assert shop.sink.outcomes("document")["documented"] == 4, "without a connection a refresh would lose the samples"
    shop.document(outline, reader=reader, options=options)
    assert shop.sink.outcomes("document") == {"documented": 8, "unchanged": 8}
    shop.document(outline, reader=reader, options=options)
    assert shop.sink.outcomes("document") == {"documented": 8, "unchanged": 12}


# --- People's words -------------------------------------------------------------------------------------------------

ANNOTATIONS = """
tables:
  sales.orders:
    description: What was bought | and *when*.
    columns:
      qty: Pieces, never cartons.
      nonsense: There is no such column.
"""


def test_a_persons_words_win_and_survive_every_change() -> None:
    shop = Shop()
    shop.memory.put("annotations/shop.yaml", ANNOTATIONS.encode())
    shop.document(shop.plan())
    changed = table("sales.orders", column("qty", "integer", comment="From the database."), comment="Also from there.")
    shop.replace(changed)
    shop.document(shop.plan(), options=replace(shop.options, force=True))
    document = shop.document_of("sales.orders")
    assert document.description.text == "What was bought | and *when*."
    assert (document.description.source, document.description.confidence) == ("human", 1.0)
    said = {column.name: column.description for column in document.columns}
    assert (said["qty"].text, said["qty"].source) == ("Pieces, never cartons.", "human")
    assert said["id"].source == "derived"
    assert r"What was bought \| and \*when\*." in shop.page_of("sales.orders")
    assert [note for note in shop.sink.notes if "'nonsense'" in note]


def test_an_annotation_changes_the_documentation_of_its_table_alone() -> None:
    shop = Shop()
    outline = shop.plan()
    shop.document(outline)
    shop.memory.put("annotations/shop.yaml", ANNOTATIONS.encode())
    shop.forget_writes()
    shop.document(outline)
    assert {key for key in shop.store.written if key.startswith("docs/")} == {
        "docs/shop/sales/sales.orders.json",
        "docs/shop/sales/sales.orders.md",
    }


def test_the_page_says_where_to_correct_it() -> None:
    shop = Shop([table("sales.Order Items", column("a"))])
    shop.document(shop.plan())
    page = next(data.decode() for key, data in shop.contents("docs/").items() if key.endswith(".md"))
    assert page.rstrip().splitlines()[-1] == (
        "Something wrong or missing? Write it in `annotations/shop.yaml` under "
        '`tables: "sales.\\"Order Items\\"":` as `description:` or `columns:`; your words are never overwritten.'
    )


def test_the_page_of_a_table_that_a_person_wrote_of_names_the_line_and_follows_it() -> None:
    shop = Shop()
    entry = "  sales.orders:\n    description: What was ordered.\n"
    shop.memory.put("annotations/shop.yaml", f"tables:\n{entry}".encode())
    outline = shop.plan()
    shop.document(outline)
    assert "Correct it in `annotations/shop.yaml`, line 2; your words" in shop.page_of("sales.orders")
    assert "under `tables:" in shop.page_of("sales.customer")
    other = "  sales.customer:\n    description: Who buys.\n"
    shop.memory.put("annotations/shop.yaml", f"# Ours.\ntables:\n{other}{entry}".encode())
    shop.document(outline)
    assert "`annotations/shop.yaml`, line 5;" in shop.page_of("sales.orders")
    assert "`annotations/shop.yaml`, line 3;" in shop.page_of("sales.customer")


# --- Failures -------------------------------------------------------------------------------------------------------


@each_case(
    ("error", "code"),
    [
        (TableGone("dropped"), "DOC_TABLE_GONE"),
        (ValueError("bob.miller@example.com is odd"), "DOC_TABLE_EXTRACTION_FAILED"),
    ],
)
def test_a_table_that_fails_is_reported_and_the_rest_is_documented(error: Exception, code: str) -> None:
    shop = Shop()
    result = shop.document(shop.plan(), reader=SamplingReader(TABLES, on_sample=failing("sales.orders", error)))[SALES]
    assert result.status == "partial"
    assert statuses(result) == {"shop.sales.customer": "documented", "shop.sales.orders": "failed"}
    (failure,) = shop.progress(SALES).errors
    assert failure.code == code
    assert "bob.miller" not in failure.message
    assert shop.progress(SALES).tables_failed == 1
    assert "docs/shop/sales/sales.orders.json" not in shop.contents()


def test_a_unit_whose_tables_all_fail_has_failed() -> None:
    shop = Shop([TABLES[3]])
    reader = SamplingReader(shop.tables, on_sample=failing("audit.change_log", ValueError("no")))
    assert shop.document(shop.plan(), reader=reader)["shop_audit"].status == "failed"


def test_a_failure_keeps_the_files_of_the_last_success() -> None:
    shop = Shop()
    outline = shop.plan()
    first = shop.document(outline)[SALES]
    reader = SamplingReader(TABLES, on_sample=failing("sales.orders", ValueError("no")))
    again = shop.document(outline, reader=reader, options=replace(shop.options, force=True))[SALES]
    failed = next(t for t in again.tables if t.status == "failed")
    assert failed.files == next(t for t in first.tables if t.name == failed.name).files
    assert failed.input_hash is None, "it is tried again the next time"


def test_a_failure_that_is_still_the_same_changes_no_result() -> None:
    shop = Shop()
    outline = shop.plan()
    reader = SamplingReader(TABLES, on_sample=failing("sales.orders", ValueError("no")))
    shop.document(outline, reader=reader)
    before = shop.contents(locations.unit_result_file(SALES))
    shop.clock.advance(60)
    shop.document(outline, reader=reader)
    assert shop.contents(locations.unit_result_file(SALES)) == before


def test_retrying_touches_only_what_failed() -> None:
    shop = Shop()
    outline = shop.plan()
    shop.document(outline, reader=SamplingReader(TABLES, on_sample=failing("sales.orders", ValueError("no"))))
    shop.memory.put("annotations/shop.yaml", b"tables: {sales.customer: {description: New words.}}")
    reader = SamplingReader(TABLES)
    result = shop.document(outline, reader=reader, options=replace(shop.options, retry_failed=True))[SALES]
    assert result.status == "completed"
    assert reader.asked == ["sample sales.orders"]
    assert shop.document_of("sales.customer").description.text == "Who buys.", "not its turn"


def test_a_store_that_cannot_be_written_stops_the_unit() -> None:
    shop = Shop()
    outline = shop.plan()
    shop.store.writes_left = 2
    with pytest.raises(StoreUnwritable):
        shop.document(outline, only=[SALES])


def test_a_unit_without_a_slice_is_refused() -> None:
    shop = Shop()
    outline = shop.plan()
    unit = shop.unit(outline, SALES).model_copy(update={"slice_file": None})
    with pytest.raises(PlanError, match="has no slice"):
        document_unit(unit, shop.context(outline), None, shop.options)


def test_a_checkpoint_that_cannot_be_read_costs_time_and_nothing_else() -> None:
    shop = Shop()
    outline = shop.plan()
    shop.document(outline)
    before = shop.contents()
    shop.memory.put(locations.unit_result_file(SALES), b"\x00 not json")
    shop.document(outline)
    assert shop.contents() == before
