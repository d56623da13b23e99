"""Writes the lists of PostgreSQL's built-in functions and catalogs that a checked query may use.

    python -m servers.harmless_functions > layers/tribal/python/tribal/sql/checking/safety/postgres_builtins.py

A function is listed if the catalog says that none of its overloads changes anything: immutable or stable, and open to
everyone. `_EXCLUDED` and `_VOLATILE` are the exceptions, each with its reason.
"""

from __future__ import annotations

import tempfile
import textwrap
from pathlib import Path
from urllib.parse import urlsplit

from pg8000.native import Connection

from tribal_demo.server.postgres import EmbeddedServer

_EXCLUDED = (
    r"^pg_",  # sessions, files, replication and settings; `_INSPECTION` has those that only describe objects
    r"^(query|cursor|table|schema|database)_to_xml",  # run text as SQL, or read relations that the check cannot see
    r"^ts_(stat|rewrite)$",  # run text as SQL
    r"^current_setting$",  # settings may hold secrets
    r"^(txid_|lo_)",  # assign a transaction number, and read large objects
    r"^inet_(client|server)_",  # the session
)
_INSPECTION = r"""^pg_(\w+_is_visible|get_(viewdef|constraintdef|indexdef|triggerdef|ruledef|partkeydef|expr|userbyid
|function_\w+|functiondef|serial_sequence|keywords|statisticsobjdef\w*|partition_constraintdef)|typeof|basetype
|size_pretty|size_bytes|column_size|column_compression|table_size|relation_size|total_relation_size|indexes_size
|database_size|encoding_to_char|char_to_encoding|client_encoding|collation_for|describe_object|identify_object|has_role
|input_is_valid|input_error_info|partition_tree|partition_ancestors|partition_root|tablespace_size|index_column_has_property
|index_has_property|indexam_has_property|my_temp_schema|char_encoding|relation_is_updatable|column_is_updatable
|relation_is_publishable|timezone_names|timezone_abbrevs\w*)$""".replace("\n", "")
_VOLATILE = "random random_normal clock_timestamp timeofday gen_random_uuid uuidv4 uuidv7".split()
"""They return another value each time, and change nothing."""
_SECRET_RELATIONS = (
    r"^pg_(stats|stats_ext|stats_ext_exprs)$",  # values of columns
    r"^pg_(settings|db_role_setting|user_mappings|foreign_server|foreign_data_wrapper|foreign_table)$",
    # addresses and SQL of sessions
    r"^pg_(stat_(activity|wal_receiver|replication|ssl|gssapi|progress_\w+)|cursors|prepared_statements|prepared_xacts)$",
    r"_options$",  # of foreign servers and their users
)
_FUNCTIONS = r"""
SELECT proname::text FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace
GROUP BY proname
HAVING proname = ANY(:volatile) OR bool_and(
  prokind IN ('f', 'a', 'w')
  AND (provolatile IN ('i', 's') OR proname ~ :inspection)
  AND (proacl IS NULL OR EXISTS (SELECT FROM aclexplode(proacl) a WHERE a.grantee = 0 AND a.privilege_type = 'EXECUTE'))
  AND NOT proargtypes::oid[] && ARRAY['internal', 'cstring']::regtype[]::oid[]
  AND prorettype <> ALL (ARRAY['internal', 'cstring', 'trigger', 'event_trigger']::regtype[])
  AND (proname !~ ALL (:excluded) OR proname ~ :inspection))
ORDER BY 1"""
_OF_ONE_VALUE = """
SELECT DISTINCT proname::text FROM pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace AND pronargs > 0 AND pronargs - pronargdefaults <= 1
  AND proargtypes[0] <> ALL (ARRAY['internal', 'cstring']::regtype[])
ORDER BY 1"""
_RELATIONS = r"""
SELECT c.relname::text FROM pg_class c
WHERE c.relnamespace IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) AND c.relkind IN ('r', 'v')
  AND EXISTS (SELECT FROM aclexplode(c.relacl) a WHERE a.grantee = 0 AND a.privilege_type = 'SELECT')
  AND c.relname !~ ALL (:secret)
GROUP BY 1 ORDER BY 1"""
_KEYWORDS = "SELECT word FROM pg_get_keywords() WHERE catcode IN ('R', 'C') ORDER BY 1"


def main() -> None:
    """Print the module."""
    with tempfile.TemporaryDirectory() as directory, EmbeddedServer.start(Path(directory)) as server:
        print(_module(server))


def _module(server: EmbeddedServer) -> str:
    with connected(server) as connection:
        functions = [
            row[0]
            for row in connection.run(_FUNCTIONS, volatile=_VOLATILE, inspection=_INSPECTION, excluded=list(_EXCLUDED))
        ]
        of_one_value = [row[0] for row in connection.run(_OF_ONE_VALUE)]
        relations = [row[0] for row in connection.run(_RELATIONS, secret=list(_SECRET_RELATIONS))]
        keywords = [row[0] for row in connection.run(_KEYWORDS)]
        version = connection.run("SHOW server_version")[0][0]
    return "\n".join(
        [
            f'"""What a query may use in PostgreSQL {version}, by `python -m servers.harmless_functions`."""',
            "",
            _names("FUNCTIONS", "Built-in functions that only compute or describe objects.", functions),
            _names(
                "OTHER_FUNCTIONS", "Others that `(value).name` calls too.", sorted(set(of_one_value) - set(functions))
            ),
            _names(
                "RELATIONS", "Catalogs and views of pg_catalog and information_schema that hold no secrets.", relations
            ),
            _names("KEYWORDS", "Words that, without quotes, never name a function of a person.", keywords).rstrip(),
        ]
    )


def connected(server: EmbeddedServer) -> Connection:
    """A connection of the driver as the superuser."""
    parts = urlsplit(server.dsn())
    return Connection(
        parts.username or "", password=parts.password, host=parts.hostname, port=parts.port, database="postgres"
    )


def _names(name: str, what: str, words: list[str]) -> str:
    lines = textwrap.fill(" ".join(words), 116, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
    return f'{name} = frozenset(\n    """\n{lines}\n    """.split()\n)\n"""{what}"""\n'


if __name__ == "__main__":
    main()
