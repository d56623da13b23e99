"""The routes of the stand-in: their rights, and what each finds or writes."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tests.fakes.github.faults import error
from tests.fakes.github.pulls import OWN
from tests.fakes.http_server import Response

if TYPE_CHECKING:
    from tests.fakes.github.server import FakeGitHub

ROUTES: Mapping[str, tuple[str, str, str]] = {
    "repository": ("GET", "", "metadata:read"),
    "ref": ("GET", r"/git/ref/([^/]+)", "contents:read"),
    "commit": ("GET", r"/git/commits/([^/]+)", "contents:read"),
    "tree": ("GET", r"/git/trees/([^/]+)", "contents:read"),
    "blob": ("GET", r"/git/blobs/([^/]+)", "contents:read"),
    "tarball": ("GET", r"/tarball/([^/]+)", "contents:read"),
    "compare": ("GET", r"/compare/([^/]+)", "contents:read"),
    "add_blob": ("POST", r"/git/blobs", "contents:write"),
    "add_tree": ("POST", r"/git/trees", "contents:write"),
    "add_commit": ("POST", r"/git/commits", "contents:write"),
    "add_ref": ("POST", r"/git/refs", "contents:write"),
    "move_ref": ("PATCH", r"/git/refs/([^/]+)", "contents:write"),
    "pulls": ("GET", r"/pulls", "pull_requests:read"),
    "open_pull": ("POST", r"/pulls", "pull_requests:write"),
    "pull": ("GET", r"/pulls/(\d+)", "pull_requests:read"),
    "pull_files": ("GET", r"/pulls/(\d+)/files", "pull_requests:read"),
    "reviews": ("GET", r"/pulls/(\d+)/reviews", "pull_requests:read"),
    "line_comments": ("GET", r"/pulls/(\d+)/comments", "pull_requests:read"),
    "issue": ("GET", r"/issues/(\d+)", "issues:read"),
    "comments": ("GET", r"/issues/(\d+)/comments", "pull_requests:read"),
    "add_labels": ("POST", r"/issues/(\d+)/labels", "pull_requests:write"),
    "add_comment": ("POST", r"/issues/(\d+)/comments", "pull_requests:write"),
    "add_line_reply": ("POST", r"/pulls/(\d+)/comments/(\d+)/replies", "pull_requests:write"),
    "check_runs": ("GET", r"/commits/([^/]+)/check-runs", "checks:read"),
    "workflow_runs": ("GET", r"/actions/runs", "actions:read"),
    "status": ("GET", r"/commits/([^/]+)/status", "statuses:read"),
}
Found = Response | Mapping[str, Any] | list[Any] | None
"""What a route finds; `None` is a 404."""


class Routes:
    """What each route does, by its name.

    Args:
        github: the stand-in.
    """

    def __init__(self, github: FakeGitHub) -> None:
        self._github = github
        self._objects = github.objects
        self._pulls = github.pulls

    def repository(self) -> Found:
        github = self._github
        return {
            "name": github.name,
            "full_name": github.full_name,
            "html_url": github.page,
            "private": github.private,
            "visibility": github.visibility,
            "default_branch": "main",
            "archived": github.archived,
        }

    def ref(self, name: str) -> Found:
        tip = self._objects.tip(name.removeprefix("heads/"))
        return None if tip is None else {"ref": f"refs/{name}", "object": {"type": "commit", "sha": tip}}

    def commit(self, name: str) -> Found:
        return self._objects.shown_commit(name)

    def tree(self, name: str) -> Found:
        return self._objects.shown_tree(name)

    def blob(self, name: str) -> Found:
        return self._objects.shown_blob(name)

    def tarball(self, name: str) -> Found:
        if not self._objects.has(name):
            return None
        place = f"http://{self._github.tarball_host}/acme/shop/legacy.tar.gz/{name}?token=TEMPORARY"
        return Response(302, b"", {"location": place})

    def compare(self, name: str) -> Found:
        base, _, head = name.partition("...")
        return self._objects.compared(base, head)

    def add_blob(self, body: Mapping[str, Any]) -> Found:
        return {"sha": self._objects.add_blob(base64.b64decode(body["content"]))}

    def add_tree(self, body: Mapping[str, Any]) -> Found:
        name = self._objects.add_tree(body["base_tree"], body["tree"])
        return error(422, "GitRPC::BadObjectState") if name is None else self._objects.shown_tree(name)

    def add_commit(self, body: Mapping[str, Any]) -> Found:
        name = self._objects.add_commit(body)
        return error(422, "Tree SHA does not exist") if name is None else self._objects.shown_commit(name)

    def add_ref(self, body: Mapping[str, Any]) -> Found:
        if not self._objects.has(body["sha"]):
            return error(422, "Object does not exist")
        if not self._objects.add_branch(body["ref"], body["sha"]):
            return error(422, "Reference already exists")
        return self.ref(str(body["ref"]).removeprefix("refs/"))

    def move_ref(self, name: str, body: Mapping[str, Any]) -> Found:
        branch, commit = name.removeprefix("heads/"), str(body["sha"])
        tip = self._objects.tip(branch)
        if tip is None or not self._objects.has(commit):
            return error(422, "Reference does not exist")
        if not body.get("force") and tip not in self._objects.ancestors(commit):
            return error(422, "Update is not a fast forward")
        self._objects.move_branch(branch, commit)
        return self.ref(name)

    def pulls(self) -> Found:
        found = sorted(self._pulls.found, key=lambda pull: -pull.number)
        return [self._pulls.shown(pull, is_listed=True) for pull in found]

    def open_pull(self, body: dict[str, Any]) -> Found:
        made = self._pulls.open(body)
        if isinstance(made, str):
            return error(
                422, "Validation Failed", errors=[{"resource": "PullRequest", "code": "custom", "message": made}]
            )
        return self._pulls.shown(made)

    def pull(self, number: str) -> Found:
        pull = self._pulls.get(int(number))
        return None if pull is None else self._pulls.shown(pull)

    def pull_files(self, number: str) -> Found:
        pull = self._pulls.get(int(number))
        if pull is None:
            return None
        base = self._objects.files(pull.base)
        return [
            {
                "filename": path,
                "status": "modified" if path in base else "added",
                "sha": "0" * 40,
                "additions": 1,
                "deletions": 0,
                "changes": 1,
            }
            for path, data in self._objects.files(pull.branch).items()
            if base.get(path) != data
        ]

    def issue(self, number: str) -> Found:
        return self._pulls.issues.get(int(number))

    def reviews(self, number: str) -> Found:
        pull = self._pulls.get(int(number))
        return None if pull is None else pull.reviews

    def comments(self, number: str) -> Found:
        pull = self._pulls.get(int(number))
        return None if pull is None else pull.comments

    def line_comments(self, number: str) -> Found:
        pull = self._pulls.get(int(number))
        return None if pull is None else pull.line_comments

    def add_labels(self, number: str, body: Mapping[str, Any]) -> Found:
        pull = self._pulls.get(int(number))
        if pull is None:
            return None
        pull.labels += [name for name in body["labels"] if name not in pull.labels]
        return [{"name": name} for name in pull.labels]

    def add_comment(self, number: str, body: Mapping[str, Any]) -> Found:
        pull = self._pulls.get(int(number))
        if pull is None:
            return None
        pull.say(OWN, str(body["body"]))
        return pull.comments[-1]

    def add_line_reply(self, number: str, thread: str, body: Mapping[str, Any]) -> Found:
        pull = self._pulls.get(int(number))
        first = None if pull is None else next((each for each in pull.line_comments if each["id"] == int(thread)), None)
        if pull is None or first is None or "in_reply_to_id" in first:
            return None
        pull.say(OWN, str(body["body"]), first["path"], first["line"])
        pull.line_comments[-1]["in_reply_to_id"] = int(thread)
        return pull.line_comments[-1]

    def check_runs(self, commit: str) -> Found:
        return self._pulls.checks_of(commit)

    def workflow_runs(self) -> Found:
        found = self._pulls.workflow_runs
        return {"total_count": len(found), "workflow_runs": found}

    def status(self, commit: str) -> Found:
        return self._pulls.statuses_of(commit)
