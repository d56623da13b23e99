"""Names that look like the words of a question."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribal.ranking.character_grams import GramIndex

some_words = st.lists(st.text(alphabet="abcé本", min_size=1, max_size=6), max_size=4)


def grams(words: list[str]) -> Counter[str]:
    spaced = [f" {word} " for word in words]
    return Counter(
        word[start : start + length]
        for word in spaced
        for length in (3, 4, 5)
        for start in range(len(word) - length + 1)
    )


def cosines(names: list[list[str]], asked: list[str]) -> dict[int, float]:
    """Cosine similarity by tf-idf with a dictionary a name; grams that no name has are left out of the question."""
    counted = [grams(words) for words in names]
    held = Counter(gram for one in counted for gram in one)
    rarity = {gram: math.log((1 + len(names)) / (1 + held[gram])) + 1.0 for gram in held}

    def weights(counts: Counter[str]) -> dict[str, float]:
        found = {gram: (1.0 + math.log(count)) * rarity[gram] for gram, count in counts.items() if gram in rarity}
        length = math.hypot(*found.values())
        return {gram: weight / length for gram, weight in found.items()}

    query = weights(grams(asked))
    scores = {
        number: sum(weight * query.get(gram, 0.0) for gram, weight in weights(one).items())
        for number, one in enumerate(counted)
    }
    return {number: score for number, score in scores.items() if score > 0}


@given(st.lists(some_words, max_size=8), some_words)
def test_names_are_as_alike_as_their_grams_counted_one_by_one(names: list[list[str]], asked: list[str]) -> None:
    found = GramIndex(names).alike(asked, 100)
    wanted = cosines(names, asked)
    assert found.tables.tolist() == sorted(wanted)
    assert found.scores.tolist() == pytest.approx([wanted[number] for number in sorted(wanted)])


@given(st.lists(some_words, max_size=8), some_words, st.integers(1, 3))
def test_a_limit_keeps_the_most_alike_and_of_equals_the_first(
    names: list[list[str]], asked: list[str], limit: int
) -> None:
    index = GramIndex(names)
    every = index.alike(asked, 100)
    ranked = sorted(zip(-every.scores, every.tables.tolist(), strict=True))
    assert index.alike(asked, limit).tables.tolist() == sorted(number for _, number in ranked[:limit])


def test_a_word_inside_a_longer_one_is_alike_and_nothing_in_common_finds_nothing() -> None:
    index = GramIndex([["heartrate"], ["customer"], ["heart"]])
    found = index.alike(["heart", "rate"], 10)
    assert found.tables.tolist() == [0, 2]
    for asked in ([], [""], ["zzzz", "qqqq"], ["漢"]):
        assert index.alike(asked, 10).tables.tolist() == []
