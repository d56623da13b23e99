"""How the benchmark of domains makes and judges its pools."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.domain_pools import POOL, pools, pour
from bench.domains import adjusted_rand_index, domains_without_words
from tests.fakes.catalogs import table
from tribal.planning.domains.grouping import group_tables

SCRIPT = """BEGIN;
CREATE SCHEMA IF NOT EXISTS "shop";
CREATE TABLE "shop"."customer" (
  "id" integer
);
CREATE TABLE "zoo"."Customer" (
  "id" integer
);
CREATE TABLE "zoo"."customer" (
  "id" integer
);
CREATE TABLE "bank"."account" (
  "id" integer
);
ALTER TABLE "zoo"."Customer" ADD FOREIGN KEY ("id") REFERENCES "zoo"."customer" ("id");
ALTER TABLE "bank"."account" ADD FOREIGN KEY ("id") REFERENCES "zoo"."customer" ("id");
COMMIT;
"""


def test_databases_are_poured_into_one_schema_and_equal_names_are_numbered() -> None:
    pool = pour("mix", SCRIPT, ["shop", "zoo"])
    assert pool.gold == {"pool.customer": "shop", "pool.Customer": "zoo", "pool.customer_2": "zoo"}
    assert [line for line in pool.sql.splitlines() if not line.startswith((" ", ")"))] == [
        "CREATE SCHEMA pool;",
        'CREATE TABLE pool."customer" (',
        'CREATE TABLE pool."Customer" (',
        'CREATE TABLE pool."customer_2" (',
        'ALTER TABLE pool."Customer" ADD FOREIGN KEY ("id") REFERENCES pool."customer_2" ("id");',
    ]


def test_a_large_set_is_cut_into_pools_that_share_no_database(tmp_path: Path) -> None:
    count = 4 * POOL
    (tmp_path / "many").mkdir()
    tables = "".join(f'CREATE TABLE "db{n:02}"."t{n}" (\n  "id" integer\n);\n' for n in range(count))
    (tmp_path / "many" / "schema_pg.sql").write_text(tables)
    whole, *parts = pools(tmp_path)
    assert len(whole.gold) == count
    assert [len(part.gold) for part in parts] == [POOL] * 4
    poured = [database for part in parts for database in set(part.gold.values())]
    assert sorted(poured) == sorted(set(whole.gold.values()))


def test_agreement_is_one_for_equal_groups_and_about_nothing_for_crossed_ones() -> None:
    assert adjusted_rand_index(["a", "a", "b", "b"], ["x", "x", "y", "y"]) == 1
    assert adjusted_rand_index(["a", "a", "b", "b"], ["x", "y", "x", "y"]) == pytest.approx(-0.5)


def test_words_of_ours_that_a_schemas_names_hold_are_taken_out_before_it_is_rated_again() -> None:
    tables = [table(f"public.{kind}_{name}") for kind in ("dim", "fact") for name in ("dog", "sky", "oil")]
    assert set(domains_without_words(tables, "shop").values()) == {"dim", "fact"}
    assert "dim" not in group_tables(tables, database="shop", pins={}, previous={}).domains.values()
