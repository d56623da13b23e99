"""The routes of the stand-in, with their rights."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import jwt

from tests.adapters.git.repositories import Files
from tests.fakes.github.faults import DONE_BEFORE, Fault, FaultName, error, faulty
from tests.fakes.github.objects import GitObjects
from tests.fakes.github.pulls import Pulls
from tests.fakes.github.routes import ROUTES, Found, Routes
from tests.fakes.http_server import HttpServer, Request, Response

READ_TOKEN, WRITE_TOKEN = "github_pat_reads", "github_pat_writes"
APP, INSTALLATION = 4711, 815
_FOLLOW = {"metadata": "read", "pull_requests": "read", "checks": "read", "statuses": "read"}
READS: Mapping[str, str] = {"contents": "read", "metadata": "read"}
WRITES: Mapping[str, str] = {**_FOLLOW, "contents": "write", "pull_requests": "write"}


@dataclass
class FakeGitHub:
    """One repository at GitHub.

    Args:
        files: of the first commit. tokens: their permissions. app_key: public key of the App.
    """

    files: Files
    owner: str = "acme"
    name: str = "shop"
    private: bool = True
    visibility: str = "private"
    archived: bool = False
    tokens: dict[str, Mapping[str, str]] = field(default_factory=lambda: {READ_TOKEN: READS, WRITE_TOKEN: WRITES})
    app_key: str = ""
    installed: Mapping[str, str] = field(default_factory=lambda: dict(WRITES))
    now: Callable[[], float] = time.time
    faults: list[Fault] = field(default_factory=list)
    sends_etags: bool = True
    archive: bytes | None = None
    """Instead of the archive of a commit."""
    archive_changes: dict[str, bytes | None] = field(default_factory=dict)
    complete: Callable[[str, int, Any], Any] = lambda _route, _status, body: body
    """Adds what the API has besides."""

    def __post_init__(self) -> None:
        self.objects = GitObjects(self.files)
        self.pulls = Pulls(self.objects, f"{self.owner}/{self.name}")
        self.calls: list[str] = []
        """Names of the routes that were called."""
        self.requests: list[Request] = []
        self.leaks: list[str] = []
        """Requests for archives that came with a token."""
        self.server = HttpServer(self._answer)
        self.archives = HttpServer(self._archive)

    @property
    def api(self) -> str:
        """Address of the API."""
        return f"http://127.0.0.1:{self.server.port}"

    @property
    def full_name(self) -> str:
        """Owner and name."""
        return f"{self.owner}/{self.name}"

    @property
    def tarball_host(self) -> str:
        """Host of the archives."""
        return f"127.0.0.1:{self.archives.port}"

    @property
    def page(self) -> str:
        """Address of the repository."""
        return f"https://github.example/{self.owner}/{self.name}"

    def fail(self, name: FaultName, route: str = "", skip: int = 0, times: int = 1) -> None:
        """Let something go wrong."""
        self.faults.append(Fault(name, route, skip, times))

    def stop(self) -> None:
        """Close the ports."""
        self.server.stop()
        self.archives.stop()

    async def _answer(self, request: Request) -> Response:
        self.requests.append(request)
        path = urlsplit(request.path).path
        route, arguments = self._route(request.method, path)
        self.calls.append(route)
        fault = next((each for each in self.faults if each.draw(route)), None)
        if fault is not None and fault.name not in DONE_BEFORE:
            return faulty(fault.name, Response(200, b""), self.now())
        answer = self._allowed(request, route, arguments)
        return answer if fault is None else faulty(fault.name, answer, self.now())

    async def _archive(self, request: Request) -> Response:
        self.requests.append(request)
        self.calls.append("archive")
        if "authorization" in request.headers:
            self.leaks.append(request.path)
        fault = next((each for each in self.faults if each.draw("archive")), None)
        if fault is not None and fault.name not in DONE_BEFORE:
            return faulty(fault.name, Response(200, b""), self.now())
        commit = urlsplit(request.path).path.rpartition("/")[2]
        data = self.archive if self.archive is not None else self.objects.archive(commit, self.archive_changes)
        answer = Response(200, data, {"content-type": "application/x-gzip"})
        return answer if fault is None else faulty(fault.name, answer, self.now())

    def _route(self, method: str, path: str) -> tuple[str, list[str]]:
        if method == "POST" and path == f"/app/installations/{INSTALLATION}/access_tokens":
            return "app_token", []
        root = f"/repos/{self.owner}/{self.name}"
        for name, (verb, pattern, _) in ROUTES.items():
            found = re.fullmatch(pattern, path.removeprefix(root)) if path.startswith(root) else None
            if verb == method and found:
                return name, [unquote(each) for each in found.groups()]
        return "unknown", []

    def _allowed(self, request: Request, route: str, arguments: list[str]) -> Response:
        body = json.loads(request.body) if request.body else {}
        if route == "app_token":
            return self._token(request, body)
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if token and token not in self.tokens:
            return error(401, "Bad credentials")
        if route == "unknown" or (self.private and not token):
            return error(404, "Not Found")
        name, _, right = ROUTES[route][2].partition(":")
        granted = self.tokens[token].get(name, "") if token else "" if self.private else "read"
        if granted != "write" and granted != right:
            return error(403, "Resource not accessible by personal access token")
        if self.objects.is_empty and route not in ("repository", "pulls"):
            return error(409, "Git Repository is empty.")
        found = getattr(Routes(self), route)(*arguments, *([body] if request.method != "GET" else []))
        return self._encoded(found, route, request)

    def _encoded(self, found: Found, route: str, request: Request) -> Response:
        if isinstance(found, Response):
            return found
        if found is None:
            return error(404, "Not Found")
        status = 201 if request.method == "POST" and route != "add_labels" else 200
        headers: dict[str, str] = {}
        if isinstance(found, list) and request.method == "GET":
            query = _query_of(request)
            if "head" in query:
                # Pull requests of one branch.
                found = [each for each in found if each["head"]["label"] == query["head"]]
            found, headers = self._paged(found, request)
        body = json.dumps(self.complete(route, status, found)).encode()
        headers["content-type"] = "application/json; charset=utf-8"
        if self.sends_etags:
            token = request.headers.get("authorization", "").encode()
            headers["etag"] = f'"{hashlib.sha1(body + token).hexdigest()}"'
            if request.method == "GET" and request.headers.get("if-none-match") == headers["etag"]:
                return Response(304, b"", {"etag": headers["etag"]})
        return Response(status, body, headers)

    def _paged(self, found: list[Any], request: Request) -> tuple[list[Any], dict[str, str]]:
        parts, query = urlsplit(request.path), _query_of(request)
        size, page = int(query.get("per_page", "30")), int(query.get("page", "1"))
        headers = {}
        if len(found) > size * page:
            following = "&".join(f"{name}={value}" for name, value in {**query, "page": str(page + 1)}.items())
            headers["link"] = f'<{self.api}{parts.path}?{following}>; rel="next", <{self.api}>; rel="last"'
        return found[size * (page - 1) : size * page], headers

    def _token(self, request: Request, body: Mapping[str, Any]) -> Response:
        signed = request.headers.get("authorization", "").removeprefix("Bearer ")
        try:
            claims = jwt.decode(
                signed, self.app_key, ["RS256"], issuer=str(APP), options={"verify_exp": False, "verify_iat": False}
            )
        except jwt.PyJWTError:
            return error(401, "A JSON web token could not be decoded")
        if not claims["iat"] <= self.now() < claims["exp"] <= self.now() + 600:
            return error(401, "'Expiration time' claim ('exp') is too far in the future")
        wanted: Mapping[str, str] = body["permissions"]
        if body["repositories"] != [self.name] or any(
            self.installed.get(name) not in (right, "write") for name, right in wanted.items()
        ):
            return error(422, "The permissions requested are not granted to this installation.")
        token = f"ghs_{len(self.tokens):03}"
        self.tokens[token] = wanted
        expires = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.now() + 3600))
        made = {"token": token, "expires_at": expires, "permissions": wanted, "repository_selection": "selected"}
        return self._encoded(made, "app_token", request)


def _query_of(request: Request) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(request.path).query).items()}
