"""Faults on the way, as the real connector meets them; what it makes of each is what the reader has to mend."""

from __future__ import annotations

import pytest
from snowflake.connector.errors import Error

from tests.fakes.snowflake import FakeSnowflake, faults
from tests.fakes.snowflake.connecting import ROLE, WAREHOUSE, ask, connect, shop
from tests.fakes.snowflake.faults import Fault

COLUMNS = "SHOW COLUMNS IN DATABASE SHOP"
ROWS = "SELECT ID FROM SHOP.PUBLIC.CUSTOMERS"
MENDED = [faults.EXPIRED, faults.UNAVAILABLE, faults.THROTTLED, faults.RESET]
ERRORS: list[tuple[Fault, int]] = [
    (faults.ENDED, 390111),
    (faults.UNAVAILABLE.always(), 14),
    (faults.THROTTLED.always(), 4),
    (faults.RESET.always(), 14),
    (faults.HANG, 14),
    (faults.DRIP, 14),
    (faults.CUT, 6),
    (faults.CUT_CHUNK, 252005),
    (faults.GONE_CHUNK, 252005),
]
SHORT = [(faults.BROKEN_CHUNK, 100), (faults.SHORT_CHUNK, 895)]


@pytest.fixture
def chunked(snowflake: FakeSnowflake) -> FakeSnowflake:
    shop(snowflake)
    snowflake.limits.inline_rows = 100
    return snowflake


@pytest.mark.representative
@pytest.mark.parametrize("fault", MENDED, ids=lambda fault: fault.name)
def test_what_the_connector_mends_runs_once(chunked: FakeSnowflake, fault: Fault) -> None:
    chunked.faults.plan(COLUMNS, fault)
    with connect(chunked) as connection:
        assert len(ask(connection, COLUMNS)) == 896
    assert chunked.faults.met == [(COLUMNS, fault.name)]
    assert len(chunked.statements) == 1


@pytest.mark.parametrize(("fault", "number"), ERRORS, ids=lambda value: getattr(value, "name", ""))
def test_what_it_does_not_mend_is_an_error(chunked: FakeSnowflake, fault: Fault, number: int) -> None:
    chunked.faults.plan(COLUMNS, fault)
    with connect(chunked, query_timeout=2) as connection, pytest.raises(Error) as caught:
        ask(connection, COLUMNS)
    assert caught.value.errno == number


@pytest.mark.parametrize(("fault", "rows"), SHORT, ids=lambda value: getattr(value, "name", ""))
def test_a_chunk_with_too_few_rows_passes_unseen(chunked: FakeSnowflake, fault: Fault, rows: int) -> None:
    chunked.faults.plan(COLUMNS, fault)
    with connect(chunked) as connection:
        assert len(ask(connection, COLUMNS)) == rows


def test_a_warehouse_whose_quota_is_spent_fails_a_query_and_no_show(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer(f"GRANT SELECT ON ALL TABLES IN DATABASE SHOP TO ROLE {ROLE}")
    snowflake.faults.plan("S", faults.SUSPENDED, times=2)
    with connect(snowflake, warehouse=WAREHOUSE) as connection:
        assert len(ask(connection, COLUMNS)) == 896
        with pytest.raises(Error) as caught:
            ask(connection, ROWS)
        assert len(ask(connection, ROWS)) == 20
    assert caught.value.errno == 90073


def test_a_log_in_can_fail_on_its_way(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.faults.plan(faults.LOGIN, faults.UNAVAILABLE)
    with connect(snowflake):
        pass
    snowflake.faults.plan(faults.LOGIN, faults.HANG, times=9)
    with pytest.raises(Error) as caught:
        connect(snowflake, login_timeout=1)
    assert caught.value.errno == 14


def test_a_share_of_statements_meets_faults_each_time_the_same(chunked: FakeSnowflake) -> None:
    statements = [f"SHOW WAREHOUSES LIKE '{number}'" for number in range(40)]
    told = []
    for seed, order in ((7, statements), (7, statements[::-1]), (8, statements)):
        chunked.faults.met.clear()
        chunked.faults.mix(0.3, MENDED[:1], seed)
        with connect(chunked) as connection:
            for sql in order:
                ask(connection, sql)
        told.append({*chunked.faults.met})
    assert told[0] == told[1] != told[2]
    assert 4 < len(told[0]) < 24
