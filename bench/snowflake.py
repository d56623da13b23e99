"""How long does planning a large Snowflake database take, how much memory, and how many queries?

`python -m bench.snowflake`. The account is a stand-in on this machine that takes 50 ms for each query; the connector is
Snowflake's own. Targets: 10 s, 300 MB, and 15 queries besides those for parts of a result that one query cannot hold.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from random import Random
from urllib.parse import urlencode

from bench.harness import TRIBAL, Bench, Table, measure, run
from tests.fakes.snowflake import Column, FakeSnowflake, ForeignKey, Key
from tests.fakes.snowflake.connecting import ROLE, USER, WAREHOUSE, private_key_pem, shop

TABLES, SCHEMAS, LARGEST_SCHEMA, COLUMNS = 5_000, 40, 1_200, 15
QUERY_SECONDS = 0.05
_AREAS = "sales billing logistics production purchasing people support marketing".split()
_SUBJECTS = "order invoice shipment machine supplier employee ticket campaign product account".split()
_SEED = 20_261_122


def _fill(fake: FakeSnowflake) -> None:
    """Make a database of 40 schemas, one of which holds a quarter of the tables; each has keys to two others."""
    shop(fake)
    random, database = Random(_SEED), fake.account.database("LARGE")
    fake.account.grant(ROLE, "USAGE", "DATABASE", "LARGE")
    others = (TABLES - LARGEST_SCHEMA) / (SCHEMAS - 1)
    for number in range(SCHEMAS):
        name = f"{_AREAS[number % len(_AREAS)].upper()}_{number:02}"
        schema = database.schema(name)
        fake.account.grant(ROLE, "USAGE", "SCHEMA", "LARGE", name)
        count = LARGEST_SCHEMA if number == 0 else round(others * number) - round(others * (number - 1))
        made: list[str] = []
        for place in range(count):
            table = f"{random.choice(_SUBJECTS).upper()}_{place:04}"
            parents = random.sample(made, min(2, len(made)))
            columns = [Column("ID", nullable=False), *(Column(f"PARENT_{each}_ID") for each in range(len(parents)))]
            columns += [Column(f"VALUE_{each}", "VARCHAR(80)") for each in range(COLUMNS - len(columns))]
            keys = [
                ForeignKey((f"PARENT_{each}_ID",), ("LARGE", name, parent), ("ID",))
                for each, parent in enumerate(parents)
            ]
            schema.table(table, columns, primary_key=Key(("ID",)), foreign_keys=keys, row_count=1_000)
            fake.account.grant(ROLE, "REFERENCES", "TABLE", "LARGE", name, table)
            made.append(table)


def tables(bench: Bench) -> Iterator[Table]:
    """Measure `tribal plan`."""
    key = bench.folder / "key.p8"
    key.write_text(private_key_pem())
    fake = FakeSnowflake(delay_seconds=QUERY_SECONDS)
    bench.stack.callback(fake.stop)
    _fill(fake)
    parameters = {
        "role": ROLE,
        "warehouse": WAREHOUSE,
        "private_key_file": str(key),
        "host": "127.0.0.1",
        "port": fake.port,
        "protocol": "http",
    }
    dsn = f"snowflake://{USER}@{fake.account.name}/LARGE?{urlencode(parameters)}"
    planned = measure([TRIBAL, "plan", dsn], folder=bench.new_folder("large"))
    queries = [statement.sql for statement in fake.statements]
    parts = sum(" IN SCHEMA " in sql or " IN TABLE " in sql or "INFORMATION_SCHEMA" in sql for sql in queries)
    row = {**planned.row("tribal plan"), "queries": len(queries) - parts, "queries for parts": parts}
    kinds = Counter(" ".join(sql.split()[:4]) for sql in queries).most_common()
    yield Table(
        f"{TABLES:,} tables of {COLUMNS} columns in {SCHEMAS} schemas, {QUERY_SECONDS:g} s a query",
        [row],
        [f"{count:5,} {kind}" for kind, count in kinds],
    )


if __name__ == "__main__":
    sys.exit(run("snowflake", tables))
