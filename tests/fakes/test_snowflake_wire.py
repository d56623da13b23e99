"""The wire: sessions, chunks, long queries, cancellation; by the real connector, or raw where it has no way to ask."""

from __future__ import annotations

import gzip
import json
from typing import Any

import httpx2
import pytest
from snowflake.connector.errors import DatabaseError, OperationalError, ProgrammingError

from tests.fakes.snowflake import FakeSnowflake
from tests.fakes.snowflake.connecting import ROLE, WAREHOUSE, ask, connect, names, shop

COLUMNS = "SHOW COLUMNS IN DATABASE SHOP"
CONTEXT = "SELECT CURRENT_USER()"


def post(fake: FakeSnowflake, path: str, token: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """One request as the connector would send it."""
    headers = {"authorization": f'Snowflake Token="{token}"', "accept": "application/json"}
    answer = httpx2.post(f"http://127.0.0.1:{fake.port}{path}", json=body or {}, headers=headers)
    read: dict[str, Any] = answer.json()
    return read


@pytest.mark.representative
def test_rows_come_whole_and_in_order_over_chunks(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake) as connection:
        snowflake.limits.inline_rows = 10_000
        at_once = ask(connection, COLUMNS)
        assert snowflake.chunks.fetched == 0
        snowflake.limits.inline_rows, snowflake.limits.chunk_rows = 1, 100
        assert ask(connection, COLUMNS) == at_once
    assert len(at_once) == 896
    assert snowflake.chunks.fetched == 9


def test_a_chunk_is_readable_only_with_its_key(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.limits.inline_rows = 1
    with connect(snowflake):
        told = post(
            snowflake, "/queries/v1/query-request?requestId=r", snowflake.sessions.all[0].token, {"sqlText": COLUMNS}
        )
    chunk, headers = told["data"]["chunks"][0], told["data"]["chunkHeaders"]
    fetched = httpx2.get(chunk["url"], headers=headers)
    assert len(json.loads(f"[{fetched.text}]")) == chunk["rowCount"] == 895
    assert httpx2.get(chunk["url"]).status_code == 403


def test_requests_may_be_gzip(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake):
        token = snowflake.sessions.all[0].token
        headers = {"authorization": f'Snowflake Token="{token}"', "content-encoding": "gzip"}
        body = gzip.compress(json.dumps({"sqlText": CONTEXT}).encode())
        url = f"http://127.0.0.1:{snowflake.port}/queries/v1/query-request?requestId=r"
        assert httpx2.post(url, content=body, headers=headers).json()["success"] is True


def test_an_expired_token_is_renewed_behind_the_scenes(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake) as connection:
        snowflake.sessions.expire()
        assert len(ask(connection, COLUMNS)) == 896
        session = snowflake.sessions.all[0]
    assert (session.renewals, len(snowflake.sessions.all)) == (1, 1)
    assert [each.sql for each in snowflake.statements] == [COLUMNS]


def test_a_session_that_ended_or_cannot_be_renewed_is_an_error(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake) as connection:
        snowflake.sessions.end()
        with pytest.raises(DatabaseError) as caught:
            ask(connection, CONTEXT)
    assert caught.value.errno == 390111
    with connect(snowflake) as connection:
        session = snowflake.sessions.all[1]
        snowflake.sessions.expire()
        session.ends = 0.0
        with pytest.raises(DatabaseError) as caught:
            ask(connection, CONTEXT)
    assert "390114" in str(caught.value)
    assert snowflake.statements == []


def test_a_closed_session_is_over(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake):
        token = snowflake.sessions.all[0].token
        assert post(snowflake, "/session/heartbeat", token)["success"] is True
    session = snowflake.sessions.all[0]
    assert (session.closed, session.heartbeats) == (True, 1)
    assert post(snowflake, "/session/heartbeat", token)["code"] == "390111"
    assert post(snowflake, "/session/heartbeat", "another")["code"] == "390104"
    assert post(snowflake, "/session/token-request", "another", {"oldSessionToken": token})["code"] == "390103"


def test_session_parameters_are_echoed_and_logged(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    asked = {"QUERY_TAG": "mine", "TIMEZONE": "UTC", "CLIENT_TELEMETRY_ENABLED": False}
    with connect(snowflake, session_parameters=asked):
        token = snowflake.sessions.all[0].token
        answer = post(snowflake, "/queries/v1/query-request?requestId=r", token, {"sqlText": CONTEXT})
    told = {each["name"]: each["value"] for each in answer["data"]["parameters"]}
    whole = asked | {"STATEMENT_TIMEOUT_IN_SECONDS": 172_800, "CLIENT_SESSION_KEEP_ALIVE": False}
    assert {name: told[name] for name in whole} == whole
    assert (snowflake.statements[0].tag, snowflake.statements[0].role) == ("mine", ROLE)


def test_telemetry_follows_the_log_ins_answer(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake, session_parameters={"CLIENT_TELEMETRY_ENABLED": True}) as connection:
        ask(connection, CONTEXT)
    told = len(snowflake.telemetry)
    snowflake.telemetry.clear()
    with connect(snowflake, session_parameters={"CLIENT_TELEMETRY_ENABLED": False}) as connection:
        ask(connection, CONTEXT)
    assert told > 0
    assert snowflake.telemetry == []


def test_a_long_query_is_polled_for(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.limits.answer_seconds = 0.05
    snowflake.delays[COLUMNS] = 0.3
    with connect(snowflake) as connection:
        assert len(ask(connection, COLUMNS)) == 896
    polls = [each for each in snowflake.requests if each.endswith("/result")]
    assert len(polls) > 1
    assert len(snowflake.statements) == 1
    assert snowflake.statements[0].seconds >= 0.3


def test_another_sessions_result_is_not_found(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake) as connection, connect(snowflake):
        ask(connection, CONTEXT)
        mine, other = (session.token for session in snowflake.sessions.all)
        path = f"/queries/{snowflake.statements[0].query_id}/result"
        url = f"http://127.0.0.1:{snowflake.port}{path}"
        got = [httpx2.get(url, headers={"authorization": f'Snowflake Token="{each}"'}).json() for each in (mine, other)]
    assert [each["code"] for each in got] == [None, "000612"]


def test_a_query_that_the_client_gives_up_is_cancelled(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.delays[COLUMNS] = 60.0
    with connect(snowflake, query_timeout=1) as connection:
        with pytest.raises(OperationalError) as caught:
            ask(connection, COLUMNS)
        assert (caught.value.errno, caught.value.sqlstate) == (14, "HYT00")
        assert names(connection, CONTEXT, "CURRENT_USER()") == ["TRIBAL"]
    assert snowflake.cancellations == [COLUMNS]
    assert snowflake.statements[0].code == "000604"


def test_the_servers_own_timeout_ends_a_statement(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.delays[COLUMNS] = 60.0
    parameters = {"STATEMENT_TIMEOUT_IN_SECONDS": 1, "CLIENT_TELEMETRY_ENABLED": False}
    with connect(snowflake, session_parameters=parameters) as connection, pytest.raises(ProgrammingError) as caught:
        ask(connection, COLUMNS)
    assert (caught.value.errno, caught.value.sqlstate) == (630, "57014")


def test_a_request_that_comes_again_runs_once(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake):
        token = snowflake.sessions.all[0].token
        path = "/queries/v1/query-request?requestId=same"
        told = [post(snowflake, path, token, {"sqlText": CONTEXT})["data"]["queryId"] for _ in range(2)]
    assert told[0] == told[1]
    assert len(snowflake.statements) == 1


def test_a_suspended_warehouse_wakes_or_says_why_not(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer(f"GRANT SELECT ON ALL TABLES IN DATABASE SHOP TO ROLE {ROLE}")
    rows = "SELECT ID FROM SHOP.PUBLIC.CUSTOMERS"
    warehouse = snowflake.account.warehouses[WAREHOUSE]
    warehouse.suspended, warehouse.resume_seconds = True, 0.2
    with connect(snowflake, warehouse=WAREHOUSE) as connection:
        assert names(connection, "SHOW WAREHOUSES LIKE '%'", "state") == ["SUSPENDED"]
        assert warehouse.resumed == 0
        assert len(ask(connection, rows)) == 20
        assert snowflake.statements[-1].seconds >= 0.2
        assert names(connection, "SHOW WAREHOUSES LIKE '%'", "state") == ["STARTED"]
        numbers = []
        for changes in ({"auto_resume": False}, {"auto_resume": True, "quota_spent": True}):
            warehouse.__dict__.update(changes, suspended=True)
            with pytest.raises(ProgrammingError) as caught:
                ask(connection, rows)
            numbers.append(caught.value.errno)
    assert numbers == [606, 90073]


def test_use_changes_the_session_within_the_users_rights(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer("CREATE WAREHOUSE OTHER_WH; CREATE ROLE OTHER")
    with connect(snowflake) as connection:
        ask(connection, f"USE WAREHOUSE {WAREHOUSE}")
        assert names(connection, "SELECT CURRENT_WAREHOUSE()", "CURRENT_WAREHOUSE()") == [WAREHOUSE]
        for sql in ("USE WAREHOUSE OTHER_WH", "USE ROLE OTHER", "USE DATABASE NOWHERE"):
            with pytest.raises(ProgrammingError, match="002003"):
                ask(connection, sql)


def test_paths_that_snowflake_lacks_are_not_found(snowflake: FakeSnowflake) -> None:
    assert httpx2.post(f"http://127.0.0.1:{snowflake.port}/api/v2/statements", json={}).status_code == 404
