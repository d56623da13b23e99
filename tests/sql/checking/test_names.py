"""Names are looked up as the server does."""

from __future__ import annotations

from tests.cases import each_case
from tests.sql.checking.company import known
from tribal.sql.checking.check import check

RIGHT = """
SELECT Name, COUNT(*) FROM Customer GROUP BY 1 ORDER BY count DESC
SELECT c.name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)
SELECT customer.id FROM public.customer
SELECT shop.public.customer.id FROM shop.public.customer
SELECT id FROM orders JOIN customer USING (id)
SELECT "Month", "Revenue" FROM "MonthlyStat"
SELECT email FROM contact
SELECT o.ctid, xmin FROM orders o
SELECT c FROM customer c WHERE c IS NOT NULL
SELECT total AS t FROM orders ORDER BY t
SELECT upper(name) AS n FROM customer GROUP BY n
WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r
SELECT o.total FROM customer c, LATERAL (SELECT total FROM orders WHERE customer_id = c.id LIMIT 1) o
SELECT g, u.e, u.o FROM generate_series(1, 3) g, unnest(ARRAY[1]) WITH ORDINALITY AS u(e, o)
SELECT j.total FROM (customer c JOIN orders o ON o.customer_id = c.id) AS j
SELECT q.sum, q."case" FROM (SELECT sum(total), CASE WHEN true THEN 1 END FROM orders) q
SELECT sum(total) OVER w FROM orders WINDOW w AS (PARTITION BY customer_id)
SELECT id FROM customer UNION SELECT id FROM orders ORDER BY id
SELECT current_user, current_date, localtimestamp
SELECT table_name FROM information_schema.tables
SELECT c.name, sum(o.total) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id
(SELECT id FROM customer) ORDER BY id
VALUES (1), (2)
""".strip().splitlines()
WRONG = [
    ("SELECT nme FROM customer", "unknown_column", "name"),
    ("SELECT c.nme FROM customer c", "unknown_column", "c.name"),
    ('SELECT Month FROM "MonthlyStat"', "unknown_column", '"Month"'),
    ("SELECT 1 FROM MonthlyStat", "unknown_table", '"MonthlyStat"'),
    ("SELECT 1 FROM custommer", "unknown_table", "customer"),
    ("SELECT 1 FROM crm.customer", "unknown_table", None),
    ("SELECT 1 FROM elsewhere.public.customer", "unknown_table", "public.customer"),
    ("SELECT customer.id FROM customer c", "unknown_table", "c"),
    ("SELECT id FROM customer, orders WHERE customer_id = customer.id", "ambiguous_column", "customer.id"),
    ("SELECT 1 FROM customer a, orders a WHERE customer_id = 1", "ambiguous_column", None),
    ("SELECT total AS t FROM orders WHERE t > 1", "unknown_column", None),
    ("SELECT o.id FROM customer c, (SELECT c.id) o", "unknown_table", None),
    ("SELECT 1 FROM customer a, orders b JOIN invoice c ON a.id = c.id", "unknown_table", None),
    ("SELECT id FROM customer UNION SELECT id FROM orders ORDER BY customer_id", "unknown_column", None),
    ("SELECT id FROM customer UNION SELECT id, total FROM orders", "parse_error", None),
    ("SELECT id FROM customer ORDER BY 2", "unknown_column", None),
    ("SELECT name, count(*) FROM customer", "parse_error", None),
    ("WITH a AS (SELECT id FROM customer) SELECT name FROM a", "unknown_column", None),
    ("SELECT id FROM orders JOIN customer USING (customer)", "unknown_column", "customer_id"),
]


@each_case("sql", RIGHT)
def test_what_the_server_plans_has_no_error(sql: str) -> None:
    assert [each.message for each in check(sql, known()).findings if each.is_error] == []


@each_case("sql, code, suggestion", WRONG)
def test_what_the_server_refuses_is_an_error_with_the_name_that_was_meant(
    sql: str, code: str, suggestion: str | None
) -> None:
    errors = [each for each in check(sql, known()).findings if each.is_error]
    assert code in [each.code for each in errors]
    if suggestion is not None:
        assert suggestion in [each.suggestion for each in errors]


def test_snowflake_folds_to_upper_case_and_lets_aliases_be_used_in_where() -> None:
    checked = check("SELECT o.total * 2 AS twice FROM orders o WHERE twice > 1", known("snowflake"))
    assert checked.findings == []
    assert checked.columns == [("SHOP.PUBLIC.ORDERS", "TOTAL")]
    assert [each.suggestion for each in check('SELECT "total" FROM orders', known("snowflake")).findings] == ["TOTAL"]


def test_a_finding_names_line_and_column_and_used_names_are_listed() -> None:
    checked = check("SELECT name,\n       coutry\nFROM customer", known())
    (finding,) = checked.findings
    assert (finding.line, finding.column, finding.suggestion) == (2, 8, "country")
    assert list(checked.tables) == ["shop.public.customer"]
    assert list(checked.columns) == [("shop.public.customer", "name")]


def test_a_schema_that_is_given_is_the_only_one_searched() -> None:
    (finding,) = check("SELECT 1 FROM customer", known(search_path=["crm"])).findings
    assert (finding.code, finding.suggestion) == ("unknown_table", "public.customer")


def test_system_tables_are_named_as_not_checked() -> None:
    assert check("SELECT anything FROM pg_class", known()).not_checked == ["the columns of the system table pg_class"]
