"""A stand-in for Claude on a real port, over Anthropic's wire and the two of Bedrock."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

from tests.e2e.signatures import NotSigned, signer_of
from tests.fakes.claude import aws, failures, frames, shapes, streams, vendor
from tests.fakes.claude.accounting import PromptCache, Tokens, thinking_tokens
from tests.fakes.http_server import Request, Response
from tests.fakes.model_servers.counting import count
from tests.fakes.model_servers.script import Failure, Refused, Script
from tests.fakes.model_servers.server import ModelServer

KEY = "sk-ant-test"

_WIRES = {"/v1/messages": "anthropic", "/anthropic/v1/messages": "messages"}
_INVOKE = re.compile(r"/model/(?P<model>[^/]+)/invoke(?P<streams>-with-response-stream)?")
_SERVICES = {"messages": "bedrock-mantle", "runtime": "bedrock"}
_JSON = {"content-type": "application/json"}


@dataclass(frozen=True)
class Call:
    """A call as the vendor saw it."""

    wire: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    failure: str
    """The name of what went wrong on purpose, or nothing."""
    tokens: Tokens
    nanodollars: int
    """What is billed."""
    sent: bytes = field(default=b"", repr=False)
    """The body as it came."""


@dataclass
class FakeClaude(ModelServer[Call]):
    """Answers over Anthropic's wire and Bedrock's, whole and in streams."""

    script: Script = field(default_factory=failures.Script)
    keys: set[str] = field(default_factory=lambda: {KEY})
    secrets: dict[str, str] = field(default_factory=lambda: {"testing": "testing"})
    """Secret by access key of AWS."""
    versions: list[str] = field(default_factory=list)
    """Of the API, that calls asked for."""

    def __post_init__(self) -> None:
        self._cache = PromptCache()
        super().__post_init__()

    @property
    def address(self) -> str:
        """Base URL of Anthropic's wire, and of bedrock-runtime's."""
        return self.origin

    @property
    def messages_address(self) -> str:
        """Base URL of Bedrock's Messages endpoint."""
        return f"{self.address}/anthropic"

    async def answer(self, request: Request) -> Response:
        """Answer one request."""
        wire, body = self._read(request)
        try:
            model = self._checked(wire, request, body)
            failure = self.script.draw()
            await self.wait()
            if failure is not None and not failure.billed:
                raise Refused(failure)
        except Refused as refused:
            self.calls.append(Call(wire, body, request.headers, refused.failure.name, Tokens(), 0, request.body))
            return self._error(wire, refused.failure)
        return self._message(wire, request, body, model, failure)

    def _read(self, request: Request) -> tuple[str, dict[str, Any]]:
        """The wire, and the body as Anthropic's API has it."""
        body = json.loads(request.body or b"{}")
        wire = _WIRES.get(request.path, "")
        if found := _INVOKE.fullmatch(request.path):
            # The address says whether to stream.
            self.violations.extend(["request.stream: no such field"] if "stream" in body else [])
            streamed = {"stream": True} if found["streams"] else {}
            return "runtime", {"model": unquote(found["model"]), **body, **streamed}
        return wire, body

    def _checked(self, wire: str, request: Request, body: dict[str, Any]) -> vendor.VendorModel:
        """The model that is asked, once the request is found to be in order."""
        if not wire or request.method != "POST":
            raise Refused(replace(failures.NO_SUCH_MODEL, name="no such address"))
        self._check_login(wire, request)
        # Bedrock takes the version in the body (anthropic/lib/bedrock/_client.py), Anthropic in a header.
        version = body.pop("anthropic_version", None) if wire == "runtime" else request.headers.get("anthropic-version")
        if version is None:
            raise Refused(replace(failures.INVALID_REQUEST, name="refused", message="anthropic-version: is required"))
        self.versions.append(str(version))
        model = vendor.model_named(str(body.get("model")), bedrock=wire != "anthropic")
        if model is None:
            raise Refused(failures.NO_SUCH_MODEL)
        reasons = [
            *vendor.refusals(body, model, bedrock=wire != "anthropic"),
            *(faults := shapes.faults_of_request(body)),
        ]
        self.violations.extend(faults)
        if reasons:
            raise Refused(replace(failures.INVALID_REQUEST, name="refused", message="; ".join(reasons)))
        return model

    def _check_login(self, wire: str, request: Request) -> None:
        if wire == "anthropic":
            # anthropic/_client.py: `auth_headers`.
            if request.headers.get("authorization", "").removeprefix("Bearer ") not in self.keys:
                raise Refused(failures.KEY_REFUSED)
            return
        url = f"http://{request.headers.get('host')}{request.path}"
        try:
            signer_of(
                request.method,
                url,
                request.headers,
                request.body,
                service=_SERVICES[wire],
                secret_of=self.secrets.get,
            )
        except NotSigned:
            raise Refused(failures.FORBIDDEN) from None

    def _message(
        self, wire: str, request: Request, body: dict[str, Any], model: vendor.VendorModel, failure: Failure | None
    ) -> Response:
        """An answer, or what became of it."""
        said = self.mind(body)
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        with self._lock:
            prompt = self._cache.tokens(body, model)
        thought = thinking_tokens(body, model)
        wanted = count(text) + thought
        tokens = replace(prompt, output=wanted if self.ignores_limits else min(wanted, body["max_tokens"]))
        fits = tokens.output == wanted
        message = {
            "id": f"msg_{len(self.calls):06}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [{"type": "text", "text": text if fits else text[: tokens.output * 2]}],
            "stop_reason": "end_turn" if fits else "max_tokens",
            "stop_sequence": None,
            "usage": tokens.usage(),
        }
        name = "" if failure is None else failure.name
        self.calls.append(Call(wire, body, request.headers, name, tokens, tokens.nanodollars(model), request.body))
        if failure is not None and failure.status != 200:
            return self._error(wire, failure)
        if body.get("stream") and (failure is None or failure.body is None):
            return self._stream(wire, message, failure)
        return self._delivered(message, failure)

    def _stream(self, wire: str, message: dict[str, Any], failure: Failure | None) -> Response:
        changed = failure.change(message) if failure is not None and failure.change else message
        events = streams.events_of(changed)
        if failure is not None and failure.change_stream:
            events = list(failure.change_stream(events))
        if failure is None or failure.vendors:
            self.violations.extend(fault for event in events for fault in shapes.faults_of_event(event))
        chunks = [streams.encoded(event, wire) for event in events]
        headers = {"request-id": f"req_{message['id']}"}
        if wire == "runtime":
            self.violations.extend(frames.faults_of(chunks))
            headers |= frames.EVENT_STREAM
        return self.streamed(chunks, headers, failure)

    def _delivered(self, message: dict[str, Any], failure: Failure | None) -> Response:
        headers = {**_JSON, "request-id": f"req_{message['id']}"}
        if failure is None:
            self.violations.extend(shapes.faults_of_message(message))
            return Response(200, json.dumps(message).encode(), headers)
        changed = failure.change(message) if failure.change else message
        if failure.vendors:
            self.violations.extend(shapes.faults_of_message(changed))
        body = failure.body if failure.body is not None else json.dumps(changed).encode()
        return Response(200, body, {**headers, "content-type": failure.content_type}, failure.delivery)

    def _error(self, wire: str, failure: Failure) -> Response:
        headers = {**_JSON, "request-id": "req_failed", **dict(failure.headers), "content-type": failure.content_type}
        if failure.body is not None:
            return Response(failure.status, failure.body, headers)
        if wire == "runtime":
            status, name = aws.exception(failure.status)
            body: dict[str, Any] = {"message": failure.message.replace("prompt", "Input")}
            return Response(status, json.dumps(body).encode(), {**headers, "x-amzn-errortype": f"{name}:"})
        details = {"details": {"error_code": failure.code}} if failure.code else {}
        body = {
            "type": "error",
            "error": {"type": failure.type, "message": failure.message, **details},
            "request_id": "req_failed",
        }
        self.violations.extend(shapes.faults_of_error(body))
        return Response(failure.status, json.dumps(body).encode(), headers)
