"""What every `PassageIndexes` does.

A test module imports `*` from here and supplies two fixtures: `indexes`, with nothing published, and `elsewhere`, the
same indexes on another machine that sees at once what is published.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from tests.cases import each_case
from tribal.errors import IndexNotReady, IndexWriteFailed
from tribal.naming import content_words, query_terms
from tribal.ports.passages import PassageIndexes, PassageMatch
from tribal_contracts.chat.collections import EmbeddingRecord, PassageIndexPointer, StoredPassage

ONE, TWO, THREE = "1" * 64, "2" * 64, "3" * 64
EVERY = (ONE, TWO, THREE)
EMBEDDING = EmbeddingRecord(model="three-numbers", dimensions=3)
VACATION = "Employees get 25 days of paid vacation."


def vector(*numbers: float) -> str:
    """A vector as it is stored, brought to length 1 unless it is zero."""
    found = np.array(numbers, np.float64)
    length = np.linalg.norm(found) or 1.0
    return base64.b64encode((found / length).astype("<f4").tobytes()).decode()


def passage(number: int, text: str = VACATION, at: Sequence[float] = (1, 0, 0), page: int = 1) -> StoredPassage:
    """A passage of a manual."""
    return StoredPassage(
        number=number,
        text=text,
        source_filename="manual.pdf",
        page_number=page,
        course_id="handbook",
        vector=vector(*at),
    )


PASSAGES = [
    (ONE, passage(0, VACATION, (1, 0, 0))),
    (ONE, passage(1, "Vacation, vacation: ask your manager.", (0, 1, 0), page=2)),
    (TWO, passage(0, "The printer is on the second floor.", (0, 0, 1))),
    (THREE, passage(0, "Parental leave is 14 weeks.", (1, 1, 0))),
]


def publish(indexes: PassageIndexes, passages: Iterable[tuple[str, StoredPassage]] = PASSAGES) -> PassageIndexPointer:
    """Publish a generation of the handbook."""
    return indexes.publish("handbook", passages, EMBEDDING)


def nearest(
    indexes: PassageIndexes, at: Sequence[float], sources: Sequence[str] = EVERY, limit: int = 5
) -> list[PassageMatch]:
    """What is nearest in the handbook."""
    index = indexes.current("handbook")
    assert index is not None
    return index.nearest(np.array(at, np.float32) / np.linalg.norm(at), sources, limit)


def containing(
    indexes: PassageIndexes, question: str, sources: Sequence[str] = EVERY, limit: int = 5
) -> list[PassageMatch]:
    """What contains words of a question in the handbook."""
    index = indexes.current("handbook")
    assert index is not None
    return index.containing(query_terms(content_words(question)), sources, limit)


def _places(matches: Iterable[PassageMatch]) -> list[tuple[str, int]]:
    return [(each.source_id[0], each.passage.number) for each in matches]


def test_nothing_is_there_until_something_is_published(indexes: PassageIndexes) -> None:
    assert indexes.current("handbook") is None
    publish(indexes)
    assert indexes.current("handbook") is not None
    assert indexes.current("other") is None


def test_the_pointer_says_what_is_in_it(indexes: PassageIndexes, elsewhere: PassageIndexes) -> None:
    pointer = publish(indexes)
    assert (pointer.sources, pointer.passages, pointer.embedding) == ([ONE, TWO, THREE], 4, EMBEDDING)
    for each in (indexes, elsewhere):
        index = each.current("handbook")
        assert index is not None
        assert index.pointer == pointer


def test_the_nearest_passages_come_first_with_their_squared_distance(elsewhere: PassageIndexes) -> None:
    publish(elsewhere)
    found = nearest(elsewhere, (1, 0, 0))
    assert _places(found) == [("1", 0), ("3", 0), ("1", 1), ("2", 0)]
    assert [each.distance for each in found] == [0.0, pytest.approx(2 - 2**0.5, abs=1e-6), 2.0, 2.0]
    assert found[0].passage.text == VACATION
    assert (found[2].passage.page_number, found[2].passage.source_filename, found[2].passage.course_id) == (
        2,
        "manual.pdf",
        "handbook",
    )


def test_a_distance_of_a_thousandth_less_is_told_apart(indexes: PassageIndexes) -> None:
    def at_distance(squared: float) -> tuple[float, float, float]:
        cosine = 1 - squared / 2
        return (cosine, (1 - cosine**2) ** 0.5, 0)

    publish(indexes, [(ONE, passage(0, at=at_distance(1.5))), (TWO, passage(0, at=at_distance(1.499)))])
    by_source = {each.source_id: each.distance for each in nearest(indexes, (1, 0, 0))}
    assert by_source == {ONE: 1.5, TWO: 1.499}


def test_only_the_files_that_are_given_are_searched(indexes: PassageIndexes) -> None:
    publish(indexes)
    assert _places(nearest(indexes, (1, 0, 0), [TWO, THREE, "4" * 64], limit=1)) == [("3", 0)]
    assert nearest(indexes, (1, 0, 0), []) == []
    assert containing(indexes, "vacation", [TWO]) == []
    assert sorted(_places(containing(indexes, "vacation printer", [ONE, TWO]))) == [("1", 0), ("1", 1), ("2", 0)]


def test_equal_passages_come_in_the_order_of_files_and_numbers(indexes: PassageIndexes) -> None:
    publish(indexes, [(source, passage(number)) for source in EVERY for number in range(3)])
    expected = [("1", 0), ("1", 1), ("1", 2), ("2", 0)]
    assert _places(nearest(indexes, (1, 0, 0), limit=4)) == expected
    assert _places(containing(indexes, "vacation", limit=4)) == expected


def test_passages_with_more_of_the_words_come_first_and_say_which(indexes: PassageIndexes) -> None:
    publish(indexes)
    found = containing(indexes, "How many days of paid vacation?")
    assert _places(found) == [("1", 0), ("1", 1)]
    assert found[0].matched >= {"dai", "paid", "vacat"}
    assert found[1].matched == {"vacat"}
    assert found[0].score > found[1].score > 0
    assert found[0].distance is None


@each_case("limit", [0, -1])
def test_no_passage_is_found_if_none_is_wanted(indexes: PassageIndexes, limit: int) -> None:
    publish(indexes)
    assert nearest(indexes, (1, 0, 0), limit=limit) == []
    assert containing(indexes, "vacation", limit=limit) == []


def test_terms_are_counted_in_passages(indexes: PassageIndexes) -> None:
    publish(indexes)
    index = indexes.current("handbook")
    assert index is not None
    assert index.term_counts(["vacat", "printer", "nowhere", "vacat", ""]) == {"vacat": 2, "printer": 1}
    assert index.term_counts([]) == {}


@each_case("text", ["休暇は年に二十五日です。", "l'été à l'Île", 'a AND b OR NEAR(c) "d', "10.5 %", "\ud7ff\U0001f600"])
def test_words_of_any_script_are_found_and_no_operator_is_one(indexes: PassageIndexes, text: str) -> None:
    publish(indexes, [(ONE, passage(0, text))])
    found = containing(indexes, text)
    assert [each.passage.text for each in found] == ([text] if query_terms(content_words(text)) else [])


def test_another_dimension_is_an_error_and_not_an_answer(indexes: PassageIndexes) -> None:
    publish(indexes)
    with pytest.raises(IndexNotReady, match="3 dimensions, but the question has 2"):
        nearest(indexes, (1, 0))
    with pytest.raises(IndexWriteFailed, match="2 dimensions, not 3"):
        publish(indexes, [(ONE, passage(0).model_copy(update={"vector": vector(1, 0)}))])


def test_passages_in_no_order_are_refused_and_what_was_published_stays(indexes: PassageIndexes) -> None:
    pointer = publish(indexes)
    with pytest.raises(IndexWriteFailed, match="not in order"):
        publish(indexes, [(TWO, passage(0)), (ONE, passage(0))])
    index = indexes.current("handbook")
    assert index is not None
    assert index.pointer == pointer


def test_a_new_generation_is_read_next_and_a_reader_keeps_the_one_it_has(
    indexes: PassageIndexes, elsewhere: PassageIndexes
) -> None:
    publish(indexes)
    before = elsewhere.current("handbook")
    publish(indexes, PASSAGES[2:])
    assert before is not None
    assert len(before.nearest(np.array((1, 0, 0)), EVERY, 9)) == 4
    assert _places(nearest(elsewhere, (1, 0, 0))) == [("3", 0), ("2", 0)]
    assert containing(elsewhere, "vacation") == []


def test_a_collection_may_become_empty(indexes: PassageIndexes, elsewhere: PassageIndexes) -> None:
    publish(indexes)
    pointer = publish(indexes, [])
    assert (pointer.passages, pointer.sources) == (0, [])
    assert nearest(elsewhere, (1, 0, 0)) == []
    assert containing(elsewhere, "vacation") == []


def test_collections_are_apart(indexes: PassageIndexes, elsewhere: PassageIndexes) -> None:
    publish(indexes)
    indexes.publish("games", [(THREE, passage(0, "Chess"))], EMBEDDING)
    index = elsewhere.current("games")
    assert index is not None
    assert _places(index.nearest(np.array((1, 0, 0)), EVERY, 9)) == [("3", 0)]
    assert len(nearest(elsewhere, (1, 0, 0))) == 4


def test_equal_passages_give_equal_bytes(indexes: PassageIndexes, elsewhere: PassageIndexes) -> None:
    many = [(ONE, passage(number, f"{VACATION} {number}", (1, number, 0))) for number in range(1_100)]
    first = publish(indexes, many)
    publish(indexes)
    assert publish(elsewhere, iter(many)) == first
    assert _places(nearest(indexes, (1, 30, 0), limit=1)) == [("1", 30)]


def test_what_was_closed_is_opened_again(indexes: PassageIndexes) -> None:
    publish(indexes)
    indexes.close()
    assert len(nearest(indexes, (1, 0, 0))) == 4
