"""Documenting a work unit: samples are masked, and what is in their way is reported."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.cases import each_case
from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import TABLES, SamplingReader, Shop, failing
from tribal.documenting.units.sampling import mask_table
from tribal.errors import AccessDenied, ConnectionLost, StatementConflict, StatementTimedOut
from tribal.identity import locations
from tribal.ports import TableSample
from tribal_contracts import CatalogCheck, DatabaseEntry

SALES = "shop_sales"


def test_samples_are_masked_before_they_are_written() -> None:
    rows = [[str(n), f"person{n}@example.com", "open" if n % 2 else "done"] for n in range(20)]
    shop = Shop()
    shop.document(shop.plan(), reader=SamplingReader(TABLES, rows={"sales.customer": rows}))
    document = shop.document_of("sales.customer")
    columns = {column.name: column for column in document.columns}
    assert document.samples_taken
    assert columns["status"].samples == ["done", "open"]
    assert columns["email"].samples is None
    assert columns["email"].sensitive == "email"
    assert b"person1@" not in b"".join(shop.contents().values())


def test_values_that_an_enum_or_a_check_knows_are_shown_and_others_of_the_same_look_are_not() -> None:
    status, *others = [column for column in TABLES[0].columns if column.name == "status"]
    assert others == []
    known = status.model_copy(update={"enum_values": ["zorb", "quux"]})
    checked = status.model_copy(update={"name": "stage_of_it"})
    unknown = status.model_copy(update={"name": "looks"})
    check = CatalogCheck(name="c", expression="(stage_of_it = ANY (ARRAY['zorb'::text, 'quux'::text]))")
    table = TABLES[0].model_copy(update={"columns": [known, checked, unknown], "checks": [check]})
    rows = tuple((word, word, word) for word in ("zorb", "quux", "zorb", "quux"))

    masked = mask_table(table, TableSample(("status", "stage_of_it", "looks"), rows))

    assert [set(masked[name].values) for name in masked] == [{"zorb", "quux"}, {"zorb", "quux"}, set()]


def test_what_the_database_marks_as_sensitive_is_not_looked_at_and_said_to_be_marked() -> None:
    columns = [
        column.model_copy(update={"sensitive": "masking policy HIDE_STATUS"}) if column.name == "status" else column
        for column in TABLES[0].columns
    ]
    shop = Shop([TABLES[0].model_copy(update={"columns": columns})])
    shop.document(shop.plan(), reader=SamplingReader(shop.tables))
    marked = next(column for column in shop.document_of("sales.customer").columns if column.name == "status")
    assert (marked.samples, marked.sample_patterns) == (None, None)
    assert marked.marked == "masking policy HIDE_STATUS"
    page = shop.contents()["docs/shop/sales/sales.customer.md"].decode()
    assert "not sampled, since the database marks it: masking policy HIDE_STATUS" in page


def test_without_sampling_no_table_is_asked_for() -> None:
    shop = Shop()
    reader = SamplingReader(TABLES)
    shop.document(shop.plan(), reader=reader, options=replace(shop.options, take_samples=False))
    assert reader.asked == []
    assert not shop.document_of("sales.orders").samples_taken


@each_case("change", [{"kind": "view"}, {"kind": "foreign_table"}, {"selectable": False}])
def test_views_and_locked_tables_are_documented_without_samples(change: dict[str, object]) -> None:
    shop = Shop([TABLES[0].model_copy(update=change)])
    reader = SamplingReader(shop.tables)
    shop.document(shop.plan(), reader=reader)
    assert reader.asked == []
    assert shop.document_of("sales.customer").name == "shop.sales.customer"


@each_case("kind", ["view", "materialized_view", "foreign_table"])
def test_views_and_foreign_tables_are_sampled_where_the_database_says_so(kind: str) -> None:
    shop = Shop([TABLES[0].model_copy(update={"kind": kind})])
    reader = SamplingReader(shop.tables)
    outline = shop.plan()
    shop.document(outline, reader=reader)
    asked_for = shop.options.for_entry(DatabaseEntry(name="shop", sample_views=True))
    shop.document(outline, reader=reader, options=asked_for)
    assert reader.asked == ["sample sales.customer"]
    assert shop.document_of("sales.customer").samples_taken


def test_tables_documented_without_a_connection_get_their_samples_when_there_is_one() -> None:
    shop = Shop()
    outline = shop.plan()
    shop.document(outline)
    shop.forget_writes()
    shop.document(outline)
    assert shop.store.written == [], "still no connection: nothing to gain"
    shop.document(outline, reader=SamplingReader(TABLES))
    assert shop.document_of("sales.orders").samples_taken
    shop.document(outline)
    assert shop.document_of("sales.orders").samples_taken, "a lost connection takes no samples away"


@each_case(
    ("error", "code", "cause"),
    [
        (StatementTimedOut("lock not granted"), "DOC_SAMPLING_TIMEOUT", "took too long"),
        (AccessDenied("GRANT SELECT ON sales.orders TO reader"), "DOC_SAMPLING_FAILED", "permission denied"),
    ],
)
def test_a_table_that_cannot_be_sampled_is_documented_with_a_warning(error: Exception, code: str, cause: str) -> None:
    shop = Shop()
    result = shop.document(shop.plan(), reader=SamplingReader(TABLES, on_sample=failing("sales.orders", error)))[SALES]
    assert result.status == "completed"
    (warning,) = shop.progress(SALES).errors
    assert (warning.code, warning.severity) == (code, "warning")
    assert warning.context == {"table": "shop.sales.orders", "not_sampled": cause}
    assert not shop.document_of("sales.orders").samples_taken


@each_case("error", [StatementTimedOut("locked"), StatementConflict("replayed")])
def test_a_sample_that_was_in_the_way_of_something_is_taken_by_the_next_run(error: Exception) -> None:
    shop = Shop()
    outline = shop.plan()
    reader = SamplingReader(TABLES, on_sample=failing("sales.orders", error, times=2))
    shop.document(outline, reader=reader)
    unit = shop.unit(outline, SALES)
    orders, customer = sorted(unit.tables, key=lambda spec: spec.table_name, reverse=True)
    assert (shop.is_current(unit, orders), shop.is_current(unit, customer)) == (False, True)
    shop.clock.advance(60)
    before = shop.contents(locations.DOCS)
    shop.document(outline, reader=reader)
    assert [error.code for error in shop.progress(SALES).errors] == ["DOC_SAMPLING_TIMEOUT"]
    assert shop.contents(locations.DOCS) == before, "in vain: nothing is written"
    shop.document(outline, reader=reader)
    assert shop.progress(SALES).errors == []
    assert shop.document_of("sales.orders").samples_taken
    assert shop.is_current(unit, orders)
    assert reader.asked.count("sample sales.customer") == 1


def test_a_refresh_that_cannot_take_a_sample_keeps_the_one_that_there_was() -> None:
    shop = Shop()
    outline = shop.plan()
    shop.document(outline, reader=SamplingReader(TABLES))
    shop.clock.advance(60)
    locked = SamplingReader(TABLES, on_sample=failing("sales.orders", StatementTimedOut("locked")))
    shop.document(outline, reader=locked, options=replace(shop.options, max_age=timedelta(seconds=1)))
    assert shop.document_of("sales.orders").samples_taken
    assert [error.code for error in shop.progress(SALES).errors] == ["DOC_SAMPLING_TIMEOUT"]


def test_a_privilege_that_is_missing_is_not_tried_again() -> None:
    shop = Shop()
    outline = shop.plan()
    reader = SamplingReader(TABLES, on_sample=failing("sales.orders", AccessDenied("GRANT")))
    shop.document(outline, reader=reader)
    shop.document(outline, reader=reader)
    assert reader.asked.count("sample sales.orders") == 1
    assert [error.code for error in shop.progress(SALES).errors] == ["DOC_SAMPLING_FAILED"]


def test_a_lost_connection_is_tried_once_more() -> None:
    shop = Shop()
    once = SamplingReader(TABLES, on_sample=failing("sales.orders", ConnectionLost("server closed"), times=1))
    assert shop.document(shop.plan(), reader=once)[SALES].status == "completed"
    assert once.asked.count("sample sales.orders") == 2
    other = Shop()
    twice = SamplingReader(TABLES, on_sample=failing("sales.orders", ConnectionLost("server closed")))
    result = other.document(other.plan(), reader=twice)[SALES]
    assert result.status == "partial"
    assert [t.error.code for t in result.tables if t.error] == ["DOC_DB_CONNECTION_LOST"]


def test_a_key_to_another_table_is_not_taken_for_what_its_name_may_mean() -> None:
    rate = table("sales.tax_rate")
    bill = table(
        "sales.bill", column("tax_id", "uuid"), column("vat_id", "uuid"), references=[("tax_id", "sales.tax_rate")]
    )
    bill = bill.model_copy(
        update={"columns": [each for each in bill.columns if each.type == "uuid" or each.name == "id"]}
    )
    shop = Shop([rate, bill])
    shop.run()
    columns = {each.name: each for each in shop.document_of("sales.bill").columns}
    assert (columns["tax_id"].sensitive, columns["vat_id"].sensitive) == (None, "tax_id")
    assert "possibly" not in shop.page_of("sales.bill")


def test_a_type_is_not_said_to_hold_what_its_values_cannot_be() -> None:
    columns = [
        column("mobile", "boolean"),
        column("disability", "boolean"),
        column("password_changed", "timestamp with time zone"),
        column("birth_date", "date"),
        column("email_address", "uuid"),
        column("pin_code", "numeric"),
        column("token_id", "numeric"),
    ]
    token = table("sales.token")
    bill = table("sales.bill", *columns, references=[("token_id", "sales.token")])
    bill = bill.model_copy(update={"columns": bill.columns[:-1]})
    shop = Shop([token, bill])
    shop.run()
    assert {each.name: each.sensitive for each in shop.document_of("sales.bill").columns if each.name != "id"} == {
        "mobile": None,
        "disability": "personal_trait",
        "password_changed": None,
        "birth_date": "birth_date",
        "email_address": None,
        "pin_code": "password",
        "token_id": None,
    }
