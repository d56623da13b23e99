"""Where the scenario is played: one machine, or a simulated AWS."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import requests

from tests.fakes.github.server import FakeGitHub
from tests.fakes.openai import FakeOpenAI
from tests.waiting import Found, wait_until
from tribal_contracts import RunRecord

Json = dict[str, Any]
CHAT, UPLOAD, JOB = "/api/chat/stream", "/api/admin/upload", "/api/admin/etl/status"
UI_STREAM = {"x-vercel-ai-ui-message-stream": "v1"}
_LONGEST_SECONDS = 90


@dataclass(frozen=True)
class Client:
    """Someone who calls the API of a place with a token."""

    address: Callable[[], str]
    """A server that was started again has another port."""
    token: Callable[[], str]

    def request(
        self, method: str, path: str, content: Any = None, headers: Mapping[str, str] | None = None, **more: Any
    ) -> requests.Response:
        """Send a request, with JSON unless `more` has another body."""
        sent = {"authorization": f"Bearer {self.token()}", **(headers or {})}
        if content is not None:
            more["json"] = content
        return requests.request(
            method, self.address() + path, headers=sent, timeout=_LONGEST_SECONDS, allow_redirects=False, **more
        )

    def call(self, tool: str, **arguments: Any) -> Json:
        """Return a tool's answer, which is no failure."""
        answer = self.request("POST", f"/v1/tools/{tool}", arguments)
        assert answer.status_code == 200, (tool, answer.status_code, answer.text)
        return dict(answer.json())

    def refused(self, tool: str, **arguments: Any) -> tuple[int, str]:
        """Return status and error code of a tool's failure."""
        answer = self.request("POST", f"/v1/tools/{tool}", arguments)
        return answer.status_code, answer.json()["error"]["code"]

    def upload(self, collection: str, name: str, data: bytes) -> str:
        """Upload a file; return the id of its job."""
        form = {"collection": (None, collection), "file": (name, data)}
        accepted = self.request("POST", UPLOAD, files=form)
        assert accepted.status_code == 202, accepted.text
        return str(accepted.json()["job_id"])

    def chat(self, question: str, collection: str, **more: Any) -> list[Json]:
        """Return the events of an answer, in the framing that `headers` ask for."""
        headers = more.pop("headers", {})
        body = {"messages": [{"role": "user", "content": question}], "collection": collection, **more}
        with self.request("POST", CHAT, body, headers, stream=True) as answer:
            assert answer.status_code == 200, answer.text
            return list(events_in(answer))


def events_in(answer: requests.Response) -> Iterator[Json]:
    """Return the events of a streamed answer as they arrive, without the end of the AI SDK's framing."""
    for line in answer.iter_lines(chunk_size=1):
        if line.startswith(b"data: ") and line != b"data: [DONE]":
            yield json.loads(line.removeprefix(b"data: "))


class Place(Protocol):
    """One machine, or an account of AWS, with the same company in it."""

    vendor: FakeOpenAI
    github: FakeGitHub

    def operate(self, *words: str, ends_with: int = 0) -> str:
        """Run `tribal` as the operator, over the place's store; return what it prints."""
        ...

    def run(self, *options: str) -> RunRecord:
        """Document and index; return the record of the run."""
        ...

    def client(self, name: str) -> Client:
        """Return a caller of the API: `ada` and `cem` work in team returns, `bea` sees another schema only."""
        ...

    def put(self, key: str, data: bytes) -> None:
        """Write into the store, as a person does."""
        ...

    def get(self, key: str) -> bytes:
        """Return an object of the store."""
        ...

    def keys(self, prefix: str) -> Sequence[str]:
        """Return the keys of the store below a prefix."""
        ...

    def decide(self, files: Mapping[str, bytes]) -> None:
        """Put decisions where they are synced from."""
        ...

    def migrate(self, statements: Sequence[str], *, afresh: bool = False) -> None:
        """Run SQL as the owner of the database; `afresh` in a new one of the same name."""
        ...

    def kill(self) -> bool:
        """Kill the processes that work in the background; return whether there was one."""
        ...

    def resume(self) -> None:
        """Start again what was killed."""
        ...

    def follow(self) -> None:
        """Have published contributions followed."""
        ...

    def rebuild_indexes(self) -> None:
        """Delete every index, and build all of them again from the store."""
        ...


def eventually(look: Callable[[], Found], seconds: float = _LONGEST_SECONDS) -> Found:
    """Wait as a polite client does, who looks four times a second."""
    return wait_until(look, seconds, pause_seconds=0.25)


def finished(client: Client, job_id: str) -> Json:
    """Return an upload's job once it has ended."""

    def look() -> Json:
        job = dict(client.request("GET", f"{JOB}/{job_id}").json())
        return job if job["status"] != "processing" else {}

    return eventually(look)
