"""How many undeclared keys are inferred, and how many of them are right?

`python -m bench.keys`; needs `TRIBAL_BENCH_DATA`. The foreign keys that schemas declare are hidden and inferred again
by names. Where there are rows, keys are inferred with them too, and compared with the columns that people's questions
join. Precision is a lower bound: schemas leave true keys undeclared, and questions do not use all keys. So inferred
keys that are neither declared nor joined by are written to a file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from pg8000.native import Connection, identifier

from bench.harness import Bench, Row, Table, run, write_report
from bench.question_sets import loadable, question_sets, read_lines, schema_files
from tests.plugins.postgres import connected
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.identity.table_names import TableIdentity
from tribal.joins.outline import TableOutline, outline_of
from tribal.key_inference import LIKELY, Inference, KeyPair, Overlap, Overlaps, candidate_pairs
from tribal.settings.dsn import parse_dsn
from tribal_demo.server.postgres import EmbeddedServer

Key = tuple[str, str, frozenset[tuple[str, str]]]
"""A table, the one that it references, and the pairs of columns."""
_MOST_VALUES = 1_000
_KEYS = """
    SELECT DISTINCT n.nspname, c.relname, fn.nspname, f.relname,
        (SELECT array_agg(a.attname::text ORDER BY p.place) FROM unnest(k.conkey) WITH ORDINALITY AS p (number, place)
            JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = p.number),
        (SELECT array_agg(a.attname::text ORDER BY p.place) FROM unnest(k.confkey) WITH ORDINALITY AS p (number, place)
            JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = p.number)
    FROM pg_constraint k
    JOIN pg_class c ON c.oid = coalesce(pg_partition_root(k.conrelid), k.conrelid)
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_class f ON f.oid = coalesce(pg_partition_root(k.confrelid), k.confrelid)
    JOIN pg_namespace fn ON fn.oid = f.relnamespace
    WHERE k.contype = 'f'
"""


def tables(bench: Bench) -> Iterator[Table]:
    """Rate every schema, then the databases with rows."""
    undeclared: list[str] = []
    files = schema_files(bench.data) | {one.name: one.folder / "schema_pg.sql" for one in question_sets(bench.data)}
    rows = [_hidden(bench.server, name, file, undeclared) for name, file in files.items()]
    yield Table("declared keys, hidden and inferred again", rows)
    joined = _joined(bench.server, bench.data / "defog", undeclared)
    yield Table("columns that questions join, with rows", [joined], [write_report("inferred-keys", undeclared)])


def _hidden(server: EmbeddedServer, name: str, file: Path, undeclared: list[str]) -> Row:
    database = f"keys_{name}"
    server.ensure_database(database, loadable(file))
    outlines, declared = _outlines(server, database), _declared(server, database)
    found = _likely(_hide(outlines))
    undeclared += sorted(f"- {name}: {_text(key)}" for key in found - declared)
    return {
        "schema": name,
        "tables": len(outlines),
        "keys": len(declared),
        **dict(zip(("F1", "precision", "recall"), _score(found, declared), strict=True)),
    }


def _outlines(server: EmbeddedServer, database: str) -> list[TableOutline]:
    """Outlines of all tables of a database, read as the product reads them."""
    with closing(PostgresCatalog(parse_dsn(server.dsn(database), {}))) as catalog:
        return [outline_of(table, database) for table in catalog.read().tables]


def _hide(outlines: Iterable[TableOutline]) -> list[TableOutline]:
    """The same tables without declared keys."""
    return [
        table.model_copy(
            update={
                "foreign_keys": [],
                "columns": [column.model_copy(update={"is_foreign_key": False}) for column in table.columns],
            }
        )
        for table in outlines
    ]


def _likely(outlines: list[TableOutline], overlaps: Overlaps | None = None) -> set[Key]:
    return {
        _key(key.from_table, key.from_columns, key.to_table, key.to_columns)
        for key in Inference.of(outlines, "postgres").keys(overlaps)
        if key.confidence >= LIKELY
    }


def _declared(server: EmbeddedServer, database: str) -> frozenset[Key]:
    """The declared keys; those of partitions are their table's."""
    with connected(server.dsn(database)) as connection:
        rows = connection.run(_KEYS)
    return frozenset(
        _key(
            str(TableIdentity(database, schema, table)), own, str(TableIdentity(database, to_schema, to_table)), others
        )
        for schema, table, to_schema, to_table, own, others in rows
    )


def _joined(server: EmbeddedServer, folder: Path, undeclared: list[str]) -> Row:
    """Compare keys that are inferred with rows with the columns that the SQL of questions joins."""
    records = read_lines(folder / "joins.jsonl")
    joined = {frozenset(name.lower().partition(".")[2] for name in pair) for one in records for pair in one["joins"]}
    by_name, inferred = set[frozenset[str]](), set[frozenset[str]]()
    for file in sorted((folder / "ddl").glob("*.sql")):
        database = f"rows_{file.stem}"
        server.ensure_database(database, file)
        outlines = _hide(_outlines(server, database))
        with connected(server.dsn(database)) as connection:
            overlaps = {pair: _overlap(connection, pair) for pair in candidate_pairs(outlines)}
        by_name |= set(_column_pairs(_likely(outlines), file.stem))
        inferred |= set(_column_pairs(_likely(outlines, overlaps), file.stem))
    undeclared += [
        f"- {folder.name}, rows: {' = '.join(sorted(pair))}" for pair in sorted(inferred - joined, key=sorted)
    ]
    return {
        "joined": len(joined),
        "found by names": len(joined & by_name) / max(1, len(joined)),
        "found with rows": len(joined & inferred) / max(1, len(joined)),
        "inferred": len(inferred),
        "joined by some question": len(joined & inferred) / max(1, len(inferred)),
    }


def _overlap(connection: Connection, pair: KeyPair) -> Overlap:
    """How many of some distinct values are found in the referenced columns, and whether those are unique."""
    own, others = (", ".join(map(identifier, columns)) for columns in (pair.from_columns, pair.to_columns))
    child, parent = (
        f"{identifier(table.schema)}.{identifier(table.table)}"
        for table in map(TableIdentity.parse, (pair.from_table, pair.to_table))
    )
    values = f"SELECT DISTINCT {own} FROM {child} WHERE ({own}) IS NOT NULL LIMIT {_MOST_VALUES}"
    ((compared, found),) = connection.run(
        f"SELECT count(*), count(*) FILTER (WHERE ({own}) IN (SELECT {others} FROM {parent})) FROM ({values}) AS v"
    )
    ((rows, distinct),) = connection.run(f"SELECT count(*), count(DISTINCT ({others})) FROM {parent}")
    return Overlap(compared, found, unique=rows == distinct)


def _column_pairs(keys: Iterable[Key], schema: str) -> Iterator[frozenset[str]]:
    """The pairs of columns of each key, as the questions write them."""
    for child, parent, columns in keys:
        here, there = TableIdentity.parse(child).table, TableIdentity.parse(parent).table
        for own, other in columns:
            yield frozenset((f"{schema}.{here}.{own}".lower(), f"{schema}.{there}.{other}".lower()))


def _key(child: str, own: Sequence[str], parent: str, others: Sequence[str]) -> Key:
    return child, parent, frozenset(zip(own, others, strict=True))


def _text(key: Key) -> str:
    columns = ", ".join(f"{own} = {other}" for own, other in sorted(key[2]))
    return f"{key[0]} -> {key[1]} ({columns})"


def _score(found: set[Key], declared: frozenset[Key]) -> tuple[float, float, float]:
    """F1, precision and recall."""
    right = len(found & declared)
    precision, recall = right / max(1, len(found)), right / max(1, len(declared))
    return 2 * precision * recall / max(1e-9, precision + recall), precision, recall


if __name__ == "__main__":
    sys.exit(run("keys", tables))
