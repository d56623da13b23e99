"""How long planning a large Snowflake database takes, and by how many queries: `python -m bench.snowflake`.

The account is a stand-in on this machine that takes 50 ms for each query; the connector is Snowflake's own.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from urllib.parse import urlencode

from bench.measure import CommandFailedError, measure
from tests.fakes.snowflake import Column, FakeSnowflake, ForeignKey, Key
from tests.fakes.snowflake.connecting import ROLE, USER, WAREHOUSE, private_key_pem, shop

TABLES, SCHEMAS, LARGEST_SCHEMA, COLUMNS = 5_000, 40, 1_200, 15
QUERY_SECONDS = 0.05
MOST_SECONDS, MOST_MEGABYTES, MOST_QUERIES = 10.0, 300.0, 15
"""The bars; of queries those that are no part of a whole that one answer did not hold."""
_AREAS = "sales billing logistics production purchasing people support marketing".split()
_SUBJECTS = "order invoice shipment machine supplier employee ticket campaign product account".split()
_SEED = 20_261_122


@dataclass(frozen=True, slots=True)
class Planned:
    """What planning took."""

    seconds: float
    megabytes: float
    queries: int
    splits: int
    """Queries for a schema or a table, because one for the database did not tell all."""

    @property
    def within(self) -> bool:
        """Whether it kept to the bars."""
        return (
            self.seconds < MOST_SECONDS
            and self.megabytes < MOST_MEGABYTES
            and self.queries - self.splits <= MOST_QUERIES
        )


def fill(fake: FakeSnowflake) -> None:
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


@contextmanager
def _account() -> Iterator[FakeSnowflake]:
    fake = FakeSnowflake(delay_seconds=QUERY_SECONDS)
    fill(fake)
    try:
        yield fake
    finally:
        fake.stop()


def plan_large(tribal: Path, folder: Path) -> Planned:
    """Measure `tribal plan`.

    Raises:
        CommandFailedError: when it fails.
    """
    key = folder / "key.p8"
    key.write_text(private_key_pem())
    with _account() as fake:
        parameters = {
            "role": ROLE,
            "warehouse": WAREHOUSE,
            "private_key_file": str(key),
            "host": "127.0.0.1",
            "port": fake.port,
            "protocol": "http",
        }
        dsn = f"snowflake://{USER}@{fake.account.name}/LARGE?{urlencode(parameters)}"
        project = folder / "large"
        project.mkdir()
        ran = measure("tribal plan", [tribal, "plan", dsn], runs=1, folder=folder, cwd=project)
        asked = [statement.sql for statement in fake.statements]
    splits = sum(" IN SCHEMA " in sql or " IN TABLE " in sql or "INFORMATION_SCHEMA" in sql for sql in asked)
    for first, count in Counter(" ".join(sql.split()[:4]) for sql in asked).most_common():
        print(f"  {count:5,} {first}")
    return Planned(ran.median_seconds, ran.peak_memory_mb, len(asked), splits)


def print_planned(planned: Planned) -> None:
    """Print one line."""
    others = planned.queries - planned.splits
    print(
        f"snowflake: {TABLES:,} tables of {COLUMNS} columns in {SCHEMAS} schemas, {QUERY_SECONDS:g} s a query: "
        f"planned in {planned.seconds:.1f} s (bar {MOST_SECONDS:.0f}), {planned.megabytes:.0f} MB "
        f"(bar {MOST_MEGABYTES:.0f}), {planned.splits} queries for parts and {others} others (bar {MOST_QUERIES})"
    )


def main() -> int:
    """Measure and print; returns 0 if the bars were kept."""
    tribal = Path(sys.executable).parent / "tribal"
    with tempfile.TemporaryDirectory(prefix="tribal-bench-") as scratch:
        try:
            planned = plan_large(tribal, Path(scratch))
        except CommandFailedError as error:
            print(f"bench.snowflake: FAILED: {error}", file=sys.stderr)
            return 1
    print_planned(planned)
    return 0 if planned.within else 1


if __name__ == "__main__":
    sys.exit(main())
