"""Rates inferred keys: those that schemas declare, hidden and inferred again; those that questions join by, with rows.

From a shell: `TRIBAL_BENCH_DATA=FOLDER python -m bench.keys`. What is inferred and neither declared nor joined by is
written to a file, to be read by a person: schemas leave true keys undeclared, and questions do not use all keys.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from bench.descriptions import _LEFT_OUT, DATA_VARIABLE
from bench.generated_keys import generated_outlines
from bench.key_values import joined_columns, overlaps_of
from servers.postgres import EmbeddedServer, EmbeddedServerError
from tests.plugins.postgres import connected
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.catalog.identity import TableIdentity
from tribal.catalog.outline import TableOutline, outline_of
from tribal.keys import LIKELY, Overlaps, candidate_pairs, infer_keys
from tribal.settings.dsn import parse_dsn

REPORT = Path(".bench") / "inferred-keys.md"
RESULTS = Path(".bench") / "keys.json"
SIZES = (1_000, 5_000)
_SEEDS = (1, 2, 3)
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

Key = tuple[str, str, frozenset[tuple[str, str]]]
"""A table, the one that it references, and the pairs of columns."""


@dataclass(frozen=True, slots=True)
class Score:
    """How well keys are found."""

    f1: float
    precision: float
    recall: float


@dataclass(frozen=True, slots=True)
class HiddenKeys:
    """What is found of the keys of one schema by its names alone."""

    schema: str
    tables: int
    declared: int
    floor: Score
    """That of the plain rule that `<table>_id`, or the name of one table's single primary key, means that table."""
    found: Score
    """That when all declared keys are hidden."""
    half_hidden: Score
    """That of the hidden ones when a half, drawn by seed, is; the mean of three draws."""


@dataclass(frozen=True, slots=True)
class JoinedColumns:
    """What is found, with rows, of the columns that people's questions join."""

    joined: int
    inferred: int
    recall: float
    """Share of the joined pairs that are an inferred key."""
    recall_through_parent: float
    """The same with pairs of columns that reference the same column."""
    precision: float
    """Share of inferred keys that some question joins by: a lower bound, since questions do not use all keys."""
    floor_recall: float
    """The recall of names alone."""


@dataclass(frozen=True, slots=True)
class InferenceTime:
    """Processor time to infer the keys of a generated database, whose tables declare none."""

    tables: int
    inferring_seconds: float
    choosing_pairs_seconds: float


@dataclass(frozen=True, slots=True)
class KeyRates:
    """All figures of this benchmark."""

    hidden: list[HiddenKeys]
    joined: JoinedColumns | None
    times: list[InferenceTime]


def main() -> int:
    """Run this benchmark alone, print the tables and write the file; returns the exit code."""
    if not os.environ.get(DATA_VARIABLE):
        print(f"bench.keys: set {DATA_VARIABLE} to a folder of schemas", file=sys.stderr)
        return 2
    try:
        with tempfile.TemporaryDirectory(prefix="tribal-bench-") as scratch:
            folder = Path(scratch)
            with EmbeddedServer.start(folder / "postgres") as server:
                rates = report(server, folder)
    except EmbeddedServerError as error:
        print(f"bench.keys: FAILED: {error}", file=sys.stderr)
        return 1
    print_rates(rates)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(asdict(rates), indent=2) + "\n")
    return 0


def report(server: EmbeddedServer, scratch: Path) -> KeyRates:
    """Measure every schema of the folder, and write what was inferred that nobody declared."""
    data, lines, hidden = Path(os.environ[DATA_VARIABLE]), list[str](), []
    files = (*data.glob("ddl/*/schema_nocomments.sql"), *data.glob("real/*/schema.sql"), *data.glob("*/schema_pg.sql"))
    for file in sorted(files):
        database = f"keys_{file.parent.name}"
        script = scratch / f"{database}.sql"
        script.write_text(_LEFT_OUT.sub("", file.read_text(encoding="utf-8")), encoding="utf-8")
        server.ensure_database(database, script)
        score, undeclared = _hidden(file.parent.name, read_outlines(server, database), _declared(server, database))
        hidden.append(score)
        lines += [f"- {score.schema}: {line}" for line in undeclared]
    joined, unused = _joined(server, data)
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("\n".join((*lines, *unused)) + "\n", encoding="utf-8")
    return KeyRates(hidden, joined, [_timed(tables) for tables in SIZES])


def print_rates(rates: KeyRates) -> None:
    """Print what is found of hidden keys, of what questions join, and how long inferring takes."""
    print(f"{'keys hidden, inferred again':<28}{'tables':>7}{'keys':>6}  floor: F1, P, R  all hidden      half hidden")
    for one in rates.hidden:
        scores = "".join(f"{_figures(score):<16}" for score in (one.floor, one.found, one.half_hidden))
        print(f"{one.schema:<28}{one.tables:>7}{one.declared:>6}  {scores}")
    if (rows := rates.joined) is not None:
        print(
            f"columns that questions join: {rows.joined}, found by names alone {rows.floor_recall:.3f}, with rows"
            f" {rows.recall:.3f} ({rows.recall_through_parent:.3f} through one parent);"
            f" {rows.inferred} keys inferred, {rows.precision:.3f} of them joined by"
        )
    for each in rates.times:
        print(
            f"inferring keys, {each.tables:,} tables: {each.inferring_seconds:.1f} s of processor,"
            f" pairs to compare {each.choosing_pairs_seconds:.1f} s"
        )
    print(f"inferred, and neither declared nor joined by, to be read: {REPORT}")


def read_outlines(server: EmbeddedServer, database: str) -> list[TableOutline]:
    """Outlines of all tables of a database, read as the product reads them."""
    with closing(PostgresCatalog(parse_dsn(server.dsn(database), {}))) as catalog:
        return [outline_of(table, database) for table in catalog.read().tables]


def hide_keys(tables: Iterable[TableOutline], kept: frozenset[Key] = frozenset()) -> list[TableOutline]:
    """The same tables with no declared keys but these."""
    return [_hide(table, kept) for table in tables]


def _hide(table: TableOutline, kept: frozenset[Key]) -> TableOutline:
    foreign = [
        key
        for key in table.foreign_keys
        if _key(table.name, key.columns, key.references_table, key.references_columns) in kept
    ]
    declared = {column for key in foreign for column in key.columns}
    columns = [column.model_copy(update={"is_foreign_key": column.name in declared}) for column in table.columns]
    return table.model_copy(update={"foreign_keys": foreign, "columns": columns})


def _hidden(schema: str, tables: list[TableOutline], declared: frozenset[Key]) -> tuple[HiddenKeys, list[str]]:
    bare = hide_keys(tables)
    found = _likely(bare)
    halves = []
    for seed in _SEEDS:
        kept = frozenset(random.Random(seed).sample(sorted(declared, key=str), len(declared) // 2))
        halves.append(_score(_likely(hide_keys(tables, kept)), declared - kept))
    half = Score(*(fmean(getattr(each, name) for each in halves) for name in ("f1", "precision", "recall")))
    score = HiddenKeys(schema, len(tables), len(declared), _score(floor(bare), declared), _score(found, declared), half)
    return score, sorted(map(_text, found - declared))


def floor(tables: Sequence[TableOutline]) -> set[Key]:
    """Keys by a plain rule: `<table>_id`, or the name of the single primary key of one other table of the schema."""
    by_name: dict[tuple[str, str], TableOutline] = {}
    by_key: dict[tuple[str, str], list[TableOutline]] = {}
    for table in tables:
        if table.primary_key and len(table.primary_key.columns) == 1:
            by_name[table.schema_, table.table.lower()] = table
            by_key.setdefault((table.schema_, table.primary_key.columns[0].lower()), []).append(table)
    found = set()
    for table in tables:
        for column in table.columns:
            name, ending = column.name.lower(), column.name.lower().removesuffix("_id")
            named = [by_name.get((table.schema_, called)) for called in (ending, f"{ending}s") if ending != name]
            parents = [one for one in named if one] or [
                one for one in by_key.get((table.schema_, name), []) if one is not table
            ]
            if len(parents) == 1 and parents[0] is not table and parents[0].primary_key:
                found.add(_key(table.name, [column.name], parents[0].name, parents[0].primary_key.columns))
    return found


def _joined(server: EmbeddedServer, data: Path) -> tuple[JoinedColumns | None, list[str]]:
    joined, inferred, named, siblings = joined_columns(data / "defog" / "joins.jsonl"), set(), set(), set()
    for file in sorted((data / "defog" / "ddl").glob("*.sql")):
        database = f"rows_{file.stem}"
        server.ensure_database(database, file)
        tables = hide_keys(read_outlines(server, database))
        with connected(server.dsn(database)) as connection:
            overlaps = overlaps_of(connection, candidate_pairs(tables))
        pairs = set(_column_pairs(_likely(tables, overlaps), file.stem))
        named |= {frozenset(pair) for pair in _column_pairs(_likely(tables), file.stem)}
        inferred |= {frozenset(pair) for pair in pairs}
        siblings |= {
            frozenset((one, other)) for one, own in pairs for other, its in pairs if own == its and one != other
        }
    if not joined or not inferred:
        return None, []
    right = joined & inferred
    rate = JoinedColumns(
        len(joined),
        len(inferred),
        len(right) / len(joined),
        len(joined & (inferred | siblings)) / len(joined),
        len(right) / len(inferred),
        len(joined & named) / len(joined),
    )
    return rate, [f"- rows of defog: {' = '.join(sorted(pair))}" for pair in sorted(inferred - joined, key=sorted)]


def _column_pairs(keys: Iterable[Key], schema: str) -> Iterator[tuple[str, str]]:
    for child, parent, columns in keys:
        here, there = TableIdentity.parse(child).table, TableIdentity.parse(parent).table
        for own, other in columns:
            yield f"{schema}.{here}.{own}".lower(), f"{schema}.{there}.{other}".lower()


def _likely(tables: list[TableOutline], overlaps: Overlaps | None = None) -> set[Key]:
    return {
        _key(key.from_table, key.from_columns, key.to_table, key.to_columns)
        for key in infer_keys(tables, overlaps)
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


def _key(child: str, own: Sequence[str], parent: str, others: Sequence[str]) -> Key:
    return child, parent, frozenset(zip(own, others, strict=True))


def _text(key: Key) -> str:
    columns = ", ".join(f"{own} = {other}" for own, other in sorted(key[2]))
    return f"{key[0]} -> {key[1]} ({columns})"


def _score(found: set[Key], declared: frozenset[Key]) -> Score:
    right = len(found & declared)
    precision, recall = right / max(1, len(found)), right / max(1, len(declared))
    return Score(2 * precision * recall / max(1e-9, precision + recall), precision, recall)


def _timed(tables: int) -> InferenceTime:
    outlines = generated_outlines(tables)
    times = [time.process_time()]
    for measured in (infer_keys, candidate_pairs):
        measured(outlines)
        times.append(time.process_time())
    return InferenceTime(tables, times[1] - times[0], times[2] - times[1])


def _figures(score: Score) -> str:
    return f"{score.f1:.2f} {score.precision:.2f} {score.recall:.2f}"


if __name__ == "__main__":
    sys.exit(main())
