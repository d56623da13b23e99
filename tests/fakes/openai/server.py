"""Stand-ins for the vendors that speak OpenAI's protocol, on a real port."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.fakes.http_server import Request, Response
from tests.fakes.model_servers.counting import count
from tests.fakes.model_servers.script import Failure, Refused, Script
from tests.fakes.model_servers.server import ModelServer
from tests.fakes.openai import answers, embeddings, errors, failures, ollama, shapes
from tests.fakes.openai.accounting import PrefixCache, Tokens, reasoning_tokens
from tests.fakes.openai.refusals import Objection, objections
from tests.fakes.openai.vendor import MODELS, PATHS, VendorModel, VendorName

KEY = "sk-test"

_JSON = {"content-type": "application/json"}
_OWNERS: Mapping[VendorName, str] = {"openai": "system", "gemini": "google", "groq": "OpenAI", "ollama": "library"}


@dataclass(frozen=True)
class Call:
    """A call as the vendor saw it."""

    vendor: VendorName
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    failure: str
    """The name of what went wrong on purpose, or nothing."""
    tokens: Tokens
    nanodollars: int
    """What is billed, whether or not the client stays to the end."""
    sent: bytes = field(default=b"", repr=False)
    """The body as it came."""


@dataclass
class FakeOpenAI(ModelServer[Call]):
    """Answers as one vendor does.

    Args:
        models: that the vendor has; for Ollama, that were pulled.
        context_length: Ollama's, for models without a `num_ctx` of their own.
        num_ctx: of Ollama's models that were made with one.
    """

    vendor: VendorName = "openai"
    script: Script = field(default_factory=failures.Script)
    keys: set[str] = field(default_factory=lambda: {KEY})
    models: dict[str, VendorModel] = field(default_factory=dict)
    context_length: int = ollama.DEFAULT_CONTEXT
    num_ctx: dict[str, int] = field(default_factory=dict)
    own_answers: dict[str, bytes] = field(default_factory=dict)
    """By path, what another server says of itself, such as its list of models."""
    refused_paths: dict[str, Failure] = field(default_factory=dict)
    native_dimensions: int = 768
    """Of vectors for which no number of dimensions is asked."""
    looked_up: list[str] = field(default_factory=list)
    """Requests other than calls: method and path."""

    def __post_init__(self) -> None:
        self.models = self.models or dict(MODELS[self.vendor])
        self._cache = PrefixCache()
        self._loaded: set[str] = set()
        super().__post_init__()

    @property
    def address(self) -> str:
        """Base URL."""
        return f"{self.origin}{PATHS[self.vendor]}"

    async def answer(self, request: Request) -> Response:
        """Answer one request."""
        path = request.path.removeprefix(PATHS[self.vendor]) if request.path.startswith(PATHS[self.vendor]) else ""
        if (request.method, path) == ("POST", "/chat/completions"):
            return await self._call(request)
        if (request.method, path) == ("POST", "/embeddings"):
            return self._embeddings(request)
        self.looked_up.append(f"{request.method} {request.path}")
        try:
            return self._looked_up(request, path)
        except Refused as refused:
            return self._error(refused.failure)

    async def _call(self, request: Request) -> Response:
        body: dict[str, Any] = {}
        try:
            body = self._read(request)
            model = self._checked(request, body)
            failure = self.script.draw()
            await self.wait()
            if failure is not None and not failure.billed:
                raise Refused(failure)
        except Refused as refused:
            failed = refused.failure
            self.calls.append(Call(self.vendor, body, request.headers, failed.name, Tokens(), 0, request.body))
            return self._error(failed, _param_of(refused))
        return self._completion(request, body, model, failure)

    def _embeddings(self, request: Request) -> Response:
        body: dict[str, Any] = {}
        try:
            body = self._read(request)
            self._check_login(request)
            failure = self.script.draw()
            if failure is not None:
                raise Refused(failure)
        except Refused as refused:
            self.calls.append(Call(self.vendor, body, request.headers, refused.failure.name, Tokens(), 0, request.body))
            return self._error(refused.failure, _param_of(refused))
        self.violations.extend(embeddings.faults_of(body, self.vendor))
        answer = embeddings.answer_to(body, self.native_dimensions)
        tokens = Tokens(input=answer["usage"]["prompt_tokens"])
        self.calls.append(Call(self.vendor, body, request.headers, "", tokens, tokens.input * 150, request.body))
        return _ok(answer)

    def _read(self, request: Request) -> dict[str, Any]:
        try:
            body = json.loads(request.body)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise Refused(
                replace(failures.INVALID_REQUEST, name="refused", message="We could not parse the JSON body.")
            )
        return body

    def _checked(self, request: Request, body: dict[str, Any]) -> VendorModel:
        """The model that is asked, once the request is found to be in order."""
        self._check_login(request)
        model = self._model(str(body.get("model")))
        faults = shapes.faults_of_request(body)
        self.violations.extend(faults)
        found = list(objections(self.vendor, body, model, _unknown_members(faults)))
        if self.vendor != "ollama":
            # Ollama ignores what it does not know.
            found += [Objection(fault) for fault in faults if not found]
        if found:
            raise _refusal(found[0])
        return model

    def _check_login(self, request: Request) -> None:
        # ollama/ollama docs/api/openai-compatibility.mdx: a key is "required but ignored".
        if self.vendor == "ollama":
            return
        if request.headers.get("authorization", "").removeprefix("Bearer ") not in self.keys:
            raise Refused(failures.KEY_NOT_VALID if self.vendor == "gemini" else failures.KEY_REFUSED)

    def _model(self, name: str) -> VendorModel:
        # https://ai.google.dev/gemini-api/docs/openai: Gemini's list has `models/` before the names.
        known = self.models.get(name.removeprefix("models/") if self.vendor == "gemini" else name)
        if known is None:
            raise Refused(replace(failures.NO_SUCH_MODEL, message=_no_such_model(self.vendor, name)))
        return known

    def _completion(
        self, request: Request, body: dict[str, Any], model: VendorModel, failure: Failure | None
    ) -> Response:
        """An answer, or what became of it."""
        seen = body
        if self.vendor == "ollama":
            self._loaded.add(body["model"])
            seen = ollama.cut_body(body, self._context(body["model"]))
        said = self.mind(seen)
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        with self._lock:
            prompt = self._cache.tokens(seen, model)
        thought = reasoning_tokens(body, model)
        wanted = count(text) + thought
        most = wanted if self.ignores_limits else body.get("max_completion_tokens") or body.get("max_tokens") or wanted
        tokens = replace(prompt, output=min(wanted, most), reasoning=min(thought, most))
        fits = wanted <= most
        shown = text if fits else text[: max(tokens.output - thought, 0) * 2]
        usage = tokens.usage(self.vendor)
        completion = answers.completion_of(len(self.calls), body["model"], shown, "stop" if fits else "length", usage)
        if self.vendor == "groq":
            completion["x_groq"] = {"id": f"req_{completion['id']}"}
        name = "" if failure is None else failure.name
        billed = tokens.nanodollars(model)
        self.calls.append(Call(self.vendor, body, request.headers, name, tokens, billed, request.body))
        if failure is not None and failure.status != 200:
            return self._error(failure)
        if body.get("stream") and (failure is None or failure.body is None):
            return self._stream(body, completion, failure)
        return self._delivered(completion, failure)

    def _stream(self, body: Mapping[str, Any], completion: dict[str, Any], failure: Failure | None) -> Response:
        # What changes the events may be nothing that can be sent in parts.
        change = None if failure is None or failure.change_stream else failure.change
        changed = completion if change is None else change(completion)
        include_usage = bool((body.get("stream_options") or {}).get("include_usage"))
        events = answers.chunks_of(changed, self.vendor, include_usage=include_usage)
        if failure is not None and failure.change_stream:
            events = list(failure.change_stream(events))
        if failure is None or failure.vendors:
            self.violations.extend(fault for event in events for fault in shapes.faults_of_chunk(event))
        chunks = answers.encoded(events)
        if failure is not None and not failure.done:
            chunks.remove(answers.DONE)
        return self.streamed(chunks, _request_id(completion), failure)

    def _delivered(self, completion: dict[str, Any], failure: Failure | None) -> Response:
        headers = {**_JSON, **_request_id(completion)}
        changed = failure.change(completion) if failure is not None and failure.change else completion
        if failure is None or failure.vendors:
            checked = {name: value for name, value in changed.items() if name != "x_groq"}
            self.violations.extend(shapes.faults_of_completion(checked))
        body = json.dumps(changed, ensure_ascii=False).encode()
        if failure is None:
            return Response(200, body, headers)
        body = body if failure.body is None else failure.body
        headers |= {"content-type": failure.content_type, **dict(failure.headers)}
        return Response(200, body, headers, failure.delivery)

    def _error(self, failure: Failure, param: str | None = None) -> Response:
        headers = {**_JSON, "x-request-id": "req_failed", "content-type": failure.content_type}
        # Google asks to wait in the body.
        headers |= {} if self.vendor == "gemini" and failure.status == 429 else dict(failure.headers)
        if failure.body is not None:
            return Response(failure.status, failure.body, {**headers, **dict(failure.headers)})
        body = errors.error_body(self.vendor, failure, param)
        if self.vendor != "gemini" and failure.vendors:
            self.violations.extend(shapes.faults_of_error(body))
        return Response(failure.status, json.dumps(body).encode(), headers)

    def _context(self, model: str) -> int:
        return min(self.num_ctx.get(model, self.context_length), self.models[model].context)

    def _looked_up(self, request: Request, path: str) -> Response:
        """The list of models, and what a server's own API says."""
        if request.path in self.refused_paths:
            raise Refused(self.refused_paths[request.path])
        if request.path in self.own_answers:
            return Response(200, self.own_answers[request.path], _JSON)
        if (request.method, path) == ("GET", "/models"):
            self._check_login(request)
            listed = [self._listed(name) for name in self.models]
            self.violations.extend(fault for each in listed for fault in shapes.faults_of_listed(each))
            return _ok({"object": "list", "data": listed})
        native = self._native(request) if self.vendor == "ollama" else None
        if native is None:
            raise Refused(replace(failures.NO_SUCH_MODEL, name="no such address", code=None, message="Not Found"))
        return native

    def _listed(self, name: str) -> dict[str, Any]:
        if self.vendor == "gemini":
            name = f"models/{name}"
        return {"id": name, "object": "model", "created": answers.CREATED, "owned_by": _OWNERS[self.vendor]}

    def _native(self, request: Request) -> Response | None:
        """Ollama's own API (ollama/ollama server/routes.go)."""
        asked = (request.method, request.path)
        if asked == ("GET", "/api/version"):
            return _ok(ollama.version())
        if asked == ("GET", "/api/ps"):
            return _ok(ollama.loaded({name: self._context(name) for name in sorted(self._loaded)}))
        if asked not in (("POST", "/api/show"), ("POST", "/api/generate")):
            return None
        body = json.loads(request.body)
        name = body.get("model")
        if name not in self.models:
            return Response(404, json.dumps({"error": _no_such_model("ollama", str(name))}).encode(), _JSON)
        if request.path == "/api/show":
            return _ok(ollama.shown(name, self.models[name], self.num_ctx.get(name)))
        if body.get("prompt"):
            self.violations.append("POST /api/generate: the fake only loads models")
        self._loaded.add(name)
        return _ok(ollama.generated(name))


class _Objected(Refused):
    """Is answered with an error about one parameter."""

    def __init__(self, failure: Failure, param: str | None) -> None:
        super().__init__(failure)
        self.param = param


def _refusal(objection: Objection) -> _Objected:
    message = objection.message
    failure = replace(failures.INVALID_REQUEST, name="refused", code=objection.code, message=message)
    return _Objected(failure, objection.param)


def _param_of(refused: Refused) -> str | None:
    return refused.param if isinstance(refused, _Objected) else None


def _unknown_members(faults: list[str]) -> list[str]:
    """Members at the top of a request that the SDK's types lack."""
    found = [fault.removesuffix(": no such field") for fault in faults if fault.endswith(": no such field")]
    names = [path.removeprefix("request.") for path in found]
    return [name for name in names if "." not in name]


def _no_such_model(vendor: VendorName, name: str) -> str:
    if vendor == "ollama":
        # ollama/ollama server/routes.go, `handleScheduleError`; `ChatHandler` leaves the advice out in newer versions.
        return f'model "{name}" not found, try pulling it first'
    if vendor == "gemini":
        # https://github.com/piersolenski/wtf.nvim/issues/64.
        return f"models/{name} is not found for API version v1main, or is not supported for generateContent."
    return f"The model `{name}` does not exist or you do not have access to it."


def _request_id(completion: Mapping[str, Any]) -> dict[str, str]:
    return {"x-request-id": f"req_{completion['id']}"}


def _ok(body: object) -> Response:
    return Response(200, json.dumps(body).encode(), _JSON)
