"""GitHub as the place where contributions are published, by its Git Data API.

A write whose outcome is unknown is never repeated before it is known that what it creates does not exist. Objects are
named for their content, so that writing one twice has no effect.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Any
from urllib.parse import quote

from tribal.adapters.git.commit_contents import encode
from tribal.adapters.github.access import Conflict
from tribal.adapters.github.changes import modes_of
from tribal.adapters.github.client import GitHubClient
from tribal.adapters.github.fields import is_object_name, number_at, object_name_at
from tribal.adapters.github.objects import (
    RepositoryFacts,
    blob_name,
    find_tip,
    read_entries,
    read_facts,
    require_commit,
    require_tip,
)
from tribal.adapters.github.pull_requests import PullRequests
from tribal.adapters.github.tarball import TarballLimits
from tribal.errors import RepositoryUnreadable, RepositoryUnusable
from tribal.ports.repositories import (
    ForgeIssue,
    NewCommit,
    NewPullRequest,
    PublishedBranch,
    PullRequestActivity,
    PullRequestState,
)

MOST_COMMITS_AHEAD = 100
_BRANCH = re.compile(r"tribal/[a-z0-9][a-z0-9-]{0,99}")
"""Source: docs/contracts.md, Contribution (names of branches)."""


class GitHubForge:
    """A `Forge` on GitHub. It creates branches below `tribal/`, and moves them forward only.

    Args:
        client: calls the API for the repository; closed with it.
        base: the branch that contributions start from; the default branch when unset.
        limits: how large the repository may be.
    """

    has_pull_requests = True

    def __init__(self, client: GitHubClient, base: str | None = None, limits: TarballLimits | None = None) -> None:
        self._client = client
        self._base = base
        self._limits = limits or TarballLimits()
        self._git = f"{client.address.repository}/git"

    def find_branch(self, name: str) -> PublishedBranch | None:
        """Read a branch; `None` if it does not exist in a repository that the token can see."""
        base = self._base_branch
        tip = find_tip(self._client, name)
        if tip is None:
            return None
        found = self._compare(require_tip(self._client, base), tip)
        # Without any common commit there is nothing to compare.
        ahead = MOST_COMMITS_AHEAD if found is None else number_at(found, "ahead_by")
        message = require_commit(self._client, tip).message
        return PublishedBranch(name, tip, message, min(ahead, MOST_COMMITS_AHEAD))

    def write_commit(self, commit: NewCommit) -> str:
        """Write a commit that no branch has yet, and return its name.

        Without an author it is the token's owner or the App, whose commits GitHub signs, and equal commits have
        different names.
        """
        parent = require_commit(self._client, commit.base)
        # Refused before anything is written.
        encode(commit.message, "the message")
        modes = modes_of(commit.files, read_entries(self._client, parent.tree, self._limits.files))
        items = [
            {"path": path, "mode": mode, "type": "blob", "sha": self._write_blob(commit.files[path])}
            for path, mode in modes.items()
        ]
        tree = object_name_at(self._write("trees", {"base_tree": parent.tree, "tree": items}), "sha")
        body = {"message": commit.message, "tree": tree, "parents": [commit.base], **_signature(commit)}
        return object_name_at(self._write("commits", body), "sha")

    def create_branch(self, name: str, commit: str) -> bool:
        """Create a branch at a commit; `False` if it exists."""
        self._require_own(name)
        require_commit(self._client, commit)
        body = {"ref": f"refs/heads/{name}", "sha": commit}
        # A text is the tip of the branch, found after an attempt whose outcome is unknown.
        made = self._client.post(f"{self._git}/refs", body, lambda: find_tip(self._client, name))
        if isinstance(made, str):
            return made == commit
        if not isinstance(made, Conflict):
            return True
        if find_tip(self._client, name) is None:
            raise RepositoryUnusable(f"GitHub does not create the branch {name!r}: {made.message}")
        return False

    def move_branch(self, name: str, commit: str, head: str) -> bool:
        """Move a branch forward from `head` to a commit; `False` if it is elsewhere."""
        self._require_own(name)
        if find_tip(self._client, name) != head:
            return False

        def moved() -> str | None:
            tip = find_tip(self._client, name)
            return None if tip == head else tip

        # GitHub refuses to move it backwards or sideways.
        body = {"sha": commit, "force": False}
        made = self._client.post(f"{self._git}/refs/{quote(f'heads/{name}', safe='')}", body, moved, method="PATCH")
        return made == commit if isinstance(made, str) else not isinstance(made, Conflict)

    def merged_at(self, commit: str) -> str | None:
        """Return the newest commit of the default branch if it contains a commit, `None` if it does not."""
        if not is_object_name(commit):
            return None
        tip = require_tip(self._client, self._facts.default_branch)
        found = self._compare(commit, tip)
        return tip if found is not None and number_at(found, "behind_by") == 0 else None

    def read_issue(self, number: int) -> ForgeIssue:
        """Read an issue; a pull request is none."""
        return self._pull_requests.read_issue(number)

    def find_pull_request(self, branch: str) -> PullRequestState | None:
        """Read the newest pull request of a branch, open or not; `None` if it does not exist."""
        return self._pull_requests.find(branch)

    def added_elsewhere(self) -> Mapping[str, int]:
        """Read the files that other open pull requests add."""
        return self._pull_requests.added_elsewhere()

    def open_pull_request(self, new: NewPullRequest) -> PullRequestState:
        """Open a pull request with its labels, or complete the one that its branch has."""
        return self._pull_requests.open(new)

    def reply(self, number: int, text: str, marker: str, thread: int | None = None) -> None:
        """Comment once on a pull request, or in a thread on a line of its diff."""
        self._pull_requests.reply(number, text, marker, thread)

    def activity(self, number: int) -> PullRequestActivity:
        """Read what was said about a pull request, and the checks of its newest commit."""
        return self._pull_requests.activity(number)

    def close(self) -> None:
        """Close connections."""
        self._client.close()

    @cached_property
    def _facts(self) -> RepositoryFacts:
        return read_facts(self._client)

    @property
    def _base_branch(self) -> str:
        # Read even where the base is configured: it shows that the token can see the repository.
        facts = self._facts
        return self._base or facts.default_branch

    @property
    def _pull_requests(self) -> PullRequests:
        return PullRequests(self._client, self._facts.owner)

    def _require_own(self, name: str) -> None:
        if not _BRANCH.fullmatch(name) or name in (self._base_branch, self._facts.default_branch):
            raise RepositoryUnusable(
                f"{name!r} is not a branch of contributions; those begin with 'tribal/', and have small letters, digits"
                " and hyphens"
            )

    def _compare(self, base: str, head: str) -> Any:
        route = f"{self._client.address.repository}/compare/{quote(f'{base}...{head}', safe='')}"
        return self._client.find(f"{route}?per_page=1")

    def _write_blob(self, content: bytes | None) -> str | None:
        """Write the bytes of a file; `None` for a file that is removed."""
        if content is None:
            return None
        body = {"content": base64.b64encode(content).decode(), "encoding": "base64"}
        name = object_name_at(self._write("blobs", body), "sha")
        if name != blob_name(content):
            raise RepositoryUnreadable(f"{self._client.address.page!r} stored other bytes than were sent; try again")
        return name

    def _write(self, kind: str, body: Mapping[str, object]) -> Any:
        """Write an object, which no branch has yet."""
        made = self._client.post(f"{self._git}/{kind}", body)
        if isinstance(made, Conflict):
            raise RepositoryUnusable(f"{self._client.address.page!r} does not take the commit: {made.message}")
        return made


def _signature(commit: NewCommit) -> Mapping[str, object]:
    if not commit.author:
        return {}
    name, _, address = commit.author.removesuffix(">").partition(" <")
    at = datetime.fromisoformat(commit.at)
    date = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    return {"author": {"name": name, "email": address, "date": f"{date:%Y-%m-%dT%H:%M:%SZ}"}}
