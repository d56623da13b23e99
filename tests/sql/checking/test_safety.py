"""What a query may call, read and lock."""

from __future__ import annotations

from dataclasses import replace

from tests.cases import each_case
from tests.sql.checking.company import known
from tribal.sql.checking.check import check

UNSAFE = [
    'SELECT "pg_sleep"(1)',
    "SELECT pg_catalog.pg_sleep(1)",
    'SELECT "pg_catalog"."pg_sleep"(1)',
    "SELECT PG_SLEEP (1)",
    "SELECT pg_sleep/**/(1)",
    "SELECT pg_sleep -- x\n (1)",
    'SELECT U&"\\0070g_sleep"(1)',
    "SELECT * FROM pg_sleep(1)",
    "SELECT * FROM pg_sleep(1) AS pg_sleep(a)",
    "SELECT * FROM orders, LATERAL pg_ls_dir('/') x",
    "SELECT id FROM orders ORDER BY pg_sleep(1)",
    "SELECT id FROM orders LIMIT (SELECT 1 FROM pg_sleep(1))",
    "SELECT id FROM orders LIMIT nextval('orders_id_seq')",
    "SELECT DISTINCT ON (id) pg_sleep(1) FROM orders",
    "SELECT ('/etc/hostname'::text).pg_read_file",
    "SELECT t.pg_read_file FROM unnest(ARRAY['/etc/hostname']) t",
    "SELECT count(*) FILTER (WHERE pg_advisory_lock(1) IS NULL) FROM orders",
    "SELECT sum(id) OVER (ORDER BY pg_sleep(1)) FROM orders",
    "SELECT * FROM ROWS FROM (pg_ls_dir('/'), generate_series(1, 2)) AS x(a, b)",
    "SELECT CASE WHEN true THEN pg_terminate_backend(1) END",
    "SELECT id FROM orders WHERE id = ANY (ARRAY[lo_creat(1)])",
    "SELECT id FROM orders FOR SHARE",
    "SELECT id FROM orders FOR NO KEY UPDATE SKIP LOCKED",
    "SELECT id FROM (SELECT id FROM orders FOR UPDATE) x",
    "SELECT * INTO x FROM orders",
    "WITH d AS (INSERT INTO orders(id) VALUES (1) RETURNING id) SELECT id FROM d",
    "WITH d AS (UPDATE orders SET total = 1 RETURNING id) SELECT id FROM d",
    "SELECT * FROM dblink('host=x', 'select 1') AS t(a int)",
    "SELECT public.lower('x')",
    "SELECT wipe()",
    "SELECT database_to_xml(true, true, '')",
    "SELECT cursor_to_xml('c', 1, true, true, '')",
    "SELECT * FROM ts_stat('select 1')",
    "SELECT ts_rewrite('a'::tsquery, 'select 1')",
    "SELECT currval('x'), lastval()",
    "SELECT setval('x', 1)",
    "SELECT current_setting('x')",
    "SELECT pg_notify('a', 'b')",
    "SELECT pg_cancel_backend(1)",
    "SELECT pg_reload_conf()",
    "SELECT pg_logical_emit_message(true, 'a', 'b')",
    "SELECT * FROM pg_stat_activity",
    "SELECT * FROM pg_shadow",
    "SELECT * FROM pg_catalog.pg_authid",
    'SELECT * FROM "pg_authid"',
    "SELECT * FROM pg_user_mappings",
    "SELECT * FROM pg_user_mapping",
    "SELECT * FROM pg_subscription",
    "SELECT * FROM pg_largeobject",
    "SELECT * FROM pg_hba_file_rules",
    "SELECT * FROM pg_file_settings",
    "SELECT * FROM pg_settings",
    "SELECT * FROM pg_statistic",
    "SELECT * FROM pg_stats",
    "SELECT * FROM information_schema.user_mapping_options",
    "SELECT * FROM pg_toast.pg_toast_1",
    "TABLE pg_authid",
    "VALUES (pg_sleep(1))",
    "SELECT 1 WHERE EXISTS (SELECT pg_sleep(1))",
    "SELECT 1 UNION SELECT length(pg_read_file('/x'))",
    "SELECT pg_read_binary_file('/x')",
    "SELECT pg_stat_file('/x')",
    "SELECT txid_current()",
    "SELECT pg_current_xact_id()",
    "SELECT setseed(0.5)",
    "SELECT * FROM pg_logical_slot_get_changes('a', null, null)",
    "SELECT json_object('a': pg_read_file('/x'))",
    "SELECT substring(pg_read_file('/x') from 1 for 2)",
    "SELECT extract(epoch FROM pg_postmaster_start_time())",
    "SELECT trim(both from pg_read_file('x'))",
    "SELECT (SELECT x FROM pg_sleep(1) x)",
    "SELECT id FROM orders GROUP BY id HAVING pg_sleep(1) IS NULL",
    "SELECT ARRAY(SELECT pg_ls_dir('/'))",
    "SELECT format('%s', pg_ls_dir('/'))",
    "SELECT pg_export_snapshot()",
    "SELECT has_table_privilege('x', 'y') AND pg_try_advisory_lock(1)",
    "SELECT id FROM orders FETCH FIRST nextval('a') ROWS ONLY",
    'SELECT "PG_CATALOG".pg_sleep(1)',
]
UNSAFE_IN_SNOWFLAKE = [
    "SELECT SYSTEM$WAIT(60)",
    'SELECT "SYSTEM$WAIT"(60)',
    "SELECT system$cancel_query('x')",
    "SELECT * FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))",
    "SELECT $1 FROM @stage",
    "SELECT $1 FROM @stage/path (FILE_FORMAT => 'x')",
    "SELECT * FROM '@stage'",
    "SELECT seq.NEXTVAL FROM ORDERS",
    "SELECT * FROM TABLE(GETNEXTVAL(seq))",
    "SELECT SNOWFLAKE.CORTEX.COMPLETE('m', 'x')",
    "SELECT AI_COMPLETE('m', 'x')",
    "SELECT my_external(ID) FROM ORDERS",
    "SELECT * FROM IDENTIFIER('orders')",
    "SELECT IDENTIFIER('f')(1)",
    "SELECT * FROM TABLE('orders')",
    "SELECT * FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY())",
    "SELECT * FROM SNOWFLAKE.ACCOUNT_USAGE.QUERY_HISTORY",
    "SELECT * FROM SNOWFLAKE.ACCOUNT_USAGE.USERS",
    "SELECT GET_PRESIGNED_URL(@s, 'x')",
    "SELECT BUILD_SCOPED_FILE_URL(@s, 'x')",
    "SELECT * FROM TABLE(INFER_SCHEMA(LOCATION => '@s'))",
    "SELECT ID FROM ORDERS FOR UPDATE",
    "SELECT LAST_QUERY_ID()",
    "SELECT * FROM DIRECTORY(@s)",
    "SELECT \"upper\"('x')",
    "SELECT CURRENT_SESSION()",
    "SELECT * FROM TABLE(my_proc())",
    "SELECT ID FROM ORDERS WHERE SYSTEM$TYPEOF(ID) = 'x'",
    "SELECT db.public.f(1)",
]


@each_case("sql", UNSAFE)
def test_a_query_that_acts_waits_locks_or_reads_secrets_is_unsafe(sql: str) -> None:
    assert "unsafe_sql" in {each.code for each in check(sql, known()).findings}


@each_case("sql", UNSAFE_IN_SNOWFLAKE)
def test_snowflakes_stages_sequences_and_system_functions_are_unsafe(sql: str) -> None:
    assert "unsafe_sql" in {each.code for each in check(sql, known("snowflake")).findings}


def test_a_documented_routine_that_only_reads_may_be_called() -> None:
    routines = replace(known(), routines=frozenset({("crm", "score"), ("public", "rate")}))
    assert not check("SELECT crm.score(id), rate(1), public.rate(2) FROM orders", routines).findings
    for call in ("score(1)", "sales.score(1)", 'crm."Score"(1)', "crm.scores(1)"):
        assert [each.code for each in check(f"SELECT {call}", routines).findings] == ["unsafe_sql"]
