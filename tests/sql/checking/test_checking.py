"""What joins, aggregates and values mean for each other, and texts that cannot be checked."""

from __future__ import annotations

from tests.cases import each_case
from tests.sql.checking.company import known
from tribal.sql.checking.check import MAX_CHECKED_BYTES, check, check_expression
from tribal.sql.checking.known import KnownColumn, KnownTable, KnownTables
from tribal_contracts import DatabaseType

_LINES = "FROM order_line l JOIN return_request r ON r.order_id = l.order_id"
_JOINED = "FROM orders o JOIN order_line l ON l.order_id = o.id"
WARNINGS = [
    ("SELECT c.name FROM customer c JOIN orders o ON o.customer_id = c.id", []),
    ("SELECT c.name FROM customer c JOIN orders o ON o.id = c.id", ["join_without_key"]),
    ("SELECT c.name FROM customer c WHERE c.id IN (SELECT o.id FROM orders o)", ["join_without_key"]),
    ("SELECT c.name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.id = c.id)", ["join_without_key"]),
    ("SELECT c.name FROM customer c, orders o", ["join_without_key"]),
    ("SELECT c.name FROM customer c CROSS JOIN orders o", []),
    ("SELECT l.amount FROM order_line l JOIN invoice i ON i.order_id = l.order_id", []),
    (f"SELECT l.amount {_LINES} AND r.line_no = l.line_no", []),
    (f"SELECT l.amount {_LINES}", ["partial_key"]),
    (
        "WITH x AS (SELECT order_id AS o, line_no AS n FROM order_line) SELECT x.n FROM x JOIN orders ON x.n = id",
        ["join_without_key"],
    ),
    ("SELECT sum(o.total) FROM orders o JOIN customer c ON c.id = o.customer_id", []),
    ("SELECT sum(o.total) FROM orders o JOIN order_line l ON l.order_id = o.id", ["fan_out"]),
    ("SELECT o.id, sum(o.total) FROM orders o JOIN order_line l ON l.order_id = o.id GROUP BY o.id", ["fan_out"]),
    ("SELECT sum(l.amount) FROM orders o JOIN order_line l ON l.order_id = o.id", []),
    ("SELECT count(o.id) FROM orders o JOIN order_line l ON l.order_id = o.id", ["fan_out"]),
    ("SELECT count(DISTINCT o.id) FROM orders o JOIN order_line l ON l.order_id = o.id", []),
    ("SELECT count(*) FROM orders o JOIN order_line l ON l.order_id = o.id", []),
    (
        "SELECT sum(l.amount) FROM orders o JOIN order_line l ON l.order_id = o.id JOIN invoice i ON i.order_id = o.id",
        ["fan_out"],
    ),
    (
        "SELECT sum(o.total) FROM orders o JOIN (SELECT order_id, sum(amount) AS s FROM order_line GROUP BY order_id) l"
        " ON l.order_id = o.id",
        [],
    ),
    ("SELECT max(o.total) FROM orders o JOIN order_line l ON l.order_id = o.id", []),
    (f"SELECT sum(x.t) FROM (SELECT o.total AS t {_JOINED}) x", ["fan_out"]),
    (f"WITH j AS (SELECT o.*, l.line_no {_JOINED}), k AS (SELECT total FROM j) SELECT avg(total) FROM k", ["fan_out"]),
    (f"WITH j(t, n) AS (SELECT total + 1, line_no {_JOINED}) SELECT sum(t) OVER () FROM j", ["fan_out"]),
    (f"SELECT id, line_no, sum(total) FROM (SELECT * {_JOINED}) x GROUP BY id, line_no", []),
    (f"SELECT sum(total) FROM (SELECT total, line_no {_JOINED}) x WHERE line_no = 1", []),
    (f"SELECT sum(amount), max(total), count(*) FROM (SELECT * {_JOINED}) x", []),
    (f"SELECT sum(total) FROM (SELECT DISTINCT o.id, total {_JOINED}) x", []),
    (f"SELECT sum(n) FROM (SELECT count(*) AS n {_JOINED} GROUP BY o.id) x", []),
    (f"SELECT sum(t) FROM (SELECT total AS t, row_number() OVER (PARTITION BY o.id) AS n {_JOINED}) x WHERE n = 1", []),
]
VALUES = [
    ("SELECT 1 FROM invoice WHERE status = 'void'", None),
    ("SELECT 1 FROM invoice WHERE status = 'Void'", "'void'"),
    ("SELECT 1 FROM invoice WHERE status IN ('paid', 'opn')", "'open'"),
    ("WITH i AS (SELECT status AS s FROM invoice) SELECT 1 FROM i WHERE s = 'voids'", "'void'"),
    ("SELECT 1 FROM invoice WHERE status = ANY (ARRAY['paid', 'opn'])", "'open'"),
    ("SELECT 1 FROM invoice WHERE upper(status) = 'VOID'", None),
    ("SELECT 1 FROM customer WHERE country = 'anything'", None),
    ("SELECT 1 FROM customer WHERE country = 49", "'49'"),
]
UNLISTED = [
    "SELECT 1 FROM invoice WHERE status <> 'voids'",
    "SELECT 1 FROM invoice WHERE status NOT IN ('paid', 'voids')",
    "SELECT 1 FROM invoice WHERE NOT (status = 'voids')",
    "SELECT 1 FROM invoice WHERE status IS DISTINCT FROM 'voids'",
    "SELECT 1 FROM invoice WHERE status::varchar = 'voids'",
    "SELECT CASE status WHEN 'voids' THEN 1 END FROM invoice",
]
"""The server runs them, and the result may be what is meant."""
REFUSED = [
    ("DELETE FROM customer", "not_a_query"),
    ("EXPLAIN SELECT 1", "not_a_query"),
    ("SELECT 1; SELECT 2", "not_a_query"),
    ("SELECT 1 INTO t", "unsafe_sql"),
    ("WITH d AS (DELETE FROM customer RETURNING id) SELECT id FROM d", "unsafe_sql"),
    ("-- nothing", "not_a_query"),
    ("SELECT FROM WHERE", "parse_error"),
    ("SELECT 'open", "parse_error"),
    ("SELECT 1" + " " * MAX_CHECKED_BYTES, "limit_exceeded"),
    ("SELECT " + "(" * 500 + "1" + ")" * 500, "limit_exceeded"),
    ("SELECT 1" + " UNION ALL SELECT 1" * 3_000, "limit_exceeded"),
    ("SELECT 1 FROM customer WHERE id = 'x'", "value_not_allowed"),
    ("SELECT 1 FROM customer WHERE id = name", "value_not_allowed"),
    ("SELECT sum(name) FROM customer", "value_not_allowed"),
]


@each_case("sql, codes", WARNINGS)
def test_joins_are_judged_by_keys(sql: str, codes: list[str]) -> None:
    assert [each.code for each in check(sql, known()).findings] == codes


@each_case("sql, suggestion", VALUES)
def test_a_value_that_a_column_never_holds_is_an_error(sql: str, suggestion: str | None) -> None:
    findings = check(sql, known()).findings
    assert [each.code for each in findings] == (["value_not_allowed"] if suggestion else [])
    assert [each.suggestion for each in findings] == ([suggestion] if suggestion else [])


@each_case("sql", UNLISTED)
def test_an_unlisted_value_that_leaves_rows_is_a_warning(sql: str) -> None:
    (finding,) = check(sql, known()).findings
    assert (finding.code, finding.is_error, finding.suggestion) == ("unlisted_value", False, "'void'")


@each_case("sql, code", REFUSED)
def test_what_cannot_be_checked_or_run_says_why(sql: str, code: str) -> None:
    assert [each.code for each in check(sql, known()).findings] == [code]


def test_a_model_of_dbt_is_read_with_its_lines_and_the_rest_is_named() -> None:
    sql = (
        "{{ config(materialized='table') }}\n{% set days = 30 %}\n"
        "SELECT o.id, o.nope, {{ cents('total') }}\nFROM {{ ref('orders') }} o\n"
        "JOIN {{ source('crm', 'contact') }} c ON c.customer_id = o.customer_id\n"
        "{% if is_incremental() %}\nWHERE o.total > 1\n{% endif %}\n"
    )
    checked = check(sql, known(search_path=["crm"]))
    assert [(each.code, each.line) for each in checked.findings if each.is_error] == [("unknown_column", 3)]
    assert list(checked.tables) == ["shop.public.orders", "shop.crm.contact"]
    assert any("cents('total')" in each for each in checked.not_checked)


def test_dbt_writes_names_in_quotes_where_they_need_them() -> None:
    tables = [
        KnownTable(f"shop.{schema}.{table}", schema, table, [KnownColumn("id", "integer")])
        for schema, table in (("sales", "order"), ("Raw Data", "Week Day"), ("public", "Mixed"), ("public", "plain"))
    ]
    upper = [KnownTable("SHOP.S.ORDER", "S", "order", [KnownColumn("ID")]), KnownTable("SHOP.S.T", "S", "T", [])]
    cases: list[tuple[DatabaseType, list[KnownTable], list[str]]] = [
        ("postgres", tables, ["ref('Mixed')", "ref('plain')", "source('sales', 'order')", "ref('PLAIN')"]),
        ("postgres", tables, ["source('Raw Data', 'Week Day')", 'ref("order")', "ref('Week Day', v=2)"]),
        ("snowflake", upper, ["ref('order')", "ref('t')", "source('s', 't')"]),
    ]
    for dialect, known_, refs in cases:
        for ref in refs:
            checked = check(f"SELECT * FROM {{{{ {ref} }}}}", KnownTables.of(known_, dialect))
            assert (checked.findings, len(checked.tables)) == ([], 1), ref


def test_an_expression_is_checked_over_its_tables() -> None:
    tables = [("public", "orders"), ("public", "customer")]
    assert check_expression("sum(total) / count(DISTINCT customer_id)", tables, known()).findings == []
    assert check_expression("customer.country = 'DE' AND total > 5", tables, known()).findings == []
    (wrong,) = check_expression("sum(totl)", tables, known()).findings
    assert (wrong.code, wrong.column, wrong.suggestion) == ("unknown_column", 5, "total")
    assert [each.code for each in check_expression("total FROM orders", tables, known()).findings] == ["parse_error"]
    assert [each.code for each in check_expression("1", [("public", "nope")], known()).findings] == ["unknown_table"]
