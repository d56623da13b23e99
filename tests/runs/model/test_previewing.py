"""What a model would be sent about a table is what a run sends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.fakes.catalogs import column
from tests.fakes.claude import FakeClaude
from tests.runs.model.made import ModelRuns, ModelSecrets, shop
from tribal.documenting import TablePreview
from tribal.errors import DatabaseUnreachable, PlanError, TableNotFound
from tribal.ports import UnsentRequest
from tribal.runs.local import LocalRun
from tribal.runs.reports.previewing import find_planned_table, preview

BEDROCK = {"provider": "bedrock", "name": "eu.anthropic.claude-haiku-5-5", "api_key_secret": None}
WIRES: Mapping[str, Mapping[str, Any]] = {
    "anthropic": {},
    "messages": {**BEDROCK},
    "runtime": {**BEDROCK, "endpoint": "runtime"},
}
FIRST = "shop.parcels.parcel_parcel_0"


def planned(runs: ModelRuns) -> ModelRuns:
    """The runs, once there is a plan."""
    with LocalRun(runs.app(), "plan", runs.sink) as work:
        work.plan()
    return runs


def previewed(runs: ModelRuns, name: str = FIRST) -> tuple[TablePreview, list[UnsentRequest]]:
    """What a run would ask about a table, and what would be sent for it."""
    app = runs.app()
    shown = preview(find_planned_table(name, app), app)
    return shown, list(app.run.unsent(shown.requests))


@pytest.mark.parametrize("wire", WIRES)
def test_what_is_shown_is_byte_for_byte_what_a_run_sends(
    claude: FakeClaude, aws_account: None, monkeypatch: pytest.MonkeyPatch, wire: str
) -> None:
    address = claude.messages_address if wire == "messages" else claude.address
    wide = [column(f"kind_{number}", "boolean") for number in range(60)]
    first, *others = shop(3)
    tables = [first.model_copy(update={"columns": [*first.columns, *wide]}), *others]
    runs = planned(ModelRuns(claude, tables, settings={**WIRES[wire], "base_url": address}))
    with monkeypatch.context() as nobody:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            nobody.delenv(name)
        runs.secrets = ModelSecrets("")
        shown, requests = previewed(runs)
    assert claude.calls == [], "nothing is sent"
    assert len(requests) == len(shown.requests) == 2, "a wide table is asked about in slices"
    assert b"samples" in requests[0].body
    assert {request.address.startswith(address) for request in requests} == {True}
    runs.secrets = ModelSecrets()
    runs.run()
    sent = [call.sent for call in claude.calls]
    assert [request.body in sent for request in requests] == [True, True]


def test_samples_that_cannot_be_taken_are_said_to_be_missing(claude: FakeClaude) -> None:
    runs = planned(ModelRuns(claude))
    sampled, _ = previewed(runs)
    assert (sampled.not_sampled, sampled.kept) == ("", False)
    runs.failure = DatabaseUnreachable("shop_prod did not answer")
    shown, requests = previewed(runs)
    assert "did not answer" in shown.not_sampled
    assert b"samples" not in requests[0].body.partition(b'"messages"')[2]
    runs.rows = 0
    assert previewed(runs)[0].not_sampled == "", "none were asked for"


def test_a_table_whose_prose_is_kept_is_shown_as_it_would_be_sent_again(claude: FakeClaude) -> None:
    runs = ModelRuns(claude)
    runs.run()
    before = len(claude.calls)
    shown, requests = previewed(runs)
    assert shown.kept
    assert len(claude.calls) == before
    runs.run(new_prose=True)
    assert requests[0].body in [call.sent for call in claude.calls[before:]]


def test_a_table_that_people_have_described_is_no_question(claude: FakeClaude) -> None:
    first, *others = shop(3)
    columns = [each.model_copy(update={"comment": "Told by somebody."}) for each in first.columns]
    told = first.model_copy(update={"comment": "All that there is to say.", "columns": columns})
    shown, requests = previewed(planned(ModelRuns(claude, [told, *others])))
    assert (list(shown.requests), requests, shown.kept) == ([], [], False)


@pytest.mark.parametrize("name", [FIRST, "parcels.parcel_parcel_0", "PARCEL_PARCEL_0", "Parcels.Parcel_Parcel_0"])
def test_a_table_is_found_by_any_name_that_means_it_alone(claude: FakeClaude, name: str) -> None:
    assert find_planned_table(name, planned(ModelRuns(claude)).app()).name == FIRST


def test_a_name_that_no_table_has_is_answered_by_near_ones(claude: FakeClaude) -> None:
    runs = planned(ModelRuns(claude))
    with pytest.raises(TableNotFound, match=f"did you mean {FIRST}") as raised:
        find_planned_table("parcel_parcels_0", runs.app())
    assert raised.value.suggestions[0] == FIRST


def test_without_a_plan_the_message_says_how_to_make_one(claude: FakeClaude) -> None:
    with pytest.raises(PlanError, match="`tribal plan`") as raised:
        find_planned_table(FIRST, ModelRuns(claude).app())
    assert raised.value.code == "DOC_PLAN_NOT_FOUND"
