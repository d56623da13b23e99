"""What `PostgresCatalog` reads of triggers, row-level security and routines that write tables."""

from __future__ import annotations

from tests.cases import each_case
from tests.plugins.postgres import FreshDatabase, OpenCatalog
from tribal.adapters.postgres.routines import written_tables
from tribal_demo.server.postgres import EmbeddedServer

SQL = """
CREATE SCHEMA app; CREATE SCHEMA log;
CREATE TABLE app.a (id int PRIMARY KEY, v text);
CREATE TABLE app.b (id int); CREATE TABLE log.entry (id int); CREATE TABLE log.b (id int);
CREATE FUNCTION log.stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO log.entry VALUES (1); DELETE FROM b; RETURN NEW; END $$;
COMMENT ON FUNCTION log.stamp() IS 'Keeps a trace.';
CREATE FUNCTION app.close(n int) RETURNS void LANGUAGE sql AS 'UPDATE ONLY app.a SET v = ''secret'' WHERE id = n';
CREATE FUNCTION app.close(n text) RETURNS void LANGUAGE sql AS 'UPDATE app.a SET v = n';
CREATE FUNCTION app.reads() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM app.a';
CREATE TRIGGER stamped BEFORE INSERT OR UPDATE ON app.a FOR EACH ROW EXECUTE FUNCTION log.stamp();
CREATE TRIGGER emptied AFTER TRUNCATE ON app.a EXECUTE FUNCTION log.stamp();
COMMENT ON TRIGGER stamped ON app.a IS 'For auditors.';
ALTER TABLE app.a DISABLE TRIGGER emptied; ALTER TABLE app.a ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON app.a USING (v = 'secret'); COMMENT ON POLICY mine ON app.a IS 'Own rows.';
"""


def test_triggers_policies_and_writers_are_read_by_name_and_comment(
    server: EmbeddedServer, fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    contents = open_catalog(fresh_database(SQL, server=server)).read()
    tables = {f"{table.schema_name}.{table.table_name}": table for table in contents.tables}
    found = tables["app.a"]
    assert [(each.name, each.fires, each.routine, each.enabled, each.comment) for each in found.triggers or ()] == [
        ("emptied", "after TRUNCATE, once per statement", "log.stamp", False, None),
        ("stamped", "before INSERT or UPDATE, for each row", "log.stamp", None, "For auditors."),
    ]
    assert [(each.name, each.comment) for each in found.policies or ()] == [("mine", "Own rows.")]
    assert [each.name for each in found.written_by or ()] == ["app.close"]
    assert [(each.name, each.comment) for each in tables["log.entry"].written_by or ()] == [
        ("log.stamp", "Keeps a trace.")
    ]
    # Without a schema, a name means the routine's own schema.
    assert (tables["app.b"].written_by, [each.name for each in tables["log.b"].written_by or ()]) == (
        None,
        ["log.stamp"],
    )
    assert "secret" not in str([table.model_dump() for table in contents.tables])


def test_without_the_right_to_read_routines_the_rest_is_read(
    server: EmbeddedServer, fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(
        SQL + "REVOKE SELECT ON pg_proc FROM PUBLIC; REVOKE SELECT ON pg_policy FROM PUBLIC; DROP ROLE IF EXISTS plain;"
        "CREATE ROLE plain LOGIN PASSWORD 'plain'; GRANT USAGE ON SCHEMA app, log TO plain;",
        server=server,
    )
    head, _, rest = dsn.partition("://")
    contents = open_catalog(f"{head}://plain:plain@{rest.partition('@')[2]}").read()
    assert len(contents.tables) == 4
    assert all(not (table.triggers or table.policies or table.written_by) for table in contents.tables)


def test_a_check_of_a_domain_is_marked_through_domains_in_between(
    server: EmbeddedServer, fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(
        "CREATE DOMAIN d1 AS text CHECK (VALUE IN ('a', 'b')); CREATE DOMAIN d2 AS d1;"
        "CREATE TABLE t (one d1, two d2, CHECK (one <> 'c'))",
        server=server,
    )
    (table,) = open_catalog(dsn).read().tables
    assert sorted((check.name.partition(":")[0], check.domain) for check in table.checks) == [
        ("one", "public.d1"),
        ("t_one_check", None),
        ("two", "public.d2"),
    ]


@each_case(
    ("body", "tables"),
    [
        ("INSERT INTO a VALUES (1)", {("", "a")}),
        ('insert  into only "S".a select 1', {("S", "a")}),
        ("UPDATE ONLY s.A SET v = 1", {("s", "a")}),
        ("DELETE FROM s.a USING b", {("s", "a")}),
        ("MERGE INTO a USING b ON true WHEN MATCHED THEN DELETE", {("", "a")}),
        ("WITH x AS (DELETE FROM a RETURNING *) INSERT INTO b SELECT * FROM x", {("", "a"), ("", "b")}),
        ("INSERT INTO a VALUES (1) ON CONFLICT DO UPDATE SET v = 1", {("", "a")}),
        ("SELECT * FROM a FOR UPDATE; SELECT * FROM a FOR NO KEY UPDATE", set()),
        ("RAISE NOTICE 'DELETE FROM a'; -- DELETE FROM b\n/* UPDATE c SET d = 1 */", set()),
        ("EXECUTE 'DELETE FROM a'", set()),
        ("UPDATE", set()),
        ("DELETE FROM ONLY", set()),
    ],
)
def test_tables_that_a_body_writes_are_found_by_its_statements(body: str, tables: set[tuple[str, str]]) -> None:
    assert written_tables(body) == tables


ROUTINES = """
CREATE SCHEMA app; CREATE SEQUENCE s; CREATE TABLE app.a (id int PRIMARY KEY, v text);
CREATE FUNCTION app.twice(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN 2 * n; END';
CREATE FUNCTION app.top(n int) RETURNS SETOF app.a LANGUAGE sql AS 'SELECT * FROM app.a ORDER BY v LIMIT n';
CREATE FUNCTION app.waits() RETURNS void LANGUAGE sql AS 'SELECT pg_sleep(1)';
CREATE FUNCTION app.writes() RETURNS void LANGUAGE sql AS 'DELETE FROM app.a';
CREATE FUNCTION app.two() RETURNS int LANGUAGE sql AS 'SELECT 1; SELECT 2';
CREATE FUNCTION app.acts() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
CREATE FUNCTION app.mixed(n int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT n';
CREATE FUNCTION app.mixed() RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''s'')';
CREATE FUNCTION app.secrets() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM pg_authid';
"""


def test_routines_that_only_read_and_compute_in_all_their_overloads_are_listed(
    server: EmbeddedServer, fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    contents = open_catalog(fresh_database(ROUTINES, server=server)).read()
    assert contents.routines == (("app", "top"), ("app", "twice"))
