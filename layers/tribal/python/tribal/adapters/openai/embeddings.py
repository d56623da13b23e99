"""The embeddings API of OpenAI's protocol, as one more dialect: texts in, vectors out, usage always counted."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tribal.adapters.language_models.answers import StreamReader, member_of, read_response
from tribal.adapters.openai.refusals import read_refusal
from tribal.ports import ModelAnswer, ModelFacts, ModelFailure, ModelOutcome, ModelRequest
from tribal_contracts import ModelUsage

if TYPE_CHECKING:
    import httpx2

    from tribal.adapters.language_models.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Embeddings:
    """How a vendor serves the embeddings API. The part of a request is a JSON list of texts."""

    facts: ModelFacts
    dimensions: int
    sends_dimensions: bool
    """Whether the server takes the number of dimensions."""
    path: str = "/embeddings"
    streams: bool = False

    def body(self, request: ModelRequest, facts: ModelFacts, *, stream: bool) -> dict[str, Any]:  # noqa: ARG002
        """The body of a request."""
        body = {"model": facts.name, "input": json.loads(request.part), "encoding_format": "float"}
        return {**body, "dimensions": self.dimensions} if self.sends_dimensions else body

    def read(self, body: bytes, request: ModelRequest, time_ms: int) -> ModelOutcome:
        """The vectors in the order of the texts, under `vectors`."""
        answer = read_response(body, time_ms, ("data", "error"))
        if isinstance(answer, ModelFailure):
            return answer
        prompt = member_of(answer, "usage").get("prompt_tokens")
        # Some servers count nothing; there are never more tokens than bytes.
        tokens = prompt if type(prompt) is int and prompt >= 0 else request.size_bytes
        usage = ModelUsage(calls=1, time_ms=time_ms, input_tokens=tokens)
        usage = usage.model_copy(update={"nanodollars": self.facts.cost(usage)})
        vectors = _vectors(answer.get("data"))
        count = len(json.loads(request.part))
        if vectors is None or len(vectors) != count:
            return ModelFailure("malformed", f"the server did not send {count} vectors", usage)
        wrong = next((len(each) for each in vectors if len(each) != self.dimensions), None)
        if wrong is not None:
            message = f"the server sent vectors of {wrong} dimensions instead of {self.dimensions}"
            return ModelFailure("malformed", message, usage)
        return ModelAnswer({"vectors": vectors}, usage)

    def reader(self, request: ModelRequest) -> StreamReader:
        """Vectors do not stream."""
        raise NotImplementedError

    def refusal(self, response: httpx2.Response) -> Refusal:
        """What a response other than 2xx means."""
        return read_refusal(response.status_code, response.content)

    def adapted(self, _response: httpx2.Response) -> None:
        """The API has one way of asking."""


def _vectors(data: object) -> list[list[float]] | None:
    """The vectors in order; `None` if they are not as they should be."""
    if not isinstance(data, Sequence) or not all(isinstance(each, Mapping) for each in data):
        return None
    found: list[list[float]] = []
    for number, each in enumerate(sorted(data, key=lambda item: item.get("index") or 0)):
        vector = each.get("embedding")
        if each.get("index", number) != number or not isinstance(vector, list):
            return None
        if not all(isinstance(value, int | float) and math.isfinite(value) for value in vector) or not any(vector):
            return None
        found.append([float(value) for value in vector])
    return found
