"""A contribution to a repository on GitHub becomes one pull request, and its review is followed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.capabilities.contribution.shop_on_github import ShopOnGitHub
from tests.capabilities.contribution.shop_with_clone import FILES
from tests.cases import each_case
from tests.fakes.dying_store import DyingStore, Killed
from tests.fakes.github.server import READ_TOKEN, READS, WRITE_TOKEN
from tribal.capabilities.contribution.errors import RepositoryNotAllowed
from tribal.capabilities.contribution.parts import ContributionParts
from tribal.capabilities.contribution.views import problem_of
from tribal.errors import RepositoryUnreadable, RepositoryUnusable
from tribal_contracts.contribution.cycles import CycleRecord
from tribal_contracts.contribution.handoffs import CurrentIssue
from tribal_contracts.contribution.reviews import PRCreated


@pytest.fixture(name="shop")
def shop_fixture(tmp_path: Path) -> Iterator[ShopOnGitHub]:
    shop = ShopOnGitHub(tmp_path)
    assert isinstance(shop.parts, ContributionParts)
    shop.use()
    yield shop
    shop.github.stop()


def published(shop: ShopOnGitHub) -> CycleRecord:
    shop.prepared()
    record = shop.approve()
    shop.require_specified()
    return record


def test_an_approved_contribution_is_one_pull_request_with_a_label_that_says_what_made_it(shop: ShopOnGitHub) -> None:
    record = published(shop)
    [pull] = shop.github.pulls.found
    assert record.state == "following"
    assert record.publication is not None
    assert (pull.branch, pull.base, pull.title) == (record.publication.branch, "main", record.publication.title)
    assert pull.labels == ["tribal"]
    assert "Tribal Knowledge, a program, prepared this change; ada@here read and approved it." in pull.body
    assert f"<!-- tribal:{record.swarm_id}:1:pr -->" in pull.body
    status = shop.contributions().status()
    assert status.current_pr == f"{shop.github.page}/pull/{pull.number}"


def test_reviews_comments_and_checks_are_reported_until_it_is_merged(shop: ShopOnGitHub) -> None:
    published(shop)
    [pull] = shop.github.pulls.found
    pull.review("bea", "CHANGES_REQUESTED", "Please name the unit.")
    pull.say("cem", "Nice.")
    shop.github.tokens[READ_TOKEN] = dict(shop.github.installed)
    assert [each.state for each in shop.contributions().follow()] == ["following"]
    seen = shop.activity()
    assert [each.details.text for each in seen.activity] == [
        "bea (changes requested): Please name the unit.",
        "cem: Nice.",
    ]
    assert (seen.current_status.changes_requested, seen.current_status.comments_pending) == (1, 2)
    pull.review("bea", "APPROVED")
    shop.github.pulls.merge(pull.number)
    assert [each.outcome for each in shop.contributions().follow()] == ["merged"]
    outcome = shop.activity().final_outcome
    assert outcome is not None
    assert (outcome.result, outcome.merged_by, shop.activity().current_status.approvals) == ("merged", "ann", 1)
    assert shop.prepare() is None
    shop.require_specified()


def test_a_pull_request_that_was_closed_is_declined(shop: ShopOnGitHub) -> None:
    published(shop)
    shop.github.pulls.found[0].state = "closed"
    assert [each.outcome for each in shop.contributions().follow()] == ["declined"]
    assert shop.prepare() is None


def test_a_pull_request_that_no_one_answers_is_abandoned_after_two_weeks(shop: ShopOnGitHub) -> None:
    published(shop)
    shop.clock.advance(13 * 86_400)
    assert [each.state for each in shop.contributions().follow()] == ["following"]
    shop.clock.advance(2 * 86_400)
    assert [each.outcome for each in shop.contributions().follow()] == ["abandoned"]


def test_a_public_repository_needs_consent_in_its_entry(shop: ShopOnGitHub) -> None:
    shop.github.private, shop.github.visibility = False, "public"
    record = shop.prepared()
    assert record.publication is not None
    assert record.publication.target.visibility == "public"
    refused = shop.approve()
    problem = problem_of(refused)
    assert (refused.state, problem and problem.code) == ("waiting", "CON_REPOSITORY_NOT_ALLOWED")
    assert shop.github.pulls.found == []
    shop.use(public=True)
    assert [each.state for each in shop.contributions().follow()] == ["following"]


def test_killed_after_any_write_there_is_one_branch_and_one_pull_request(shop: ShopOnGitHub) -> None:
    shop.prepared()
    for writes in range(30):
        try:
            shop.approve(store=DyingStore(shop.store, writes))
        except Killed:
            continue
        break
    assert shop.contributions().record(1).state == "following"
    assert len(shop.github.pulls.found) == 1
    assert shop.github.calls.count("add_ref") <= 2


def test_a_reset_after_the_branch_was_made_does_not_make_another_one(shop: ShopOnGitHub) -> None:
    shop.prepared()
    shop.github.fail("reset after", "add_ref")
    shop.github.fail("reset after", "open_pull")
    assert shop.approve().state == "following"
    assert len(shop.github.pulls.found) == 1


def test_an_issue_gets_what_it_asks_for_and_is_closed_by_the_pull_request(shop: ShopOnGitHub) -> None:
    url = shop.ask("Please describe `sales.customer.status`")
    record = shop.prepared(issue=f"{url}#issuecomment-1")
    assert [(each.table, each.column) for each in record.descriptions] == [("customer", "status")]
    assert record.issue_url == url
    scouted = shop.contributions().files.handoffs(1)["agent-1-scout"]
    assert isinstance(scouted, CurrentIssue)
    selected = scouted.selected_issue
    assert (selected.url, selected.title, selected.labels, selected.comments_count) == (
        url,
        "Please describe `sales.customer.status`",
        ["docs", "help"],
        2,
    )
    shop.approve()
    [pull] = shop.github.pulls.found
    assert "\n\nFixes #7\n\n" in pull.body
    created = shop.contributions().files.handoffs(1)["agent-7-pr"]
    assert isinstance(created, PRCreated)
    assert (created.issue_linked.number, created.issue_linked.url, created.issue_linked.auto_close) == (7, url, True)
    assert shop.prepare(issue=url) is None
    shop.require_specified()


def test_an_issue_that_names_more_stays_open(shop: ShopOnGitHub) -> None:
    url = shop.ask("Documentation", "There are no comments on shop.SALES.CUSTOMER and sales.orders.qty.")
    record = shop.prepared(issue=url)
    assert record.publication is not None
    assert "Part of #7." in record.publication.body
    assert "Fixes" not in record.publication.body


@each_case(
    "title, body, fields, said",
    [
        ("Describe billing.invoice.net_cents", None, {}, "the repository says something else in db/V2"),
        ("Describe sales.customer", None, {"state": "closed"}, "is closed"),
        ("sales.customer is slow", "Add an index.", {}, "does not ask for a description"),
        ("Describe the customer", "See https://example.com/sales.customer", {}, "names no table;"),
        ("Describe sales.ghost", None, {}, "names no table or column with a description here"),
        ("Describe sales.customer", None, {"pull_request": {}}, "is a pull request, not an issue"),
        (
            "Describe sales.customer",
            None,
            {"html_url": "https://github.example/acme/old/issues/7"},
            "is https://github.example/acme/old/issues/7 now",
        ),
    ],
)
def test_an_issue_that_asks_for_nothing_that_can_be_done_says_why(
    shop: ShopOnGitHub, title: str, body: str | None, fields: dict[str, object], said: str
) -> None:
    shop.ask(title, body, **fields)
    with pytest.raises(RepositoryUnusable, match=re.escape(said)):
        shop.prepare(issue=f"{shop.github.page}/issues/7")
    assert shop.contributions().records() == []


def test_only_issues_of_configured_repositories_are_read(shop: ShopOnGitHub) -> None:
    url = shop.ask("Describe sales.customer")
    shop.github.calls.clear()
    for other, said in [("https://github.example/acme/other/issues/7", "is not configured"), (url[:-2], "address")]:
        with pytest.raises(RepositoryNotAllowed, match=said):
            shop.prepare(issue=other)
    with pytest.raises(RepositoryNotAllowed, match="name no others with it"):
        shop.prepare("sales.customer", issue=url)
    assert shop.github.calls == []
    with pytest.raises(RepositoryUnreadable):
        shop.prepare(issue=f"{shop.github.page}/issues/8")


def test_a_number_that_someone_elses_open_pull_request_takes_ends_the_cycle(shop: ShopOnGitHub) -> None:
    objects, pulls = shop.github.objects, shop.github.pulls
    shop.github.tokens[READ_TOKEN] = dict(shop.github.installed)
    objects.commit({**FILES, "db/V3__other.sql": b"SELECT 1;\n"}, "other")
    pulls.open({"title": "Other", "head": "other", "base": "main"})
    record = shop.prepare()
    assert record is not None
    assert (record.outcome, record.stopped_by) == ("blocked", "agent-4-coder")
    assert re.fullmatch(
        r"'db/V3__.*\.sql' has the number of a file that open pull request #17 adds; merge or close it",
        record.blockers[0],
    )
    pulls.found[0].state = "closed"
    assert shop.prepared().warnings == []


def test_pull_requests_that_may_not_be_read_are_warned_about(shop: ShopOnGitHub) -> None:
    shop.github.tokens[WRITE_TOKEN] = READS
    assert shop.prepared().warnings == [
        "open pull requests may not be read, so one of them may add a migration of the same number"
    ]
