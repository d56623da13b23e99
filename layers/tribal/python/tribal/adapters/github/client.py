"""The part of GitHub's REST API that contributions need: faults, limits, redirects and pages of every call.

Source: docs/contracts.md, Contribution (faults of the forge).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from tribal.adapters.github.access import Conflict, Timing, Tokens
from tribal.adapters.github.address import GitHubAddress, origin_of, resolve_url
from tribal.adapters.github.fields import parse_answer
from tribal.adapters.github.limits import limit_seconds, refusal_of, said_by, time_in
from tribal.adapters.github.transport import Answer, NoAnswerError, Outgoing, Sink, Transport
from tribal.errors import ForgeRateLimited, ForgeUnreachable, RepositoryUnreadable, RepositoryUnusable

T = TypeVar("T")

MOST_LIMIT_SECONDS = 120.0
"""How long limits are waited for in total. Source: docs/contracts.md, Contribution."""
MOST_ANSWER_BYTES = 16 << 20
"""A tree, the largest answer, has at most 7 MB. Source: docs.github.com, Get a tree."""
_LIMIT_WINDOW_SECONDS = 600.0
"""As long as an agent may take: a client can be open for days."""
_MOST_REDIRECTS = 3
_MOST_PAGES = 10
_TRIES = 3
_REDIRECTS = (301, 302, 307, 308)
_MOST_CACHED, _MOST_CACHED_BYTES = 100, 1 << 20
_NEXT = re.compile(r'<([^<>]*)>\s*;[^,<]*\brel="?next\b')
_HEADERS: Mapping[str, str] = {
    "Accept": "application/vnd.github+json, application/json;q=0.9",
    "Accept-Encoding": "identity",
    "User-Agent": "tribal-knowledge",
    "X-GitHub-Api-Version": "2022-11-28",
}


class GitHubClient:
    """Calls the API for one repository.

    Args:
        address: the repository.
        tokens: authenticate requests to the API's own host, and to no other.
        timing: deadlines and pauses.
        most_bytes: size from which an answer is refused.
    """

    def __init__(
        self,
        address: GitHubAddress,
        tokens: Tokens,
        timing: Timing | None = None,
        most_bytes: int = MOST_ANSWER_BYTES,
    ) -> None:
        self.address = address
        self._tokens = tokens
        self._timing = timing or Timing()
        self._most_bytes = most_bytes
        self._transport = Transport(self._timing.call_seconds)
        self._limited_at = self._waited = 0.0
        self._cache: dict[str, Answer] = {}

    @property
    def setting(self) -> str:
        """The setting that names the token."""
        return self._tokens.setting

    def get(self, path: str, most_bytes: int | None = None) -> Any:
        """Read something that must exist.

        Raises:
            RepositoryUnreadable: when it does not exist or access is refused.
            RepositoryUnusable: when it is not in a state in which it can be read.
            ForgeUnreachable, ForgeRateLimited: retryable.
        """
        out = self._outgoing("GET", path, most_bytes=most_bytes or self._most_bytes)
        return self._repeat(lambda: parse_answer(self._require_success(self._follow(out), out)))

    def find(self, path: str) -> Any:
        """Read something; `None` if it does not exist, which may also mean that the token cannot see it."""
        out = self._outgoing("GET", path)

        def attempt() -> Any:
            answer = self._follow(out)
            return None if answer.status == 404 else parse_answer(self._require_success(answer, out))

        return self._repeat(attempt)

    def pages(self, path: str, member: str | None = None) -> list[Any]:
        """Read a list over all of its pages, or the member of each page that is the list.

        Raises:
            RepositoryUnusable: when there are more than ten pages.
        """
        out, found = self._outgoing("GET", path), []
        for _ in range(_MOST_PAGES):
            answer, body = self._repeat(lambda out=out: self._page(out))  # type: ignore[misc]
            items = body.get(member) if member is not None and isinstance(body, dict) else body
            if not isinstance(items, list):
                raise ForgeUnreachable(f"{self._host} did not answer with a list of {member or 'items'}")
            found += items
            following = _NEXT.search(answer.headers.get("link", ""))
            if following is None:
                return found
            out = replace(out, url=self._require_own(resolve_url(out.url, following[1])))
        raise RepositoryUnusable(
            f"{self.address.page!r} has more than {_MOST_PAGES} pages of one list, which is not supported"
        )

    def post(
        self, path: str, body: Mapping[str, Any], find: Callable[[], Any] | None = None, method: str = "POST"
    ) -> Any:
        """Create something; a `Conflict` if GitHub refuses to, mostly because it exists.

        Args:
            path: the route.
            body: what to create.
            find: looks whether it exists, before another attempt follows one whose outcome is unknown; `None` if
                creating it twice has no effect.
            method: `PATCH` changes something instead.
        """
        out = self._outgoing(method, path, json.dumps(body).encode())

        def attempt() -> Any:
            answer = self._follow(out)
            if answer.status in (409, 422):
                return Conflict(answer.status, self._said(answer))
            return parse_answer(self._require_success(answer, out))

        return self._repeat(attempt, find)

    def download(self, path: str, begin: Callable[[], Sink]) -> None:
        """Download an archive, which may come from the archives' host; each attempt begins with a new sink."""
        out = self._outgoing("GET", path)

        def attempt() -> None:
            self._require_success(self._follow(replace(out, sink=begin())), out)

        self._repeat(attempt)

    def close(self) -> None:
        """Close idle connections."""
        self._transport.close()

    def _outgoing(self, method: str, path: str, body: bytes | None = None, most_bytes: int = 0) -> Outgoing:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        url = f"{self.address.api}{path}"
        return Outgoing(method, url, headers, body, most_bytes or self._most_bytes)

    def _repeat(self, attempt: Callable[[], T], find: Callable[[], T | None] | None = None) -> T:
        """Try up to three times while the outcome is unknown."""
        why = ""
        for number in range(_TRIES):
            try:
                return attempt()
            except NoAnswerError as error:
                why = str(error)
                # The answer may have been cached before it was found to be unusable.
                self._cache.clear()
            if number < _TRIES - 1:
                self._timing.pause(2.0**number)
            if find is not None and (found := find()) is not None:
                return found
        raise ForgeUnreachable(f"no usable answer from {self._host}: {why}; try again, or check the address of its API")

    def _page(self, out: Outgoing) -> tuple[Answer, Any]:
        answer = self._require_success(self._follow(out), out)
        return answer, parse_answer(answer)

    def _follow(self, out: Outgoing) -> Answer:
        """Send a request, and follow redirects within the host, or of an archive to the archives' host."""
        for _ in range(_MOST_REDIRECTS + 1):
            answer = self._send(out)
            if answer.status not in _REDIRECTS:
                return answer
            url = resolve_url(out.url, answer.headers.get("location", ""))
            scheme, host = origin_of(url)
            is_archive = out.sink is not None and host == self.address.tarball_host
            if not (is_archive and scheme == origin_of(self.address.api)[0]):
                self._require_own(url)
            out = replace(out, url=url)
        raise RepositoryUnreadable(f"{self._host} redirects more than {_MOST_REDIRECTS} times; check `url`")

    def _send(self, out: Outgoing) -> Answer:
        """Send a request once, and again after each limit that ends soon."""
        seconds = self._timing.call_seconds if out.sink is None else self._timing.download_seconds
        while True:
            left = self._timing.remaining_seconds()
            if left <= 0:
                raise ForgeUnreachable(f"no time is left to call {self._host}; try again")
            cached = self._cache.get(out.url) if out.method == "GET" else None
            answer = self._transport.send(replace(out, headers=self._headers(out, cached)), min(seconds, left))
            if answer.status == 304 and cached is not None:
                return cached
            if answer.status >= 500:
                raise NoAnswerError(f"it answered with status {answer.status}")
            wait = limit_seconds(answer, self._timing.now())
            if wait is None:
                break
            self._wait(wait)
        is_cached = out.method == "GET" and out.sink is None and answer.status == 200 and "etag" in answer.headers
        if is_cached and len(answer.body) <= _MOST_CACHED_BYTES and len(self._cache) < _MOST_CACHED:
            self._cache[out.url] = answer
        return answer

    def _wait(self, seconds: float) -> None:
        now = self._timing.now()
        if now > self._limited_at + _LIMIT_WINDOW_SECONDS:
            self._limited_at, self._waited = now, 0.0
        if self._waited + seconds > MOST_LIMIT_SECONDS or seconds > self._timing.remaining_seconds():
            raise ForgeRateLimited(f"{self._host} limits calls until {time_in(seconds, now)}; try again then")
        self._waited += seconds
        self._timing.pause(seconds)

    def _headers(self, out: Outgoing, cached: Answer | None) -> Mapping[str, str]:
        headers = {**_HEADERS, **out.headers}
        if origin_of(out.url) == origin_of(self.address.api):
            token = self._tokens.current()
            if token is not None:
                headers["Authorization"] = f"Bearer {token.get_secret_value()}"
        if cached is not None:
            headers["If-None-Match"] = cached.headers["etag"]
        return headers

    def _require_own(self, url: str) -> str:
        if origin_of(url) != origin_of(self.address.api):
            raise RepositoryUnreadable(
                f"{self._host} redirects to another host, which is not followed; check `url`, `api_url` and"
                " `tarball_host` of the repository"
            )
        return url

    def _require_success(self, answer: Answer, out: Outgoing) -> Answer:
        if answer.status in (200, 201):
            return answer
        call = f"{out.method} {out.url.removeprefix(self.address.api)}"
        raise refusal_of(answer.status, self._said(answer), call, self.setting)

    def _said(self, answer: Answer) -> str:
        token = self._tokens.current()
        said = said_by(answer)
        return said if token is None else said.replace(token.get_secret_value(), "***")

    @property
    def _host(self) -> str:
        return origin_of(self.address.api)[1]
