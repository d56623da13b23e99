"""Listing, accepting, editing, rejecting and withdrawing proposals, and who may do that."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.capabilities.proposals.shop import (
    AGENT,
    CRM,
    CUSTOMER,
    EDITOR,
    READER,
    SALES,
    TEXT,
    accepted,
    asked,
    caller,
    code_of,
    listed,
    opened,
    project,
    proposed,
    state_of,
)
from tests.edges.mcp.asked import index_project
from tests.sample_shop.indexed import shop_tables
from tribal.identity.scope import Scope
from tribal.ports import Application
from tribal_contracts.proposals import ProposalClosing

ORDERS = "shop.sales.order_header"


@pytest.fixture(name="app")
def app_fixture(tmp_path: Path) -> Iterator[Application]:
    with closing(project(tmp_path)) as app:
        yield app


def outcome_of(app: Application, proposal: str) -> tuple[str, str]:
    """What became of a proposal, and who decided."""
    closing = ProposalClosing.from_json(app.store().get(f"proposals/closed/{proposal}.json").data)
    return closing.outcome, closing.by


def written(app: Application) -> str:
    return app.store().get("annotations/shop.yaml").data.decode()


def test_accepting_writes_the_text_and_closes_the_proposal(app: Application) -> None:
    proposal = proposed(app)["id"]
    assert accepted(app, EDITOR, proposal) == (200, {"success": True, "file": "annotations/shop.yaml"})
    assert written(app) == f"tables:\n  crm.customer:\n    description: {TEXT}\n"
    assert outcome_of(app, proposal) == ("accepted", "editor")
    assert listed(app) == []


def test_accepting_with_other_words_is_recorded_as_edited(app: Application) -> None:
    proposal = proposed(app, column="name", description="Their name.")["id"]
    assert accepted(app, EDITOR, proposal, "Their legal name.", column="name")[0] == 200
    assert "name: Their legal name." in written(app)
    assert outcome_of(app, proposal) == ("edited", "editor")


def test_a_rejected_proposal_writes_nothing_and_is_not_proposed_again(app: Application) -> None:
    proposal = proposed(app)["id"]
    assert asked(app, EDITOR, "DELETE", f"/v1/proposals/{proposal}") == (
        200,
        {"id": proposal, "outcome": "rejected"},
    )
    assert not [*app.store().keys("annotations/")]
    again = proposed(app)
    assert code_of(again) == "PRO_CLOSED"
    assert "rejected by 'editor'" in again["error"]["message"]
    assert proposed(app, description="Another text.")["success"]


def test_a_caller_withdraws_its_own_proposal_and_no_other(app: Application) -> None:
    own, other = proposed(app)["id"], proposed(app, caller("other", "annotations:propose"))["id"]
    assert asked(app, AGENT, "DELETE", f"/v1/proposals/{own}")[1] == {"id": own, "outcome": "withdrawn"}
    status, answer = asked(app, AGENT, "DELETE", f"/v1/proposals/{other}")
    assert (status, code_of(answer)) == (404, "PRO_NOT_FOUND")
    missing = asked(app, AGENT, "DELETE", f"/v1/proposals/{other[:-4]}0000")[1]
    assert answer["error"]["message"].replace(other, "") == missing["error"]["message"].replace(f"{other[:-4]}0000", "")


def test_after_it_was_accepted_the_same_proposal_says_so(app: Application) -> None:
    proposal = proposed(app)["id"]
    accepted(app, EDITOR, proposal)
    again = proposed(app)
    assert again["id"] == proposal
    assert again["message"].startswith("A person accepted it")
    assert listed(app) == []


def test_what_is_closed_is_not_decided_again(app: Application) -> None:
    proposal = proposed(app)["id"]
    accepted(app, EDITOR, proposal)
    status, answer = asked(app, EDITOR, "DELETE", f"/v1/proposals/{proposal}")
    assert (status, code_of(answer)) == (409, "PRO_CLOSED")
    status, answer = accepted(app, EDITOR, proposal, "Other words.")
    assert (status, code_of(answer)) == (409, "PRO_CLOSED")
    assert "Other words." not in written(app)


def test_a_proposal_is_accepted_only_by_a_correction_of_what_it_is_about(app: Application) -> None:
    proposal = proposed(app, column="name")["id"]
    for about, words in (({}, TEXT), ({"column": "email"}, TEXT), ({"table": ORDERS}, TEXT), ({"column": "name"}, " ")):
        status, answer = accepted(app, EDITOR, proposal, words, **about)
        assert (status, code_of(answer)) == (400, "HTTP_REQUEST_INVALID")
    status, answer = accepted(app, EDITOR, "prop_" + "0" * 24)
    assert (status, code_of(answer)) == (404, "PRO_NOT_FOUND")
    assert not [*app.store().keys("annotations/")]
    assert [each["id"] for each in listed(app)] == [proposal]


def test_a_proposal_for_a_table_that_is_gone_can_only_be_rejected(app: Application, tmp_path: Path) -> None:
    proposal = proposed(app)["id"]
    app.close()
    index_project(tmp_path, [table for table in shop_tables() if table.name != CUSTOMER])
    with closing(opened(tmp_path)) as later:
        status, answer = accepted(later, EDITOR, proposal)
        assert (status, code_of(answer)) == (404, "RET_TABLE_NOT_FOUND")
        assert [each["id"] for each in listed(later)] == [proposal]
        assert asked(later, EDITOR, "DELETE", f"/v1/proposals/{proposal}")[0] == 200


def test_a_process_that_is_killed_before_it_closes_the_proposal_is_made_up_for_by_accepting_again(
    app: Application,
) -> None:
    proposal = proposed(app)["id"]
    accepted(app, EDITOR, proposal)
    before = written(app)
    # As good as killed after the text was written.
    app.store().delete(f"proposals/closed/{proposal}.json")
    assert [each["id"] for each in listed(app)] == [proposal]
    assert accepted(app, EDITOR, proposal)[0] == 200
    assert written(app) == before
    assert outcome_of(app, proposal) == ("accepted", "editor")


def test_the_first_of_two_who_decide_at_the_same_time_decides(app: Application) -> None:
    from tribal.capabilities.proposals.deciding import Proposals
    from tribal.capabilities.proposals.errors import ProposalClosed

    proposal = proposed(app)["id"]
    first, second = Proposals(app, EDITOR), Proposals(app, caller("second", "annotations:write"))
    seen = second.open(proposal)
    assert first.reject(proposal).outcome == "rejected"
    assert second.accept(seen, TEXT).outcome == "rejected"
    with pytest.raises(ProposalClosed):
        second.reject(proposal)
    assert outcome_of(app, proposal) == ("rejected", "editor")


def test_without_a_right_no_one_sees_or_decides(app: Application) -> None:
    proposal = proposed(app)["id"]
    for method, path in (("GET", "/v1/proposals"), ("DELETE", f"/v1/proposals/{proposal}")):
        status, answer = asked(app, READER, method, path)
        assert (status, code_of(answer)) == (403, "PRO_ACCESS_DENIED")
    assert accepted(app, AGENT, proposal)[0] == 403


def test_a_proposer_sees_its_own_and_an_editor_everything_newest_first(app: Application) -> None:
    other = caller("other", "annotations:propose")
    ids = [proposed(app)["id"], proposed(app, other)["id"], proposed(app, description="Third.")["id"]]
    assert {each["id"] for each in listed(app)} == {*ids}
    assert [each["by"] for each in listed(app, other)] == ["other"]
    times = [each["at"] for each in listed(app)]
    assert times == sorted(times, reverse=True)


def test_a_damaged_proposal_hides_no_other(app: Application) -> None:
    first, second = proposed(app)["id"], proposed(app, description="Second.")["id"]
    store = app.store()
    store.put(f"proposals/{first}.json", store.get(f"proposals/{first}.json").data.replace(b"ordered", b"orderEd"))
    store.put("proposals/notes.txt", b"not a proposal")
    assert [each["id"] for each in listed(app)] == [second]


def test_who_may_see_one_schema_sees_and_accepts_nothing_of_others_numbers_included(app: Application) -> None:
    hidden = proposed(app)["id"]
    seen = proposed(app, table=ORDERS, description="One row for each checkout.")["id"]
    leaking = proposed(app, table=ORDERS, column="status", description="See hr.employee for who set it.")["id"]
    scoped = caller("scoped", "annotations:write", scope=SALES)
    assert [each["id"] for each in listed(app, scoped)] == [seen]
    assert state_of(app, scoped)["waiting"]["proposals"] == 1
    assert state_of(app, EDITOR)["waiting"]["proposals"] == 3
    for proposal in (hidden, leaking):
        status, answer = asked(app, scoped, "DELETE", f"/v1/proposals/{proposal}")
        assert (status, code_of(answer)) == (404, "PRO_NOT_FOUND")
        about = {"table": ORDERS, "column": "status"} if proposal == leaking else {"table": ORDERS}
        status, answer = accepted(app, scoped, proposal, **about)
        assert (status, code_of(answer)) == (404, "PRO_NOT_FOUND")
    assert accepted(app, scoped, seen, "One row for each checkout.", table=ORDERS)[0] == 200


def test_one_sees_ones_own_proposal_whatever_it_mentions_so_that_it_says_nothing_about_hidden_names(
    app: Application,
) -> None:
    scoped = caller("scoped", "annotations:propose", scope=SALES)
    for text in ("See hr.employee for who set it.", "See hr.nothing for who set it."):
        assert proposed(app, scoped, table=ORDERS, description=text)["success"]
    assert len(listed(app, scoped)) == 2


def test_a_text_before_that_mentions_something_hidden_is_withheld(tmp_path: Path) -> None:
    tables = [
        table
        if table.name != ORDERS
        else table.model_copy(
            update={"description": table.description.model_copy(update={"text": "Filled from hr.employee at night."})}
        )
        for table in shop_tables()
    ]
    index_project(tmp_path, tables)
    with closing(opened(tmp_path)) as app:
        assert proposed(app, table=ORDERS)["success"]
        scoped = caller("scoped", "annotations:write", "annotations:propose", scope=SALES)
        assert [each["before"] for each in listed(app)] == ["Filled from hr.employee at night."]
        assert [each["before"] for each in listed(app, scoped)] == [""]
        assert proposed(app, scoped, table=ORDERS, description="Own words.")["success"]
        assert "employee" not in json.dumps(listed(app, scoped))


@pytest.mark.parametrize("scope", [CRM, Scope(databases=frozenset({"shop"}))])
def test_the_part_of_the_caller_says_what_it_may_and_what_waits(app: Application, scope: Scope) -> None:
    proposed(app)
    nothing: Any = {"proposals": 0, "contributions": 0, "uploads": 0}
    rights = dict.fromkeys("write propose interrogate read_sessions contribute upload ask".split(), False)
    collections = [["catalog", "catalog", False]]
    assert state_of(app, READER) == {
        "rights": {**rights, "ask": True},
        "waiting": nothing,
        "collections": collections,
    }
    assert state_of(app, caller("editor", "annotations:write", scope=scope)) == {
        "rights": {**rights, "ask": True, "write": True},
        "waiting": {**nothing, "proposals": 1},
        "collections": collections,
    }
    more = caller("more", "annotations:propose", "interrogation:start", "interrogation:read", "contribution:read")
    assert state_of(app, more)["rights"] == {
        **rights,
        **dict.fromkeys(("ask", "propose", "interrogate", "read_sessions"), True),
    }
    assert state_of(app, more)["waiting"] == nothing
