"""A contribution is published once, whatever happens to requests, answers and the process."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from tests.adapters.github.clients import BRANCH, FILES, NEW, PULL, Pauses, address_of, forge_of, publish
from tests.cases import each_case, verify_all_but
from tests.fakes.github.faults import FaultName
from tests.fakes.github.server import WRITE_TOKEN, WRITES, FakeGitHub
from tribal.adapters.github.client import GitHubClient
from tribal.adapters.github.forge import GitHubForge
from tribal.adapters.github.tokens import AccessToken
from tribal.adapters.github.transport import Answer, Outgoing
from tribal.errors import ForgeUnreachable, RepositoryUnreadable, RepositoryUnusable, TribalError
from tribal.ports.repositories import ForgeChecks, NewPullRequest, PullRequestComment, PullRequestReview

WRITE_ROUTES = ("add_blob", "add_tree", "add_commit", "add_ref", "open_pull", "add_labels")
CALLS = 60
"""More than publishing takes."""


class KilledError(BaseException):
    """The process ends here."""


class DyingClient(GitHubClient):
    """A client whose process is killed before or after one of its requests."""

    left = 0
    is_after = False
    sent = 0

    def _send(self, out: Outgoing) -> Answer:
        self.left -= 1
        if self.left == 0 and not self.is_after:
            raise KilledError
        answer = super()._send(out)
        self.sent += 1
        if self.left == 0:
            raise KilledError
        return answer


@contextmanager
def standing_in(**changes: Any) -> Iterator[FakeGitHub]:
    """A stand-in for one case."""
    made = FakeGitHub(FILES, **changes)
    yield made
    made.stop()


def base_of(github: FakeGitHub) -> str:
    """The commit of main."""
    found = github.objects.tip("main")
    assert found is not None
    return found


def assert_published_once(github: FakeGitHub) -> None:
    """One branch, one commit on it, one pull request with its label; main stays."""
    assert github.objects.branches() == ["main", BRANCH]
    tip = github.objects.tip(BRANCH)
    assert tip is not None
    assert github.objects.ancestors(tip) - github.objects.ancestors(base_of(github)) == {tip}
    assert [(pull.branch, pull.labels, pull.draft) for pull in github.pulls.found] == [(BRANCH, ["tribal"], True)]
    shown = github.objects.shown_commit(tip)
    assert shown is not None
    assert shown["message"] == NEW.message


def test_a_contribution_is_a_branch_with_one_commit_and_a_pull_request(github: FakeGitHub) -> None:
    forge = forge_of(github)
    found = publish(forge, base_of(github))
    assert (found.number, found.state, found.draft, found.body) == (17, "open", True, PULL.body)
    assert found.url == f"{github.page}/pull/17"
    assert found.head == github.objects.tip(BRANCH)
    assert (found.merge_commit, found.merged_by) == (None, None)
    assert_published_once(github)
    assert forge.find_pull_request(BRANCH) == publish(forge_of(github), base_of(github)) == found
    assert_published_once(github)


def test_commits_have_no_author_so_that_github_signs_them(github: FakeGitHub) -> None:
    publish(forge_of(github), base_of(github))
    body = next(each.body for each in github.requests if each.path.endswith("/git/commits") and each.method == "POST")
    assert b"author" not in body
    assert b"committer" not in body


@verify_all_but(
    6, ("route", "fault"), itertools.product(WRITE_ROUTES, ["reset after", "reset before", "500", "502 after"])
)
def test_a_write_whose_outcome_is_unknown_happens_once(github: FakeGitHub, route: str, fault: FaultName) -> None:
    github.fail(fault, route)
    publish(forge_of(github), base_of(github))
    assert_published_once(github)


@each_case("route", WRITE_ROUTES)
def test_a_write_that_lastingly_fails_is_completed_later(route: str) -> None:
    with standing_in() as github:
        github.fail("500", route, times=3)
        with pytest.raises(ForgeUnreachable):
            publish(forge_of(github), base_of(github))
        publish(forge_of(github), base_of(github))
        assert_published_once(github)


@each_case("is_after", [False, True])
def test_a_killed_publication_is_completed_by_the_next(is_after: bool) -> None:
    for number in range(1, CALLS):
        with standing_in() as github:
            client = DyingClient(
                address_of(github), AccessToken(SecretStr(WRITE_TOKEN), "write_secret"), Pauses().timing()
            )
            client.left, client.is_after = number, is_after
            try:
                publish(GitHubForge(client), base_of(github))
            except KilledError:
                pass
            else:
                assert client.sent > 10
                return
            publish(forge_of(github), base_of(github))
            assert_published_once(github)
    pytest.fail("publishing takes more calls than were tried")


def test_another_process_that_is_faster_keeps_its_branch(github: FakeGitHub) -> None:
    first, second = forge_of(github), forge_of(github)
    ours = first.write_commit(replace(NEW, base=base_of(github)))
    theirs = second.write_commit(replace(NEW, base=base_of(github)))
    assert ours != theirs
    assert second.create_branch(BRANCH, theirs)
    assert not first.create_branch(BRANCH, ours)
    # Lost answers do not change that.
    github.fail("reset before", "add_ref")
    assert not first.create_branch(BRANCH, ours)
    assert github.objects.tip(BRANCH) == theirs


def test_two_pull_requests_at_the_same_time_are_one(github: FakeGitHub) -> None:
    forge = forge_of(github)
    publish(forge, base_of(github))
    # As if it had not been there yet when it was looked for.
    listed = github.pulls.found
    found: list[Any] = []

    def complete(route: str, _status: int, body: Any) -> Any:
        if route == "pulls" and not found:
            found.append(1)
            return []
        return body

    github.complete = complete
    assert forge_of(github).open_pull_request(PULL).number == listed[0].number
    assert_published_once(github)


def test_the_filter_of_branches_is_not_trusted(github: FakeGitHub) -> None:
    publish(forge_of(github), base_of(github))
    others = {"head": {"label": f"mallory:{BRANCH}", "ref": BRANCH}, "number": 99}
    github.complete = lambda route, _status, body: [others, *body] if route == "pulls" else body
    found = forge_of(github).find_pull_request(BRANCH)
    assert found is not None
    assert found.number == 17
    assert forge_of(github).find_pull_request("tribal/other") is None


def test_a_merged_and_a_closed_pull_request_are_told_apart(github: FakeGitHub) -> None:
    forge = forge_of(github)
    publish(forge, base_of(github))
    github.pulls.found[0].state = "closed"
    found = forge.find_pull_request(BRANCH)
    assert found is not None
    assert (found.state, found.merge_commit) == ("closed", None)
    # It stays the only one.
    assert forge.open_pull_request(PULL).state == "closed"
    commit = github.pulls.merge(17, by="ann")
    found = forge.find_pull_request(BRANCH)
    assert found is not None
    assert (found.state, found.merged_by, found.merge_commit) == ("merged", "ann", commit)
    assert forge.merged_at(found.head) == commit


@each_case(
    ("new", "message"),
    [
        (replace(PULL, branch="tribal/absent"), "Validation Failed"),
        (replace(PULL, branch="tribal/other", base="absent"), "Validation Failed"),
        (replace(PULL, branch="tribal/same"), "No commits between"),
    ],
)
def test_a_pull_request_that_github_does_not_open_is_reported(new: NewPullRequest, message: str) -> None:
    with standing_in() as github:
        publish(forge_of(github), base_of(github))
        github.objects.add_branch("refs/heads/tribal/same", base_of(github))
        github.objects.add_branch("refs/heads/tribal/other", github.pulls.shown(github.pulls.found[0])["head"]["sha"])
        with pytest.raises(RepositoryUnusable, match=message):
            forge_of(github).open_pull_request(new)


def test_reviews_and_comments_are_read_in_order(github: FakeGitHub) -> None:
    forge = forge_of(github)
    publish(forge, base_of(github))
    pull = github.pulls.found[0]
    pull.say("ann", "Why?")
    pull.review("bo", "CHANGES_REQUESTED", "Please rename")
    pull.say("bo", "Here", "db/V2__describe.sql", 1)
    pull.review("bo", "APPROVED")
    pull.review("cy", "PENDING", "not sent yet")
    pull.review("di", "DISMISSED", "old")
    pull.comments[0]["user"] = None
    found = forge.activity(17)
    assert [(each.author, each.state, each.text) for each in found.reviews] == [
        ("bo", "changes_requested", "Please rename"),
        ("bo", "approved", ""),
        ("di", "commented", "old"),
    ]
    assert found.reviews[0] == PullRequestReview(2, "bo", "changes_requested", "Please rename", "2026-11-24T10:00:02Z")
    assert found.comments == [
        PullRequestComment(1, "ghost", "Why?", "2026-11-24T10:00:01Z"),
        PullRequestComment(3, "bo", "Here", "2026-11-24T10:00:03Z", "db/V2__describe.sql", 1, 3),
    ]
    assert found.checks == ForgeChecks()


def test_more_than_a_page_of_comments_is_read(github: FakeGitHub) -> None:
    forge = forge_of(github)
    publish(forge, base_of(github))
    github.pulls.found[0].comments = [
        {"id": number, "user": {"login": "ann"}, "body": str(number), "created_at": "2026-11-24T10:00:00Z"}
        for number in range(250)
    ]
    assert [each.id for each in forge.activity(17).comments] == list(range(250))
    github.pulls.found[0].comments *= 5
    with pytest.raises(RepositoryUnusable, match="more than 10 pages"):
        forge.activity(17)


@each_case(
    ("runs", "statuses", "expected"),
    [
        ([], [], ForgeChecks(0, 0, 0)),
        ([("completed", "success"), ("completed", "skipped"), ("completed", "neutral")], [], ForgeChecks(3, 0, 0)),
        ([("queued", None), ("in_progress", None), ("completed", "stale")], ["pending"], ForgeChecks(0, 0, 4)),
        (
            [("completed", name) for name in ("failure", "timed_out", "cancelled", "action_required")],
            ["failure", "error", "success"],
            ForgeChecks(1, 6, 0),
        ),
    ],
)
def test_checks_of_both_kinds_are_counted(
    runs: list[tuple[str, str | None]], statuses: list[str], expected: ForgeChecks
) -> None:
    with standing_in() as github:
        forge = forge_of(github)
        head = publish(forge, base_of(github)).head
        github.pulls.check_runs[head] = [{"status": status, "conclusion": outcome} for status, outcome in runs]
        github.pulls.statuses[head] = [{"state": state} for state in statuses]
        assert forge.activity(17).checks == expected


def test_checks_that_the_token_may_not_read_are_pending() -> None:
    tokens = {WRITE_TOKEN: {**WRITES, "checks": "", "statuses": "read"}}
    with standing_in(tokens=tokens) as github:
        forge = forge_of(github)
        head = publish(forge, base_of(github)).head
        github.pulls.statuses[head] = [{"state": "success"}]
        assert forge.activity(17).checks == ForgeChecks(1, 0, 1)


def test_runs_of_actions_are_read_where_check_runs_may_not_be() -> None:
    tokens = {WRITE_TOKEN: {**WRITES, "checks": "", "actions": "read"}}
    with standing_in(tokens=tokens) as github:
        forge = forge_of(github)
        head = publish(forge, base_of(github)).head
        github.pulls.workflow_runs.append({"status": "completed", "conclusion": "success"})
        assert forge.activity(17).checks == ForgeChecks(1, 0, 0)
        assert f"head_sha={head}" in github.requests[-2].path


def test_a_branch_of_a_repository_that_the_token_no_longer_sees_is_not_gone(github: FakeGitHub) -> None:
    publish(forge_of(github), base_of(github))
    github.fail("404", times=99)
    asks: list[Callable[[GitHubForge], Any]] = [
        lambda forge: forge.find_branch(BRANCH),
        lambda forge: forge.find_pull_request(BRANCH),
        lambda forge: forge.merged_at(base_of(github)),
        lambda forge: forge.write_commit(replace(NEW, base=base_of(github))),
    ]
    for ask in asks:
        with pytest.raises(RepositoryUnreadable):
            ask(forge_of(github))


def test_a_branch_without_common_history_counts_as_far_ahead(github: FakeGitHub) -> None:
    github.objects.commit({"x": b""}, branch=BRANCH)
    found = forge_of(github).find_branch(BRANCH)
    assert found is not None
    assert found.commits_ahead == 100


def test_other_bytes_than_were_sent_are_reported(github: FakeGitHub) -> None:
    github.complete = lambda route, _status, body: {"sha": "0" * 40} if route == "add_blob" else body
    with pytest.raises(RepositoryUnreadable, match="other bytes"):
        forge_of(github).write_commit(replace(NEW, base=base_of(github)))


@each_case(
    ("route", "ask"),
    [
        ("ref", lambda forge: forge.find_branch("main")),
        ("compare", lambda forge: forge.find_branch("main")),
        ("add_commit", lambda forge: publish(forge, forge.find_branch("main").tip)),
        ("open_pull", lambda forge: publish(forge, forge.find_branch("main").tip)),
        ("pulls", lambda forge: forge.find_pull_request(BRANCH)),
        ("comments", lambda forge: (publish(forge, forge.find_branch("main").tip), forge.activity(17))),
    ],
)
def test_an_answer_of_another_shape_is_reported(route: str, ask: Callable[[Any], Any]) -> None:
    def answering(odd: Any) -> Callable[[str, int, Any], Any]:
        return lambda name, _status, body: odd if name == route else body

    lists: list[Any] = [[None], [[]], ["x"]]
    scalars: list[Any] = [None, "x", 1]
    for odd in [{}, {"sha": 1}, *lists, *([] if route == "open_pull" else scalars)]:
        with standing_in(complete=answering(odd)) as github, pytest.raises(TribalError):
            ask(forge_of(github))


def test_a_pull_request_whose_answer_cannot_be_read_is_found(github: FakeGitHub) -> None:
    github.complete = lambda route, _status, body: None if route == "open_pull" else body
    assert publish(forge_of(github), base_of(github)).number == 17
    assert_published_once(github)
