"""Answers to reviews on GitHub: a branch moves forward only, and each reply is made once."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.adapters.github.clients import BRANCH, NEW, Pauses, client_of, forge_of, publish
from tests.adapters.github.test_forge import standing_in
from tests.cases import each_case, verify_all_but
from tests.fakes.github.faults import FaultName
from tests.fakes.github.pulls import PullRequest
from tests.fakes.github.server import WRITE_TOKEN, FakeGitHub
from tribal.adapters.github.forge import GitHubForge
from tribal.errors import ForgeRateLimited, ForgeUnreachable, RepositoryUnreadable, RepositoryUnusable

MARK = "<!-- tribal:1:1:reply-1 -->"
ROUTES = ("move_ref", "add_comment", "add_line_reply")


Act = Callable[[GitHubForge, PullRequest, str, str], Any]
_ACTS: dict[str, Act] = {
    "move_ref": lambda forge, _, head, commit: forge.move_branch(BRANCH, commit, head),
    "add_comment": lambda forge, pull, *_: forge.reply(pull.number, MARK, MARK),
    "add_line_reply": lambda forge, pull, *_: forge.reply(pull.number, MARK, MARK, 1),
}


def published(github: FakeGitHub) -> tuple[PullRequest, str]:
    """A pull request, and the commit at its tip."""
    publish(forge_of(github), github.objects.tip("main") or "")
    return github.pulls.found[0], github.objects.tip(BRANCH) or ""


def following(forge: GitHubForge, head: str) -> str:
    """A commit that follows another one."""
    return forge.write_commit(replace(NEW, base=head, files={"README.md": b"# Two\n"}))


def answer(forge: GitHubForge, pull: PullRequest, head: str, commit: str) -> None:
    """Move the branch, and reply to both kinds of comments, as far as that has not happened."""
    if not forge.move_branch(BRANCH, commit, head):
        found = forge.find_branch(BRANCH)
        assert found is not None
        assert found.tip == commit
    forge.reply(pull.number, f"Done.\n\n{MARK}", MARK)
    forge.reply(pull.number, f"Here too.\n\n{MARK}", MARK, 1)


def assert_answered_once(github: FakeGitHub, pull: PullRequest, commit: str) -> None:
    assert github.objects.tip(BRANCH) == commit
    assert [each["body"] for each in pull.comments] == [f"Done.\n\n{MARK}"]
    assert [each["body"] for each in pull.line_comments] == ["Please", f"Here too.\n\n{MARK}"]


def test_a_branch_moves_forward_and_comments_get_replies(github: FakeGitHub) -> None:
    pull, head = published(github)
    pull.say("ann", "Please", "README.md", 1)
    forge = forge_of(github)
    commit = following(forge, head)
    answer(forge, pull, head, commit)
    answer(forge_of(github), pull, head, commit)
    assert_answered_once(github, pull, commit)
    [_, reply] = forge.activity(pull.number).comments[-2:]
    assert reply.thread == 1


def test_a_branch_that_is_elsewhere_stays(github: FakeGitHub) -> None:
    _, head = published(github)
    forge = forge_of(github)
    commit = following(forge, head)
    other = github.objects.commit({"README.md": b"# Else\n"}, BRANCH)
    assert not forge.move_branch(BRANCH, commit, head)
    assert github.objects.tip(BRANCH) == other
    main = github.objects.tip("main") or ""
    with pytest.raises(RepositoryUnusable, match="is not a branch of contributions"):
        forge.move_branch("main", commit, main)


def test_a_branch_that_someone_moves_at_the_same_time_stays(github: FakeGitHub) -> None:
    _, head = published(github)
    forge = forge_of(github)
    commit = following(forge, head)
    tip = github.objects.tip

    def moved(branch: str) -> str | None:
        github.objects.tip = tip  # type: ignore[method-assign]
        github.objects.commit({"README.md": b"# Else\n"}, BRANCH)
        return head

    github.objects.tip = moved  # type: ignore[method-assign]
    assert not forge.move_branch(BRANCH, commit, head)
    assert tip(BRANCH) != commit


@verify_all_but(4, ("route", "fault"), itertools.product(ROUTES, ["reset after", "reset before", "500", "502 after"]))
def test_an_answer_whose_outcome_is_unknown_happens_once(github: FakeGitHub, route: str, fault: FaultName) -> None:
    pull, head = published(github)
    pull.say("ann", "Please", "README.md", 1)
    forge = forge_of(github)
    commit = following(forge, head)
    github.fail(fault, route)
    answer(forge, pull, head, commit)
    assert_answered_once(github, pull, commit)


OUTCOMES: list[tuple[FaultName, type[Exception]]] = [
    ("401", RepositoryUnreadable),
    ("403", RepositoryUnreadable),
    ("404", RepositoryUnreadable),
    ("elsewhere", RepositoryUnreadable),
    ("429 a day", ForgeRateLimited),
]


@each_case(("fault", "error"), OUTCOMES)
def test_a_refused_answer_is_reported_and_not_repeated(fault: FaultName, error: type[Exception]) -> None:
    for route, act in _ACTS.items():
        with standing_in() as github:
            refuse(github, route, act, fault, error)


def refuse(github: FakeGitHub, route: str, act: Act, fault: FaultName, error: type[Exception]) -> None:
    """Refuse one call."""
    pull, head = published(github)
    pull.say("ann", "Please", "README.md", 1)
    forge = GitHubForge(client_of(github, WRITE_TOKEN, Pauses()))
    commit = following(forge, head)
    github.fail(fault, route, times=5)
    github.calls.clear()
    with pytest.raises(error):
        act(forge, pull, head, commit)
    assert github.calls.count(route) == 1
    assert github.objects.tip(BRANCH) == head
    assert len(pull.comments) + len(pull.line_comments) == 1


@each_case("fault", ["409", "422"])
def test_what_github_does_not_take_is_reported(fault: FaultName) -> None:
    with standing_in() as github:
        pull, head = published(github)
        forge = forge_of(github)
        commit = following(forge, head)
        github.fail(fault, "move_ref")
        assert not forge.move_branch(BRANCH, commit, head)
        github.fail(fault, "add_comment")
        with pytest.raises(RepositoryUnusable, match=f"pull request {pull.number} does not take a reply"):
            forge.reply(pull.number, MARK, MARK)


def test_a_server_that_lastingly_fails_is_reported(github: FakeGitHub) -> None:
    pull, _ = published(github)
    github.fail("500", "add_comment", times=3)
    with pytest.raises(ForgeUnreachable):
        forge_of(github).reply(pull.number, MARK, MARK)
    assert pull.comments == []
