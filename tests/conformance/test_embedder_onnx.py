"""The embedder over a model in ONNX format keeps the port's contract, and says what is wrong with a folder."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from servers.minilm import minilm_folder
from tests.cases import each_case
from tests.conformance.embedder import *  # noqa: F403
from tribal.adapters.onnx.embedder import OnnxEmbedder
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.errors import EmbeddingFailed

pytestmark = pytest.mark.verify


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(minilm_folder(), WordLlamaEmbedder().knows)
