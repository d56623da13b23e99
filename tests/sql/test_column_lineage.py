"""Each output of a query is followed to the columns of tables that it comes from."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import each_case
from tests.plugins.verify import examples
from tribal.sql.column_lineage import MAX_EDGES, read_lineage
from tribal.sql.lineage import ViewQueries
from tribal.sql.references import MAX_VIEW_CHARS, QueryLineage

COLUMNS = {("s", "a"): ("x", "y", "z"), ("s", "b"): ("x", "w"), ("t", "Odd"): ("my id",)}
UPPER = {("S", "A"): ("X", "Y", "Z"), ("S", "B"): ("X", "W")}


def lineage(query: str) -> QueryLineage:
    return read_lineage(query, "postgres", COLUMNS)


def edges(found: QueryLineage) -> set[str]:
    """Each edge as `output < table.column via`, which is left out if it is direct; `*` decides on rows."""
    return {
        f"{edge.output or '*'} < {edge.column[1]}.{edge.column[2]}"
        + (f" {edge.via}" if edge.via not in ("direct", "filter") else "")
        for edge in found.edges
    }


@each_case(
    ("query", "expected"),
    [
        ("SELECT a.x AS n, y + 1 AS m, z::text AS t FROM s.a", "n < a.x, m < a.y computed, t < a.z computed"),
        ('SELECT "my id" FROM t."Odd"', "my id < Odd.my id"),
        ("SELECT count(*) AS n, max(y) AS m FROM s.a WHERE x > 1", "m < a.y aggregated, * < a.x"),
        ("SELECT x, sum(y) AS s FROM s.a GROUP BY x, z", "x < a.x, s < a.y aggregated, * < a.x, * < a.z"),
        ("SELECT sum(y) AS s FROM s.a GROUP BY x", "s < a.y aggregated, * < a.x"),
        ("SELECT lower(x) AS l, sum(y) AS s FROM s.a GROUP BY 1", "l < a.x computed, s < a.y aggregated, * < a.x"),
        ("SELECT y AS x, sum(z) AS s FROM s.a AS q(y, o, z) GROUP BY q.y", "x < a.x, s < a.z aggregated, * < a.x"),
        ("SELECT x FROM s.a GROUP BY x HAVING max(z) < 9", "x < a.x, * < a.x, * < a.z"),
        ("SELECT x, count(*) AS n FROM s.a GROUP BY GROUPING SETS ((x), (x, y), ())", "x < a.x, * < a.x, * < a.y"),
        ("SELECT a.y, b.w FROM s.a JOIN s.b ON a.x = b.x", "y < a.y, w < b.w, * < a.x, * < b.x"),
        ("SELECT y, w FROM s.a JOIN s.b USING (x)", "y < a.y, w < b.w, * < a.x, * < b.x"),
        ("SELECT y, w FROM s.a NATURAL JOIN s.b", "y < a.y, w < b.w, * < a.x, * < b.x"),
        ("SELECT x FROM s.a NATURAL FULL JOIN s.b", "x < a.x computed, x < b.x computed, * < a.x, * < b.x"),
        ("SELECT * FROM s.a", "x < a.x, y < a.y, z < a.z"),
        ("SELECT q.* FROM (SELECT a.*, b.w FROM s.a, s.b) q", "x < a.x, y < a.y, z < a.z, w < b.w"),
        ("SELECT to_jsonb(b.*) AS j FROM s.b", "j < b.x computed, j < b.w computed"),
        ("SELECT row_to_json(b) AS j FROM s.b", "j < b.x computed, j < b.w computed"),
        ("SELECT a.x, b.w AS y FROM s.a, s.b UNION SELECT b.w, b.x FROM s.b", "x < a.x, x < b.w, y < b.w, y < b.x"),
        ("SELECT x FROM s.a INTERSECT SELECT w FROM s.b", "x < a.x, x < b.w"),
        ("SELECT x FROM s.a EXCEPT SELECT w FROM s.b", "x < a.x, * < b.w"),
        ("WITH c AS (SELECT max(x) AS m FROM s.a) SELECT m + 1 AS n FROM c WHERE m > 3", "n < a.x aggregated, * < a.x"),
        (
            "WITH RECURSIVE t(n, p) AS (SELECT x, y FROM s.a UNION ALL SELECT t.n, t.p || b.w FROM t JOIN s.b"
            " ON b.x = t.n) SELECT n, p FROM t",
            "n < a.x, p < a.y computed, p < b.w computed, * < a.x, * < b.x",
        ),
        (
            "WITH RECURSIVE t(p, q) AS (SELECT x, y FROM s.a UNION ALL SELECT t.q, b.w FROM t, s.b) SELECT p FROM t",
            "p < a.x, p < a.y, p < b.w",
        ),
        ("SELECT lag(y) OVER (ORDER BY z) AS p FROM s.a", "p < a.y computed, p < a.z computed"),
        (
            "SELECT sum(y) OVER w AS r FROM s.a WINDOW w AS (PARTITION BY x ORDER BY z)",
            "r < a.y aggregated, r < a.x computed, r < a.z computed",
        ),
        ("SELECT sum(y) FILTER (WHERE z > 1) AS r FROM s.a", "r < a.y aggregated, r < a.z computed"),
        ("SELECT mode() WITHIN GROUP (ORDER BY z) AS m FROM s.a", "m < a.z aggregated"),
        ("SELECT jsonb_agg(y) AS j FROM s.a", "j < a.y aggregated"),
        ("SELECT l.q FROM s.a, LATERAL (SELECT b.w FROM s.b WHERE b.x = a.x) l(q)", "q < b.w, * < a.x, * < b.x"),
        ("SELECT v.c FROM s.a, LATERAL (VALUES (a.x, 1), (a.y, 2)) v(c, d)", "c < a.x, c < a.y"),
        ("SELECT e.key FROM s.a, LATERAL jsonb_each(a.z) e(key, value)", "key < a.z computed, * < a.z"),
        ("SELECT u.k FROM s.a, jsonb_to_recordset(a.z) u(k integer, t text)", "k < a.z computed, * < a.z"),
        ("SELECT u.k FROM s.a, unnest(a.z) WITH ORDINALITY u(k, o)", "k < a.z computed, * < a.z"),
        ("SELECT (SELECT max(b.w) FROM s.b WHERE b.x = a.y) AS m FROM s.a", "m < b.w aggregated, * < a.y, * < b.x"),
        ("SELECT a.x FROM s.a WHERE a.y IN (SELECT b.w FROM s.b)", "x < a.x, * < a.y, * < b.w"),
        ("SELECT a.x FROM s.a WHERE EXISTS (SELECT 1 FROM s.b WHERE b.x > a.z)", "x < a.x, * < b.x, * < a.z"),
        ("SELECT DISTINCT ON (x) y FROM s.a ORDER BY x, z", "y < a.y, * < a.x, * < a.z"),
        ("SELECT DISTINCT ON (x) x, y FROM s.a ORDER BY x, y", "x < a.x, y < a.y, * < a.x, * < a.y"),
        ("SELECT x, rank() OVER (PARTITION BY x) AS r FROM s.a", "x < a.x, r < a.x computed"),
        ("WITH g AS (SELECT x, max(y) AS m FROM s.a GROUP BY x) SELECT m FROM g", "m < a.y aggregated, * < a.x"),
        ("SELECT q FROM (s.b CROSS JOIN s.b c) q", "q < b.x computed, q < b.w computed"),
        ("SELECT q.i FROM (VALUES (1, 'x'), (2, 'y')) q(i, j)", ""),
        ("SELECT a.x, c.relname FROM s.a, pg_class c WHERE c.relname = a.y", "x < a.x, * < a.y"),
        ("SELECT ctid, x FROM s.a", "x < a.x"),
        ("VALUES (1, 2)", ""),
    ],
)  # fmt: skip
def test_every_output_is_followed_to_columns_of_tables(query: str, expected: str) -> None:
    found = lineage(query)
    assert found.problem is None
    assert edges(found) == set(filter(None, expected.split(", ")))


def test_outputs_have_the_names_that_are_given_and_a_table_is_read_without_any_column() -> None:
    found = read_lineage("SELECT a.y, count(*) FROM s.a, s.b", "postgres", COLUMNS, ["one", "two"])
    assert edges(found) == {"one < a.y"}
    assert found.tables == [("s", "a"), ("s", "b")]


def test_a_view_of_snowflake_is_followed_through_names_of_outputs_and_pivots() -> None:
    views = ViewQueries("D", UPPER)

    def of(text: str) -> set[str]:
        return edges(read_lineage(views.read(f"CREATE VIEW v AS {text}", "S") or "", "snowflake", UPPER))

    assert of("SELECT x + 1 AS n, n * 2 AS m FROM a") == {"N < A.X computed", "M < A.X computed"}
    assert of("SELECT * FROM a QUALIFY row_number() OVER (PARTITION BY y ORDER BY z) = 1") >= {"X < A.X", "* < A.Y"}
    assert of("SELECT f.value::text AS v FROM a, LATERAL FLATTEN(input => a.z) f") >= {"V < A.Z computed"}


@each_case(
    ("query", "reason"),
    [
        ("SELECT nope FROM s.a, s.b", "some of its columns"),
        ("SELECT (", "cannot parse the SQL as PostgreSQL"),
        ("DELETE FROM s.a", "not a query"),
        ("SELECT x FROM s.a -- " + "x" * MAX_VIEW_CHARS, "longer than"),
        ("SELECT x FROM s.a WHERE " + " OR ".join(f"x = {n}" for n in range(900)), "nested too deeply"),
        ("SELECT " + ", ".join(["to_jsonb(a.*)"] * (MAX_EDGES // 3 + 1)) + " FROM s.a", "pairs of columns"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_has_a_reason(query: str, reason: str) -> None:
    found = lineage(query)
    assert reason in (found.problem or "")
    assert not found.edges


def test_columns_that_refer_to_each_other_cost_no_more_than_their_number() -> None:
    outputs = "".join(f", A{n - 1} + A{n - 1} AS A{n}" for n in range(1, 60))
    started = time.thread_time()
    found = read_lineage(f'SELECT "x" AS A0{outputs} FROM "s"."a"', "snowflake", COLUMNS)
    assert len(found.edges) == 60
    assert time.thread_time() - started < 60


@given(st.lists(st.sampled_from("SELECT x FROM WHERE AND ( ) , = s.a a a.x UNION WITH AS * JOIN ON LATERAL".split())))
@settings(max_examples=examples(60, 600))
def test_any_text_is_read_to_its_end(words: list[str]) -> None:
    found = lineage(" ".join(words))
    assert all(edge.column[:2] in COLUMNS for edge in found.edges)


@each_case(("other", "tables"), [("x", {"a", "b"}), ("w", set())])
def test_a_case_labels_columns_on_top_of_each_other_only_if_they_have_one_name(other: str, tables: set[str]) -> None:
    query = "SELECT CASE q.x WHEN 1 THEN 'one' END AS l FROM (SELECT x FROM s.a UNION ALL SELECT {} FROM s.b) q"
    assert {each.column[1] for each in lineage(query.format(other)).labels} == tables
