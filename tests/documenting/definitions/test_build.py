"""What a run publishes of the definitions that people have written."""

from __future__ import annotations

from tests.cases import each_case
from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import Shop
from tribal.documenting.definitions.published import published_definitions
from tribal.identity import locations
from tribal_contracts import Definitions

METRIC = """\
metrics:
  - name: billed
    description: What we billed.
    expression: {expression}
    tables: [{table}]
"""

QUERIES = {
    "reads": "SELECT net_cents /* of invoices */ FROM billing.invoice -- all",
    "locks": "SELECT net_cents FROM billing.invoice FOR UPDATE",
    "waits": "SELECT net_cents, pg_sleep(9) FROM billing.invoice",
    "writes": "DELETE FROM billing.invoice",
    "says_nothing": "SELECT FROM WHERE",
}


def published(shop: Shop) -> Definitions:
    found = published_definitions(shop.store)
    assert found is not None
    return found


def annotate(shop: Shop, text: str) -> None:
    shop.memory.put(locations.annotations_file("shop"), text.encode())


def test_without_definitions_a_run_writes_none() -> None:
    shop = Shop()
    shop.run()
    assert published_definitions(shop.store) is None


def test_definitions_that_are_gone_are_no_longer_published() -> None:
    shop = Shop()
    annotate(shop, METRIC.format(expression="sum(net_cents)", table="billing.invoice"))
    shop.run()
    assert [each.status for each in published(shop).metrics] == ["current"]
    annotate(shop, "")
    shop.run()
    assert published(shop) == Definitions(schema_version="1.0")


@each_case(
    "expression, table, message",
    [
        ("sum(gross_cents)", "billing.invoice", "gross_cents"),
        ("sum(net_cents)", "billing.invoices", "there is no documented table 'billing.invoices'; did you mean"),
        ("sum(net_cents", "billing.invoice", "parse"),
        ("sum(net_cents) * {{ var('rate') }}", "billing.invoice", "a template such as"),
        ("'{% if x %}sum(net_cents){% endif %}'", "billing.invoice", "a template such as"),
        ("sum(net_cents) + pg_sleep(1)", "billing.invoice", "pg_sleep"),
        ("sum(net_cents)", '"."', "is not the name of a table; write schema.table"),
    ],
)
def test_a_metric_that_does_not_fit_its_tables_is_stale_and_noted_with_its_line(
    expression: str, table: str, message: str
) -> None:
    shop = Shop()
    annotate(shop, METRIC.format(expression=expression, table=table))
    shop.run()
    (metric,) = published(shop).metrics
    assert (metric.status, metric.line) == ("stale", 2)
    assert message in metric.problems[0].message
    assert f"annotations/shop.yaml, line 2: {metric.problems[0].message}" in shop.sink.notes


def test_two_metrics_or_terms_with_one_name_are_a_problem_of_the_second() -> None:
    shop = Shop()
    metric = "- {{name: {name}, description: d, expression: sum(net_cents), tables: [billing.invoice]}}\n"
    terms = "terms:\n- {name: open, definition: a}\n- {name: Open, definition: b}\n"
    annotate(shop, "metrics:\n" + metric.format(name="net  revenue") + metric.format(name="Net revenue") + terms)
    shop.run()
    found = published(shop)
    assert [each.status for each in found.metrics] == [each.status for each in found.terms] == ["current", "stale"]
    (problem,) = found.metrics[1].problems
    assert problem.message.startswith("the name 'Net revenue' is taken in annotations/shop.yaml, line 2; rename")


def test_sql_that_does_more_than_read_is_marked_and_no_comment_is_published() -> None:
    shop = Shop()
    annotate(shop, METRIC.format(expression='"sum(net_cents) /* ask Ann */"', table="billing.invoice"))
    for name, sql in QUERIES.items():
        shop.memory.put(f"queries/{name}.sql", f"-- question: Which?\n{sql}".encode())
    shop.run()
    found = published(shop)
    assert [each.expression for each in found.metrics] == ["sum(net_cents)"]
    assert {each.file: each.is_safe for each in found.queries} == {
        f"queries/{name}.sql": name == "reads" for name in QUERIES
    }
    (sql,) = (each.sql for each in found.queries if each.is_safe)
    assert sql == "SELECT net_cents   FROM billing.invoice"
    assert [each.status for each in found.queries if not each.is_safe] == ["broken"] * (len(QUERIES) - 1)


def test_a_term_names_tables_and_columns() -> None:
    shop = Shop()
    annotate(
        shop,
        "terms:\n- name: open\n  definition: Not paid.\n  tables: [orders]\n  columns: [sales.customer.status]\n"
        "- name: lost\n  definition: Gone.\n  columns: [sales.customer.since, status]\n",
    )
    shop.run()
    whole, lost = published(shop).terms
    assert (whole.status, whole.tables) == ("current", ["shop.sales.customer", "shop.sales.orders"])
    assert whole.columns == ["shop.sales.customer.status"]
    assert [each.message for each in lost.problems] == [
        "there is no column 'since' in shop.sales.customer",
        "'status' is not the name of a column; write schema.table.column",
    ]


def test_a_query_keeps_what_was_recorded_until_it_is_verified_again() -> None:
    shop = Shop()
    text = "-- question: How many?\n-- verified: 2026-0{}-01\nSELECT count(qty) FROM sales.orders"
    shop.memory.put("queries/orders.sql", text.format(1).encode())
    shop.run()
    (first,) = published(shop).queries
    assert (first.status, first.verified_with[0].columns["qty"]) == ("current", "integer")

    shop.replace(table("sales.orders", column("qty", "bigint"), column("note", "text")))
    shop.run()
    (changed,) = published(shop).queries
    assert (changed.status, changed.verified_with) == ("changed", first.verified_with)
    (change,) = changed.changes
    assert (change.added, change.removed, change.changed) == (["note"], ["customer_id"], ["qty"])

    shop.memory.put("queries/orders.sql", text.format(2).encode())
    shop.run()
    (renewed,) = published(shop).queries
    assert (renewed.status, renewed.changes) == ("current", [])


def test_a_query_may_name_a_partition() -> None:
    shop = Shop()
    log = table("audit.change_log", column("op", "text"))
    shop.replace(log.model_copy(update={"partitions": ["audit.change_log_2024"]}))
    shop.memory.put("queries/log.sql", b"-- question: What happened?\nSELECT op FROM audit.change_log_2024")
    shop.run()
    (query,) = published(shop).queries
    assert (query.status, query.is_bounded, query.tables) == ("current", True, ["shop.audit.change_log"])


def test_a_query_of_a_dropped_table_is_broken_and_still_says_which_tables_it_used() -> None:
    shop = Shop()
    shop.memory.put("queries/log.sql", b"-- question: What happened?\nSELECT op FROM audit.change_log")
    shop.run()
    shop.drop("audit.change_log")
    shop.run()
    (query,) = published(shop).queries
    assert (query.status, query.is_bounded, query.tables) == ("broken", False, ["shop.audit.change_log"])


def test_a_domain_owner_owns_its_tables_unless_they_have_their_own() -> None:
    shop = Shop()
    shop.run()
    before = shop.document_of("sales.orders").input_hash
    annotate(shop, "domains:\n  sales: {owner: Sales team}\ntables:\n  sales.customer: {owner: Ada}\n")
    shop.run()
    owners = {name: shop.document_of(name).owner for name in ("sales.customer", "sales.orders", "billing.invoice")}
    assert owners == {"sales.customer": "Ada", "sales.orders": "Sales team", "billing.invoice": None}
    assert shop.document_of("sales.orders").input_hash != before
    assert "owner Ada" in shop.page_of("sales.customer")
    assert "owner Sales team" in shop.memory.get("docs/shop/sales/README.md").data.decode()
