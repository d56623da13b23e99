"""What every `Embedder` does. A test module imports `*` from here and supplies the fixture `embedder`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tribal.ports import Embedder

TEXTS = [
    "customer address",
    "order line",
    "",
    "   ",
    "😀 ünïcödé 漢字",
    "SELECT * FROM x; --",
    "a\x00b",
    "word " * 5_000,
]


def test_a_batch_is_n_by_d_float32(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()


def test_no_text_gives_no_vector(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_vectors_have_length_one_and_those_of_blank_texts_zero(embedder: Embedder) -> None:
    lengths = np.linalg.norm(embedder.embed(TEXTS), axis=1)
    expected = [0 if not text.strip() else 1 for text in TEXTS]
    assert lengths == pytest.approx(expected, abs=1e-5)


def test_the_same_text_gives_the_same_bytes_alone_and_in_a_batch(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    for text, row in zip(TEXTS, together, strict=True):
        assert embedder.embed([text])[0].tobytes() == row.tobytes()


def test_a_lone_surrogate_is_no_obstacle(embedder: Embedder) -> None:
    assert np.isfinite(embedder.embed(["broken \ud800 text"])).all()


def test_words_of_like_meaning_are_nearer_than_others(embedder: Embedder) -> None:
    customer, client, temperature = embedder.embed(["customer", "client", "temperature"])
    assert customer @ client > customer @ temperature + 0.1
    question, orders, sensors = embedder.embed(
        ["what did each customer buy", "sales: order line: product, quantity", "weather: sensor reading: humidity"]
    )
    assert question @ orders > question @ sensors


def test_a_word_is_near_to_its_plural_and_not_to_another_word(embedder: Embedder) -> None:
    customer, customers, temperature = embedder.embed(["customer", "customers", "temperature"])
    assert customer @ customers >= embedder.near > customer @ temperature


def test_words_that_people_use_are_known_and_made_up_ones_are_not(embedder: Embedder) -> None:
    used, made_up = ["customer", "warehouse", "invoice", "shipments"], ["zzzz", "qqqq", "xkcdq", "wvxqj"]
    assert embedder.knows([*used, *made_up]) == [True] * 4 + [False] * 4
    assert embedder.knows(made_up[::-1]) == [False] * 4


def test_any_text_can_be_asked_about_and_none_gives_no_answer(embedder: Embedder) -> None:
    assert embedder.knows([]) == []
    assert len(embedder.knows([*TEXTS, "broken \ud800 text"])) == len(TEXTS) + 1


def test_the_model_has_a_name(embedder: Embedder) -> None:
    assert embedder.model
    assert embedder.model != "none"
    assert embedder.dimensions > 0


def test_many_threads_get_the_same_vectors(embedder: Embedder) -> None:
    expected = embedder.embed(TEXTS[:4]).tobytes()
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: embedder.embed(TEXTS[:4]).tobytes(), range(32)))
    assert set(results) == {expected}
