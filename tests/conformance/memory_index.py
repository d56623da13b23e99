"""What holds of every `MemoryIndex`.

A module that is held to it supplies the fixtures `index` and `other`, two of them over the same place as two processes
have them, empty at first; vectors have `DIMENSIONS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tribal.catalog.scope import Scope
from tribal.ports.remembering.identity import Identity, Space
from tribal.ports.remembering.memory_index import NOWHERE, FoundMemory, IndexedMemory, MemoryIndex, Place, Wanted
from tribal_contracts.memory import MemoryRecord

DIMENSIONS = 4
NOW = "2026-11-23T08:00:00Z"
ADA = Identity("ada", session="s", projects=("shop",))
(OF_ADA,), (OF_SHOP,), (OF_SESSION,) = (ADA.spaces(layer) for layer in ("user", "project", "session"))
(OF_BOB,) = Identity("bob").spaces("user")
_ADAS = Wanted([OF_ADA])
HOSTILE = "o'brien C++ \u2028 \" \\ AND * {} \U0001f4a3"


def record(
    number: int, space: Space = OF_ADA, content: str = "", tags: Iterable[str] = (), used_at: str = NOW
) -> MemoryRecord:
    """A memory of a space; the same number is the same id."""
    return MemoryRecord.model_validate(
        {
            "schemaVersion": "1.0",
            "memoryId": f"mem_{number:020x}",
            "layer": space.layer,
            "identifiers": dict(space.identifiers),
            "content": content or f"memory {number}",
            "tags": list(tags),
            "metadata": {},
            "createdAt": NOW,
            "author": "ada",
            "session": None,
            "usedAt": used_at,
        }
    )


def memory(
    number: int,
    terms: str = "",
    space: Space = OF_ADA,
    *,
    towards: int | None = 0,
    tags: Sequence[str] = (),
    tables: Sequence[str] = (),
    places: Sequence[Place] = (),
    content: str = "",
    used_at: str = NOW,
) -> IndexedMemory:
    """A memory whose vector is an axis."""
    vector = None if towards is None else np.eye(DIMENSIONS, dtype=np.float32)[towards]
    kept = record(number, space, content, tags, used_at)
    return IndexedMemory(space, kept, tuple(terms.split()), vector, tuple(tables), tuple(places))


def numbers(found: Iterable[FoundMemory]) -> list[int]:
    """Which memories were found."""
    return [int(each.record.memory_id.removeprefix("mem_"), 16) for each in found]


def test_before_anything_is_written_nothing_is_there(index: MemoryIndex) -> None:
    assert index.by_words(_ADAS, ["invoice"], 5) == []
    assert index.by_vector(_ADAS, np.ones(DIMENSIONS), 5) == []
    assert index.about_tables(_ADAS, ["shop.public.invoice"], 5) == []
    assert list(index.of_spaces(_ADAS)) == []
    assert index.count(OF_ADA) == 0
    index.write([], [(OF_ADA, record(1).memory_id)])
    index.write([])
    index.clear()
    assert index.count(OF_ADA) == 0


def test_what_one_process_writes_the_next_call_of_another_finds_as_it_was_written(
    index: MemoryIndex, other: MemoryIndex
) -> None:
    assert other.by_words(_ADAS, ["void"], 5) == []
    index.write([memory(1, "invoice void", content=HOSTILE, tags=["Ärger"]), memory(2, "invoice paid", towards=1)])
    (found,) = other.by_words(_ADAS, ["void"], 5)
    assert (found.space, found.record) == (OF_ADA, record(1, content=HOSTILE, tags=["Ärger"]))
    assert other.count(OF_ADA) == 2
    other.write([], [(OF_ADA, record(1).memory_id)])
    assert index.by_words(_ADAS, ["void"], 5) == []
    assert index.count(OF_ADA) == 1


def test_a_rarer_and_a_more_frequent_term_weigh_more(index: MemoryIndex) -> None:
    index.write([memory(1, "invoice void"), memory(2, "invoice paid"), memory(3, "invoice paid paid")])
    assert numbers(index.by_words(_ADAS, ["void", "invoice"], 5))[0] == 1
    found = index.by_words(_ADAS, ["paid"], 5)
    assert numbers(found) == [3, 2]
    assert found[0].score > found[1].score > 0
    assert numbers(index.by_words(_ADAS, ["paid"], 1)) == [3]
    for strange in ([], ["nothing"], ["", HOSTILE], ["\ud800"[:0]]):
        assert index.by_words(_ADAS, strange, 5) == []


def test_vectors_are_ranked_by_cosine_however_long_the_question_is(index: MemoryIndex) -> None:
    index.write([memory(1), memory(2, towards=1), memory(3, towards=None)])
    found = index.by_vector(_ADAS, np.array([6.0, 8.0, 0.0, 0.0]), 5)
    assert [(number, round(each.score, 3)) for number, each in zip(numbers(found), found, strict=True)] == [
        (2, 0.8),
        (1, 0.6),
    ]
    opposite = index.by_vector(_ADAS, np.array([-1.0, 0.0, 0.0, 0.0]), 5)
    assert round(opposite[-1].score, 3) == -1.0
    assert numbers(index.by_vector(_ADAS, np.array([0.0, 1.0, 0.0, 0.0]), 1)) == [2]
    assert index.by_vector(_ADAS, np.zeros(DIMENSIONS), 5) == []


@pytest.mark.parametrize("limit", [0, -1])
def test_who_asks_for_nothing_gets_nothing(index: MemoryIndex, limit: int) -> None:
    index.write([memory(1, "invoice", tables=["t"])])
    assert index.by_words(_ADAS, ["invoice"], limit) == []
    assert index.by_vector(_ADAS, np.ones(DIMENSIONS), limit) == []
    assert index.about_tables(_ADAS, ["t"], limit) == []


def test_no_search_leaves_the_spaces_that_it_names(index: MemoryIndex) -> None:
    spaces = [OF_ADA, OF_SHOP, OF_SESSION, OF_BOB]
    index.write([memory(1, "invoice", space, tables=["t"]) for space in spaces])
    (like_ada,) = Identity("ada ").spaces("user")
    for wanted in ([OF_ADA], [OF_BOB], [OF_SHOP, OF_SESSION], [], [like_ada], [OF_ADA, OF_ADA]):
        expected = {space for space in wanted if space in spaces}
        for found in (
            index.by_words(Wanted(wanted), ["invoice"], 9),
            index.by_vector(Wanted(wanted), np.ones(DIMENSIONS), 9),
            index.about_tables(Wanted(wanted), ["t"], 9),
            list(index.of_spaces(Wanted(wanted))),
            list(index.of_spaces(Wanted(wanted), [record(1).memory_id])),
        ):
            assert {each.space for each in found} == expected
            assert len(found) == len(expected)
    assert [index.count(space) for space in (OF_ADA, OF_BOB, like_ada)] == [1, 1, 0]
    index.write([], [(OF_BOB, record(1).memory_id)])
    assert [index.count(space) for space in (OF_ADA, OF_BOB)] == [1, 0]


def test_tags_match_any_whatever_their_case(index: MemoryIndex) -> None:
    index.write(
        [memory(1, "x", tags=["Billing", "EU"]), memory(2, "x", tags=["shipping"]), memory(3, "x", tags=["STRASSE"])]
    )
    for tags, expected in (
        (["billing"], {1}),
        (["BILLING", "Shipping"], {1, 2}),
        (["bill"], set()),
        (["straße"], {3}),
        ([], {1, 2, 3}),
    ):
        tagged = Wanted([OF_ADA], tags=tags)
        assert {*numbers(index.by_words(tagged, ["x"], 9))} == expected
        assert {*numbers(index.by_vector(tagged, np.ones(DIMENSIONS), 9))} == expected
        assert {*numbers(index.of_spaces(tagged))} == expected


def every_search(index: MemoryIndex, wanted: Wanted) -> list[set[int]]:
    """What each way to search finds of memories that have the term `x` and name the table `t`."""
    searches = (
        index.by_words(wanted, ["x"], 9),
        index.by_vector(wanted, np.ones(DIMENSIONS), 9),
        index.about_tables(wanted, ["t"], 9),
        index.of_spaces(wanted),
        index.of_spaces(wanted, [record(number).memory_id for number in range(20)]),
    )
    return [{*numbers(found)} for found in searches]


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(), {1, 2, 3, 4, 5, 6}),
        (Scope(databases=frozenset({"shop"})), {1, 2, 3, 5}),
        (Scope(schemas=frozenset({("shop", "public")})), {1, 2, 5}),
        (Scope(frozenset({"shop"}), frozenset({("crm", "a")})), {1, 2, 3, 4, 5}),
        (Scope(databases=frozenset({"sho", "shop "})), {1}),
        (Scope(schemas=frozenset()), {1}),
    ],
)
def test_a_memory_is_found_where_one_of_its_tables_may_be_seen(
    index: MemoryIndex, scope: Scope, expected: set[int]
) -> None:
    index.write(
        [
            memory(1, "x", tables=["t"]),
            memory(2, "x", tables=["t"], places=[("shop", "public")]),
            memory(3, "x", tables=["t"], places=[("shop", 'p\u00fcblic " 1')]),
            memory(4, "x", tables=["t"], places=[("crm", "a")]),
            memory(5, "x", tables=["t"], places=[("crm", "b"), ("shop", "public"), NOWHERE]),
            memory(6, "x", tables=["t"], places=[NOWHERE]),
        ]
    )
    assert every_search(index, Wanted([OF_ADA], scope)) == [expected] * 5


def test_the_memories_of_a_session_end_and_no_others(index: MemoryIndex) -> None:
    early, late = "2026-11-20T08:00:00Z", "2026-11-22T08:00:00Z"
    index.write([memory(1, "x", OF_SESSION, tables=["t"], used_at=early), memory(2, "x", tables=["t"], used_at=early)])
    index.write([memory(3, "x", OF_SESSION, tables=["t"], used_at=late)])
    spaces = [OF_ADA, OF_SESSION]
    for used_after, expected in (("", {1, 2, 3}), (early, {2, 3}), ("2026-11-21T00:00:00Z", {2, 3}), (late, {2})):
        assert every_search(index, Wanted(spaces, used_after=used_after)) == [expected] * 5
    assert index.count(OF_SESSION) == 2


def test_each_search_tells_what_a_memory_is_found_by(index: MemoryIndex) -> None:
    index.write([memory(1, "x void x"), memory(2, towards=None)])
    one, two = sorted(index.of_spaces(_ADAS), key=lambda each: each.record.memory_id)
    for found in (one, *index.by_words(_ADAS, ["void"], 9), *index.by_vector(_ADAS, np.ones(DIMENSIONS), 9)):
        assert (sorted(found.terms), found.record) == (["void", "x", "x"], record(1))
        assert found.vector is not None
        assert found.vector.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert (list(two.terms), two.vector) == ([], None)


def test_what_may_not_be_seen_takes_nobodys_place(index: MemoryIndex) -> None:
    hidden = [memory(number, "x", places=[("crm", "a")]) for number in range(10, 15)]
    index.write([memory(1, "x y"), memory(2, "y"), *hidden])
    seen = Wanted([OF_ADA], Scope(databases=frozenset({"shop"})))
    assert {*numbers(index.by_words(seen, ["x", "y"], 2))} == {1, 2}
    assert {*numbers(index.by_vector(seen, np.ones(DIMENSIONS), 2))} == {1, 2}
    assert {*numbers(index.of_spaces(seen))} == {1, 2}


def test_a_memory_is_replaced_whole(index: MemoryIndex) -> None:
    index.write([memory(1, "invoice", tags=["a"], tables=["t"])])
    index.write([memory(1, "order", tags=["b"], tables=["u"], towards=1)])
    index.write([memory(1, "order", tags=["b"], tables=["u"], towards=1)])
    assert index.count(OF_ADA) == 1
    assert index.by_words(_ADAS, ["invoice"], 9) == []
    assert index.by_words(Wanted([OF_ADA], tags=["a"]), ["order"], 9) == []
    assert index.about_tables(_ADAS, ["t"], 9) == []
    assert numbers(index.about_tables(_ADAS, ["t", "u"], 9)) == [1]
    (found,) = index.by_vector(_ADAS, np.array([0.0, 1.0, 0.0, 0.0]), 9)
    assert round(found.score, 3) == 1.0


def test_all_of_a_space_is_told_and_can_be_thrown_away_alone(index: MemoryIndex, other: MemoryIndex) -> None:
    index.write(memory(number, "invoice") for number in range(1_200))
    index.write([memory(1, "invoice", OF_BOB)])
    assert {*numbers(index.of_spaces(_ADAS))} == {*range(1_200)}
    assert {*numbers(index.of_spaces(_ADAS, [record(7).memory_id, record(5_000).memory_id]))} == {7}
    index.clear([OF_ADA])
    assert [other.count(space) for space in (OF_ADA, OF_BOB)] == [0, 1]
    other.clear()
    assert [index.count(space) for space in (OF_ADA, OF_BOB)] == [0, 0]
    index.write([memory(1, "invoice")])
    assert other.count(OF_ADA) == 1


def test_nothing_is_lost_or_doubled_when_several_write_at_once(index: MemoryIndex, other: MemoryIndex) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: (index, other)[number % 2].write([memory(number % 20, "x")]), range(40)))
    assert sorted(numbers(other.of_spaces(_ADAS))) == [*range(20)]
