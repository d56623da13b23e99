"""Partitions, and tables that inherit everything, are read as part of the table that they belong to."""

from __future__ import annotations

from tests.plugins.postgres import FreshDatabase, OpenCatalog, administer
from tribal.ports import CatalogContents
from tribal_contracts import CatalogTable, TableStatistics
from tribal_demo.server.postgres import EmbeddedServer


def _table(contents: CatalogContents, name: str) -> CatalogTable:
    return next(table for table in contents.tables if table.table_name == name)


def test_partitions_are_folded_into_their_topmost_parent_with_rows_and_pages_summed(
    server: EmbeddedServer, fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(
        """
        CREATE TABLE log (id int, at date, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
        CREATE TABLE log_old PARTITION OF log FOR VALUES FROM ('2000-01-01') TO ('2020-01-01');
        CREATE TABLE log_new PARTITION OF log FOR VALUES FROM ('2020-01-01') TO ('2030-01-01') PARTITION BY LIST (id);
        CREATE TABLE log_new_rest PARTITION OF log_new DEFAULT;
        CREATE TABLE nothing_yet (id int) PARTITION BY LIST (id);
        CREATE TABLE to_all (id int, at date, CONSTRAINT to_log FOREIGN KEY (id, at) REFERENCES log);
        CREATE TABLE to_one (id int, at date, CONSTRAINT to_part FOREIGN KEY (id, at) REFERENCES log_old);
        INSERT INTO log SELECT n, '2010-01-01' FROM generate_series(1, 100) n;
        INSERT INTO log SELECT n, '2025-01-01' FROM generate_series(1, 50) n;
        """,
        server=server,
    )
    catalog = open_catalog(dsn)
    assert catalog.read().statistics["public", "log"].row_count == -1
    administer(dsn, "ANALYZE")
    contents = catalog.read()
    assert [table.table_name for table in contents.tables] == ["log", "nothing_yet", "to_all", "to_one"]
    log = _table(contents, "log")
    assert (log.kind, log.partition_count) == ("partitioned_table", 2)
    assert log.partitions == ["public.log_new", "public.log_new_rest", "public.log_old"]
    assert contents.statistics["public", "log"] == TableStatistics(row_count=150, size_bytes=2 * 8192)
    assert contents.statistics["public", "nothing_yet"].row_count == 0
    for name in ("to_all", "to_one"):
        (key,) = _table(contents, name).foreign_keys
        assert (key.references_table, key.references_columns) == ("log", ["id", "at"])
    assert len(catalog.sample(log, 200).rows) == 150
    assert catalog.presence([("public", "log_old"), ("public", "log")]) == {
        ("public", "log_old"): "gone",
        ("public", "log"): "present",
    }


def test_tables_that_inherit_everything_are_folded_and_those_that_add_something_stay(
    server: EmbeddedServer, fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(
        """
        CREATE TABLE place (code text PRIMARY KEY);
        CREATE TABLE measurement (id int PRIMARY KEY, at date CHECK (at > '2000-01-01'), place text REFERENCES place);
        CREATE TABLE same (PRIMARY KEY (id), FOREIGN KEY (place) REFERENCES place) INHERITS (measurement);
        CREATE TABLE plain () INHERITS (measurement);
        CREATE TABLE plain_too () INHERITS (plain);
        CREATE TABLE detached (id int NOT NULL, at date, place text, CONSTRAINT measurement_at_check
                               CHECK (at > '2000-01-01'));
        ALTER TABLE detached INHERIT measurement;
        CREATE TABLE checked (CHECK (at < '2025-01-01')) INHERITS (measurement);
        CREATE TABLE keyed (FOREIGN KEY (id) REFERENCES measurement) INHERITS (measurement);
        CREATE TABLE keyed_may () INHERITS (keyed);
        CREATE TABLE once_a_day (UNIQUE (at)) INHERITS (measurement);
        CREATE TABLE precise (digits int) INHERITS (measurement);
        CREATE TABLE wanted (PRIMARY KEY (id)) INHERITS (measurement);
        CREATE TABLE wants (id int REFERENCES wanted);
        CREATE TABLE amid () INHERITS (measurement, place);
        INSERT INTO place VALUES ('here');
        INSERT INTO same VALUES (1, '2024-02-01', 'here');
        INSERT INTO plain_too VALUES (2, '2025-05-01', 'here'), (3, '2025-05-02', 'here');
        INSERT INTO detached VALUES (4, '2025-05-01', 'here');
        ANALYZE;
        """,
        server=server,
    )
    catalog = open_catalog(dsn)
    contents = catalog.read()
    names = [table.table_name for table in contents.tables]
    assert names == ["amid", "checked", "keyed", "measurement", "once_a_day", "place", "precise", "wanted", "wants"]
    measurement = _table(contents, "measurement")
    assert (measurement.kind, measurement.partition_count) == ("table", 4)
    assert contents.statistics["public", "measurement"].row_count == 4
    assert {name for _, name in contents.folded} == {"same", "plain", "plain_too", "detached", "keyed_may"}
    assert sorted(row[0] or "" for row in catalog.sample(measurement, 10).rows) == ["1", "2", "3", "4"]


def test_a_parent_has_its_own_keys_and_checks_alone(
    server: EmbeddedServer, fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(
        """
        CREATE TABLE customer (id int PRIMARY KEY);
        CREATE TABLE note (id int PRIMARY KEY, ref_key int, vector text);
        CREATE TABLE customer_note (PRIMARY KEY (id), FOREIGN KEY (ref_key) REFERENCES customer,
                                    CHECK (ref_key > 0)) INHERITS (note);
        """,
        server=server,
    )
    contents = open_catalog(dsn).read()
    note, child = _table(contents, "note"), _table(contents, "customer_note")
    assert (note.foreign_keys, note.checks, note.partition_count) == ([], [], None)
    assert [key.references_table for key in child.foreign_keys] == ["customer"]
    assert [check.expression for check in child.checks] == ["(ref_key > 0)"]
