"""How the benchmark of domains makes and judges its pools."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.domain_pools import POOL, pools, pour
from bench.domains import adjusted_rand_index

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
    pool = pour("mix", SCRIPT, ["shop", "zoo"], chosen_on=False)
    assert pool.gold == {"pool.customer": "shop", "pool.Customer": "zoo", "pool.customer_2": "zoo"}
    assert [line for line in pool.sql.splitlines() if not line.startswith((" ", ")"))] == [
        "CREATE SCHEMA pool;",
        'CREATE TABLE pool."customer" (',
        'CREATE TABLE pool."Customer" (',
        'CREATE TABLE pool."customer_2" (',
        'ALTER TABLE pool."Customer" ADD FOREIGN KEY ("id") REFERENCES pool."customer_2" ("id");',
    ]


def test_a_large_set_is_cut_into_pools_that_constants_were_chosen_on_and_unseen_ones(tmp_path: Path) -> None:
    count = 4 * POOL
    (tmp_path / "many").mkdir()
    tables = "".join(f'CREATE TABLE "db{n:02}"."t{n}" (\n  "id" integer\n);\n' for n in range(count))
    (tmp_path / "many" / "schema_pg.sql").write_text(tables)
    whole, *parts = pools(tmp_path)
    assert len(whole.gold) == count
    assert [len(part.gold) for part in parts] == [POOL] * 4
    chosen = {database for part in parts if part.chosen_on for database in part.gold.values()}
    unseen = {database for part in parts if not part.chosen_on for database in part.gold.values()}
    assert chosen.isdisjoint(unseen)
    assert chosen | unseen == set(whole.gold.values())


def test_agreement_is_one_for_equal_groups_and_about_nothing_for_crossed_ones() -> None:
    assert adjusted_rand_index(["a", "a", "b", "b"], ["x", "x", "y", "y"]) == 1
    assert adjusted_rand_index(["a", "a", "b", "b"], ["x", "y", "x", "y"]) == pytest.approx(-0.5)
