"""How similar tables are to topics, by the words of their names, comments and columns."""

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
"""Weight of the name's vector; that of name, columns and comments together weighs the rest.

By judgement (docs/adr/0007). At .25, pools .79; by the name alone, adventureworks_flat .68, omop .62, pools .78 (see
`clustering`).
"""
_COMMON_SHARE = 0.3
"""Column words in a larger share of the tables are left out. By judgement: .15 and .6 change nothing."""
_COMMENT_WORDS = 40
"""By judgement: the schemas that are measured have no comments."""
_LONGEST_WORD = 20
_SHORTEST_WORD = 3
"""Letters of the words into which names are split; by judgement, not measured."""


def topic_similarities(
    tables: Sequence[CatalogTable],
    topics: Sequence[Topic],
    embedder: Embedder,
    schema_comments: Mapping[str, str],
    words: TableWords,
) -> NDArray[Any]:
    """N x K cosine similarities of tables and topics, after the mean of all topics is subtracted; rounded.

    Args:
        tables: the N tables.
        topics: the K topics.
        embedder: turns words into vectors.
        schema_comments: comment of each schema that has one.
        words: splits names into words.

    Raises:
        EmbeddingFailed: when the model cannot be used.
    """
    import numpy as np

    names, texts = _texts(tables, schema_comments, words)
    distinct = sorted({*names, *texts})
    vectors = embedder.embed([*(topic.text for topic in topics), *distinct])
    position = {text: len(topics) + n for n, text in enumerate(distinct)}
    middle = vectors[: len(topics)].mean(axis=0)
    known = np.linalg.norm(vectors, axis=1, keepdims=True) > 0
    vectors = np.where(known, vectors - middle, 0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    by_name = vectors[[position[name] for name in names]]
    by_text = vectors[[position[text] for text in texts]]
    mixed = NAME_WEIGHT * by_name + (1 - NAME_WEIGHT) * by_text
    return np.asarray(np.round(mixed @ vectors[: len(topics)].T, 4))


def _texts(
    tables: Sequence[CatalogTable], schema_comments: Mapping[str, str], words: TableWords
) -> tuple[list[str], list[str]]:
    """Each table's name in words, and the same with its comments and columns.

    Columns of a key are left out, because they name the neighbour, and so are words that very many tables share.
    """
    columns = [
        list(dict.fromkeys(word for column in _own_columns(table) for word in words.of(column))) for table in tables
    ]
    common = Counter(word for row in columns for word in row)
    most = max(3, _COMMON_SHARE * len(tables))
    names, texts = [], []
    for table, row in zip(tables, columns, strict=True):
        name = without_kind_words(words.of(table.table_name))
        comment_words = tokenize_text(f"{table.comment or ''} {schema_comments.get(table.schema_name, '')}")[
            :_COMMENT_WORDS
        ]
        names.append(" ".join(name))
        texts.append(
            " ".join([*name, *comment_words, *(word for word in row if word not in _EMPTY and common[word] <= most)])
        )
    return names, texts


_EMPTY = frozenset("id name date code type created updated modified at source value uuid guid".split())


def _own_columns(table: CatalogTable) -> list[str]:
    keys = {column for key in table.foreign_keys for column in key.columns}
    return [column.name for column in table.columns if column.name not in keys]


class TableWords:
    """Splits names into words, including names whose words run together: `salesorderheader`."""

    def __init__(self, tables: Sequence[CatalogTable], topics: Sequence[Topic]) -> None:
        known = {word for topic in topics for word in topic.words} | {
            token for table in tables for token in split_identifier(table.table_name)
        }
        self._known = frozenset(known | {singular(word) for word in known} | {f"{word}s" for word in known})
        self._cache: dict[str, list[str]] = {}

    def of(self, name: str) -> list[str]:
        """The words of a name, abbreviations spelt out."""
        if name not in self._cache:
            parts = [part for token in split_identifier(name) for part in split_run_together(token, self._known)]
            self._cache[name] = expand_tokens(parts, ())
        return self._cache[name]


def without_kind_words(words: Sequence[str]) -> list[str]:
    """A name's words without leading ones for the kind of table: `dim_customer` is about customers."""
    start = next((n for n, word in enumerate(words) if len(word) > 1 and word not in _KINDS), 0)
    return list(words[start:])


_KINDS = frozenset(
    "tbl table dim dimension fact fct ref reference lkp lookup lu stg staging tmp temp temporary vw view mv".split()
)


def split_run_together(token: str, known: Set[str]) -> list[str]:
    """Split a token into the fewest known words; the token itself if it cannot be split."""
    best: dict[int, list[str]] = {0: []}
    for end in range(_SHORTEST_WORD, len(token) + 1):
        for start in range(max(0, end - _LONGEST_WORD), end - _SHORTEST_WORD + 1):
            whole = start == 0 and end == len(token)
            if start not in best or whole or token[start:end] not in known:
                continue
            if end not in best or len(best[start]) + 1 < len(best[end]):
                best[end] = [*best[start], token[start:end]]
    return best.get(len(token)) or [token]
