"""Sentence embeddings by a sentence-transformers model in ONNX format. Nothing here uses the network."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.adapters.onnx.model_folder import ModelFolder, find_model
from tribal.errors import EmbeddingFailed, missing_package

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEAR = 0.4
"""Chosen on the sample company with the 8-bit MiniLM: the name of a table is as near to 1 % of 600 made-up questions,
and to nine in ten words that mean one, such as "paycheck" and "stockroom"."""
MAX_TEXT_CHARS = 8_192
"""Characters used of a text; the models read some hundred tokens."""
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
_TOKENS = 3
"""Rank of an output with a vector for each token of each text."""


@dataclass(frozen=True, slots=True)
class _Model:
    tokenizer: Any
    session: Any
    inputs: frozenset[str]
    output: str
    dimensions: int


class OnnxEmbedder:
    """Embeds texts as normalised means of token vectors; loads the model on first use; thread-safe.

    Texts are embedded one at a time. The activations of 8-bit models are quantised together, so in a batch the vector
    of a text would depend on the others: cosines of MiniLM change by up to .05.

    Args:
        folder: folder of the model, as sentence-transformers saves it.
        knows: judges whether words look real; see `Embedder.knows`.

    Raises:
        EmbeddingFailed: when the folder is not usable, or onnxruntime is not installed.
    """

    near = NEAR
    takes_questions = True
    sends_texts = False

    def __init__(self, folder: Path, knows: Callable[[Sequence[str]], list[bool]]) -> None:
        if find_spec("onnxruntime") is None:
            raise EmbeddingFailed(missing_package("onnxruntime", "embedder.onnx", "semantic"))
        self._files = find_model(folder)
        self._lock = threading.Lock()
        self._model: _Model | None = None
        self.knows = knows

    @cached_property
    def model(self) -> str:
        """`onnx/` and the start of a hash of the weights, the tokenizer and the longest text."""
        digest = hashlib.sha256(str(self._files.max_tokens).encode())
        for file in (self._files.weights, self._files.tokenizer):
            try:
                with file.open("rb") as opened:
                    digest.update(hashlib.file_digest(opened, "sha256").digest())
            except OSError as exc:
                raise EmbeddingFailed(f"{file} cannot be read: {exc.strerror}") from exc
        return f"onnx/{digest.hexdigest()[:16]}"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._loaded().dimensions

    def may_embed(self, database: str) -> bool:  # noqa: ARG002
        """Texts about every database: none leaves this machine."""
        return True

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """N x D float32, L2-normalised; a blank text yields a zero vector.

        Raises:
            EmbeddingFailed: when the model cannot be loaded or run.
        """
        model = self._loaded()
        vectors = np.zeros((len(texts), model.dimensions), dtype=np.float32)
        known: dict[str, int] = {}
        for row, text in enumerate(texts):
            # Many columns of a batch have the same text.
            first = known.setdefault(text, row)
            if first < row:
                vectors[row] = vectors[first]
            elif readable := _readable(text):
                vectors[row] = _vector(readable, model)
        return vectors

    def _loaded(self) -> _Model:
        with self._lock:
            if self._model is None:
                self._model = _load(self._files)
            return self._model


def _vector(text: str, model: _Model) -> NDArray[Any]:
    ids = np.array([model.tokenizer.encode(text).ids], np.int64)
    # Nothing is padded, so the attention mask is all ones and the mean is over all tokens.
    given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    try:
        (tokens,) = model.session.run([model.output], {name: given[name] for name in model.inputs})
    except Exception as exc:  # onnxruntime's errors have no common class
        raise EmbeddingFailed(f"the model of embedder.onnx cannot be run: {exc}") from exc
    mean: NDArray[Any] = tokens[0].mean(axis=0, dtype=np.float32)
    length = np.linalg.norm(mean)
    return mean / length if length > 0 else mean


def _readable(text: str) -> str:
    # The tokenizer rejects lone surrogates.
    return text[:MAX_TEXT_CHARS].strip().encode("utf-8", "replace").decode("utf-8")


def _load(files: ModelFolder) -> _Model:
    # Imported here: a process that never embeds should load neither.
    try:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        # Texts are short; more threads would wait for each other longer than they work.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(files.weights, options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(str(files.tokenizer))
        tokenizer.no_padding()
        tokenizer.enable_truncation(files.max_tokens)
    except Exception as exc:  # neither library's errors have a common class
        raise EmbeddingFailed(f"the model in {str(files.folder)!r} cannot be loaded: {exc}") from exc
    inputs = frozenset(each.name for each in session.get_inputs())
    outputs = {each.name: each.shape for each in session.get_outputs()}
    by_token = [name for name, shape in outputs.items() if len(shape) == _TOKENS and isinstance(shape[-1], int)]
    if "input_ids" not in inputs or inputs - _INPUTS or len(by_token) != 1:
        raise EmbeddingFailed(
            f"the model in {str(files.folder)!r} has inputs {sorted(inputs)} and outputs {json.dumps(outputs)}; export "
            "one that takes input_ids and attention_mask and returns one vector per token (last_hidden_state)"
        )
    return _Model(tokenizer, session, inputs, by_token[0], outputs[by_token[0]][-1])
