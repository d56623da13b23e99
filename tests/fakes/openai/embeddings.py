"""The embeddings API: texts with the same words get vectors that are near, and none of them has the length 1."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from tests.fakes.model_servers.counting import count
from tests.fakes.openai.vendor import VendorName
from tribal.naming import index_terms

_MEMBERS = {"model", "input", "encoding_format", "dimensions"}
_LENGTH = 3.0


def faults_of(body: Mapping[str, Any], vendor: VendorName) -> Iterator[str]:
    """What openai/types/embedding_create_params.py does not allow; Ollama takes no `dimensions`."""
    yield from (f"unknown member {name}" for name in body.keys() - _MEMBERS)
    texts = body.get("input")
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
        yield "input is not a list of texts"
    if vendor == "ollama" and "dimensions" in body:
        yield "Ollama takes no dimensions"


def answer_to(body: Mapping[str, Any], dimensions: int) -> dict[str, Any]:
    """The answer, in the reverse order of the texts: clients go by `index`."""
    size = int(body.get("dimensions") or dimensions)
    data = [
        {"object": "embedding", "index": number, "embedding": vector_of(text, size)}
        for number, text in enumerate(body["input"])
    ]
    tokens = sum(count(text) for text in body["input"])
    return {
        "object": "list",
        "model": body["model"],
        "data": data[::-1],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def vector_of(text: str, dimensions: int) -> list[float]:
    """A vector of a text: the sum of one direction for each of its terms."""
    vector = [0.0] * dimensions
    for term in index_terms(text) or [text]:
        digest = hashlib.sha256(term.encode()).digest()
        vector[int.from_bytes(digest[:4]) % dimensions] += _LENGTH
    return vector
