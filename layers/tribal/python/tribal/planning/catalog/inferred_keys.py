"""Infer likely keys that are not declared, from the structure and from values compared in the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from tribal.errors import DatabaseError
from tribal.identity import locations
from tribal.identity.hashing import object_hash
from tribal.identity.table_names import TableIdentity
from tribal.joins.outline import outline_of
from tribal.key_inference import Inference, KeyPair, Overlap, Overlaps
from tribal.ports import Application, CatalogReader, Clock, ObjectStore, SchemaAndTable, StopToken
from tribal.store import put_record_if_changed, read_record
from tribal_contracts import (
    CatalogTable,
    ColumnComparison,
    DatabaseEntry,
    InferredKeys,
    TableStatistics,
)

KEY_RULES = "4"
"""Change it whenever other keys would be inferred from the same tables and values."""
PAIRS_AT_ONCE = 10
"""The most pairs of columns compared in one statement; a judgement, few enough for its timeout."""
MOST_SECONDS = 30.0
"""No comparison is started after this time; the next run continues. A judgement: `read_catalog` is one step of a run,
and a table takes about 10 ms."""
LOW_TIME_SECONDS = 30.0
"""With less time left in the run, no comparison is started, since the results must still be written."""
_COMPARED_KINDS = ("table", "partitioned_table")

Comparisons = Mapping[KeyPair, ColumnComparison]


@dataclass(frozen=True, slots=True)
class ReadTables:
    """The tables of one reading that the configuration selects."""

    database: str
    tables: Mapping[str, CatalogTable]
    """By fully qualified name."""
    hashes: Mapping[str, str]
    """The hash of each table's structure."""
    statistics: Mapping[SchemaAndTable, TableStatistics]

    @classmethod
    def of(
        cls,
        database: str,
        tables: Sequence[CatalogTable],
        hashes: Sequence[str],
        statistics: Mapping[SchemaAndTable, TableStatistics],
    ) -> ReadTables:
        """Name the tables; `hashes` are those of their structure, in the same order."""
        names = [str(TableIdentity(database, table.schema_name, table.table_name)) for table in tables]
        by_name, digests = dict(zip(names, tables, strict=True)), dict(zip(names, hashes, strict=True))
        return cls(database, by_name, digests, statistics)

    @property
    def comments(self) -> Mapping[tuple[str, str], str]:
        """The comments on columns, by table and column."""
        return {
            (name, column.name): column.comment
            for name, table in self.tables.items()
            for column in table.columns
            if column.comment
        }

    def can_be_compared(self, pair: KeyPair) -> bool:
        """Whether both tables hold rows and this user may select them."""
        ends = (self.tables[pair.from_table], self.tables[pair.to_table])
        return all(table.selectable and table.kind in _COMPARED_KINDS for table in ends)

    def row_count(self, name: str) -> int:
        """The estimated number of rows; -1 if unknown."""
        table = self.tables[name]
        known = self.statistics.get((table.schema_name, table.table_name))
        return known.row_count if known else -1


def infer_likely_keys(
    entry: DatabaseEntry, read: ReadTables, reader: CatalogReader, app: Application, stop: StopToken
) -> InferredKeys:
    """Infer the likely keys of a database; results for unchanged tables are reused.

    Values are compared if samples are enabled, but not in Snowflake, where each statement costs money. Comparisons
    missing for lack of time or connection are left to the next run; the reading does not fail.
    """
    with_values = entry.type != "snowflake" and app.options().documenting.for_entry(entry).rows_to_sample > 0
    inputs = object_hash([KEY_RULES, with_values, sorted(read.hashes.items())])
    earlier, now = load_inferred_keys(read.database, app.store()), app.clock.published()
    known = _known(earlier, read) if earlier and with_values else {}
    fresh = {pair for pair, past in known.items() if _is_fresh(past, now, app.options().statistics_max_age)}
    if earlier is not None and earlier.input_hash == inputs and len(fresh) == len(earlier.comparisons):
        return earlier
    outlines = [outline_of(table, read.database) for table in read.tables.values()]
    inference = Inference.of(outlines, entry.type, read.comments)
    pairs = [pair for pair in inference.candidate_pairs() if read.can_be_compared(pair)] if with_values else []
    comparer = _Comparer(read, reader, known, now, _time_is_left(app.clock, stop))
    found = comparer.compare([pair for pair in pairs if pair not in fresh])
    comparisons = {pair: past for pair in pairs if (past := found.get(pair, known.get(pair))) is not None}
    compared = {name for pair in comparisons for name in (pair.from_table, pair.to_table)}
    return InferredKeys(
        schema_version="1.0",
        database=read.database,
        keys=inference.likely_keys(_overlaps(comparisons)),
        comparisons=[comparisons[pair] for pair in sorted(comparisons)],
        tables={name: read.hashes[name] for name in sorted(compared)},
        input_hash=inputs if len(comparisons) == len(pairs) else None,
    )


def write_inferred_keys(found: InferredKeys, store: ObjectStore) -> None:
    """Write the likely keys of a database if they changed."""
    put_record_if_changed(store, locations.inferred_keys_file(found.database), found)


def load_inferred_keys(database: str, store: ObjectStore) -> InferredKeys | None:
    """The likely keys inferred last; `None` if they are missing or unreadable."""
    return read_record(store, locations.inferred_keys_file(database), InferredKeys)


def _known(earlier: InferredKeys, read: ReadTables) -> dict[KeyPair, ColumnComparison]:
    """Earlier comparisons of tables whose structure is unchanged."""
    same = {name for name, digest in earlier.tables.items() if read.hashes.get(name) == digest}
    return {_pair(past): past for past in earlier.comparisons if {past.from_table, past.to_table} <= same}


def _overlaps(comparisons: Comparisons) -> Overlaps:
    return {
        pair: Overlap(past.compared, past.found, past.unique)
        for pair, past in comparisons.items()
        if past.compared is not None and past.found is not None
    }


def _pair(past: ColumnComparison) -> KeyPair:
    return KeyPair(past.from_table, (*past.from_columns,), past.to_table, (*past.to_columns,))


def _is_fresh(past: ColumnComparison, now: str, max_age: timedelta) -> bool:
    age = datetime.fromisoformat(now) - datetime.fromisoformat(past.compared_at)
    return timedelta(0) <= age < max_age


def _time_is_left(clock: Clock, stop: StopToken) -> Callable[[], bool]:
    until = clock.real() + timedelta(seconds=MOST_SECONDS)
    return lambda: clock.real() < until and stop.has_time_for(LOW_TIME_SECONDS)


@dataclass(frozen=True, slots=True)
class _Comparer:
    """Compares columns in a database while time is left."""

    read: ReadTables
    reader: CatalogReader
    known: Comparisons
    now: str
    time_is_left: Callable[[], bool]

    def compare(self, pairs: Sequence[KeyPair]) -> dict[KeyPair, ColumnComparison]:
        """The comparisons that were made."""
        found: dict[KeyPair, ColumnComparison] = {}
        try:
            for batch in _batches(pairs):
                for part, overlaps in self._compare_batch(batch):
                    found |= {pair: self._comparison(pair, overlaps.get(pair)) for pair in part}
        except DatabaseError:
            # The structure has been read; the next run compares the remaining values.
            return found
        return found

    def _compare_batch(self, batch: Sequence[KeyPair]) -> Iterator[tuple[Sequence[KeyPair], Mapping[KeyPair, Overlap]]]:
        """Compare pairs in one statement; if that fails, one by one, so that one table does not affect the others."""
        name = batch[0].from_table
        table, rows = self.read.tables[name], self.read.row_count(name)
        overlaps = self.reader.overlaps(table, rows, batch) if self.time_is_left() else None
        if overlaps or (overlaps is not None and len(batch) == 1):
            yield batch, overlaps
        elif overlaps is not None:
            for pair in batch:
                yield from self._compare_batch([pair])

    def _comparison(self, pair: KeyPair, overlap: Overlap | None) -> ColumnComparison:
        earlier = self.known.get(pair)
        if overlap is None and earlier is not None:
            # A temporary lock must not discard a result for the same structure.
            return earlier
        return ColumnComparison(
            from_table=pair.from_table,
            from_columns=list(pair.from_columns),
            to_table=pair.to_table,
            to_columns=list(pair.to_columns),
            compared_at=self.now,
            compared=overlap.compared if overlap else None,
            found=overlap.found if overlap else None,
            unique=overlap.unique if overlap else None,
        )


def _batches(pairs: Sequence[KeyPair]) -> Iterator[Sequence[KeyPair]]:
    """Pairs to compare in one statement: those of one table, in their original order."""
    by_table: defaultdict[str, list[KeyPair]] = defaultdict(list)
    for pair in pairs:
        by_table[pair.from_table].append(pair)
    for own in by_table.values():
        for start in range(0, len(own), PAIRS_AT_ONCE):
            yield own[start : start + PAIRS_AT_ONCE]
