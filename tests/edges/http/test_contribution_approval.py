"""Someone else than the preparer approves over HTTPS, and it is published as a job."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.capabilities.contribution.shop_with_clone import USER, ShopWithClone
from tests.capabilities.contribution.writing.issues import package_in
from tests.cases import each_case
from tribal.capabilities.contribution.cycles.job_kind import CONTRIBUTIONS
from tribal.capabilities.contribution.publishing.publication import follow_up_hash
from tribal.capabilities.contribution.rights import APPROVE_CONTRIBUTIONS, PREPARE_CONTRIBUTIONS, READ_CONTRIBUTIONS
from tribal.edges.http.contribution import routes
from tribal.edges.http.messages import Request
from tribal.edges.http.routes import respond
from tribal.identity.scope import EVERYTHING, Scope
from tribal.ports import StopToken
from tribal.ports.caller import Caller
from tribal.tools.call import call_tool
from tribal.tools.registry import EVERYTHING as ALL_TOOLS
from tribal_contracts.contribution.cycles import ContributionTask

RIGHTS = frozenset((READ_CONTRIBUTIONS, PREPARE_CONTRIBUTIONS, APPROVE_CONTRIBUTIONS))
BEA = Caller("token:bea", rights=RIGHTS, owner="user:bea@there")


@pytest.fixture(name="shop")
def shop_fixture(tmp_path: Path) -> ShopWithClone:
    shop = ShopWithClone(tmp_path)
    shop.parts = replace(shop.parts, launch=lambda _: None)
    return shop


def approve(shop: ShopWithClone, body: Any, caller: Caller = BEA, cycle: object = 1) -> tuple[int, Any]:
    """What the route answers."""
    request = Request("POST", f"/v1/contributions/{cycle}/approval", caller, json.dumps(body).encode())
    answer = respond(request, shop.app.with_part(shop.parts), routes=routes())
    return answer.status, json.loads(answer.body)


def digest(shop: ShopWithClone) -> str:
    record = shop.contributions().record(1)
    assert record.sha256 is not None
    return record.sha256


def work(shop: ShopWithClone) -> list[str]:
    """What the process next to a server does."""
    app = shop.app.with_part(shop.parts)
    waiting = [each.task for each in CONTRIBUTIONS.waiting(app, set())]
    assert all(isinstance(each, ContributionTask) for each in waiting)
    return [CONTRIBUTIONS.work(app, each, StopToken()).status for each in waiting]  # type: ignore[arg-type]


def test_an_approved_contribution_is_published_by_a_job_and_names_who_approved_it(shop: ShopWithClone) -> None:
    shop.prepared()
    status, answer = approve(shop, {"sha256": digest(shop)})
    assert (status, answer["cycle"], answer["state"]) == (202, 1, "publishing")
    assert shop.branches() == {}
    assert work(shop) == ["following"]
    assert work(shop) == []
    [commit] = shop.branches().values()
    assert "approved by bea@there." in shop.commit(commit).message.decode()


def test_a_killed_job_is_continued_by_the_next(shop: ShopWithClone) -> None:
    shop.prepared()
    approve(shop, {"sha256": digest(shop)})
    assert [each.cycle for each in shop.contributions().follow()] == [1]
    assert len(shop.branches()) == 1


@each_case(
    "caller, status, code",
    [
        (Caller("token:ada", rights=RIGHTS, owner=USER), 403, "CON_ACCESS_DENIED"),
        (Caller("token:bea", rights=RIGHTS - {APPROVE_CONTRIBUTIONS}), 403, "CON_ACCESS_DENIED"),
        (Caller("token:bea", Scope(schemas=frozenset({("shop", "sales")})), RIGHTS), 404, "CON_CYCLE_UNKNOWN"),
        (Caller("token:bea", Scope(databases=frozenset()), RIGHTS), 404, "CON_CYCLE_UNKNOWN"),
    ],
)
def test_neither_the_preparer_nor_another_team_nor_someone_without_the_right_approves(
    caller: Caller, status: int, code: str, shop: ShopWithClone
) -> None:
    shop.prepared()
    answered, answer = approve(shop, {"sha256": digest(shop)}, caller)
    assert (answered, answer["error"]["code"]) == (status, code)
    assert work(shop) == []
    shop.contributions().abort(shop.contributions().records()[-1].cycle)
    shop.store.delete("contribution/cycles/1/cycle.json")


def test_answers_to_a_review_are_approved_in_the_same_way(tmp_path: Path) -> None:
    package = package_in(tmp_path)
    package.do_issue()
    package.approve()
    [pull] = package.github.pulls.found
    pull.say("cem", "Why?")
    package.mind.review = [{"kind": "question", "reply": "Because.", "edits": []}]
    [record] = package.contributions().follow()
    package.parts = replace(package.parts, launch=lambda _: None)
    assert record.follow_up is not None
    sha256 = follow_up_hash(record.follow_up)
    assert approve(package, {"sha256": record.sha256})[1]["error"]["code"] == "CON_APPROVAL_STALE"
    own = Caller("token:ada", rights=RIGHTS, owner=USER)
    assert approve(package, {"sha256": sha256}, own)[0] == 403
    status, answer = approve(package, {"sha256": sha256})
    assert (status, answer["state"]) == (202, "publishing")
    assert work(package) == ["following"]
    assert "bea@there read and approved it" in pull.comments[-1]["body"]
    assert approve(package, {"sha256": sha256})[0] == 409
    package.github.stop()


def test_another_hash_twice_and_an_unknown_number_are_refused(shop: ShopWithClone) -> None:
    shop.prepared()
    assert approve(shop, {"sha256": "0" * 64})[1]["error"]["code"] == "CON_APPROVAL_STALE"
    assert approve(shop, {"sha256": digest(shop)}, cycle=7)[0] == 404
    assert approve(shop, {"sha256": digest(shop)}, cycle="x")[0] == 404
    assert approve(shop, {"hash": "0"})[0] == 400
    assert approve(shop, {"sha256": digest(shop)})[0] == 202
    again, answer = approve(shop, {"sha256": digest(shop)})
    assert (again, answer["error"]["code"]) == (409, "CON_ISSUE_UNSUITABLE")


def test_a_cycle_that_a_caller_prepared_by_a_tool_is_its_own(shop: ShopWithClone) -> None:
    call_tool("prepare_contribution", {}, BEA, shop.app.with_part(shop.parts), ALL_TOOLS)
    other = Caller("token:second", EVERYTHING, RIGHTS, owner=BEA.owner)
    assert [approve(shop, {"sha256": digest(shop)}, each)[0] for each in (BEA, other)] == [403, 403]
