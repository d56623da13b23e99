"""The graph of keys that joins are found in, built once per generation."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.identity.table_names import TableIdentity
from tribal.joins.graph import JoinGraph
from tribal.naming import STOP_WORDS, split_identifier, stem
from tribal_contracts import KeyEdge

_KEY_WORDS = frozenset(stem(word) for word in "id key code no nr num number ref fk uid uuid guid name".split())
"""Words that mark a column as a key."""
_LOGS = frozenset(stem(word) for word in "archive audit auditlog changelog history journal log trail".split())
"""Last words of the names of tables whose rows say that something happened."""
_NOT_ABOUT_IT = 2
"""Role words that a key counts for in addition if it says who acted, such as `created_by`, or belongs to a log, which
mentions whatever it was about. By judgement: as many as make a longer path through other keys as cheap."""
_NAMED = -1
"""Role words of a key whose role the question names; less than a plain key has."""


def join_graph(opened: OpenIndex, toolbox: Toolbox) -> JoinGraph:
    """All keys of the index, not limited to the caller's scope: restrict the tables when searching it."""

    def build() -> JoinGraph:
        keys = toolbox.index.key_graph()
        return JoinGraph() if keys is None else JoinGraph.of(keys.edges, role_words)

    return toolbox.derived.get(opened.generation, "join graph", build)


def graph_for(graph: JoinGraph, terms: Collection[str]) -> JoinGraph:
    """Return the graph in which keys are preferred whose role is among the terms of a question."""
    if not terms:
        return graph

    def asked_roles(key: KeyEdge) -> int:
        return role_words(key) if _roles(key).isdisjoint(terms) else _NAMED

    return replace(graph, role_words=asked_roles)


def role_words(key: KeyEdge) -> int:
    """Number of role words in a key's column names: words of neither the referenced table or columns nor a key.

    `user_id` referencing `users` has none, `creator_user_id` has one; of two keys to the same table, the one with
    fewer is preferred.
    """
    words = len(_roles(key))
    is_actor = split_identifier(key.from_columns[-1])[-1:] == ["by"]
    return words + _NOT_ABOUT_IT * (is_actor + _is_log(key.from_table))


def _roles(key: KeyEdge) -> frozenset[str]:
    return _stems(tuple(key.from_columns)) - _referenced(key.to_table, tuple(key.to_columns)) - STOP_WORDS


@lru_cache(maxsize=16_384)
def _is_log(table: str) -> bool:
    try:
        words = split_identifier(TableIdentity.parse(table).table)
    except ValueError:
        return False
    return bool(words) and stem(words[-1]) in _LOGS


@lru_cache(maxsize=16_384)
def _referenced(table: str, columns: tuple[str, ...]) -> frozenset[str]:
    """Words that are not roles in a key to these columns."""
    try:
        parent = TableIdentity.parse(table).table
    except ValueError:
        parent = ""
    return _stems((parent, *columns)) | _KEY_WORDS


@lru_cache(maxsize=16_384)
def _stems(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(stem(token) for name in names for token in split_identifier(name))
