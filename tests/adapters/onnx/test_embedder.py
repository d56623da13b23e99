"""Vectors by a model in a folder, and what is said about a folder that cannot be used."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.cases import each_case
from tests.fakes.onnx_models import write_model
from tribal.adapters.onnx.embedder import OnnxEmbedder
from tribal.errors import EmbeddingFailed

TABLE = [[0, 0], [3, 0], [0, 4], [-3, 0]]


def embedder(folder: Path) -> OnnxEmbedder:
    return OnnxEmbedder(folder, lambda words: [True for _ in words])


def test_a_vector_is_the_normalised_mean_of_the_first_tokens(tmp_path: Path) -> None:
    made = embedder(write_model(tmp_path, TABLE, max_seq_length=3))
    vectors = made.embed(["w1", "w1 w2", "", " ", "w2 w1 w0 w3 w3", "w1 w3", "w1 w2"])
    expected = [[1, 0], [0.6, 0.8], [0, 0], [0, 0], [0.6, 0.8], [0, 0], [0.6, 0.8]]
    assert vectors == pytest.approx(np.array(expected), abs=1e-6)
    assert made.dimensions == 2


def test_the_name_of_a_model_is_that_of_its_content(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "one", TABLE)
    name = embedder(folder).model
    shutil.move(folder, tmp_path / "two")
    others = [write_model(tmp_path / "three", TABLE[:3]), write_model(tmp_path / "four", TABLE, max_seq_length=7)]
    assert [embedder(each).model == name for each in (tmp_path / "two", *others)] == [True, False, False]


def lose(file: str) -> Callable[[Path], object]:
    return lambda folder: (folder / file).unlink()


def write(file: str, content: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(content)

    return change


@each_case(
    ("change", "message"),
    [
        (shutil.rmtree, "there is no folder"),
        (lose("tokenizer.json"), "there is no tokenizer.json"),
        (lose("model.onnx"), "has none"),
        (write("onnx/other.onnx", ""), "has model.onnx, onnx/other.onnx"),
        (write("1_Pooling/config.json", json.dumps({"pooling_mode_mean_tokens": False})), "mean of its tokens"),
        (write("sentence_bert_config.json", "["), "cannot be read"),
        (write("sentence_bert_config.json", '{"max_seq_length": "many"}'), "not a number of tokens"),
        (write("model.onnx", "not a model"), "cannot be loaded"),
        (write("tokenizer.json", "{}"), "cannot be loaded"),
        (lambda folder: write_model(folder, TABLE, given="pixels"), "has inputs"),
        (lambda folder: write_model(folder, [1, 2]), "one vector per token"),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused_with_what_is_wrong(
    tmp_path: Path, change: Callable[[Path], object], message: str
) -> None:
    change(write_model(tmp_path / "model", TABLE))
    with pytest.raises(EmbeddingFailed, match=message):
        embedder(tmp_path / "model").embed(["w1"])


def test_without_onnxruntime_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbeddingFailed, match=r"semantic"):
        embedder(write_model(tmp_path, TABLE))
