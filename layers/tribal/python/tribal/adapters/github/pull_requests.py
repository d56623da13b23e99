"""Pull requests on GitHub: found, opened once, and what was said and checked since."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal
from urllib.parse import quote

from tribal.adapters.github.access import Conflict
from tribal.adapters.github.client import GitHubClient
from tribal.adapters.github.fields import list_at, number_at, object_name_at, optional_text_at, text_at
from tribal.errors import RepositoryUnreadable, RepositoryUnusable
from tribal.ports.repositories import (
    ForgeChecks,
    ForgeIssue,
    NewPullRequest,
    PullRequestActivity,
    PullRequestComment,
    PullRequestReview,
    PullRequestState,
)

_PASSED = ("success", "neutral", "skipped")
_FAILED = ("failure", "error", "timed_out", "cancelled", "action_required", "startup_failure")
"""Source: docs/contracts.md, Contribution (states of checks)."""
ReviewVerdict = Literal["approved", "changes_requested", "commented"]
_VERDICTS: Mapping[str, ReviewVerdict] = {"APPROVED": "approved", "CHANGES_REQUESTED": "changes_requested"}
_OWN = "tribal/"
"""Branches of contributions begin with it."""
_MOST_READ = 30
"""Open pull requests whose files are read; a judgement."""
_NO_ONE = "ghost"
"""How GitHub shows a person whose account was deleted."""


class PullRequests:
    """The pull requests of a repository.

    Args:
        client: calls the API for the repository.
        owner: of the repository, in whose name its branches are.
    """

    def __init__(self, client: GitHubClient, owner: str) -> None:
        self._client = client
        self._owner = owner
        self._route = f"{client.address.repository}/pulls"
        self._issues = f"{client.address.repository}/issues"

    def find(self, branch: str) -> PullRequestState | None:
        """Read the newest one of a branch of the repository itself."""
        head = quote(f"{self._owner}:{branch}", safe="")
        listed = self._client.pages(f"{self._route}?head={head}&state=all&per_page=100")
        # A filter that GitHub does not understand is ignored.
        label = f"{self._owner}:{branch}".casefold()
        labels = {number_at(each, "number"): optional_text_at(each, "head", "label") or "" for each in listed}
        own = [number for number, found in labels.items() if found.casefold() == label]
        return self._read(max(own)) if own else None

    def read_issue(self, number: int) -> ForgeIssue:
        """Read an issue.

        Raises:
            RepositoryUnusable: when it is a pull request.
        """
        found = self._client.get(f"{self._issues}/{number}")
        if isinstance(found, dict) and "pull_request" in found:
            raise RepositoryUnusable(f"{text_at(found, 'html_url')} is a pull request, not an issue")
        return ForgeIssue(
            number=number_at(found, "number"),
            url=text_at(found, "html_url"),
            title=text_at(found, "title"),
            body=optional_text_at(found, "body") or "",
            labels=[each if isinstance(each, str) else text_at(each, "name") for each in list_at(found, "labels")],
            comments=number_at(found, "comments"),
            created_at=text_at(found, "created_at"),
            is_open=text_at(found, "state") == "open",
        )

    def added_elsewhere(self) -> dict[str, int]:
        """Read the files that open pull requests of other branches add, by path."""
        found: dict[str, int] = {}
        opened = self._client.get(f"{self._route}?state=open&sort=created&direction=desc&per_page={_MOST_READ}")
        for each in opened if isinstance(opened, list) else ():
            number, branch = number_at(each, "number"), optional_text_at(each, "head", "ref") or ""
            if branch.startswith(_OWN) or optional_text_at(each, "state") != "open":
                continue
            for file in self._client.pages(f"{self._route}/{number}/files?per_page=100"):
                if optional_text_at(file, "status") in ("added", "renamed", "copied"):
                    found.setdefault(text_at(file, "filename"), number)
        return found

    def open(self, new: NewPullRequest) -> PullRequestState:
        """Open one, unless its branch has one; labels are added either way while it is open.

        Raises:
            RepositoryUnusable: when GitHub does not create it.
        """
        found = self.find(new.branch) or self._create(new)
        if new.labels and found.state == "open":
            added = self._client.post(f"{self._issues}/{found.number}/labels", {"labels": list(new.labels)})
            if isinstance(added, Conflict):
                raise RepositoryUnusable(f"pull request {found.number} does not take its labels: {added.message}")
        return found

    def reply(self, number: int, text: str, marker: str, thread: int | None) -> None:
        """Comment once.

        Raises:
            RepositoryUnusable: when GitHub does not take it.
        """
        kind = self._issues if thread is None else self._route
        listed, own = f"{kind}/{number}/comments?per_page=100", self._read(number).author

        def find() -> bool | None:
            comments = [_comment(each) for each in self._client.pages(listed)]
            is_there = any(marker in each.text and each.author == own for each in comments)
            is_gone = thread is not None and all(each.id != thread for each in comments)
            return is_there or is_gone or None

        route = f"{kind}/{number}/comments" if thread is None else f"{kind}/{number}/comments/{thread}/replies"
        if find() is None and isinstance(made := self._client.post(route, {"body": text}, find), Conflict):
            raise RepositoryUnusable(f"pull request {number} does not take a reply: {made.message}")

    def activity(self, number: int) -> PullRequestActivity:
        """Read reviews, comments and checks."""
        reviews = self._client.pages(f"{self._route}/{number}/reviews?per_page=100")
        comments = self._client.pages(f"{self._issues}/{number}/comments?per_page=100")
        on_lines = self._client.pages(f"{self._route}/{number}/comments?per_page=100")
        said = [_comment(each) for each in (*comments, *on_lines)]
        submitted = [_review(each) for each in reviews if optional_text_at(each, "submitted_at") is not None]
        return PullRequestActivity(
            reviews=sorted(submitted, key=lambda review: review.at),
            comments=sorted(said, key=lambda comment: comment.at),
            checks=self._checks(self._read(number).head),
        )

    def _create(self, new: NewPullRequest) -> PullRequestState:
        body = {"title": new.title, "head": new.branch, "base": new.base, "body": new.body, "draft": new.draft}
        made = self._client.post(self._route, body, lambda: self.find(new.branch))
        if isinstance(made, PullRequestState):
            return made
        if not isinstance(made, Conflict):
            return _state(made)
        found = self.find(new.branch)
        if found is None:
            raise RepositoryUnusable(f"GitHub does not open a pull request of {new.branch!r}: {made.message}")
        return found

    def _read(self, number: int) -> PullRequestState:
        return _state(self._client.get(f"{self._route}/{number}"))

    def _checks(self, commit: str) -> ForgeChecks:
        route = self._client.address.repository
        runs = self._outcomes(f"{route}/commits/{commit}/check-runs?per_page=100", "check_runs", _run_outcome)
        if runs is None:
            # Fine-grained tokens cannot have the right to read check runs of a private repository (community#179545).
            runs = self._outcomes(f"{route}/actions/runs?head_sha={commit}&per_page=100", "workflow_runs", _run_outcome)
        path = f"{route}/commits/{commit}/status?per_page=100"
        statuses = self._outcomes(path, "statuses", lambda each: text_at(each, "state"))
        # Checks that may not be read count as one that is pending.
        outcomes = [each for found in (runs, statuses) for each in ([None] if found is None else found)]
        passed, failed = (sum(each in kinds for each in outcomes) for kinds in (_PASSED, _FAILED))
        return ForgeChecks(passed, failed, len(outcomes) - passed - failed)

    def _outcomes(self, path: str, member: str, outcome: Callable[[Any], str | None]) -> list[str | None] | None:
        """Read outcomes; `None` if they may not be read: the pull request could be, so only this right is missing."""
        try:
            return [outcome(each) for each in self._client.pages(path, member)]
        except RepositoryUnreadable:
            return None


def _state(found: Any) -> PullRequestState:
    is_merged = optional_text_at(found, "merged_at") is not None
    state: Literal["open", "merged", "closed"] = "open" if text_at(found, "state") == "open" else "closed"
    return PullRequestState(
        number=number_at(found, "number"),
        url=text_at(found, "html_url"),
        state="merged" if is_merged else state,
        draft=found.get("draft") is True,
        author=_author(found),
        body=optional_text_at(found, "body") or "",
        head=object_name_at(found, "head", "sha"),
        # Of an open one it is a trial merge.
        merge_commit=optional_text_at(found, "merge_commit_sha") if is_merged else None,
        merged_by=optional_text_at(found, "merged_by", "login"),
    )


def _review(found: Any) -> PullRequestReview:
    # A review that was dismissed decides nothing.
    state = _VERDICTS.get(text_at(found, "state"), "commented")
    return PullRequestReview(
        id=number_at(found, "id"),
        author=_author(found),
        state=state,
        text=optional_text_at(found, "body") or "",
        at=text_at(found, "submitted_at"),
    )


def _comment(found: Any) -> PullRequestComment:
    number, path = number_at(found, "id"), optional_text_at(found, "path")
    line, replies_to = found.get("line"), found.get("in_reply_to_id")
    return PullRequestComment(
        id=number,
        author=_author(found),
        text=optional_text_at(found, "body") or "",
        at=text_at(found, "created_at"),
        path=path,
        line=line if isinstance(line, int) else None,
        # Replies to replies are not possible.
        thread=None if path is None else replies_to if isinstance(replies_to, int) else number,
    )


def _author(found: Any) -> str:
    return optional_text_at(found, "user", "login") or _NO_ONE


def _run_outcome(found: Any) -> str | None:
    return optional_text_at(found, "conclusion") if text_at(found, "status") == "completed" else None
