"""Comparing a question with very many vectors: a survey decides which are worth a whole look."""

from __future__ import annotations

import numpy as np
import pytest

from tribal.adapters.sqlite import vectors as adapter
from tribal.adapters.sqlite.places import Places
from tribal.adapters.sqlite.vectors import DIMENSIONS as SURVEYED_DIMENSIONS
from tribal.adapters.sqlite.vectors import FAR_MORE, Survey, VectorMatrix
from tribal.identity.scope import Scope
from tribal.ports import IndexFilter

DIMENSIONS, LIMIT = 64, 50
COUNT = FAR_MORE * LIMIT * 4


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    random = np.random.default_rng(20_251_121)
    rows = random.normal(size=(COUNT, DIMENSIONS)).astype(np.float32)
    # Some stand out, as what is meant does; the other thousands are noise.
    rows[::200] += 2 * rows[0]
    normal: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return normal


def matrix(vectors: np.ndarray, columns: int = 1) -> VectorMatrix:
    codes = np.arange(COUNT) % 2
    places = Places(codes, (("shop", "a", "sales"), ("shop", "b", "sales")))
    ids = np.arange(COUNT) + 1
    return VectorMatrix(ids, (ids - 1) // columns + 1, vectors, places)


def test_what_stands_out_is_found_with_its_whole_score_in_the_right_order(vectors: np.ndarray) -> None:
    found = matrix(vectors).nearest(vectors[0], IndexFilter(), LIMIT)
    scores = np.round(vectors @ vectors[0], 6)
    best = np.lexsort((np.arange(COUNT), -scores))[: len(vectors[::200])]
    known = best[: min(LIMIT, len(best))]
    assert found.ids.tolist()[: len(known)] == (known + 1).tolist()
    assert np.allclose(found.scores[: len(known)], scores[known], atol=2e-6)
    assert len(found) == LIMIT


def test_a_filter_looks_at_every_vector_that_it_lets_through(vectors: np.ndarray) -> None:
    where = IndexFilter(scope=Scope(schemas=frozenset({("shop", "b")})))
    found = matrix(vectors).nearest(vectors[1], where, LIMIT)
    scores = np.round(vectors @ vectors[1], 6)
    scores[::2] = -2
    assert found.ids.tolist() == (np.lexsort((np.arange(COUNT), -scores))[:LIMIT] + 1).tolist()


def test_of_each_of_many_tables_the_nearest_column_is_found(vectors: np.ndarray) -> None:
    found = matrix(vectors, columns=10).nearest_of_each_table(vectors[0], IndexFilter(), COUNT)
    best = (vectors @ vectors[0]).reshape(-1, 10).max(axis=1)
    assert sorted(found.table_ids.tolist()) == list(range(1, COUNT // 10 + 1))
    assert np.allclose(found.scores, best[found.table_ids - 1], atol=2e-6)
    assert np.all(np.diff(found.scores) <= 0)
    assert found.ids[0] == 1


def test_a_filter_looks_at_every_column_that_it_lets_through(vectors: np.ndarray) -> None:
    where = IndexFilter(scope=Scope(schemas=frozenset({("shop", "b")})))
    found = matrix(vectors, columns=10).nearest_of_each_table(vectors[1], where, COUNT)
    scores = np.round(vectors @ vectors[1], 6)
    scores[::2] = -2
    best = scores.reshape(-1, 10).max(axis=1)
    assert np.allclose(found.scores, best[found.table_ids - 1], atol=2e-6)
    assert len(found) == COUNT // 10


@pytest.fixture(scope="module")
def alike() -> np.ndarray:
    """Vectors as those of columns are: of a few dozen things, each said a little differently."""
    random = np.random.default_rng(20_261_123)
    things = random.normal(size=(60, 256))
    rows = things[random.integers(0, 60, COUNT)] + 0.8 * random.normal(size=(COUNT, 256))
    normal: np.ndarray = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return normal


@pytest.mark.parametrize("where", [IndexFilter(), IndexFilter(scope=Scope(schemas=frozenset({("shop", "b")})))])
@pytest.mark.parametrize("stored", [np.float32, np.float16])
def test_of_very_many_columns_nearly_all_of_the_nearest_are_found_each_with_its_own_score(
    alike: np.ndarray, monkeypatch: pytest.MonkeyPatch, where: IndexFilter, stored: type[np.floating]
) -> None:
    monkeypatch.setattr(adapter, "FEW_COLUMNS", 1_000)
    vectors = alike.astype(stored)
    question = alike[0] + 0.5 * alike[1]
    exact = vectors.astype(np.float32) @ question
    found = matrix(vectors, columns=10).nearest_of_each_table(question, where, LIMIT)
    assert np.allclose(found.scores, exact[found.ids - 1], atol=2e-6)
    assert np.array_equal(found.table_ids, (found.ids - 1) // 10 + 1)
    if where.scope.schemas is not None:
        exact[::2] = -2
        assert np.all(found.ids % 2 == 0)
    nearest = np.argsort(-exact.reshape(-1, 10).max(axis=1))[:LIMIT] + 1
    assert len(np.intersect1d(nearest, found.table_ids)) >= 0.9 * LIMIT


def test_a_survey_keeps_what_vectors_differ_in_most(alike: np.ndarray) -> None:
    survey = Survey.of(alike)
    assert survey.shares.shape == (COUNT, SURVEYED_DIMENSIONS)
    assert np.allclose(survey.directions.T @ survey.directions, np.eye(SURVEYED_DIMENSIONS), atol=1e-5)
    exact, near = alike @ alike[0], survey.products(alike[0])
    first_dimensions = alike[:, :SURVEYED_DIMENSIONS] @ alike[0][:SURVEYED_DIMENSIONS]
    assert np.abs(near - exact).mean() < 0.5 * np.abs(first_dimensions - exact).mean()


def test_a_survey_of_fewer_dimensions_than_it_may_keep_is_exact(vectors: np.ndarray) -> None:
    few = np.ascontiguousarray(vectors[:50, :8])
    assert np.allclose(Survey.of(few).products(few[0]), few @ few[0], atol=1e-5)
