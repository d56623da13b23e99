"""Comparing what the last run read with what a database is now, without leaving a trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.cases import each_case
from tests.fakes import MemoryStore
from tests.fakes.application import with_run
from tests.fakes.catalogs import HandMadeReader, column, table
from tests.sample_shop.documented import Shop
from tribal.errors import DatabaseUnreachable, PlanError, StoreError
from tribal.identity import locations
from tribal.identity.changes import Change, TableChange
from tribal.ports import DocumentingOptions, Provider
from tribal.runs.comparing import (
    FULL_VALUE_CHARS,
    Comparison,
    OverlayStore,
    compare_runs,
    compare_with_databases,
    show_change,
)
from tribal.store import put_record, require_record
from tribal_contracts import CatalogReading, CatalogTable, DatabaseEntry, Selection

STRUCTURE_ALONE = DocumentingOptions(record_pid=False, take_samples=False)


def compare(shop: Shop, *, entry: DatabaseEntry | None = None, reader: HandMadeReader | None = None) -> Comparison:
    app = shop.app()
    opts = replace(app.options(), databases=(entry or shop.entry,))
    return compare_with_databases(
        with_run(replace(app, options=Provider.of(opts)), open_reader=lambda _: reader or HandMadeReader(shop.tables))
    )


def tables_of(found: Comparison) -> Sequence[TableChange]:
    (database,) = found.databases
    assert database.problem is None
    return database.tables


def ran() -> Shop:
    shop = Shop()
    shop.options = STRUCTURE_ALONE
    shop.run()
    shop.forget_writes()
    return shop


def test_nothing_changed_is_said_and_nothing_is_written() -> None:
    shop = ran()
    before = shop.contents()
    found = compare(shop)
    assert (found.changed, found.complete, tables_of(found)) == (False, True, ())
    assert found.documents is not None
    assert (found.documents.to_write, found.documents.to_remove) == ((), ())
    assert shop.contents() == before
    assert (shop.store.written, shop.store.deleted) == ([], [])


def test_changes_of_the_catalog_come_with_the_documents_that_the_next_run_would_write() -> None:
    shop = ran()
    shop.replace(table("audit.change_log", column("op", "text"), column("at", "date")), table("audit.login"))
    shop.drop("billing.invoice")
    before = shop.contents()
    found = compare(shop)
    assert [(t.schema, t.table, t.fate, t.changes) for t in tables_of(found)] == [
        ("audit", "change_log", "changed", (Change("column", "at", after="date"),)),
        ("audit", "login", "added", ()),
        ("billing", "invoice", "dropped", ()),
    ]
    assert found.changed
    assert found.documents is not None
    # The orders were referred to by the invoices, and their document said so.
    assert found.documents.to_write == ("shop.audit.change_log", "shop.audit.login", "shop.sales.orders")
    assert found.documents.to_remove == ("shop.billing.invoice",)
    assert shop.contents() == before
    shop.forget_writes()
    shop.run()
    written = {key for key in shop.store.written if key.endswith(".md") and "README" not in key}
    assert {key.rpartition("/")[2] for key in written} == {"audit.change_log.md", "audit.login.md", "sales.orders.md"}


def test_what_an_earlier_version_left_in_a_snapshot_is_not_shown() -> None:
    secretive = column("password", "text").model_copy(update={"default_value": "'Zr7quelk'::text"})
    shop = Shop([table("sales.account", secretive)])
    shop.run()
    (key,) = (key for key in shop.memory.keys("catalog/") if "/snapshots/" in key)
    shop.memory.put(key, shop.memory.get(key).data.replace(b"[password]", b"Zr7quelk"))
    for place in [key for key in shop.memory.keys("") if b'"snapshot_hash"' in shop.memory.get(key).data]:
        reading = require_record(shop.memory, place, CatalogReading)
        put_record(shop.memory, place, reading.model_copy(update={"snapshot_hash": None}))
    shop.replace(table("sales.account", secretive.model_copy(update={"default_value": None})))
    ((change,),) = [each.changes for each in tables_of(compare(shop))]
    assert (change.aspect, change.before, change.after) == ("default", "'[password]'::text", None)


def test_a_persons_new_words_change_documents_and_not_the_catalog() -> None:
    shop = ran()
    shop.memory.put("annotations/shop.yaml", b"tables: {audit.change_log: {description: Every change that is made.}}")
    found = compare(shop)
    assert tables_of(found) == ()
    assert found.documents is not None
    assert found.documents.to_write == ("shop.audit.change_log",)
    assert found.changed


def test_the_age_of_row_counts_is_no_change() -> None:
    shop = ran()
    shop.options = replace(STRUCTURE_ALONE, max_age=timedelta(days=-1))
    assert not compare(shop).changed


def test_a_schema_that_may_no_longer_be_read_and_an_excluded_table_are_not_called_dropped() -> None:
    shop = ran()
    hidden = [t for t in shop.tables if t.schema_name != "audit"]
    reader = HandMadeReader(hidden, unreadable=("audit",), hidden=frozenset({("audit", "change_log")}))
    entry = shop.entry.model_copy(update={"exclude": Selection(tables=["billing.*"])})
    found = compare(shop, entry=entry, reader=reader)
    assert [(t.table, t.fate) for t in tables_of(found)] == [("change_log", "unreadable"), ("invoice", "excluded")]
    assert found.documents is not None
    assert found.documents.to_remove == ("shop.billing.invoice",)


def test_every_table_gone_is_reported_too() -> None:
    shop = ran()
    shop.tables = []
    found = compare(shop)
    assert [t.fate for t in tables_of(found)] == ["dropped"] * 4
    assert found.documents is not None
    assert len(found.documents.to_remove) == 4


def test_personal_data_in_a_changed_comment_is_not_shown() -> None:
    shop = ran()
    shop.replace(table("audit.change_log", column("op", "text"), comment="Ask ann.miller@example.com"))
    (change,) = tables_of(compare(shop))
    assert change.changes == (Change("comment", after="Ask [email]"),)


def test_a_long_value_says_that_it_is_cut_and_how_to_see_all_of_it() -> None:
    long = "SELECT " + ", ".join(f"column_{n}" for n in range(200))
    change = show_change(Change("view definition", after=long), 500)
    assert change.after is not None
    assert change.after.endswith(f"… (the first 500 of {len(long):,} characters; --full shows all)")
    assert show_change(Change("view definition", after=long), FULL_VALUE_CHARS).after == long
    assert show_change(Change("comment", after="short"), 500).after == "short"


def test_of_two_long_values_that_begin_alike_the_difference_is_shown() -> None:
    head = "SELECT " + ", ".join(f"column_{n}" for n in range(200))
    change = show_change(Change("view definition", before=f"{head} FROM old", after=f"{head} FROM new"), 500)
    assert "FROM old (from character" in str(change.before)
    assert "FROM new (from character" in str(change.after)
    assert str(change.before).startswith("…")


def test_a_secret_in_a_long_value_is_not_shown() -> None:
    value = "x " * 1_000 + "ann.miller@example.com"
    change = show_change(Change("comment", before="x " * 1_000, after=value), 500)
    assert "[email]" in str(change.after)
    assert "ann.miller" not in str(change)


def test_before_the_first_run_it_says_what_to_do() -> None:
    with pytest.raises(PlanError, match="tribal run"):
        compare(Shop())


def test_a_database_that_does_not_answer_is_an_error_and_not_an_empty_answer() -> None:
    reader = HandMadeReader((), failure=DatabaseUnreachable("no answer"))
    with pytest.raises(DatabaseUnreachable):
        compare(ran(), reader=reader)


def test_recorded_runs_are_compared_with_each_other_and_with_the_last_one() -> None:
    shop = ran()
    shop.replace(table("audit.login"))
    shop.run()
    shop.replace(table("audit.logout"))
    shop.run()
    first = compare_runs("r1", "r2", store=shop.memory)
    assert [(t.table, t.fate) for t in tables_of(first)] == [("login", "added")]
    since = compare_runs("r1", None, store=shop.memory)
    assert [(t.table, t.fate) for t in tables_of(since)] == [("login", "added"), ("logout", "added")]
    back = compare_runs("r3", "r1", store=shop.memory)
    assert [(t.table, t.fate) for t in tables_of(back)] == [("login", "dropped"), ("logout", "dropped")]
    assert first.documents is None
    assert not compare_runs("r3", "r3", store=shop.memory).changed


@each_case("run_id", ["r9", "", "../r1", "r"])
def test_a_run_that_is_not_recorded_is_refused_with_those_that_are(run_id: str) -> None:
    with pytest.raises(PlanError, match="r1"):
        compare_runs(run_id, "r1", store=ran().memory)


def test_an_overlay_sees_the_real_store_and_leaves_it_alone() -> None:
    real = MemoryStore()
    real.put("a/kept", b"1\n2\n")
    overlay = OverlayStore(real)
    overlay.put_lines("a/new", [b"x", b"y"])
    overlay.put("a/kept", b"3")
    assert list(overlay.lines("a/new")) == [b"x", b"y"]
    assert overlay.get("a/kept").data == b"3"
    assert list(overlay.keys("a/")) == ["a/kept", "a/new"]
    head = overlay.head("a/new")
    assert head is not None
    assert head.size_bytes == 4
    overlay.delete("a/kept")
    assert list(overlay.lines("a/kept")) == [b"1", b"2"]
    assert list(real.keys()) == ["a/kept"]
    with pytest.raises(StoreError):
        overlay.put("a/lease", b"", if_absent=True)


def test_an_overlay_forgets_slices() -> None:
    overlay = OverlayStore(MemoryStore())
    overlay.put(locations.slice_file("shop", "f" * 64), b"large")
    assert list(overlay.keys()) == []


def test_tables_are_compared_that_were_never_documented() -> None:
    shop = Shop()
    outline = shop.plan()
    assert outline.unit_ids
    extra: CatalogTable = table("sales.extra")
    shop.replace(extra)
    found = compare(shop)
    assert [(t.table, t.fate) for t in tables_of(found)] == [("extra", "added")]
    assert found.documents is not None
    assert len(found.documents.to_write) == 5
