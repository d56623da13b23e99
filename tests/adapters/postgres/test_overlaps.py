"""How values are compared inside PostgreSQL, where tables are large or not what was planned."""

from __future__ import annotations

import pytest

from tests.plugins.postgres import FreshDatabase, OpenCatalog, administer, connected
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.identity.table_names import TableIdentity
from tribal.key_inference import KeyPair, Overlap
from tribal_contracts import CatalogTable

LARGE = """
CREATE TABLE parents (id bigint PRIMARY KEY, other bigint);
INSERT INTO parents SELECT n::bigint * 7919 % 1000003, n FROM generate_series(1, 300000) AS n;
CREATE TABLE children (id int PRIMARY KEY, parent_id bigint);
INSERT INTO children SELECT n, n::bigint * 5 * 7919 % 1000003 FROM generate_series(1, 60000) AS n;
ANALYZE;
"""


def name(table: str) -> str:
    return str(TableIdentity("d", "public", table))


def compared(catalog: PostgresCatalog, child: str, column: str, parent: str, other: str) -> Overlap | None:
    pair = KeyPair(name(child), (column,), name(parent), (other,))
    contents = catalog.read()
    table: CatalogTable = next(table for table in contents.tables if table.table_name == child)
    rows = contents.statistics["public", child].row_count
    return catalog.overlaps(table, rows, [pair]).get(pair)


@pytest.mark.parametrize("analyzed", [True, False])
def test_a_huge_table_is_searched_whole_by_its_key_and_without_an_index(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog, analyzed: bool
) -> None:
    catalog = open_catalog(fresh_database(LARGE if analyzed else LARGE.replace("ANALYZE;", "")))
    assert compared(catalog, "children", "parent_id", "parents", "id") == Overlap(2000, 2000, True)
    assert compared(catalog, "children", "id", "parents", "other") == Overlap(2000, 2000, True)


def test_values_of_a_large_table_are_taken_from_all_over_it_and_are_the_same_each_time(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database(LARGE + "CREATE TABLE early AS SELECT generate_series(1, 2000) AS id")
    catalog = open_catalog(dsn)
    first = compared(catalog, "parents", "other", "early", "id")
    assert first is not None
    assert first.compared == 2000
    assert first.found < 1000
    assert compared(catalog, "parents", "other", "early", "id") == first


@pytest.mark.parametrize(
    "types", [("int", "numeric(10,0)"), ("varchar(9)", "text"), ("char(9)", "text"), ("uuid", "uuid")]
)
def test_types_of_one_family_are_compared(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog, types: tuple[str, str]
) -> None:
    value = "'00000000-0000-0000-0000-' || lpad(n::text, 12, '0')" if types[0] == "uuid" else "n::text"
    child, parent = (f"SELECT ({value})::{kind} AS k FROM generate_series(1, 20) AS n" for kind in types)
    catalog = open_catalog(fresh_database(f"CREATE TABLE a AS {child}; CREATE TABLE b AS {parent}"))
    assert compared(catalog, "a", "k", "b", "k") == Overlap(20, 20, True)


def test_columns_that_no_operator_compares_are_not_compared_and_break_nothing(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    catalog = open_catalog(fresh_database("CREATE TABLE a AS SELECT 1 AS n; CREATE TABLE b AS SELECT 'x'::text AS n"))
    assert compared(catalog, "a", "n", "b", "n") is None
    assert compared(catalog, "a", "n", "a", "n") == Overlap(1, 1, True)


def test_a_comparison_that_takes_too_long_is_given_up(fresh_database: FreshDatabase, open_catalog: OpenCatalog) -> None:
    slow = "CREATE TABLE a AS SELECT n FROM generate_series(1, 2000) AS n; CREATE TABLE b AS SELECT n FROM a"
    catalog = open_catalog(fresh_database(slow), sample_timeout_seconds=0.001)
    assert compared(catalog, "a", "n", "b", "n") is None


def test_a_locked_table_is_waited_for_no_longer_than_the_limit(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database("CREATE TABLE a AS SELECT 1 AS n; CREATE TABLE b AS SELECT 1 AS n")
    catalog = open_catalog(dsn, lock_timeout_seconds=0.1)
    with connected(dsn) as other:
        other.run("BEGIN")
        other.run("LOCK TABLE b IN ACCESS EXCLUSIVE MODE")
        assert compared(catalog, "a", "n", "b", "n") is None
    assert compared(catalog, "a", "n", "b", "n") == Overlap(1, 1, True)


def test_a_partitioned_table_and_one_that_is_inherited_from_are_compared_with_all_their_rows(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog
) -> None:
    dsn = fresh_database("CREATE TABLE parent (k int) PARTITION BY RANGE (k); CREATE TABLE child AS SELECT 7 AS k")
    administer(dsn, "CREATE TABLE low PARTITION OF parent FOR VALUES FROM (0) TO (5)")
    administer(dsn, "CREATE TABLE high PARTITION OF parent FOR VALUES FROM (5) TO (9)")
    administer(dsn, "INSERT INTO parent VALUES (1), (7)")
    catalog = open_catalog(dsn)
    assert compared(catalog, "child", "k", "parent", "k") == Overlap(1, 1, True)
    assert compared(catalog, "parent", "k", "child", "k") == Overlap(2, 1, True)
