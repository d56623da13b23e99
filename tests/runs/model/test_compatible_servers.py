"""Runs over a server that speaks OpenAI's protocol: a slow one, silent ones, and each in its own way."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.cases import each_case
from tests.fakes.catalogs import column, table
from tests.fakes.model_servers import minds
from tests.fakes.openai import FakeOpenAI, failures, servers
from tests.runs.model.made import ModelRuns, says, shop

NAME = "gpt-4.1-mini"
IDLE = 0.4
"""Instead of 60 s; the time to the first token, and the limits of today, are smaller in the same way."""
TALKS = says("Holds what was ordered.", "Tells how good it is.")


@pytest.fixture
def server(open_vendor: Callable[[str], FakeOpenAI]) -> FakeOpenAI:
    found = open_vendor("openai")
    found.keys = {"", "Bearer"}
    found.mind = TALKS
    return found


def over(server: FakeOpenAI, count: int = 3, **more: Any) -> ModelRuns:
    given = {"provider": "openai", "name": NAME, "base_url": server.address, "idle_timeout_seconds": IDLE}
    # Only `test_binding` tries whether it binds answers.
    nothing = {"api_key_secret": None, "calls_at_once": None, "binds_answers": False}
    return ModelRuns(server, shop(count), settings={**given, **nothing, **more})  # type: ignore[arg-type]  # a vendor


def sources(runs: ModelRuns) -> list[str]:
    """The source of each table's own text."""
    return [runs.document(f"shop.{each.schema_name}.{each.table_name}").description.source for each in runs.tables]


def test_a_server_that_speaks_slower_than_any_limit_of_a_whole_answer_describes_its_tables(server: FakeOpenAI) -> None:
    server.latency_seconds, server.pace_seconds = 2 * IDLE, IDLE / 2
    runs = over(server)
    record = runs.run()
    assert record.status == "completed"
    assert sources(runs) == ["model"] * 3
    assert max(call_ms(runs)) > 5 * IDLE * 1_000
    # A call begins when the one before has been read, which the server may learn a little later.
    assert server.busiest <= 2
    assert "".join(runs.sink.texts).count("ordered") >= 3


def about_tables(server: FakeOpenAI, since: int = 0) -> list[Any]:
    """The calls that were about tables rather than domains."""
    return [call for call in server.calls[since:] if '"domain":' not in str(call.body["messages"][-1]["content"])]


def call_ms(runs: ModelRuns) -> list[int]:
    return [prose.usage.time_ms for prose in runs.prose().values()]


@each_case("way", [*servers.ENDS, *servers.COUNTS, *servers.TEXTS], ids=lambda way: way.name)
def test_each_way_of_answering_describes_every_table_with_one_call(way: Any, server: FakeOpenAI) -> None:
    server.script.share, server.script.among = 1.0, (way,)
    before = len(server.calls)
    runs = over(server)
    assert runs.run().status == "completed"
    assert sources(runs) == ["model"] * 3
    assert len(about_tables(server, before)) == 3


def test_a_silent_server_ends_the_calls_of_the_run_after_a_few_and_the_next_run_goes_on(server: FakeOpenAI) -> None:
    server.script.share, server.script.among = 1.0, (failures.HANG,)
    runs = over(server, 8, idle_timeout_seconds=0.1)
    record = runs.run()
    assert 3 <= len(server.calls) <= 4
    assert set(sources(runs)) == {"derived"}
    (reason,) = {error.message for error in record.errors if "in a row" in error.message}
    assert "sent no word of an answer for 0.5 s" in reason
    server.script.share = 0.0
    assert runs.run().status == "completed"
    assert set(sources(runs)) == {"model"}


def test_ten_failures_in_a_row_end_the_calls_of_the_run_and_what_is_described_is_kept(server: FakeOpenAI) -> None:
    server.fail(None, None)
    server.script.share, server.script.among = 1.0, (failures.WRONG_SHAPE,)
    runs = over(server, 20, idle_timeout_seconds=60)
    record = runs.run()
    # Each is asked twice, and two more may have begun.
    assert 2 + 2 * 10 <= len(server.calls) <= 2 + 2 * 12
    assert sources(runs).count("model") == 2
    assert any(re.search("1[0-2] questions in a row got no answer", error.message) for error in record.errors)
    server.script.share = 0.0
    assert runs.run().status == "completed"
    assert set(sources(runs)) == {"model"}


@each_case(
    ("failure", "calls"),
    [(servers.ELSEWHERE, 1), (failures.OTHER_JSON, 1), (failures.HTML, 1)],
    ids=lambda each: getattr(each, "name", str(each)),
)
def test_a_fault_of_the_settings_costs_one_call(failure: Any, calls: int, server: FakeOpenAI) -> None:
    server.script.share, server.script.among = 1.0, (failure,)
    before = len(server.calls)
    record = over(server).run()
    assert len(server.calls) - before == calls
    assert any("model.base_url" in error.message for error in record.errors)


def test_errors_in_a_200_are_waited_out_like_their_twins(server: FakeOpenAI) -> None:
    server.fail(servers.LIMITED_IN_200, servers.BUSY_IN_200, servers.NO_CHOICES)
    runs = over(server)
    assert runs.run().status == "completed"
    assert sources(runs) == ["model"] * 3
    assert len(about_tables(server)) == 3 + 3


def test_the_other_name_of_the_limit_costs_one_call_in_a_run(server: FakeOpenAI) -> None:
    server.fail(servers.OTHER_LIMIT)
    runs = over(server)
    assert runs.run().status == "completed"
    assert sources(runs) == ["model"] * 3
    assert len(about_tables(server)) == 3 + 1


def test_the_rest_of_an_answer_that_stopped_in_the_middle_is_asked_for_once(server: FakeOpenAI) -> None:
    server.fail(failures.ENDS_IN_THE_MIDDLE)
    runs = over(server, 1)
    assert runs.run().status == "completed"
    assert sources(runs) == ["model"]
    assert len(about_tables(server)) == 2


def test_a_table_that_does_not_fit_the_context_is_asked_about_in_parts(server: FakeOpenAI) -> None:
    wide = [table("parcels.parcel", *(column(f"f{number}x", "text") for number in range(30)))]
    replace(over(server), tables=wide).run()
    (first,) = about_tables(server)
    prompt = sum(len(message["content"].encode()) for message in first.body["messages"]) // 3
    server.calls.clear()
    runs = replace(over(server, context_tokens=prompt + first.body["max_tokens"] // 5), tables=wide)
    assert runs.run().status == "completed"
    asked = [len(minds.asked_numbers(call.body)) for call in about_tables(server)]
    assert len(asked) > 1
    assert sum(asked) == 30
    (document,) = [runs.document("shop.parcels.parcel")]
    assert {each.description.source for each in document.columns if each.name != "id"} == {"model"}


def test_a_server_that_ends_while_a_run_waits_keeps_what_is_described_for_the_next_run(
    server: FakeOpenAI, open_vendor: Callable[[str], FakeOpenAI]
) -> None:
    def mind(body: Any) -> Any:
        if len(server.calls) == 2:
            threading.Thread(target=server.stop).start()
        return TALKS(body)

    server.mind = mind
    runs = over(server, 8, call_timeout_seconds=1)
    record = runs.run()
    described = sources(runs).count("model")
    assert 2 <= described < 8
    assert any("in a row got no answer" in error.message for error in record.errors)
    assert any("cannot connect" in error.message for error in record.errors)
    again = open_vendor("openai")
    again.keys, again.mind = {"", "Bearer"}, TALKS
    resumed = replace(over(again, 8), store=runs.store)
    assert resumed.run().status == "completed"
    assert set(sources(resumed)) == {"model"}
    assert len(about_tables(again)) == 8 - described


def test_a_call_whose_time_is_up_keeps_what_is_complete(server: FakeOpenAI) -> None:
    server.pace_seconds = 0.2
    runs = over(server, 1, call_timeout_seconds=1.5)
    runs.run()
    first, rest = (call.body["messages"][-1]["content"] for call in about_tables(server)[:2])
    assert '"text":true' in first
    assert '"text":false' in rest


def test_a_model_whose_every_answer_is_cut_after_one_column_is_not_asked_for_ever(server: FakeOpenAI) -> None:
    def mind(body: Any) -> Any:
        first = minds.asked_numbers(body)[0]
        return (
            f'{{"title": "", "text": "", "columns": [{{"n": {first}, "text": "Tells how good it is."}}, {{"n": 99, "te'
        )

    server.mind = mind
    server.script.share, server.script.among = 1.0, (replace(servers.ENDS[0], change=cut_at_limit, change_stream=None),)
    wide = [table("parcels.parcel", *(column(f"f{number}x", "text") for number in range(30)))]
    runs = replace(over(server), tables=wide)
    runs.run()
    assert len(about_tables(server)) <= 2 * 30


def cut_at_limit(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "choices": [{**answer["choices"][0], "finish_reason": "length"}]}
