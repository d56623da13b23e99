"""Rates inferred keys: those that schemas declare, hidden and inferred again; those that questions join by, with rows.

From a shell: `TRIBAL_BENCH_DATA=FOLDER python -m bench.keys`. What is inferred and neither declared nor joined by is
written to a file, to be read by a person: schemas leave true keys undeclared, and questions do not use all keys.

Precision is printed in several ways. Of hidden keys: strict, where only declared ones are right; with sisters, where so
are undeclared ones for which the declared keys speak (`known_keys.evident`). Of what questions join: strict, where only
pairs are right by which some question joins; known, with what such joins imply or a schema declares; and decidable, of
the pairs of tables that some question joins. The first two are lower bounds, the third says nothing of other tables.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from bench.descriptions import _LEFT_OUT, DATA_VARIABLE
from bench.generated_keys import generated_outlines
from bench.key_values import joined_columns, overlaps_of
from bench.known_keys import ColumnPair, Decided, Key, column_pairs, decided, evident
from servers.postgres import EmbeddedServer, EmbeddedServerError
from tests.plugins.postgres import connected
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.identity.table_names import TableIdentity
from tribal.joins.outline import TableOutline, outline_of
from tribal.key_inference import LIKELY, Overlaps, candidate_pairs, infer_keys
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
    """That when all declared keys are hidden; its precision is the strict one."""
    precision_with_sisters: float
    """The same precision, if undeclared keys are right for which the declared ones speak."""
    half_hidden: Score
    """That of the hidden ones when a half, drawn by seed, is; the mean of three draws."""


@dataclass(frozen=True, slots=True)
class JoinedColumns:
    """What is found, with rows, of the columns that people's questions join."""

    joined: int
    floor_recall: float
    """Share of the joined pairs that names alone find."""
    floor: Decided
    """What is known of the pairs that names alone infer."""
    recall: float
    """Share of the joined pairs that are an inferred key, with rows."""
    recall_through_parent: float
    """The same with pairs of columns that reference the same column."""
    inferred: Decided
    """What is known of the pairs that are inferred with rows."""


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
    data, lines, hidden, declared_pairs = Path(os.environ[DATA_VARIABLE]), list[str](), [], set[ColumnPair]()
    files = (*data.glob("ddl/*/schema_nocomments.sql"), *data.glob("real/*/schema.sql"), *data.glob("*/schema_pg.sql"))
    for file in sorted(files):
        database = f"keys_{file.parent.name}"
        script = scratch / f"{database}.sql"
        script.write_text(_LEFT_OUT.sub("", file.read_text(encoding="utf-8")), encoding="utf-8")
        server.ensure_database(database, script)
        declared = _declared(server, database)
        declared_pairs.update(map(frozenset, column_pairs(declared)))
        score, undeclared = _hidden(file.parent.name, read_outlines(server, database), declared)
        hidden.append(score)
        lines += [f"- {score.schema}: {line}" for line in undeclared]
    joined, unused = _joined(server, data, declared_pairs)
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("\n".join((*lines, *unused)) + "\n", encoding="utf-8")
    return KeyRates(hidden, joined, [_timed(tables) for tables in SIZES])


def print_rates(rates: KeyRates) -> None:
    """Print what is found of hidden keys, of what questions join, and how long inferring takes."""
    heads = "floor: F1, P, R  all hidden      with sisters, P  half hidden"
    print(f"{'keys hidden, inferred again':<28}{'tables':>7}{'keys':>6}  {heads}")
    for one in rates.hidden:
        floor, found, half = (f"{_figures(score):<16}" for score in (one.floor, one.found, one.half_hidden))
        sisters = f"{one.precision_with_sisters:<17.2f}"
        print(f"{one.schema:<28}{one.tables:>7}{one.declared:>6}  {floor} {found}{sisters}{half}")
    if (rows := rates.joined) is not None:
        print(f"columns that questions join: {rows.joined} pairs")
        print(f"  floor, names alone: found {rows.floor_recall:.3f}; {_said(rows.floor)}")
        through = f"({rows.recall_through_parent:.3f} through one parent)"
        print(f"  names and rows: found {rows.recall:.3f} {through}; {_said(rows.inferred)}")
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
    right = (found & declared) | evident(found, declared, tables)
    score = HiddenKeys(
        schema,
        len(tables),
        len(declared),
        floor=_score(floor(bare), declared),
        found=_score(found, declared),
        precision_with_sisters=len(right) / max(1, len(found)),
        half_hidden=half,
    )
    return score, sorted(f"{_text(key)}{' (sisters)' if key in right else ''}" for key in found - declared)


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


def _joined(server: EmbeddedServer, data: Path, declared: set[ColumnPair]) -> tuple[JoinedColumns | None, list[str]]:
    joined = joined_columns(data / "defog" / "joins.jsonl")
    named, inferred, siblings = set[ColumnPair](), set[ColumnPair](), set[ColumnPair]()
    for file in sorted((data / "defog" / "ddl").glob("*.sql")):
        database = f"rows_{file.stem}"
        server.ensure_database(database, file)
        tables = hide_keys(read_outlines(server, database))
        with connected(server.dsn(database)) as connection:
            overlaps = overlaps_of(connection, candidate_pairs(tables))
        pairs = set(column_pairs(_likely(tables, overlaps), file.stem))
        named |= set(map(frozenset, column_pairs(_likely(tables), file.stem)))
        inferred |= set(map(frozenset, pairs))
        siblings |= {
            frozenset((one, other)) for one, own in pairs for other, its in pairs if own == its and one != other
        }
    if not joined or not inferred:
        return None, []
    rate = JoinedColumns(
        len(joined),
        floor_recall=len(joined & named) / len(joined),
        floor=decided(named, joined, declared),
        recall=len(joined & inferred) / len(joined),
        recall_through_parent=len(joined & (inferred | siblings)) / len(joined),
        inferred=decided(inferred, joined, declared),
    )
    return rate, [f"- rows of defog: {' = '.join(sorted(pair))}" for pair in sorted(inferred - joined, key=sorted)]


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


def _said(known: Decided) -> str:
    return (
        f"{known.pairs} pairs inferred, of these joined by {known.joined} (strict {known.strict:.3f}), implied"
        f" {known.implied}, declared {known.declared} more (known {known.known:.3f}); decidable by gold:"
        f" {known.decidable} of {known.pairs}, right {known.decided_right} ({known.decidable_precision:.3f})"
    )


def _figures(score: Score) -> str:
    return f"{score.f1:.2f} {score.precision:.2f} {score.recall:.2f}"


if __name__ == "__main__":
    sys.exit(main())
