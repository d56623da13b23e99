"""Views and comments say what the values of a column mean; people's words come first, then comments, then views."""

from __future__ import annotations

from tests.cases import each_case
from tests.documenting.units.test_lineage import documented, view
from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import Shop
from tribal.identity import locations
from tribal_contracts import CatalogTable, DocumentedColumn

LABELS = "WHEN 0 THEN 'draft'::text WHEN 1 THEN 'sent'::text ELSE NULL::text END"


def bills(kind: str = "integer", comment: str | None = None) -> CatalogTable:
    return table("sales.bill", column("state", kind, comment=comment), column("amount"))


def labelling(sql: str, name: str = "sales.v_bill") -> CatalogTable:
    return view(name, f"SELECT b.id, {sql} AS label FROM sales.bill b", "id", "label")


def meanings(shop: Shop, name: str = "sales.bill", of: str = "state") -> dict[str, tuple[str, str | None]]:
    found = column_of(shop, name, of).value_meanings or {}
    return {value: (each.text, each.view or each.source) for value, each in found.items()}


def column_of(shop: Shop, name: str, of: str) -> DocumentedColumn:
    return next(each for each in shop.document_of(name).columns if each.name == of)


DRAFT_SENT = {"0": ("draft", "shop.sales.v_bill"), "1": ("sent", "shop.sales.v_bill")}


@each_case(
    "case",
    [
        f"CASE b.state {LABELS}",
        "CASE WHEN (b.state = 0) THEN 'draft'::text WHEN ((b.state)::text = '1'::text) THEN 'sent'::text END",
        "CASE WHEN b.state IS NULL THEN '' WHEN b.state = ANY (ARRAY[0]) THEN 'draft' "
        "WHEN (b.state = 1) THEN 'sent' END",
        f"json_build_object('state', CASE b.state {LABELS})",
        "CASE b.state WHEN 0 THEN 'draft' WHEN 1 THEN 'sent' WHEN 2 THEN 'old' WHEN 3 THEN 'old' END",
    ],
)
def test_a_case_of_a_view_says_what_the_values_of_a_column_mean(case: str) -> None:
    shop = documented(bills(), labelling(case))
    assert meanings(shop) == DRAFT_SENT
    found = column_of(shop, "sales.bill", "state")
    assert (found.allowed_values, found.allowed_values_from) == (["0", "1"], "view")
    assert found.allowed_values_complete is False
    page = shop.page_of("sales.bill")
    assert "Values: `0` (draft), `1` (sent) and others; meanings from view sales.v_bill." in page


@each_case(
    "case",
    [
        "CASE WHEN b.state > 1 THEN 'large' WHEN b.state = 0 THEN 'none' ELSE 'small' END",
        "CASE b.state WHEN 0 THEN '0' WHEN 1 THEN 'x' ELSE NULL END",
        "CASE b.state WHEN 0 THEN b.amount::text WHEN 1 THEN 'sent' END",
        "CASE b.state WHEN 1 THEN 'day' ELSE 'days' END",
        "CASE b.state WHEN 0 THEN 'on_hold' WHEN 1 THEN 'On hold' END",
        "'a bill, ' || CASE b.state WHEN 0 THEN 'draft' WHEN 1 THEN 'sent' END",
        "CASE WHEN b.amount = 1 THEN CASE b.state WHEN 0 THEN 'draft' WHEN 1 THEN 'sent' END END",
        "CASE b.state WHEN 0 THEN 'ann.quelk@example.com' WHEN 1 THEN 'bob.quelk@example.com' END",
    ],
)
def test_groups_expressions_parts_of_texts_and_masked_labels_are_no_meanings(case: str) -> None:
    shop = documented(bills(), labelling(case))
    assert (meanings(shop), column_of(shop, "sales.bill", "state").allowed_values) == ({}, None)


def test_meanings_follow_a_column_through_views_that_rename_it() -> None:
    renamed = view("sales.v_all", "SELECT b.id, b.state AS st FROM sales.bill b", "id", "st")
    label = view("sales.v_bill", f"SELECT a.id, CASE a.st {LABELS} AS label FROM sales.v_all a", "id", "label")
    later = view("sales.v_late", "SELECT a.st AS how FROM sales.v_all a", "how")
    shop = documented(bills(), renamed, label, later)
    assert meanings(shop) == DRAFT_SENT
    assert meanings(shop, "sales.v_all", "st") == meanings(shop, "sales.v_late", "how") == DRAFT_SENT
    shown = column_of(shop, "sales.v_bill", "label")
    assert (shown.allowed_values, shown.allowed_values_from, shown.value_meanings) == (["draft", "sent"], "view", None)


def test_views_that_contradict_each_other_give_that_value_no_meaning() -> None:
    other = labelling("CASE b.state WHEN 0 THEN 'Draft' WHEN 1 THEN 'posted' END", "sales.v_other")
    assert list(meanings(documented(bills(), labelling(f"CASE b.state {LABELS}"), other))) == ["0"]


def test_within_a_view_the_case_that_labels_more_values_counts() -> None:
    fewer = "CASE b.state WHEN 0 THEN 'paper' WHEN 1 THEN 'sent' END"
    more = "CASE b.state WHEN 0 THEN 'draft' WHEN 1 THEN 'sent' WHEN 2 THEN 'paid' END"
    shop = documented(bills(), labelling(f"json_build_array({fewer}, {more})"))
    assert [text for text, _ in meanings(shop).values()] == ["draft", "sent", "paid"]


def test_a_comment_comes_before_a_view_and_people_before_both() -> None:
    comment = "1 = posted, 2 = closed"
    shop = Shop([bills(comment=comment), labelling(f"CASE b.state {LABELS}")])
    shop.document(shop.plan())
    assert meanings(shop) == {
        "1": ("posted", "comment"),
        "2": ("closed", "comment"),
        "0": ("draft", "shop.sales.v_bill"),
    }
    written = "tables:\n  sales.bill:\n    columns:\n      state: '2 = archived, 3 = lost'\n"
    shop.store.put(locations.annotations_file("shop"), written.encode())
    shop.document(shop.plan())
    assert meanings(shop)["2"] == ("archived", "human")
    assert meanings(shop)["1"] == ("posted", "comment")


def test_a_comment_that_lists_its_values_is_not_repeated() -> None:
    shop = documented(bills(comment="0: draft, 1: sent"))
    assert meanings(shop) == {"0": ("draft", "comment"), "1": ("sent", "comment")}
    assert "Values:" not in shop.page_of("sales.bill")


def test_a_view_without_labels_changes_no_other_document() -> None:
    def hashes(*tables: CatalogTable) -> list[str | None]:
        shop = Shop(list(tables))
        outline = shop.plan()
        specs = [spec for unit in outline.units for spec in shop.unit(outline, unit.id).tables]
        return [spec.lineage_hash for spec in specs if spec.table_name == "bill"]

    plain, renamed = labelling("b.state"), labelling("b.state + 1")
    assert hashes(bills(), plain) == hashes(bills(), renamed)
    assert hashes(bills(), plain) != hashes(bills(), labelling(f"CASE b.state {LABELS}"))


@each_case(
    ("schema", "name", "state", "label"), [("zq", "t_17", "c9", "o2"), ("Sales", "BillBook", "Bill State", "Label")]
)
def test_names_of_tables_and_columns_make_no_difference(schema: str, name: str, state: str, label: str) -> None:
    sql = f'SELECT x.id, CASE x."{state}" {LABELS} AS "{label}" FROM "{schema}"."{name}" x'
    shop = documented(table(f"{schema}.{name}", column(state)), view(f"{schema}.w", sql, "id", label))
    by = f"shop.{schema}.w"
    assert list(meanings(shop, f"{schema}.{name}", state).values()) == [("draft", by), ("sent", by)]
