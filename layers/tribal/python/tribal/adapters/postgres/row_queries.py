"""The statements that read or compare rows, and ask why they may not be read; formatted as in `queries`."""

ROW_ESTIMATE = """\
SELECT c.reltuples FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2"""

READABLE_COLUMNS = """\
SELECT current_user::text, has_schema_privilege(n.oid, 'USAGE'), a.attname
FROM pg_namespace n
JOIN pg_class c ON c.relnamespace = n.oid
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  AND has_column_privilege(c.oid, a.attnum, 'SELECT')
WHERE n.nspname = $1 AND c.relname = $2"""

# A view reads with the rights of its owner, unless it is a security_invoker view.
REFUSED_TO_VIEW = """\
WITH RECURSIVE read (relid, role) AS (
  SELECT c.oid, (SELECT r.oid FROM pg_roles r WHERE r.rolname = current_user)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2
  UNION
  SELECT d.refobjid, CASE WHEN 'security_invoker=true' = ANY (v.reloptions) THEN b.role ELSE v.relowner END
  FROM read b JOIN pg_class v ON v.oid = b.relid AND v.relkind = 'v'
  JOIN pg_rewrite w ON w.ev_class = v.oid
  JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
)
SELECT n.nspname, c.relname, pg_get_userbyid(b.role)
FROM read b JOIN pg_class c ON c.oid = b.relid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT has_table_privilege(b.role, c.oid, 'SELECT') AND NOT has_any_column_privilege(b.role, c.oid, 'SELECT')
ORDER BY 1, 2, 3 LIMIT 1"""

SAMPLE_BY_KEY = "SELECT {columns} FROM {table} AS t ORDER BY {primary_key} LIMIT {rows}"
SAMPLE_FIRST = "SELECT {columns} FROM {table} AS t LIMIT {rows}"
SAMPLE_BLOCKS = "SELECT {columns} FROM {table} AS t TABLESAMPLE SYSTEM ({percent}) REPEATABLE (0) LIMIT {rows}"

# Of one table, the values of some rows; and for each pair of columns, how many distinct ones there are, how many of
# those occur in the other table, and how often the most frequent of them does there. Values stay in the server.
OVERLAPS = """\
WITH sample AS MATERIALIZED (SELECT {columns} FROM {table} AS t{blocks} LIMIT {rows})
{comparisons}"""
OVERLAP = """\
SELECT * FROM (WITH v AS MATERIALIZED (SELECT DISTINCT {columns} FROM sample WHERE {known})
SELECT {place}, (SELECT count(*) FROM v), count(*), max(m.times)
FROM (SELECT count(*) AS times FROM v JOIN {parent} AS p ON {equal} GROUP BY {columns}) AS m) AS o"""
BLOCKS = " TABLESAMPLE SYSTEM ({percent}) REPEATABLE (0)"
