"""Pull requests at the stand-in, and what people and machines say about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.fakes.github.objects import GitObjects

OWN = "tribal[bot]"
"""The account whose token writes."""
AT = "2026-11-24T10:00:{:02}Z"


@dataclass
class PullRequest:
    """A pull request."""

    number: int
    title: str
    body: str
    branch: str
    base: str
    draft: bool
    state: str = "open"
    labels: list[str] = field(default_factory=list)
    merged_by: str | None = None
    merge_commit: str | None = None
    reviews: list[dict[str, Any]] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)
    line_comments: list[dict[str, Any]] = field(default_factory=list)

    def say(self, author: str, text: str, path: str | None = None, line: int | None = None) -> int:
        """Comment on it or on a line of it, and return the comment's id."""
        number = len(self.comments) + len(self.line_comments) + len(self.reviews) + 1
        made: dict[str, Any] = {"id": number, "user": {"login": author}, "body": text}
        made["created_at"] = AT.format(number)
        if path is None:
            self.comments.append(made)
        else:
            self.line_comments.append({**made, "path": path, "line": line})
        return number

    def review(self, author: str, state: str, text: str = "") -> None:
        """Review it: APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED or PENDING."""
        number = len(self.comments) + len(self.line_comments) + len(self.reviews) + 1
        made = {"id": number, "user": {"login": author}, "state": state, "body": text}
        self.reviews.append(made if state == "PENDING" else {**made, "submitted_at": AT.format(number)})


@dataclass
class Pulls:
    """All pull requests of a repository."""

    objects: GitObjects
    full_name: str
    found: list[PullRequest] = field(default_factory=list)
    check_runs: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    statuses: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    workflow_runs: list[dict[str, Any]] = field(default_factory=list)
    """Runs of Actions."""
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    next_number: int = 17

    def ask(self, number: int, title: str, body: str | None = None, **fields: Any) -> str:
        """Open an issue, and return its address."""
        url = f"https://github.example/{self.full_name}/issues/{number}"
        self.issues[number] = {
            "number": number,
            "html_url": url,
            "title": title,
            "body": body,
            "labels": [{"name": "docs"}, "help"],
            "comments": 2,
            "created_at": AT.format(1),
            "state": "open",
            **fields,
        }
        return url

    def open(self, body: dict[str, Any]) -> PullRequest | str:
        """Open one, or return why not."""
        branch, base = str(body["head"]).rpartition(":")[2], str(body["base"])
        tips = self.objects.tip(branch), self.objects.tip(base)
        if tips[0] is None or tips[1] is None:
            return "Validation Failed"
        if any(each.branch == branch and each.state == "open" for each in self.found):
            return f"A pull request already exists for {self.owner}:{branch}."
        if self.objects.ancestors(tips[0]) <= self.objects.ancestors(tips[1]):
            return f"No commits between {base} and {branch}"
        text, is_draft = str(body.get("body") or ""), bool(body.get("draft"))
        made = PullRequest(self.next_number, str(body["title"]), text, branch, base, is_draft)
        self.next_number += 1
        self.found.append(made)
        return made

    def merge(self, number: int, by: str = "ann") -> str:
        """Merge one into main."""
        pull = self.get(number)
        assert pull is not None
        tip = self.objects.tip(pull.branch)
        assert tip is not None
        pull.state, pull.merged_by, pull.merge_commit = "closed", by, self.objects.merge(tip)
        return pull.merge_commit

    def get(self, number: int) -> PullRequest | None:
        """One by its number."""
        return next((each for each in self.found if each.number == number), None)

    @property
    def owner(self) -> str:
        """In whose name branches are."""
        return self.full_name.partition("/")[0]

    def shown(self, pull: PullRequest, *, is_listed: bool = False) -> dict[str, Any]:
        """One as the API shows it; lists show less."""
        tip = self.objects.tip(pull.branch) or "0" * 40
        shown = {
            "number": pull.number,
            "html_url": f"https://github.example/{self.full_name}/pull/{pull.number}",
            "state": pull.state,
            "draft": pull.draft,
            "title": pull.title,
            "user": {"login": OWN},
            "body": pull.body or None,
            "head": {"ref": pull.branch, "label": f"{self.owner}:{pull.branch}", "sha": tip},
            "base": {"ref": pull.base, "label": f"{self.owner}:{pull.base}", "sha": self.objects.tip(pull.base)},
            "merged_at": None if pull.merged_by is None else AT.format(50),
            "merge_commit_sha": pull.merge_commit or tip,
            "labels": [{"name": name} for name in pull.labels],
        }
        if not is_listed:
            shown["merged"] = pull.merged_by is not None
            shown["merged_by"] = None if pull.merged_by is None else {"login": pull.merged_by}
        return shown

    def checks_of(self, commit: str) -> dict[str, Any]:
        """The check runs of a commit."""
        runs = self.check_runs.get(commit, [])
        return {"total_count": len(runs), "check_runs": runs}

    def statuses_of(self, commit: str) -> dict[str, Any]:
        """The statuses of a commit, together."""
        found = self.statuses.get(commit, [])
        states = {each["state"] for each in found}
        state = "failure" if states & {"failure", "error"} else "success" if states == {"success"} else "pending"
        return {"state": state, "sha": commit, "total_count": len(found), "statuses": found}
