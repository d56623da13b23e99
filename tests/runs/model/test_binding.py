"""A server that no one knows is tried once, and gets the schema of answers if it binds them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes.model_servers import minds
from tests.fakes.openai import FakeOpenAI, servers
from tests.fakes.openai.vendor import VendorModel
from tests.runs.model.made import ModelRuns, says
from tests.runs.model.test_compatible_servers import NAME, over
from tribal.identity.locations import MODEL_TESTS_FILE

TALKS = says("Holds what was ordered.", "Tells how good it is.")


@pytest.fixture
def server(open_vendor: Callable[[str], FakeOpenAI]) -> FakeOpenAI:
    found = open_vendor("openai")
    found.keys = {"", "Bearer"}
    return found


def bound(body: Any) -> Any:
    """Follows the schema that it is bound to, like a server that binds answers."""
    return minds.follows_the_schema(body) if "k7" in str(body.get("response_format")) else TALKS(body)


def unbound(body: Any) -> Any:
    """Does not know of schemas."""
    return "yes" if "k7" in str(body.get("response_format")) else TALKS(body)


def schemas(server: FakeOpenAI) -> list[bool]:
    return ["response_format" in call.body for call in server.calls]


def remembered(runs: ModelRuns) -> Any:
    (model,) = json.loads(runs.store.get(MODEL_TESTS_FILE).data)["models"]
    return model.get("binds_answers")


@pytest.mark.parametrize("binds", [True, False])
def test_one_trial_before_the_first_run_finds_out_and_is_remembered(binds: bool, server: FakeOpenAI) -> None:
    server.mind = bound if binds else unbound
    runs = over(server, 2, binds_answers=None)
    assert runs.run().status == "completed"
    trial, *others = schemas(server)
    assert trial
    assert set(others) == {binds}
    assert remembered(runs) is binds
    server.calls.clear()
    assert runs.run(new_prose=True).status == "completed"
    assert set(schemas(server)) == {binds}
    assert not any("k7" in str(call.body) for call in server.calls)


def test_a_server_that_refuses_schemas_gets_them_in_words(server: FakeOpenAI) -> None:
    server.mind, server.models = unbound, {NAME: VendorModel(binds=False)}
    runs = over(server, 2, binds_answers=None)
    assert runs.run().status == "completed"
    assert schemas(server)[0]
    assert not any(schemas(server)[1:])
    assert remembered(runs) is False


def test_a_setting_spares_the_trial(server: FakeOpenAI) -> None:
    server.mind = TALKS
    runs = over(server, 2, binds_answers=False)
    assert runs.run().status == "completed"
    assert not any(schemas(server))


def test_an_outage_says_nothing_and_the_next_run_tries_again(server: FakeOpenAI) -> None:
    server.mind = bound
    server.fail(servers.ELSEWHERE)
    runs = over(server, 2, binds_answers=None)
    runs.run()
    assert MODEL_TESTS_FILE not in runs.store.keys("progress")
    assert runs.run().status == "completed"
    assert remembered(runs) is True


def test_a_server_that_is_recognised_is_not_tried(server: FakeOpenAI) -> None:
    server.mind = TALKS
    server.own_answers["/v1/models"] = servers.listed_by("vllm", NAME)
    runs = over(server, 2, binds_answers=None)
    assert runs.run().status == "completed"
    assert all(schemas(server))
    assert not any("k7" in str(call.body) for call in server.calls)


def test_a_trial_whose_answer_is_cut_says_nothing(server: FakeOpenAI) -> None:
    server.mind = lambda body: "thinking " * 5_000 if "k7" in str(body) else TALKS(body)
    runs = over(server, 2, binds_answers=None)
    assert runs.run().status == "completed"
    assert MODEL_TESTS_FILE not in runs.store.keys("progress")
    assert not any(schemas(server)[1:])
