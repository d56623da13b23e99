"""The embedder over the weights in the `wordllama` wheel keeps the port's contract, offline and light."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.embedder import *  # noqa: F403
from tribal.adapters.wordllama import WordLlamaEmbedder
from tribal.errors import EmbeddingFailed


@pytest.fixture(scope="module")
def embedder() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


def test_missing_weights_are_a_failure_that_names_the_folder(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingFailed, match="cannot be read"):
        WordLlamaEmbedder(tmp_path).embed(["a"])


def test_weights_that_are_not_weights_are_a_failure(tmp_path: Path) -> None:
    for folder, file in (
        ("weights", "l2_supercat_256.safetensors"),
        ("tokenizers", "l2_supercat_tokenizer_config.json"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / file).write_bytes(b"{}" * 40)
    with pytest.raises(EmbeddingFailed, match="cannot be read"):
        WordLlamaEmbedder(tmp_path).embed(["a"])


def test_nothing_is_loaded_before_the_first_text(tmp_path: Path) -> None:
    embedder = WordLlamaEmbedder(tmp_path)
    assert (embedder.model, embedder.dimensions) == ("wordllama-l2-supercat-256", 256)
    assert embedder.embed([]).shape == (0, 256)


def test_a_fresh_process_embeds_without_the_package_and_without_a_socket() -> None:
    program = """
import socket, sys
def refuse(*args, **kwargs): raise AssertionError("a socket was opened")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from tribal.adapters.wordllama import WordLlamaEmbedder
assert "tokenizers" not in sys.modules and "safetensors" not in sys.modules
assert WordLlamaEmbedder().embed(["customer"]).any()
loaded = {name.partition(".")[0] for name in sys.modules}
assert not loaded & {"wordllama", "requests", "httpx", "huggingface_hub", "torch"}, loaded
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
