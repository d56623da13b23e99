"""Business domains from words and keys: how near each table is to each topic, smoothed along the keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from tribal.naming import expand_tokens, singular, split_identifier, tokenize_text
from tribal.planning.vocabulary import Topic
from tribal.ports import Embedder
from tribal_contracts import CatalogTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

Key = tuple[str, str]

SMALLEST_DOMAIN = 3
NAME_WEIGHT = 0.5
"""Share of a table's name; the rest is its name together with columns and comments."""
SHARPNESS = 9.0
"""How much more a nearer topic counts: likelihoods are `exp(SHARPNESS * similarity)`."""
KEY_WEIGHT = 1.5
"""What the only key to a table counts, where the table's own words count 1."""
FAINT = 0.1
"""Below this similarity to every topic, words are no evidence."""
_COMMON_SHARE = 0.3
_COMMENT_WORDS = 40
_SWEEPS = 10
_LONGEST_WORD = 20
_SHORTEST_WORD = 3


def group_by_words(
    tables: Sequence[CatalogTable],
    weights: Mapping[Key, Mapping[Key, float]],
    topics: Sequence[Topic],
    embedder: Embedder,
    hints: Mapping[str, str],
) -> dict[Key, str]:
    """The topic's name for each table that words or keys tell one for; the others are left out.

    Args:
        tables: What to group, in an order that is always the same.
        weights: How strongly two tables are tied by keys.
        topics: What may be recognised.
        embedder: Turns words into vectors.
        hints: Comment of each schema.

    Raises:
        EmbeddingFailed: when the model cannot be used.
    """
    import numpy as np

    near = _similarities(tables, topics, embedder, hints)
    keys = [(table.schema_name, table.table_name) for table in tables]
    ties = _Ties(keys, weights)
    told = near.max(axis=1) >= FAINT
    alive = np.arange(len(topics))
    while True:
        scores = ties.smooth(_likelihoods(near[:, alive], told))
        labels = scores.argmax(axis=1)
        sure = scores.max(axis=1) > 1 / len(alive) + 1e-4 if len(alive) > 1 else told | ties.tied
        sizes = np.bincount(labels[sure], minlength=len(alive))
        small = [n for n in range(len(alive)) if 0 < sizes[n] < SMALLEST_DOMAIN]
        present = sizes > 0
        if not small or present.sum() < 2:
            found = [None if sizes[label] < SMALLEST_DOMAIN else topics[int(alive[label])].name for label in labels]
            return {key: name for key, name, yes in zip(keys, found, sure, strict=True) if yes and name}
        mass = np.round(scores.sum(axis=0), 4)
        weakest = min(small, key=lambda n: (sizes[n], mass[n], topics[int(alive[n])].name))
        present[weakest] = False
        alive = alive[present]


def _likelihoods(near: NDArray[Any], told: NDArray[Any]) -> NDArray[Any]:
    """N x K, rows adding up to 1; a table whose words tell nothing finds all as likely."""
    import numpy as np

    powers = np.exp(SHARPNESS * (near - near.max(axis=1, keepdims=True)))
    powers[~told] = 1.0
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


class _Ties:
    """Keys between tables as arrays, sorted by the table that listens."""

    def __init__(self, keys: Sequence[Key], weights: Mapping[Key, Mapping[Key, float]]) -> None:
        import numpy as np

        place = {key: n for n, key in enumerate(keys)}
        edges = sorted((place[a], place[b], w) for a in keys for b, w in weights.get(a, {}).items() if b in place)
        self._from = np.array([edge[1] for edge in edges], dtype=np.intp)
        self._weight = KEY_WEIGHT * np.array([edge[2] for edge in edges])[:, None]
        listeners = np.array([edge[0] for edge in edges], dtype=np.intp)
        self._listeners, self._starts = np.unique(listeners, return_index=True)
        self.tied = np.zeros(len(keys), dtype=bool)
        self.tied[self._listeners] = True

    def smooth(self, own: NDArray[Any]) -> NDArray[Any]:
        """Mean of each table's own likelihoods and its neighbours', again and again, rounded."""
        import numpy as np

        scores = own
        if len(self._listeners):
            total = 1 + np.add.reduceat(self._weight, self._starts)
            for _ in range(_SWEEPS):
                heard = np.add.reduceat(self._weight * scores[self._from], self._starts)
                scores = own.copy()
                scores[self._listeners] = (own[self._listeners] + heard) / total
        # Sums differ in their last digits from machine to machine; what is equal has to stay equal.
        return np.asarray(np.round(scores, 6))


def _similarities(
    tables: Sequence[CatalogTable], topics: Sequence[Topic], embedder: Embedder, hints: Mapping[str, str]
) -> NDArray[Any]:
    """N x K: how near each table is to each topic, measured from the middle of all topics."""
    import numpy as np

    names, texts = _texts(tables, topics, hints)
    distinct = sorted({*names, *texts})
    vectors = embedder.embed([*(topic.text for topic in topics), *distinct])
    place = {text: len(topics) + n for n, text in enumerate(distinct)}
    middle = vectors[: len(topics)].mean(axis=0)
    known = np.linalg.norm(vectors, axis=1, keepdims=True) > 0
    vectors = np.where(known, vectors - middle, 0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    by_name = vectors[[place[name] for name in names]]
    by_text = vectors[[place[text] for text in texts]]
    mixed = NAME_WEIGHT * by_name + (1 - NAME_WEIGHT) * by_text
    return np.asarray(np.round(mixed @ vectors[: len(topics)].T, 4))


def _texts(
    tables: Sequence[CatalogTable], topics: Sequence[Topic], hints: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """Each table's name in words, and the same with its comments and columns.

    Columns of a key name the neighbour, which the key says already; words of very many tables tell none of them.
    """
    words = _Words(tables, topics)
    columns = [
        list(dict.fromkeys(word for column in _own_columns(table) for word in words.of(column))) for table in tables
    ]
    common = Counter(word for row in columns for word in row)
    most = max(3, _COMMON_SHARE * len(tables))
    names, texts = [], []
    for table, row in zip(tables, columns, strict=True):
        name = words.of(table.table_name)
        told = tokenize_text(f"{table.comment or ''} {hints.get(table.schema_name, '')}")[:_COMMENT_WORDS]
        names.append(" ".join(name))
        texts.append(" ".join([*name, *told, *(word for word in row if word not in _EMPTY and common[word] <= most)]))
    return names, texts


_EMPTY = frozenset("id name date code type created updated modified at source value uuid guid".split())


def _own_columns(table: CatalogTable) -> list[str]:
    keys = {column for key in table.foreign_keys for column in key.columns}
    return [column.name for column in table.columns if column.name not in keys]


class _Words:
    """Reads names as words, also names whose words run together: `salesorderheader`."""

    def __init__(self, tables: Sequence[CatalogTable], topics: Sequence[Topic]) -> None:
        known = {word for topic in topics for word in topic.words} | {
            token for table in tables for token in split_identifier(table.table_name)
        }
        self._known = frozenset(known | {singular(word) for word in known} | {f"{word}s" for word in known})
        self._cache: dict[str, list[str]] = {}

    def of(self, name: str) -> list[str]:
        if name not in self._cache:
            parts = [part for token in split_identifier(name) for part in split_run_together(token, self._known)]
            self._cache[name] = expand_tokens(parts, ())
        return self._cache[name]


def split_run_together(token: str, known: Set[str]) -> list[str]:
    """Cut a token into the fewest known words that make it up; as it is when there are none."""
    best: dict[int, list[str]] = {0: []}
    for end in range(_SHORTEST_WORD, len(token) + 1):
        for start in range(max(0, end - _LONGEST_WORD), end - _SHORTEST_WORD + 1):
            whole = start == 0 and end == len(token)
            if start not in best or whole or token[start:end] not in known:
                continue
            if end not in best or len(best[start]) + 1 < len(best[end]):
                best[end] = [*best[start], token[start:end]]
    return best.get(len(token)) or [token]
