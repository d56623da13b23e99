"""How near tables are to business domains, by the words of their names, comments and columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from tribal.naming import expand_tokens, singular, split_identifier, tokenize_text
from tribal.planning.domains.vocabulary import Topic
from tribal.ports import Embedder
from tribal_contracts import CatalogTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAME_WEIGHT = 0.5
"""Share of a table's name; the rest is its name together with columns and comments."""
_COMMON_SHARE = 0.3
_COMMENT_WORDS = 40
_LONGEST_WORD = 20
_SHORTEST_WORD = 3


def similarities(
    tables: Sequence[CatalogTable],
    topics: Sequence[Topic],
    embedder: Embedder,
    hints: Mapping[str, str],
    words: TableWords,
) -> NDArray[Any]:
    """N x K: how near each table is to each topic, measured from the middle of all topics and rounded.

    Args:
        tables: What to compare.
        topics: With what.
        embedder: Turns words into vectors.
        hints: Comment of each schema.
        words: Reads the names.

    Raises:
        EmbeddingFailed: when the model cannot be used.
    """
    import numpy as np

    names, texts = _texts(tables, hints, words)
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


def _texts(tables: Sequence[CatalogTable], hints: Mapping[str, str], words: TableWords) -> tuple[list[str], list[str]]:
    """Each table's name in words, and the same with its comments and columns.

    Columns of a key name the neighbour, which the key says already; words of very many tables tell none of them.
    """
    columns = [
        list(dict.fromkeys(word for column in _own_columns(table) for word in words.of(column))) for table in tables
    ]
    common = Counter(word for row in columns for word in row)
    most = max(3, _COMMON_SHARE * len(tables))
    names, texts = [], []
    for table, row in zip(tables, columns, strict=True):
        name = without_kind(words.of(table.table_name))
        told = tokenize_text(f"{table.comment or ''} {hints.get(table.schema_name, '')}")[:_COMMENT_WORDS]
        names.append(" ".join(name))
        texts.append(" ".join([*name, *told, *(word for word in row if word not in _EMPTY and common[word] <= most)]))
    return names, texts


_EMPTY = frozenset("id name date code type created updated modified at source value uuid guid".split())


def _own_columns(table: CatalogTable) -> list[str]:
    keys = {column for key in table.foreign_keys for column in key.columns}
    return [column.name for column in table.columns if column.name not in keys]


class TableWords:
    """Reads names as words, also names whose words run together: `salesorderheader`."""

    def __init__(self, tables: Sequence[CatalogTable], topics: Sequence[Topic]) -> None:
        known = {word for topic in topics for word in topic.words} | {
            token for table in tables for token in split_identifier(table.table_name)
        }
        self._known = frozenset(known | {singular(word) for word in known} | {f"{word}s" for word in known})
        self._cache: dict[str, list[str]] = {}

    def of(self, name: str) -> list[str]:
        """A name's words, in full where they are abbreviated."""
        if name not in self._cache:
            parts = [part for token in split_identifier(name) for part in split_run_together(token, self._known)]
            self._cache[name] = expand_tokens(parts, ())
        return self._cache[name]


def without_kind(words: Sequence[str]) -> list[str]:
    """A name's words from the first one that tells what the table is about, not what kind of table it is."""
    start = next((n for n, word in enumerate(words) if len(word) > 1 and word not in _KINDS), 0)
    return list(words[start:])


_KINDS = frozenset(
    "tbl table dim dimension fact fct ref reference lkp lookup lu stg staging tmp temp temporary vw view mv".split()
)


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
