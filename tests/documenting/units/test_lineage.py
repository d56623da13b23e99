"""A document says what a view reads, and which views read a table; it changes only when that does."""

from __future__ import annotations

from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import Shop
from tribal.identity import locations
from tribal.store import require_record
from tribal_contracts import CatalogTable, DatabaseLineage

SQL = "SELECT i.id, max(l.qty) AS most FROM sales.invoice i JOIN sales.line l ON l.invoice_id = i.id GROUP BY i.id"
INVOICE = table("sales.invoice", column("id"), column("at"))
LINE = table("sales.line", column("invoice_id"), column("qty"))


def view(name: str, sql: str, *columns: str, depends_on: list[str] | None = None) -> CatalogTable:
    made = table(name, *map(column, columns))
    return made.model_copy(
        update={"kind": "view", "primary_key": None, "view_definition": sql, "depends_on": depends_on}
    )


def documented(*tables: CatalogTable) -> Shop:
    shop = Shop(list(tables))
    shop.document(shop.plan())
    return shop


def test_a_view_names_its_tables_and_columns_and_tables_their_views_on_the_page_too() -> None:
    shop = documented(INVOICE, LINE, view("sales.v_top", SQL, "id", "most"))
    found = shop.document_of("sales.v_top")
    assert (found.reads, found.reads_total, found.lineage_problem) == (
        ["shop.sales.invoice", "shop.sales.line"],
        2,
        None,
    )
    assert [(each.column, each.from_table, each.from_column, each.via) for each in found.lineage or ()] == [
        ("id", "shop.sales.invoice", "id", "direct"),
        ("most", "shop.sales.line", "qty", "aggregated"),
        (None, "shop.sales.invoice", "id", "filter"),
        (None, "shop.sales.line", "invoice_id", "filter"),
    ]
    assert shop.document_of("sales.line").read_by == ["shop.sales.v_top"]
    assert "Reads `sales.invoice`, `sales.line`." in shop.page_of("sales.v_top")
    assert "Read by `sales.v_top`." in shop.page_of("sales.line")


def test_a_view_of_partitions_reads_the_table_that_they_are_documented_with() -> None:
    invoice = INVOICE.model_copy(update={"partitions": ["sales.invoice_old", "archive.invoice_new"]})
    sql = "SELECT o.id FROM sales.invoice_old o UNION ALL SELECT n.id FROM archive.invoice_new n"
    found = documented(invoice, view("sales.v", sql, "id")).document_of("sales.v")
    assert (found.reads, found.lineage_problem) == (["shop.sales.invoice"], None)
    assert [(each.column, each.from_table, each.via) for each in found.lineage or ()] == [
        ("id", "shop.sales.invoice", "direct")
    ]


def test_a_view_that_cannot_be_parsed_has_the_tables_that_the_catalog_records_and_the_reason() -> None:
    shop = documented(INVOICE, LINE, view("sales.v", "SELECT (", "id", depends_on=["sales.line", "hidden.other"]))
    found = shop.document_of("sales.v")
    assert (found.reads, found.lineage) == (["shop.sales.line"], None)
    assert "cannot parse the SQL as PostgreSQL" in (found.lineage_problem or "")
    assert shop.document_of("sales.line").read_by == ["shop.sales.v"]


def test_of_many_readers_fifty_are_named_and_all_are_counted() -> None:
    views = [view(f"sales.v{number:02}", "SELECT i.id FROM sales.invoice i", "id") for number in range(60)]
    found = documented(INVOICE, *views).document_of("sales.invoice")
    assert (len(found.read_by or ()), found.read_by_total) == (50, 60)


def test_only_what_the_views_of_a_table_change_makes_its_documentation_due() -> None:
    def hashes(*tables: CatalogTable) -> dict[str, tuple[str, str | None]]:
        shop = Shop(list(tables))
        outline = shop.plan()
        specs = [spec for unit in outline.units for spec in shop.unit(outline, unit.id).tables]
        return {spec.table_name: (spec.metadata_hash, spec.lineage_hash) for spec in specs}

    alone = hashes(INVOICE, LINE)
    with_view = hashes(INVOICE, LINE, view("sales.v", "SELECT i.id FROM sales.invoice i", "id"))
    assert alone["line"] == with_view["line"] == (alone["line"][0], None)
    assert alone["invoice"][0] == with_view["invoice"][0]
    assert alone["invoice"][1] is None
    assert with_view["invoice"][1] is not None


def test_a_view_is_parsed_again_only_if_what_it_was_read_from_changed() -> None:
    shop = documented(INVOICE, LINE, view("sales.v_top", SQL, "id", "most"))
    key = locations.lineage_file("shop")
    first = require_record(shop.store, key, DatabaseLineage)
    shop.document(shop.plan())
    assert require_record(shop.store, key, DatabaseLineage) == first
    assert set(first.inputs) == {"shop.sales.v_top"}
