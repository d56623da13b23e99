"""Tiny models in ONNX format: an output that looks up a row of a table for each token."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

_FLOAT, _INT64 = 1, 7


def write_model(folder: Path, table: Sequence[object], *, given: str = "input_ids", **config: object) -> Path:
    """Write a folder of a model whose token N has row N of a table; words are `w1`, `w2` and so on, all others `w0`.

    Args:
        folder: is created.
        table: a row for each token; with single numbers, the output has a number for each token.
        given: name of the model's input.
        config: of `sentence_bert_config.json`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(_model(np.array(table, np.float32), given))
    tokenizer = Tokenizer(models.WordLevel({f"w{number}": number for number in range(len(table))}, unk_token="w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "sentence_bert_config.json").write_text(json.dumps(config))
    return folder


# The fields of ONNX's protocol buffers by number. Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
def _model(table: np.ndarray[tuple[int, ...], np.dtype[np.float32]], given: str) -> bytes:
    node = _text(1, "table") + _text(1, given) + _text(2, "last_hidden_state") + _text(4, "Gather")
    dims = b"".join(_number(1, size) for size in table.shape)
    weights = dims + _number(2, _FLOAT) + _text(8, "table") + _field(9, table.tobytes())
    output = _value("last_hidden_state", _FLOAT, ("texts", "tokens", *table.shape[1:]))
    values = _field(11, _value(given, _INT64, ("texts", "tokens"))) + _field(12, output)
    graph = _field(1, node) + _text(2, "lookup") + _field(5, weights) + values
    return _number(1, 8) + _field(7, graph) + _field(8, _number(2, 13))


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    sizes = (_number(1, size) if isinstance(size, int) else _text(2, size) for size in shape)
    dimensions = b"".join(_field(1, size) for size in sizes)
    return _text(1, name) + _field(2, _field(1, _number(1, kind) + _field(2, dimensions)))


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _text(number: int, text: str) -> bytes:
    return _field(number, text.encode())


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])
