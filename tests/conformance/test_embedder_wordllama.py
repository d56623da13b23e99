"""The embedder over the weights in the `wordllama` wheel keeps the port's contract, offline and light."""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.conformance.embedder import *  # noqa: F403
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.errors import EmbeddingFailed


@pytest.fixture(scope="module")
def embedder() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


def test_missing_weights_are_a_failure_that_names_the_folder(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingFailed, match="cannot be read"):
        WordLlamaEmbedder(tmp_path).embed(["a"])
    with pytest.raises(EmbeddingFailed, match="cannot be read"):
        WordLlamaEmbedder(tmp_path).knows(["a"])


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
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
assert "tokenizers" not in sys.modules and "safetensors" not in sys.modules
assert WordLlamaEmbedder().embed(["customer"]).any()
loaded = {name.partition(".")[0] for name in sys.modules}
assert not loaded & {"wordllama", "requests", "httpx", "huggingface_hub", "torch"}, loaded
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


GOLDEN = {
    "customer address": ([-0.04481, -0.025767, -0.11213, 0.067924, 0.050261, 0.040948], 44, 0.17488),
    "sales: order line: product id, quantity": (
        [-0.001842, 0.064169, -0.07629, -0.050372, 0.024929, -0.068265],
        49,
        0.177437,
    ),
    "Größe der naïve Straße 漢字": ([-0.158422, 0.104451, 0.004925, -0.145989, 0.046173, -0.079518], 26, 0.166123),
    "what did each customer buy in 2024?": (
        [-0.036643, 0.085181, -0.038235, 0.069373, -0.0722, 0.03694],
        25,
        0.175155,
    ),
}
"""The first components, the place of the greatest and its value: the same on every machine, so that an index that was
built on one is searched on another."""


@each_case("text", GOLDEN)
def test_the_vector_of_a_text_is_the_same_on_every_machine(embedder: WordLlamaEmbedder, text: str) -> None:
    first, place, greatest = GOLDEN[text]
    (vector,) = embedder.embed([text])
    assert vector[:6].tolist() == pytest.approx(first, abs=2e-6)
    assert int(vector.argmax()) == place
    assert float(vector.max()) == pytest.approx(greatest, abs=2e-6)


def test_the_weights_are_those_of_the_one_wheel_that_fits_everywhere() -> None:
    folder = Path(importlib.util.find_spec("wordllama").origin).parent  # type: ignore[union-attr, arg-type]
    files = {
        "weights/l2_supercat_256.safetensors": "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
        "tokenizers/l2_supercat_tokenizer_config.json": (
            "bf467c9e0f536bda271283c6ef85eb1a943e3196b621c8a912d64953b205df83"
        ),
    }
    assert {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in files} == files


def test_long_and_short_texts_are_means_of_the_same_tokens(embedder: WordLlamaEmbedder) -> None:
    short, long = embedder.embed(["order " * 32, "order " * 33])
    assert long == pytest.approx(short, abs=2e-6)
