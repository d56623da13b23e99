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
    "SELECT first(1)",
    "SELECT id, system(1) FROM orders",
    "SELECT id FROM orders ORDER BY sets(1)",
    "SELECT id FROM orders WHERE verbose(1)",
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
HARMLESS = [
    (
        "SELECT status, count(*), sum(total) FILTER (WHERE total > 5), avg(total) FROM orders GROUP BY status "
        "HAVING count(*) > 1"
    ),
    (
        "SELECT id, row_number() OVER (PARTITION BY status ORDER BY id), lag(total, 1) OVER w, sum(total) OVER (w "
        "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM orders WINDOW w AS (ORDER BY id)"
    ),
    ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total), mode() WITHIN GROUP (ORDER BY status) FROM orders"),
    "SELECT string_agg(name, ', ' ORDER BY name), array_agg(DISTINCT id) FROM customer",
    ("SELECT jsonb_build_object('a', 1) -> 'a', '{\"a\":1}'::jsonb ->> 'a', jsonb_path_query('{\"a\":[1]}', '$.a[*]')"),
    "SELECT json_agg(o), jsonb_object_agg(id, total), row_to_json(o), to_jsonb(o) FROM orders o GROUP BY o",
    "SELECT key, value FROM jsonb_each_text('{\"a\":1}')",
    "SELECT x.* FROM jsonb_to_recordset('[{\"a\":1}]') AS x(a int, b text)",
    "SELECT * FROM json_populate_recordset(null::orders, '[]')",
    "SELECT jt.* FROM JSON_TABLE('[{\"a\":1}]'::jsonb, '$[*]' COLUMNS (a int PATH '$.a')) AS jt",
    "SELECT * FROM XMLTABLE('/x/y' PASSING '<x/>'::xml COLUMNS a int PATH '@a')",
    (
        "SELECT JSON_VALUE('{\"a\":1}'::jsonb, '$.a'), JSON_EXISTS('{\"a\":1}'::jsonb, '$.a'), "
        "JSON_QUERY('{\"a\":1}'::jsonb, '$.a')"
    ),
    "SELECT JSON_OBJECT('a': 1), JSON_ARRAY(1, 2), JSON_ARRAYAGG(id), JSON_OBJECTAGG(id: total) FROM orders",
    ("SELECT array_length(ARRAY[1,2], 1), cardinality(ARRAY[1]), array_to_string(ARRAY['a'], ','), unnest(ARRAY[1,2])"),
    "SELECT id FROM orders WHERE id = ANY (ARRAY[1,2]) AND id <> ALL (ARRAY[3]) AND status IN ('open')",
    (
        "SELECT date_trunc('month', now()), extract(epoch FROM now()), age(now()), make_date(2024, 1, 1), "
        "to_date('2024', 'YYYY'), date_part('year', now()), date_bin('15 minutes', now(), now())"
    ),
    (
        "SELECT now() AT TIME ZONE ('UTC'), timezone('UTC', now()), current_timestamp(3), localtime(0), "
        "statement_timestamp(), transaction_timestamp(), isfinite(now())"
    ),
    "SELECT d::date FROM generate_series('2024-01-01'::date, '2024-02-01', interval '1 day') AS d",
    "SELECT * FROM generate_series(1, 3) WITH ORDINALITY AS g(v, n)",
    (
        "SELECT to_tsvector('english', name) @@ to_tsquery('a & b'), ts_rank(to_tsvector(name), "
        "plainto_tsquery('x')), ts_headline(name, websearch_to_tsquery('x')) FROM customer"
    ),
    (
        "SELECT regexp_replace(name, 'a', 'b', 'g'), regexp_match(name, 'a'), regexp_split_to_array(name, ','), "
        "name ~* 'x', regexp_count(name, 'a'), regexp_substr(name, 'a') FROM customer"
    ),
    (
        "SELECT substring(name FROM 1 FOR 2), overlay(name PLACING 'x' FROM 1), position('a' IN name), trim(both '"
        " ' FROM name) FROM customer"
    ),
    (
        "SELECT c.name, x.total FROM customer c CROSS JOIN LATERAL (SELECT total FROM orders o WHERE o.customer_id"
        " = c.id ORDER BY total LIMIT 1) x"
    ),
    "SELECT status, count(*) FROM orders GROUP BY GROUPING SETS ((status), ())",
    "SELECT status, customer_id, grouping(status), count(*) FROM orders GROUP BY ROLLUP (status, customer_id)",
    "SELECT status, customer_id, count(*) FROM orders GROUP BY CUBE (status, customer_id)",
    (
        "SELECT numrange(1, 2) && numrange(2, 3), lower(int4range(1, 3)), upper(tstzrange(now(), now())), "
        "range_merge(int4range(1,2), int4range(4,5)), int4multirange(int4range(1,2)), daterange('2024-01-01', "
        "NULL, '[)')"
    ),
    "SELECT point(1, 2) <-> point(3, 4), box(point(0,0), point(1,1)), circle(point(0,0), 1) @> point(0,0)",
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'",
    "SELECT relname, reltuples, pg_size_pretty(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'",
    (
        "SELECT a.attname, format_type(a.atttypid, a.atttypmod), pg_get_expr(d.adbin, d.adrelid) FROM pg_attribute"
        " a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum"
    ),
    ("SELECT conname, pg_get_constraintdef(oid) FROM pg_catalog.pg_constraint WHERE conrelid = 'orders'::regclass"),
    "SELECT obj_description('orders'::regclass, 'pg_class'), col_description('orders'::regclass, 1)",
    (
        "SELECT coalesce(name, 'x'), nullif(name, ''), greatest(1, 2), least(1, 2), CASE WHEN id = 1 THEN 'a' ELSE"
        " 'b' END FROM customer"
    ),
    (
        "SELECT round(total, 2), ceil(total), floor(total), mod(id, 2), power(2, 3), sqrt(4), ln(2), log(10), "
        "abs(-1), sign(-1), width_bucket(total, 0, 10, 5), trunc(total), div(5, 2) FROM orders"
    ),
    (
        "SELECT left(name, 2), right(name, 2), lpad(name, 5), initcap(name), split_part(name, ' ', 1), "
        "concat(name, 'x'), concat_ws(',', name), format('%s', name), repeat('a', 2), reverse(name), md5(name), "
        "strpos(name, 'a'), starts_with(name, 'a'), translate(name, 'a', 'b'), ascii('a'), chr(65), "
        "char_length(name), octet_length(name), quote_ident(name) FROM customer"
    ),
    "SELECT encode(sha256('a'), 'hex'), decode('aa', 'hex'), convert_from('a', 'UTF8'), to_hex(5)",
    (
        "SELECT CAST(total AS numeric(10, 2)), total::numeric(8,1), 'x'::varchar(3), id::character varying(3), "
        "now()::timestamp(0) FROM orders"
    ),
    "WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n) FROM t",
    "WITH a AS MATERIALIZED (SELECT id FROM orders), b AS NOT MATERIALIZED (SELECT id FROM a) SELECT * FROM b",
    "SELECT id FROM orders TABLESAMPLE SYSTEM (10) REPEATABLE (1)",
    "SELECT id FROM orders TABLESAMPLE BERNOULLI (10)",
    "SELECT id FROM orders ORDER BY id FETCH FIRST (5) ROWS ONLY",
    (
        "SELECT corr(total, id), regr_slope(total, id), stddev(total), variance(total), covar_pop(total, id), "
        "bool_and(total > 1), every(total > 1), bit_and(id) FROM orders"
    ),
    (
        "SELECT first_value(total) OVER (ORDER BY id), last_value(total) OVER (ORDER BY id), nth_value(total, 2) "
        "OVER (ORDER BY id), ntile(4) OVER (ORDER BY id), cume_dist() OVER (ORDER BY id), percent_rank() OVER "
        "(ORDER BY id), dense_rank() OVER (ORDER BY id) FROM orders"
    ),
    (
        "SELECT justify_hours(interval '30 hours'), make_interval(days => 3), to_timestamp(0), to_char(now(), "
        "'YYYY-MM'), to_number('1', '9'), interval '1' day"
    ),
    (
        "SELECT inet '10.0.0.1' << inet '10.0.0.0/8', host(inet '10.0.0.1'), network(inet '10.0.0.1/8'), "
        "masklen('10.0.0.0/8'::inet)"
    ),
    (
        "SELECT EXISTS (SELECT 1 FROM orders), NOT EXISTS (SELECT 1), (SELECT max(total) FROM orders), id IN "
        "(SELECT id FROM orders) FROM customer"
    ),
    "SELECT (total, id) = ROW (1, 2), (VALUES (1)) , ROW(1, 'a') FROM orders",
    ("SELECT current_date, current_user, session_user, current_database(), version(), current_schema(), pg_typeof(1)"),
    "SELECT xpath('/a', '<a/>'::xml)",
    (
        "SELECT random(), gen_random_uuid(), clock_timestamp(), num_nonnulls(1, NULL), string_to_array('a,b', "
        "','), to_regclass('x'), has_table_privilege('orders', 'SELECT')"
    ),
    (
        "SELECT (now(), now()) OVERLAPS (now(), now()), normalize('a'), 'a' IS NORMALIZED, \"left\"('abc', 1), "
        "\"substring\"('abc', 1)"
    ),
    (
        "SELECT o.id, (o.total) FROM orders AS o (id, customer_id) UNION (SELECT 1, 2) EXCEPT (SELECT 1, 2) "
        "INTERSECT (SELECT 3, 4)"
    ),
    "SELECT nspname FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner",
    "SELECT schemaname, relname, n_live_tup FROM pg_stat_user_tables",
    (
        "SELECT id FROM orders WHERE (total BETWEEN (1) AND (2)) AND NOT (id IS NULL) AND (status LIKE ('a%')) "
        "ORDER BY (id) LIMIT (5) OFFSET (1)"
    ),
    (
        "SELECT GREATEST(VARIADIC ARRAY[1,2]), jsonb_set('{}', '{a}', '1'), jsonb_agg(total ORDER BY id), "
        "jsonb_array_length('[]'), jsonb_typeof('1'), json_strip_nulls('{}') FROM orders"
    ),
    'SELECT pg_catalog.lower(\'A\'), pg_catalog.count(*), "pg_catalog"."now"() FROM orders',
]
HARMLESS_IN_SNOWFLAKE = [
    "SELECT id FROM orders QUALIFY row_number() OVER (ORDER BY id) = 1",
    "SELECT * FROM TABLE(FLATTEN(INPUT => PARSE_JSON('[1]')))",
    "SELECT f.value FROM orders, LATERAL FLATTEN(input => parse_json('[1]')) f",
    (
        "SELECT IFF(id = 1, 2, 3), NVL(id, 1), ZEROIFNULL(id), DATEADD(day, 1, CURRENT_DATE()), DATEDIFF('day', "
        "CURRENT_DATE, CURRENT_DATE), TO_VARCHAR(id), TRY_CAST('1' AS INT), LISTAGG(id, ',') WITHIN GROUP (ORDER "
        "BY id) FROM orders GROUP BY id"
    ),
    (
        "SELECT OBJECT_CONSTRUCT('a', 1), ARRAY_AGG(id), ARRAY_SIZE(ARRAY_CONSTRUCT(1)), "
        "GET_PATH(PARSE_JSON('{}'), 'a') FROM orders"
    ),
    "SELECT SEQ4(), UNIFORM(1, 10, RANDOM()) FROM TABLE(GENERATOR(ROWCOUNT => 10))",
    (
        "SELECT DATE_TRUNC('month', CURRENT_TIMESTAMP()), TO_DATE('2024-01-01'), YEAR(CURRENT_DATE), "
        "MONTHNAME(CURRENT_DATE), LAST_DAY(CURRENT_DATE), EXTRACT(year FROM CURRENT_DATE)"
    ),
    "SELECT * FROM orders PIVOT (SUM(total) FOR status IN ('a', 'b'))",
    "SELECT * FROM orders SAMPLE (10)",
    "SELECT $1, $2 FROM VALUES (1, 2)",
    "SELECT * FROM (VALUES (1, 2)) v (a, b)",
    (
        "SELECT COUNT_IF(id > 1), MEDIAN(total), APPROX_COUNT_DISTINCT(id), MAX_BY(id, total), "
        "RATIO_TO_REPORT(total) OVER () FROM orders GROUP BY total"
    ),
    "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES",
    "SELECT id FROM orders AT (OFFSET => -60)",
    "SELECT id FROM orders BEFORE (STATEMENT => '1')",
    "SELECT * EXCLUDE (id) FROM orders",
    "SELECT * RENAME (id AS x) FROM orders",
    "SELECT id FROM orders GROUP BY ALL",
    (
        "SELECT REGEXP_SUBSTR('a', 'b'), SPLIT_PART('a', 'b', 1), CONTAINS('a', 'b'), STARTSWITH('a', 'b'), "
        "ILIKE('a', 'b'), LEFT('a', 1), LEN('a'), CHARINDEX('a', 'b'), SHA2('a'), HASH(1), UUID_STRING()"
    ),
    ("SELECT CONDITIONAL_CHANGE_EVENT(id) OVER (ORDER BY id), LAG(id) IGNORE NULLS OVER (ORDER BY id) FROM orders"),
    (
        "SELECT TO_TIMESTAMP_NTZ('x'), CONVERT_TIMEZONE('UTC', CURRENT_TIMESTAMP), TIME_SLICE(CURRENT_DATE, 1, "
        "'MONTH'), DAYOFWEEKISO(CURRENT_DATE), DATE_PART(epoch_second, CURRENT_TIMESTAMP), DATE_FROM_PARTS(2024, "
        "1, 1), MONTHS_BETWEEN(CURRENT_DATE, CURRENT_DATE), SYSDATE()"
    ),
    "SELECT id FROM orders CONNECT BY PRIOR id = customer_id START WITH id = 1",
    (
        "SELECT NVL2(1, 2, 3), DECODE(1, 2, 3), EQUAL_NULL(1, 2), DIV0(1, 2), SQUARE(2), BITAND(1, 2), TRUNC(1.5),"
        " NULLIFZERO(1), COALESCE(1, 2), TYPEOF(1::VARIANT), AS_INTEGER(1::VARIANT)"
    ),
    "SELECT FILTER([1, 2], a -> a > 1), TRANSFORM([1, 2], a -> a + 1), REDUCE([1], 0, (x, y) -> x + y)",
]


@each_case("sql", UNSAFE)
def test_a_query_that_acts_waits_locks_or_reads_secrets_is_unsafe(sql: str) -> None:
    assert "unsafe_sql" in {each.code for each in check(sql, known()).findings}


@each_case("sql", UNSAFE_IN_SNOWFLAKE)
def test_snowflakes_stages_sequences_and_system_functions_are_unsafe(sql: str) -> None:
    assert "unsafe_sql" in {each.code for each in check(sql, known("snowflake")).findings}


@each_case("sql", HARMLESS)
def test_ordinary_sql_is_not_unsafe(sql: str) -> None:
    codes = {each.code for each in check(sql, known()).findings}
    assert not codes & {"unsafe_sql", "parse_error", "not_a_query"}


@each_case("sql", HARMLESS_IN_SNOWFLAKE)
def test_ordinary_sql_of_snowflake_is_not_unsafe(sql: str) -> None:
    codes = {each.code for each in check(sql, known("snowflake")).findings}
    assert not codes & {"unsafe_sql", "parse_error", "not_a_query"}


def test_a_documented_routine_that_only_reads_may_be_called() -> None:
    routines = replace(known(), routines=frozenset({("crm", "score"), ("public", "rate")}))
    assert not check("SELECT crm.score(id), rate(1), public.rate(2) FROM orders", routines).findings
    for call in ("score(1)", "sales.score(1)", 'crm."Score"(1)', "crm.scores(1)"):
        assert [each.code for each in check(f"SELECT {call}", routines).findings] == ["unsafe_sql"]
