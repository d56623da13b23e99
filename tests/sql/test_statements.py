"""Which tables statements name that are more than a query: commands, bodies of routines, blocks and templates."""

from __future__ import annotations

from tests.cases import each_case
from tribal.sql.statements import references_in


def tables(sql: str, dialect: str = "postgres") -> list[str]:
    """The tables of SQL, all of which can be read."""
    found = references_in(sql, dialect)
    assert list(found.unread) == []
    return [".".join(each.parts) for each in found.tables]


@each_case(
    ("sql", "expected"),
    [
        ("CREATE EXTENSION IF NOT EXISTS pgcrypto", []),
        ("CREATE DOMAIN d AS text CHECK (VALUE <> '')", []),
        ("CREATE ROLE r LOGIN PASSWORD 'x'", []),
        ("ALTER TABLE s.t OWNER TO bob", ["s.t"]),
        ("ALTER TABLE ONLY s.t ATTACH PARTITION s.p DEFAULT", ["s.t", "s.p"]),
        ("ALTER TABLE s.t ENABLE ROW LEVEL SECURITY", ["s.t"]),
        ("ALTER VIEW s.v OWNER TO bob", ["s.v"]),
        ("ALTER FUNCTION s.f() OWNER TO bob", []),
        ("ALTER DEFAULT PRIVILEGES IN SCHEMA s GRANT SELECT ON TABLES TO r", []),
        ("COMMENT ON CONSTRAINT c ON s.t IS 'x'", ["s.t"]),
        ("COMMENT ON COLUMN s.t.a IS 'x'", ["s.t"]),
        ("COMMENT ON EXTENSION e IS 'x'", []),
        ("GRANT r TO bob", []),
        ("GRANT USAGE ON SCHEMA s TO r", []),
        ("REVOKE ALL ON s.t FROM bob", ["s.t"]),
        ("SET search_path TO s, public", []),
        ("LOCK TABLE s.t, s.u IN EXCLUSIVE MODE", ["s.t", "s.u"]),
        ("VACUUM (FULL, ANALYZE) s.t, u", ["s.t", "u"]),
        ("CLUSTER VERBOSE s.t USING i", ["s.t"]),
        ("REINDEX (VERBOSE) TABLE CONCURRENTLY s.t", ["s.t"]),
        ("REFRESH MATERIALIZED VIEW CONCURRENTLY s.m", ["s.m"]),
        ("CREATE MATERIALIZED VIEW s.m AS SELECT a FROM s.t WITH NO DATA", ["s.m", "s.t"]),
        ("CREATE VIEW s.v AS SELECT 1 FROM s.t WITH LOCAL CHECK OPTION", ["s.v", "s.t"]),
        ("CREATE POLICY p ON s.t USING (EXISTS (SELECT 1 FROM s.m WHERE a = b))", ["s.t", "s.m"]),
        ("CREATE RULE r AS ON DELETE TO s.t DO INSTEAD NOTHING", ["s.t"]),
        ("CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION f()", []),
        ("CREATE STATISTICS st ON a, b FROM s.t", ["s.t"]),
        ("CREATE PUBLICATION p FOR TABLE s.t, s.u", ["s.t", "s.u"]),
        ("CREATE FOREIGN TABLE s.t (a int) SERVER x OPTIONS (o 'y')", ["s.t"]),
        ("CREATE INDEX i ON ONLY s.t USING gin (a gin_trgm_ops)", ["s.t"]),
        ("DROP TRIGGER g ON s.t", ["s.t"]),
        ("DROP INDEX s.i", []),
        ("EXPLAIN (ANALYZE, BUFFERS) SELECT a = 1 FROM s.t", ["s.t"]),
        ("PREPARE q AS DELETE FROM s.t", ["s.t"]),
        ("DECLARE c CURSOR FOR SELECT * FROM s.t", ["s.t"]),
        ("CALL s.p((SELECT max(a) FROM s.t))", ["s.t"]),
        ("FETCH 1 FROM c; RELEASE SAVEPOINT x", []),
        (
            "\\restrict abc\nCOPY s.t (a) FROM stdin;\n1\tit's;\n\\.\nSELECT 1 FROM s.u;\n\\unrestrict abc\n",
            ["s.t", "s.u"],
        ),
    ],
)
def test_commands_of_postgresql_name_their_tables(sql: str, expected: list[str]) -> None:
    assert tables(sql) == expected


@each_case(
    ("sql", "expected"),
    [
        ("select x:a.b::string, $1:c from s.t, lateral flatten(input => t.x:items) v", ["S.T"]),
        ("select $1:a::string from @db.s.stage/path (file_format => 'f')", []),
        ("copy into s.t from @stage/path file_format = (type = csv)", ["S.T"]),
        ("select * from identifier('s.t') join table('s.u')", ["S.T", "S.U"]),
        ("use role r; use schema s", []),
        ("create stream st on table s.t", ["S.T"]),
        ("create pipe p as copy into s.t from @stage", ["S.T"]),
        ("create task k warehouse = w as insert into s.t select * from s.u", ["S.T", "S.U"]),
        ("create task k as begin delete from s.t; delete from s.u; end; select 1 from s.v", ["S.T", "S.U", "S.V"]),
        ("create external table s.t (a int as (value:c1::int)) with location = @stage", ["S.T"]),
        ("alter table s.t modify column c set masking policy p", ["S.T"]),
        ("create row access policy p as (v string) returns boolean -> exists (select 1 from s.m)", ["S.M"]),
        ("create function f(a int) returns int as 'a + 1'", []),
        ("create function f() returns table (a int) as $$ select a from s.t $$", ["S.T"]),
        ("create function f() returns int language python handler = 'h' as $$ def h(): ... $$", []),
        ("execute immediate $$ begin select 1 from s.t; end $$", ["S.T"]),
        ("begin transaction; insert into s.t values (1); commit", ["S.T"]),
        ("declare x int; begin x := (select max(a) from s.t); end; select 1 from s.u", ["S.T", "S.U"]),
    ],
)
def test_statements_of_snowflake_name_their_tables(sql: str, expected: list[str]) -> None:
    assert tables(sql, "snowflake") == expected


PLPGSQL = """CREATE OR REPLACE FUNCTION f(a int) RETURNS SETOF record AS $body$
#variable_conflict use_column
<<outer>>
DECLARE
  r s.rowtype%ROWTYPE;
  x s.coltype.amount%TYPE;
  n int := (SELECT max(id) FROM s.declared);
  c CURSOR FOR SELECT * FROM s.cursor;
BEGIN
  IF EXISTS (SELECT 1 FROM s.condition) THEN
    UPDATE s.updated SET x = CASE WHEN a THEN 1 ELSE 2 END;
  ELSIF a > 1 THEN
    PERFORM g(b) FROM s.performed;
  ELSE
    INSERT INTO s.inserted (a) VALUES (1) RETURNING id INTO n;
  END IF;
  FOR r IN SELECT * FROM s.looped WHERE x IN (1, 2) LOOP
    SELECT a, b INTO STRICT n, x FROM s.selected;
    EXIT WHEN n > 1;
  END LOOP;
  FOR i IN REVERSE 10..1 BY 2 LOOP NULL; END LOOP;
  WHILE n < (SELECT count(*) FROM s.counted) LOOP n := n + 1; END LOOP;
  CASE n WHEN 1 THEN DELETE FROM s.deleted; ELSE NULL; END CASE;
  n := max(id) FROM s.assigned;
  x[1] = (SELECT 1 FROM s.equated);
  EXECUTE 'DELETE FROM s.literal' USING a;
  OPEN c FOR SELECT * FROM s.opened;
  FETCH NEXT FROM c INTO r;
  RAISE NOTICE 'from % to', (SELECT name FROM s.raised);
  BEGIN
    TRUNCATE s.truncated;
  EXCEPTION WHEN unique_violation OR others THEN
    LOCK TABLE s.locked;
  END;
  RETURN QUERY SELECT * FROM s.returned;
END;
$body$ LANGUAGE plpgsql;
SELECT 1 FROM s.after;
"""


def test_every_query_in_a_function_names_its_tables_with_their_lines() -> None:
    lines = PLPGSQL.splitlines()
    found = references_in(PLPGSQL, "postgres")
    assert not found.unread
    assert len(found.tables) == PLPGSQL.count("s.") == 21
    for each in found.tables:
        assert ".".join(each.parts) in lines[each.line - 1]


SCRIPTING = """create procedure p() returns string language sql as
declare
  c cursor for select * from s.cursor;
  r resultset default (select * from s.resultset);
  failed exception (-20001, 'x');
begin
  let n := (select count(*) from s.counted);
  for each in c do
    insert into s.inserted select * from s.source;
  end for;
  if (n > 1) then delete from s.deleted; elseif (n = 2) then return 'a'; else update s.updated set a = 1; end if;
  repeat n := n - 1; until (n > 0) end repeat;
  case (n) when 1 then select a into :n from s.selected; else null; end case;
  r := (execute immediate 'select * from s.literal');
  return table(r);
exception
  when other then insert into s.failures values (1);
end;
select * from s.after;
"""


def test_every_query_in_a_procedure_of_snowflake_names_its_tables_with_their_lines() -> None:
    found = references_in(SCRIPTING, "snowflake")
    assert not found.unread
    assert len(found.tables) == SCRIPTING.count("s.") == 11
    for each in found.tables:
        assert ".".join(each.parts).lower() in SCRIPTING.splitlines()[each.line - 1]


@each_case(
    ("sql", "expected"),
    [
        ("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1 FROM s.t'", ["s.t"]),
        ("CREATE FUNCTION f() RETURNS int RETURN (SELECT a FROM s.t)", ["s.t"]),
        ("CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1 FROM s.t; END; SELECT 1 FROM s.u", ["s.t", "s.u"]),
        ("CREATE FUNCTION f() RETURNS int AS 'libx', 'f' LANGUAGE c", []),
        ("DO $$ BEGIN DELETE FROM s.t; END $$; DO LANGUAGE plpgsql $$ BEGIN DELETE FROM s.u; END $$", ["s.t", "s.u"]),
    ],
)
def test_a_body_is_read_in_every_form(sql: str, expected: list[str]) -> None:
    assert tables(sql) == expected


@each_case(
    ("sql", "dialect", "line", "reason"),
    [
        ("DO $$ BEGIN\n EXECUTE 'DELETE FROM ' || x; END $$", "postgres", 2, "put together at run time"),
        ("DO $$ BEGIN\n RETURN QUERY EXECUTE x; END $$", "postgres", 2, "put together at run time"),
        ("execute immediate :x", "snowflake", 1, "put together at run time"),
        ("select 1;\nselect * from identifier($x)", "snowflake", 2, "is computed"),
        ("SELECT 1;\nCREATE FUNCTION f() RETURNS int AS $$ x $$ LANGUAGE plpython3u", "postgres", 2, "'plpython3u'"),
        ("create procedure p() returns int language javascript as $$ x $$", "snowflake", 1, "'javascript'"),
        ("DO $$ BEGIN\n SELECT FROM WHERE (; END $$", "postgres", 2, "as PostgreSQL near"),
        ("CREATE SCHEMA s CREATE TABLE t (a int)", "postgres", 1, "as SQL of PostgreSQL"),
        ("select 1;\nselect x:a.b from t", "postgres", 2, "as PostgreSQL near '.'"),
    ],
)
def test_what_cannot_be_read_is_reported_with_its_line(sql: str, dialect: str, line: int, reason: str) -> None:
    (unread,) = references_in(sql, dialect).unread
    assert unread.line == line
    assert reason in unread.reason


def test_a_literal_is_not_shown_where_sql_cannot_be_parsed() -> None:
    (unread,) = references_in("SELECT 1 1 'pass;word' 2", "postgres").unread
    assert "pass" not in unread.reason


TEMPLATE = """{{ config(
    materialized='table') }}
{# from comment #}
{% set days = [1, 2] %}
with a as (select * from {{ ref('orders') }}) -- {{ not_used }}
select * from a join {{ source('billing', 'Old Invoices') }} using (id)
where day >= '{{ var("day") }}' and grid = '{{1,2},{3,4}}'
{% if is_incremental() %}
  and id > (select max(id) from {{ this }})
{% elif target.name == 'dev' %}
  and id in (select id from {{ ref('package', 'sample', v=2) }})
{% else %}
  and true {% if x %} or exists (select 1 from s.inner_one) {% endif %}
{% endif %}
"""


def test_a_template_names_the_tables_of_every_branch() -> None:
    found = references_in(TEMPLATE, "postgres")
    assert {".".join(each.parts): each.line for each in found.tables} == {
        "orders": 5,
        "billing.Old Invoices": 6,
        "sample": 11,
        "s.inner_one": 13,
    }
    assert not found.unread


@each_case(
    "sql",
    [
        "SELECT 1 FROM a WHERE x LIKE '{{%'; DELETE FROM b; SELECT '{\"x\":{\"y\":1}}'",
        "SELECT 1 FROM a; /* {# */ DELETE FROM b; /* #} */",
        "SELECT 1 FROM a -- {{\n; DELETE FROM b; -- }}",
    ],
)
def test_what_only_looks_like_a_tag_hides_no_statement(sql: str) -> None:
    for dialect in ("postgres", "snowflake"):
        assert {each.parts[-1].lower() for each in references_in(sql, dialect).tables} == {"a", "b"}


@each_case(
    ("sql", "named", "line", "tag"),
    [
        ("select 1\nfrom {{ var('schema') }}.t", [], 2, "{{ var('schema') }}"),
        ("select {{ star(from=ref('a')) }} from b", ["a", "b"], 1, "{{ star(from=ref('a')) }}"),
        ("{% for x in y %}\nselect {{ x }} from a{% endfor %}", ["a"], 1, "{% for x in y %} and 1 more"),
        ("{% set q = run_query('select 1 from a') %}select 1", [], 1, "{% set q = run_query('select 1 from a') %}"),
        ("{% if x %} select 1 from a", ["a"], 1, "an {% if %} without an end"),
        ("select 1 from {{ ref(x) }}", [], 1, "{{ ref(x) }}"),
    ],
)
def test_what_only_dbt_resolves_is_reported_once_and_the_rest_is_read(
    sql: str, named: list[str], line: int, tag: str
) -> None:
    found = references_in(sql, "postgres")
    assert [".".join(each.parts) for each in found.tables] == named
    (unread,) = found.unread
    assert unread.line == line
    assert unread.reason == f"only dbt can resolve {tag}; check the SQL that `dbt compile` writes"
    assert not any("jinja" in each.name for each in found.columns)
