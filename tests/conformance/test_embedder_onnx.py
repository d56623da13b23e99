"""The embedder over a model in ONNX format keeps the port's contract with the weights of MiniLM."""

from __future__ import annotations

import pytest

from servers.minilm import minilm_folder
from tests.conformance.embedder import *  # noqa: F403
from tribal.adapters.onnx.embedder import OnnxEmbedder
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder

pytestmark = pytest.mark.verify


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(minilm_folder(), WordLlamaEmbedder().knows)


def test_the_model_has_the_name_that_its_numbers_are_fitted_for(embedder: OnnxEmbedder) -> None:
    assert embedder.model == "onnx/c33c3da9ae38497a"
