"""Sentence embeddings from the weights in the `wordllama` wheel, read without importing the package.

The package itself pulls in an HTTP client, a model hub and more; its weights and tokenizer are two plain files. Nothing
here uses the network.
"""

from __future__ import annotations

import importlib.util
import threading
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tribal.errors import EmbeddingFailed
from tribal.naming import reads_like_a_word

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODEL = "wordllama-l2-supercat-256"
DIMENSIONS = 256
NEAR = 0.35
"""Chosen on the sample company: of 20,000 made-up questions 59 reach the check for doubtful words, and their nearest
table is at .28. Words that mean one of its tables, such as "paycheck" and "stockroom", are at .38 or more."""
MAX_TEXT_CHARS = 8_192
"""Characters used of a text; beyond this many tokens, the mean hardly changes."""

_WEIGHTS = Path("weights") / "l2_supercat_256.safetensors"
_TOKENIZER = Path("tokenizers") / "l2_supercat_tokenizer_config.json"
_TENSOR = "embedding.weight"
_TEXTS_AT_ONCE = 1_024
_SHORT_TEXT_TOKENS = 32
_LETTERS_A_PIECE = 2.2
"""With fewer letters a piece, a word may be made up. By judgement: all of 400 made-up words have fewer, and 30 % of
4,800 words of questions, most of them short or names."""
_SURE_LETTERS_A_PIECE = 3
"""With as many it is not made up, however its letters follow each other: 8 of 5,000 made-up words have them."""


@dataclass(frozen=True, slots=True)
class _Model:
    tokenizer: Any
    weights: NDArray[Any]
    special: frozenset[int]


class WordLlamaEmbedder:
    """Embeds texts as means of token vectors; loads 18 MB on first use; thread-safe.

    Args:
        folder: folder of the weights and the tokenizer; defaults to the installed `wordllama` package.
    """

    near = NEAR
    takes_questions = False
    sends_texts = False

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._model: _Model | None = None
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """Name of the weights."""
        return MODEL

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return DIMENSIONS

    def may_embed(self, database: str) -> bool:  # noqa: ARG002
        """Texts about every database: none leaves this machine."""
        return True

    def embed(self, texts: Sequence[str]) -> NDArray[Any]:
        """N x 256 float32, L2-normalised; each vector is independent of the other texts in the batch.

        Raises:
            EmbeddingFailed: when the weights are not installed or cannot be read.
        """
        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        if not texts:
            return vectors
        model = self._loaded()
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            batch = [_readable(text) for text in texts[start : start + _TEXTS_AT_ONCE]]
            _add_means(vectors[start : start + _TEXTS_AT_ONCE], _tokens(batch, model), model.weights)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, lengths, out=vectors, where=lengths > 0)
        return vectors

    def knows(self, words: Sequence[str]) -> list[bool]:
        """Whether each word consists of longer pieces than made-up words do.

        Raises:
            EmbeddingFailed: when the weights are not installed or cannot be read.
        """
        if not words:
            return []
        pieces = _tokens([_readable(word) for word in words], self._loaded())
        return [_is_used(word, len(some)) for word, some in zip(words, pieces, strict=True)]

    def _loaded(self) -> _Model:
        with self._lock:
            if self._model is None:
                self._model = _load(self._folder or _package_folder())
            return self._model


def _is_used(word: str, pieces: int) -> bool:
    if len(word) >= _SURE_LETTERS_A_PIECE * pieces:
        return True
    return len(word) >= _LETTERS_A_PIECE * pieces and reads_like_a_word(word)


def _tokens(texts: Sequence[str], model: _Model) -> list[list[int]]:
    encodings = model.tokenizer.encode_batch_fast(texts, add_special_tokens=False)
    found: list[list[int]] = [encoding.ids for encoding in encodings]
    return [
        ids if model.special.isdisjoint(ids) else [token for token in ids if token not in model.special]
        for ids in found
    ]


def _add_means(vectors: NDArray[Any], tokens: Sequence[Sequence[int]], weights: NDArray[Any]) -> None:
    """Write the mean of each text's token vectors; texts of equal length are summed together, token by token."""
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for row, own in enumerate(tokens):
        by_length[len(own)].append(row)
    for length, rows in by_length.items():
        if 0 < length <= _SHORT_TEXT_TOKENS:
            ids: NDArray[Any] = np.array([tokens[row] for row in rows])
            total = weights[ids[:, 0]].astype(np.float32)
            for place in range(1, length):
                total += weights[ids[:, place]]
            vectors[rows] = total / np.float32(length)
        elif length:
            for row in rows:
                vectors[row] = weights[list(tokens[row])].mean(axis=0, dtype=np.float32)


def _readable(text: str) -> str:
    # The tokenizer rejects lone surrogates.
    return text[:MAX_TEXT_CHARS].strip().encode("utf-8", "replace").decode("utf-8")


def _package_folder() -> Path:
    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise EmbeddingFailed("wordllama is not installed; run: pip install wordllama, or index without vectors")
    return Path(spec.origin).parent


def _load(folder: Path) -> _Model:
    # Imported here: a process that never embeds should not load a native tokenizer.
    from safetensors import SafetensorError
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    try:
        weights = load_file(folder / _WEIGHTS)[_TENSOR]
        text = (folder / _TOKENIZER).read_text(encoding="utf-8")
    except (OSError, KeyError, ValueError, SafetensorError) as exc:
        raise EmbeddingFailed(f"the weights of {MODEL} cannot be read from {str(folder)!r}: {exc}") from exc
    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception as exc:  # the tokenizer raises a bare Exception for an unreadable file
        raise EmbeddingFailed(f"the tokenizer of {MODEL} cannot be read from {str(folder)!r}: {exc}") from exc
    if weights.ndim != 2 or weights.shape[1] != DIMENSIONS or weights.shape[0] < tokenizer.get_vocab_size():
        raise EmbeddingFailed(f"the weights in {str(folder)!r} have the shape {weights.shape}, not N x {DIMENSIONS}")
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return _Model(tokenizer, weights, frozenset(tokenizer.get_added_tokens_decoder()))
