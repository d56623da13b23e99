"""How many databases or units may be worked on at once."""

from __future__ import annotations

from tests.cases import each_case
from tribal.planning.units.work_units import concurrency_limit
from tribal_contracts import DatabaseEntry, DatabaseLimits


def server_of(entry: DatabaseEntry) -> str:
    return entry.name[0]


def entries(*names: str, connections: int = 4) -> list[DatabaseEntry]:
    return [DatabaseEntry(name=name, limits=DatabaseLimits(connections=connections)) for name in names]


@each_case(
    ("most", "databases", "expected"),
    [
        (16, [], 16),
        (16, entries("a1", "b1", "c1"), 16),
        (16, entries(*(f"a{number}" for number in range(9))), 4),
        (16, entries(*(f"a{number}" for number in range(4))), 16),
        (3, entries(*(f"a{number}" for number in range(9))), 3),
        (16, [*entries("a1", "a2", "a3"), *entries("a4", connections=2)], 2),
        (16, [*entries("a1", "a2", "a3"), *entries("b1", "b2", connections=1)], 1),
    ],
    ids=["nothing", "servers apart", "one server", "within its limit", "the run's own", "the lowest", "one of two"],
)
def test_no_server_gets_more_connections_than_the_lowest_limit_of_its_databases(
    most: int, databases: list[DatabaseEntry], expected: int
) -> None:
    assert concurrency_limit(most, databases, server_of) == expected
