"""Every statement that the PostgreSQL reader sends.

All of them run with `search_path` set to the system catalog, so that unqualified names are the server's own and every
other name in the results is qualified. `{...}` marks placeholders, `$1` a bound parameter. Nothing here counts rows or
opens a table's files: `pg_relation_size` waits for locks, `reltuples` does not.
"""

from __future__ import annotations

import re
from typing import get_args

from tribal.adapters.postgres import row_queries as of_rows
from tribal.adapters.postgres.callable import CALLABLE
from tribal.adapters.postgres.routines import POLICIES, ROUTINES, TRIGGERS
from tribal.adapters.postgres.rows import TextKind
from tribal.ports import Statement

# Settings that would make the same data look different (time zone, date style, synchronized scans) are pinned. All are
# sent in one message, so that a transaction costs one extra round trip rather than ten. A database in SQL_ASCII holds
# any bytes: asked for UTF-8, the server would refuse a whole result for one of them, so it is asked for the bytes. Any
# other database is, too, once it has refused a result for a byte that its encoding does not define.
_SETTINGS = """\
SET LOCAL statement_timeout = {statement_timeout_ms};
SET LOCAL lock_timeout = {lock_timeout_ms};
SET LOCAL idle_in_transaction_session_timeout = {idle_timeout_ms};
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL quote_all_identifiers = off;
SET LOCAL timezone = 'UTC';
SET LOCAL datestyle = 'ISO, YMD';
SET LOCAL intervalstyle = 'postgres';
SET LOCAL extra_float_digits = 1;
SET LOCAL synchronize_seqscans = off;
SET LOCAL max_parallel_workers_per_gather = 0;
SET LOCAL jit = off;
SELECT set_config('client_encoding', 'SQL_ASCII', true)
WHERE {as_stored} OR current_setting('server_encoding') = 'SQL_ASCII'"""

BEGIN_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;\n" + _SETTINGS
BEGIN = "BEGIN READ ONLY;\n" + _SETTINGS
COMMIT = "COMMIT"
ROLLBACK = "ROLLBACK"
SAVEPOINT = "SAVEPOINT texts"
ROLLBACK_TO_SAVEPOINT = "ROLLBACK TO SAVEPOINT texts"

SERVER = "SELECT current_database()::text, current_setting('server_version'), current_user::text"

DATABASES = """\
SELECT d.datname FROM pg_database d
WHERE d.datallowconn AND NOT d.datistemplate AND has_database_privilege(d.oid, 'CONNECT')"""

SCHEMAS = """\
SELECT n.nspname, has_schema_privilege(n.oid, 'USAGE'), d.description
FROM pg_namespace n
LEFT JOIN pg_description d ON d.classoid = 'pg_namespace'::regclass AND d.objoid = n.oid AND d.objsubid = 0
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND NOT EXISTS (SELECT FROM pg_depend e
                  WHERE e.classid = 'pg_namespace'::regclass AND e.objid = n.oid AND e.deptype = 'e')"""

# The rows, pages and names of partitions are those of the topmost parent. Before version 14, 0 may mean never analyzed.
TABLES = """\
WITH RECURSIVE member (root, relid) AS (
  SELECT c.oid, i.inhrelid FROM pg_class c JOIN pg_inherits i ON i.inhparent = c.oid
  WHERE c.relkind = 'p' AND NOT c.relispartition
  UNION ALL
  SELECT m.root, i.inhrelid FROM member m JOIN pg_inherits i ON i.inhparent = m.relid
), size AS (
  SELECT c.oid AS relid, c.relpages::bigint AS pages,
    CASE WHEN c.reltuples < 0 THEN NULL
         WHEN c.reltuples = 0 AND c.relpages = 0 AND current_setting('server_version_num')::int < 140000 THEN NULL
         ELSE round(c.reltuples)::bigint END AS tuples
  FROM pg_class c WHERE c.relkind IN ('r', 'm', 'f')
), folded AS (
  SELECT m.root, count(s.relid) AS partitions, sum(s.tuples)::bigint AS tuples, sum(s.pages)::bigint AS pages,
    json_agg(json_build_array(n.nspname, c.relname)) AS names
  FROM member m LEFT JOIN size s ON s.relid = m.relid
  JOIN pg_class c ON c.oid = m.relid JOIN pg_namespace n ON n.oid = c.relnamespace GROUP BY m.root
)
SELECT c.oid, n.nspname, c.relname, c.relkind::text, d.description, has_schema_privilege(n.oid, 'USAGE'),
  has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'),
  coalesce(f.tuples, s.tuples), coalesce(f.pages, s.pages) * current_setting('block_size')::bigint, f.partitions,
  c.relrowsecurity, c.relispopulated, e.srvname,
  (SELECT json_object_agg(o.option_name, o.option_value) FROM pg_options_to_table(w.ftoptions) o
   WHERE o.option_name IN ('schema_name', 'table_name')), f.names
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_foreign_table w ON w.ftrelid = c.oid
LEFT JOIN pg_foreign_server e ON e.oid = w.ftserver
LEFT JOIN pg_description d ON d.classoid = 'pg_class'::regclass AND d.objoid = c.oid AND d.objsubid = 0
LEFT JOIN size s ON s.relid = c.oid
LEFT JOIN folded f ON f.root = c.oid
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND NOT EXISTS (SELECT FROM pg_depend e
                  WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.objsubid = 0 AND e.deptype = 'e')"""

INHERITANCE = """\
SELECT i.inhrelid, i.inhparent
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE c.relkind IN ('r', 'f') AND NOT c.relispartition"""

# What a view reads, as its rule records it; a partition is part of its topmost parent.
DEPENDENCIES = """\
SELECT DISTINCT w.ev_class, n.nspname, r.relname
FROM pg_rewrite w
JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
JOIN pg_class p ON p.oid = d.refobjid
JOIN pg_class r ON r.oid = CASE WHEN p.relispartition THEN pg_partition_root(p.oid) ELSE p.oid END
JOIN pg_namespace n ON n.oid = r.relnamespace
WHERE w.ev_type = '1' AND d.refobjid <> w.ev_class AND p.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"""

COLUMNS = """\
SELECT a.attrelid, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
  a.attnotnull,
  a.atthasdef AND a.attgenerated = '', a.attidentity::text, a.attgenerated <> '',
  d.description, t.oid
FROM pg_attribute a
JOIN pg_class c ON c.oid = a.attrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_description d ON d.classoid = 'pg_class'::regclass AND d.objoid = a.attrelid AND d.objsubid = a.attnum
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND a.attnum > 0 AND NOT a.attisdropped"""

ENUMS = "SELECT e.enumtypid, json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e GROUP BY e.enumtypid"

# A domain may be based on another, whose checks apply too.
TYPES = """\
WITH RECURSIVE member (domain, part, length) AS (
  SELECT t.oid, t.oid, -1 FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
  WHERE t.typtype = 'd' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  UNION ALL
  SELECT m.domain, t.typbasetype, t.typtypmod FROM member m JOIN pg_type t ON t.oid = m.part
  WHERE t.typtype = 'd' AND t.typbasetype <> 0
)
SELECT m.domain, 'base', '', format_type(m.part, m.length), t.oid
FROM member m JOIN pg_type t ON t.oid = m.part WHERE t.typtype <> 'd'
UNION ALL
SELECT m.domain, 'not null', '', NULL, NULL FROM member m JOIN pg_type t ON t.oid = m.part WHERE t.typnotnull
UNION ALL
SELECT m.domain, 'default', '', t.typdefault, NULL
FROM member m JOIN pg_type t ON t.oid = m.part WHERE m.domain = m.part AND t.typdefault IS NOT NULL
UNION ALL
SELECT m.domain, 'check', k.conname::text, k.convalidated::text, k.oid
FROM member m JOIN pg_constraint k ON k.contypid = m.part AND k.contype = 'c'
UNION ALL
SELECT t.oid, 'field', a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnum::int::oid
FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
JOIN pg_class c ON c.oid = t.typrelid AND c.relkind = 'c'
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
UNION ALL
SELECT t.oid, 'comment', '', d.description, NULL
FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
JOIN pg_description d ON d.classoid = 'pg_type'::regclass AND d.objoid = t.oid AND d.objsubid = 0
WHERE t.typtype IN ('d', 'e', 'c') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"""

# A key to a partitioned table has an extra row for each partition, which refers to its parent row (conparentid). A key
# to a partition is reported as one to the topmost parent, since the partition is not documented.
CONSTRAINTS = """\
SELECT k.oid, k.conrelid, k.contype::text, k.conname,
  (SELECT json_agg(a.attname ORDER BY u.place) FROM unnest(k.conkey) WITH ORDINALITY AS u (attnum, place)
   JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.attnum),
  m.nspname, r.relname,
  (SELECT json_agg(a.attname ORDER BY u.place) FROM unnest(k.confkey) WITH ORDINALITY AS u (attnum, place)
   JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.attnum),
  k.confupdtype::text, k.confdeltype::text, k.coninhcount > 0, k.convalidated, d.description
FROM pg_constraint k
JOIN pg_class c ON c.oid = k.conrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_class p ON p.oid = k.confrelid
LEFT JOIN pg_class r ON r.oid = CASE WHEN p.relispartition THEN pg_partition_root(p.oid) ELSE p.oid END
LEFT JOIN pg_namespace m ON m.oid = r.relnamespace
LEFT JOIN pg_description d ON d.classoid = 'pg_constraint'::regclass AND d.objoid = k.oid AND d.objsubid = 0
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND NOT c.relispartition
  AND k.contype IN ('p', 'u', 'f', 'c', 'x') AND k.conparentid = 0"""

# An array element is null where the index has an expression, whose text is read by TEXTS. An index that is being
# built, or whose build failed, is invalid and unused. Before version 15 there is no `indnullsnotdistinct`.
INDEXES = """\
SELECT i.indexrelid, i.indrelid, x.relname, i.indisunique,
  (SELECT json_agg(a.attname ORDER BY u.place) FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS u (attnum, place)
   LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = u.attnum
   WHERE u.place <= i.indnkeyatts),
  i.indpred IS NOT NULL, d.description,
  (SELECT json_agg(a.attname ORDER BY u.place) FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS u (attnum, place)
   JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = u.attnum WHERE u.place > i.indnkeyatts),
  coalesce((to_json(i) ->> 'indnullsnotdistinct')::boolean, false), NOT i.indimmediate
FROM pg_index i
JOIN pg_class x ON x.oid = i.indexrelid
JOIN pg_class c ON c.oid = i.indrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_description d ON d.classoid = 'pg_class'::regclass AND d.objoid = x.oid AND d.objsubid = 0
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND c.relkind IN ('r', 'p', 'm') AND NOT c.relispartition AND i.indisvalid AND NOT i.indisexclusion"""

# Other statements read rows of one snapshot. These functions also see what is committed meanwhile, so that a text may
# be null, or the statement fail, because an object was dropped; and it fails for an object whose definition is broken.
# To render a text, the server opens the tables that it mentions, and so waits behind DDL. A default mentions no column,
# so that the second argument of pg_get_expr can be 0: passing the table would wait for a lock on it.
_USER_TABLES = """\
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND NOT c.relispartition
  AND has_schema_privilege(n.oid, 'USAGE') IS NOT FALSE"""
_RENDERED = "CASE WHEN has_table_privilege(c.oid, 'SELECT') IS NOT NULL THEN {text} END"
_UNLESS_LOCKED = "[unless c.oid is locked]"
_UNLESS_VIEW_LOCKED = "[unless the view c.oid is locked]"


_DEFAULTS = """\
pg_attrdef x JOIN pg_class c ON c.oid = x.adrelid
JOIN pg_attribute a ON a.attrelid = x.adrelid AND a.attnum = x.adnum"""


def _texts_of(kind: str, owner: str, place: str, text: str, tables: str, condition: str = "") -> str:
    """The texts of one kind, for all tables."""
    return (
        f"SELECT '{kind}', {owner}, {place}, {_RENDERED.format(text=text)}\nFROM {tables}\n{_USER_TABLES}"
        + f"\n  AND {condition}" * bool(condition)
        + f"[among {kind}: c.oid]"
    )


_TEXTS = "\nUNION ALL\n".join(
    (
        _texts_of(
            "default",
            "x.adrelid",
            "x.adnum::int",
            "pg_get_expr(x.adbin, 0)",
            _DEFAULTS,
            "a.attgenerated = ''",
        ),
        _texts_of(
            "generated",
            "x.adrelid",
            "x.adnum::int",
            "pg_get_expr(x.adbin, x.adrelid)",
            _DEFAULTS,
            "a.attgenerated <> ''",
        )
        + _UNLESS_LOCKED,
        _texts_of(
            "check",
            "k.oid",
            "0",
            "pg_get_expr(k.conbin, k.conrelid)",
            "pg_constraint k JOIN pg_class c ON c.oid = k.conrelid",
            "k.contype = 'c'",
        )
        + _UNLESS_LOCKED,
        _texts_of(
            "predicate",
            "i.indexrelid",
            "0",
            "pg_get_expr(i.indpred, i.indrelid)",
            "pg_index i JOIN pg_class c ON c.oid = i.indrelid",
            "i.indpred IS NOT NULL AND i.indisvalid",
        )
        + _UNLESS_LOCKED,
        _texts_of(
            "index",
            "i.indexrelid",
            "u.place::int",
            "pg_get_indexdef(i.indexrelid, u.place::int, false)",
            "pg_index i CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS u (attnum, place)\n"
            "JOIN pg_class c ON c.oid = i.indrelid",
            "u.attnum = 0 AND i.indisvalid",
        )
        + _UNLESS_LOCKED,
        _texts_of(
            "exclusion",
            "k.oid",
            "0",
            "pg_get_constraintdef(k.oid)",
            "pg_constraint k JOIN pg_class c ON c.oid = k.conrelid",
            "k.contype = 'x'",
        )
        + _UNLESS_LOCKED,
        _texts_of("partition key", "c.oid", "0", "pg_get_partkeydef(c.oid)", "pg_class c", "c.relkind = 'p'")
        + _UNLESS_LOCKED,
        _texts_of("view", "c.oid", "0", "pg_get_viewdef(c.oid, true)", "pg_class c", "c.relkind IN ('v', 'm')")
        + _UNLESS_VIEW_LOCKED,
        "SELECT 'domain', k.oid, 0, pg_get_constraintdef(k.oid)\nFROM pg_constraint k\n"
        "WHERE k.contypid <> 0 AND k.contype = 'c'[among domain: k.oid]",
    )
)

TEXT_KINDS: tuple[TextKind, ...] = get_args(TextKind)

# Even a lock request that is still waiting blocks ours.
_UNLOCKED = """
  AND NOT EXISTS (SELECT FROM locked l WHERE l.relation = c.oid)"""
_UNLOCKED_VIEW = (
    _UNLOCKED
    + """
  AND NOT EXISTS (SELECT FROM locked l JOIN pg_depend o
                    ON o.classid = 'pg_rewrite'::regclass AND o.refclassid = 'pg_class'::regclass
                   AND o.refobjid = l.relation
                  JOIN pg_rewrite w ON w.oid = o.objid WHERE w.ev_class = c.oid)"""
)
_LOCKED = """\
locked AS MATERIALIZED (
  SELECT DISTINCT k.relation FROM pg_locks k JOIN pg_database b ON b.oid = k.database
  WHERE b.datname = current_database() AND k.locktype = 'relation' AND k.mode = 'AccessExclusiveLock')"""
_ASKED = "asked AS (SELECT $1::oid AS first, $2::oid AS last, $3::text AS kind)"
_AMONG = r"""
  AND \2 BETWEEN (SELECT first FROM asked) AND (SELECT last FROM asked) AND (SELECT kind FROM asked) IN ('', '\1')"""


def _texts(*, of_some: bool, skip_locked: bool) -> str:
    sql = re.sub(r"\[among ([\w ]+): ([\w.]+)\]", _AMONG if of_some else "", _TEXTS)
    sql = sql.replace(_UNLESS_LOCKED, _UNLOCKED if skip_locked else "")
    sql = sql.replace(_UNLESS_VIEW_LOCKED, _UNLOCKED_VIEW if skip_locked else "")
    tables = [_ASKED] * of_some + [_LOCKED] * skip_locked
    return f"WITH {', '.join(tables)}\n{sql}" if tables else sql


TEXTS = _texts(of_some=False, skip_locked=False)
TEXTS_SKIPPING_LOCKED = _texts(of_some=False, skip_locked=True)
SOME_TEXTS = _texts(of_some=True, skip_locked=False)
SOME_TEXTS_SKIPPING_LOCKED = _texts(of_some=True, skip_locked=True)

TEXT_OWNERS = """\
SELECT c.oid FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.oid >= 16384
UNION SELECT k.oid FROM pg_constraint k WHERE k.contypid <> 0
ORDER BY 1"""

PRESENCE = """\
SELECT t.place,
  CASE WHEN n.oid IS NULL THEN 'gone' WHEN NOT has_schema_privilege(n.oid, 'USAGE') THEN 'unreadable'
       WHEN c.oid IS NULL THEN 'gone' ELSE 'present' END
FROM json_array_elements($1::json) WITH ORDINALITY AS t (name, place)
LEFT JOIN pg_namespace n ON n.nspname = (t.name ->> 0)
LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = (t.name ->> 1)
  AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition"""

STATEMENTS: tuple[Statement, ...] = (
    Statement("Open a read-only transaction that sees one state of the catalog, with time limits", BEGIN_SNAPSHOT),
    Statement("Open a read-only transaction with time limits", BEGIN),
    Statement("Close the transaction", COMMIT),
    Statement("Close the transaction after an error", ROLLBACK),
    Statement("Name of the database, version of the server, and who we are", SERVER),
    Statement("Databases of the server, where databases.yaml names several by a pattern", DATABASES),
    Statement("Schemas, and whether we may use them", SCHEMAS),
    Statement("Tables and views with the server's estimates of their sizes", TABLES),
    Statement("Which tables inherit from which", INHERITANCE),
    Statement("Columns with their types, defaults and comments", COLUMNS),
    Statement("Which tables a view reads", DEPENDENCIES),
    Statement("Labels of enum types", ENUMS),
    Statement("Checks and defaults of domains, fields of composite types, and comments on types", TYPES),
    Statement("Keys, names of checks and exclusion constraints, and comments on them", CONSTRAINTS),
    Statement("Indexes", INDEXES),
    Statement("Triggers, with the functions that they call and comments", TRIGGERS),
    Statement("Names of the policies of row-level security, and comments on them", POLICIES),
    Statement("Routines that write tables: of their bodies only the names of those tables are kept", ROUTINES),
    Statement("Routines that only read, which SQL in the documentation may call: only their names are kept", CALLABLE),
    Statement("Mark a point to come back to, should a lock or a broken object be in the way", SAVEPOINT),
    Statement("Texts of views, checks, exclusions, defaults, generated columns, partition keys and indexes", TEXTS),
    Statement("Come back to the mark", ROLLBACK_TO_SAVEPOINT),
    Statement("The same texts without those of locked tables", TEXTS_SKIPPING_LOCKED),
    Statement("What can have such a text, to find the object whose text makes the statement fail", TEXT_OWNERS),
    Statement("The same texts of some objects: from $1 to $2, of the kind $3 or of all", SOME_TEXTS),
    Statement("The same of some objects without locked tables", SOME_TEXTS_SKIPPING_LOCKED),
    Statement("Whether tables are still there; $1 holds their names", PRESENCE),
    Statement("The server's estimate of a table's rows; $1 and $2 are its name", of_rows.ROW_ESTIMATE),
    Statement(
        "Columns that we may select from, after a refusal; $1 and $2 are the table's name", of_rows.READABLE_COLUMNS
    ),
    Statement("What a view reads and may not, after a refusal; $1 and $2 are the view's name", of_rows.REFUSED_TO_VIEW),
    Statement("The first rows of a table in order of its primary key", of_rows.SAMPLE_BY_KEY),
    Statement("The first rows of a small table without a primary key", of_rows.SAMPLE_FIRST),
    Statement(
        "Rows from some blocks of a large table without a primary key, always the same blocks", of_rows.SAMPLE_BLOCKS
    ),
    Statement(
        "How many values of a table's columns are found in others that they may refer to: three counts for each pair",
        of_rows.OVERLAPS.replace("{comparisons}", of_rows.OVERLAP),
    ),
)
