"""Finds the files of a sentence-transformers model in its folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tribal.errors import EmbeddingFailed

_USUAL_TOKENS = 256
"""Limit of all-MiniLM-L6-v2, used for a folder without `max_seq_length`."""
_EXPECTED = "a sentence-transformers model in ONNX format has tokenizer.json and one .onnx file, there or in onnx/"


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """The files of a model, and the most tokens that it reads of a text."""

    folder: Path
    weights: Path
    tokenizer: Path
    max_tokens: int


def find_model(folder: Path) -> ModelFolder:
    """Find the files of a model.

    Raises:
        EmbeddingFailed: when one is missing, or says that the model is of another kind.
    """
    if not folder.is_dir():
        raise EmbeddingFailed(f"embedder.onnx: there is no folder {str(folder)!r}; {_EXPECTED}")
    tokenizer = folder / "tokenizer.json"
    if not tokenizer.is_file():
        raise EmbeddingFailed(f"embedder.onnx: there is no tokenizer.json in {str(folder)!r}; {_EXPECTED}")
    weights = sorted((*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")))
    if len(weights) != 1:
        found = ", ".join(str(file.relative_to(folder)) for file in weights) or "none"
        raise EmbeddingFailed(
            f"embedder.onnx: {str(folder)!r} must have one .onnx file, and has {found}; add it, or keep only the one "
            "to use"
        )
    pooling = _read(folder / "1_Pooling" / "config.json")
    if not pooling.get("pooling_mode_mean_tokens", True):
        raise EmbeddingFailed(
            f"embedder.onnx: the model in {str(folder)!r} does not pool by the mean of its tokens; use one that does, "
            "such as all-MiniLM-L6-v2"
        )
    tokens = _read(folder / "sentence_bert_config.json").get("max_seq_length") or _USUAL_TOKENS
    if type(tokens) is not int or tokens < 1:
        raise EmbeddingFailed(f"embedder.onnx: max_seq_length in {str(folder)!r} is not a number of tokens")
    return ModelFolder(folder, weights[0], tokenizer, tokens)


def _read(file: Path) -> dict[str, Any]:
    """The JSON object in a file; empty if the file does not exist."""
    if not file.exists():
        return {}
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError) as exc:
        raise EmbeddingFailed(f"embedder.onnx: {file} cannot be read: {exc}") from exc
    return content if isinstance(content, dict) else {}
