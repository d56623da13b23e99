"""What goes wrong on the way to Snowflake is mended or reported, and nothing hangs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.adapters.snowflake.readers import new_account, reading, see_all, seeded_tables, structure
from tests.cases import verify_all_but
from tests.fakes.snowflake import Column, FakeSnowflake, Key, faults
from tests.fakes.snowflake.connecting import ROLE, WAREHOUSE
from tribal.errors import ConnectionLost, DatabaseError, DatabaseUnreachable, ServerUnavailable, StatementTimedOut
from tribal_contracts import CatalogTable, DatabaseLimits

_QUICK = DatabaseLimits(connect_timeout_seconds=2, statement_timeout_seconds=1, sample_timeout_seconds=1)


def _seed(fake: FakeSnowflake, tables: int = 3) -> None:
    schema = new_account(fake)("SALES")
    for number in range(tables):
        schema.table(
            f"T{number:03}",
            [Column("A", nullable=False), Column("B", "VARCHAR")],
            primary_key=Key(("A",), f"PK{number}"),
            rows=[(1, "one"), (2, "two")],
        )
    see_all(fake, privilege="SELECT")


@pytest.mark.parametrize(
    "fault",
    [faults.EXPIRED, faults.ENDED, faults.UNAVAILABLE, faults.THROTTLED, faults.RESET, faults.CUT],
    ids=lambda fault: fault.name,
)
@pytest.mark.parametrize("statement", ["USE SECONDARY", "SHOW COLUMNS", "SELECT CURRENT"])
def test_what_passes_is_mended(snowflake: FakeSnowflake, fault: faults.Fault, statement: str) -> None:
    _seed(snowflake)
    snowflake.faults.plan(statement, fault)
    with reading(snowflake) as reader:
        assert structure(reader.read()) == seeded_tables(snowflake)
    assert snowflake.faults.met


@pytest.mark.parametrize(
    "fault", [faults.UNAVAILABLE, faults.THROTTLED, faults.RESET, faults.CUT], ids=lambda fault: fault.name
)
def test_a_login_that_passes_is_mended(snowflake: FakeSnowflake, fault: faults.Fault) -> None:
    _seed(snowflake)
    snowflake.faults.plan(faults.LOGIN, fault)
    with reading(snowflake) as reader:
        assert structure(reader.read()) == seeded_tables(snowflake)


@pytest.mark.parametrize(
    "fault",
    [faults.HANG, faults.DRIP, faults.UNAVAILABLE.always(), faults.THROTTLED.always(), faults.CUT.always()],
    ids=lambda fault: fault.name,
)
def test_a_login_that_does_not_pass_is_unreachable_in_time(snowflake: FakeSnowflake, fault: faults.Fault) -> None:
    _seed(snowflake)
    snowflake.faults.plan(faults.LOGIN, fault, times=100)
    with reading(snowflake, limits=_QUICK) as reader, pytest.raises(DatabaseUnreachable, match=r"127\.0\.0\.1"):
        reader.read()


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (faults.HANG, StatementTimedOut),
        (faults.DRIP, StatementTimedOut),
        (faults.UNAVAILABLE.always(), StatementTimedOut),
        (faults.THROTTLED.always(), ServerUnavailable),
        (faults.CUT.always(), ConnectionLost),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_a_statement_that_does_not_pass_is_reported_in_time(
    snowflake: FakeSnowflake, fault: faults.Fault, error: type[DatabaseError]
) -> None:
    _seed(snowflake)
    snowflake.faults.plan("SHOW COLUMNS", fault, times=100)
    # What ends by itself may take a busy machine longer than the limit.
    limits = _QUICK if error is StatementTimedOut else None
    with reading(snowflake, limits=limits) as reader, pytest.raises(error, match=r"127\.0\.0\.1"):
        reader.read()


@pytest.mark.parametrize(
    "fault",
    [faults.BROKEN_CHUNK, faults.CUT_CHUNK, faults.SHORT_CHUNK, faults.HANGING_CHUNK],
    ids=lambda fault: fault.name,
)
def test_rows_that_do_not_arrive_whole_are_never_taken_for_all(snowflake: FakeSnowflake, fault: faults.Fault) -> None:
    _seed(snowflake, tables=30)
    snowflake.limits.inline_rows = snowflake.limits.chunk_rows = 10
    snowflake.faults.plan("SHOW COLUMNS", fault)
    with reading(snowflake, limits=_QUICK) as reader:
        try:
            contents = reader.read()
        except (StatementTimedOut, ConnectionLost, DatabaseError):
            contents = reader.read()
        assert structure(contents) == seeded_tables(snowflake)
    assert snowflake.faults.met


@verify_all_but(1, "tables_in_all", [60, 300])
def test_with_a_tenth_of_all_statements_failing_every_table_is_sampled_or_reported(
    snowflake: FakeSnowflake, tables_in_all: int
) -> None:
    _seed(snowflake, tables=tables_in_all)
    snowflake.account.role(ROLE).database_roles.add(("SNOWFLAKE", "GOVERNANCE_VIEWER"))
    more: dict[str, Any] = {"may_sample": True, "warehouse": WAREHOUSE, "limits": _QUICK}
    with reading(snowflake, **more) as reader:
        tables = reader.read().tables
    assert len(tables) == tables_in_all
    snowflake.faults.mix(0.1, seed=16)

    def sampled(table: CatalogTable) -> bool:
        try:
            return reader.sample(table, 5).rows == (("1", "one"), ("2", "two"))
        except DatabaseError as error:
            return not error.message

    with reading(snowflake, **more) as reader, ThreadPoolExecutor(4) as threads:
        results = list(threads.map(sampled, tables))
    assert len(snowflake.faults.met) > tables_in_all / 10
    # Each of the others was reported with a message; far fewer than met a fault, since most are mended.
    assert len(results) - sum(results) < len(snowflake.faults.met)
