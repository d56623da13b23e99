"""What holds of every `MemoryIndex`.

A module that is held to it supplies the fixtures `index` and `other`, two of them over the same place as two processes
have them, empty at first, and `lose`, which deletes what they keep there; vectors have `DIMENSIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import numpy as np
import pytest

from tribal.identity.scope import Scope
from tribal.ports.remembering.identity import Identity, Space
from tribal.ports.remembering.memory_index import FoundMemory, IndexedMemory, MemoryIndex
from tribal.ports.remembering.selection import MemorySelection
from tribal_contracts.memory import MemoryRecord

DIMENSIONS = 4
NOW = "2026-11-23T08:00:00Z"
ADA = Identity("ada", session="s", projects=("shop",))
(OF_ADA,), (OF_SHOP,), (OF_SESSION,) = (ADA.spaces(layer) for layer in ("user", "project", "session"))
(OF_BOB,) = Identity("bob").spaces("user")
HOSTILE = "o'brien C++ \u2028 \" \\ AND * {} \U0001f4a3"


def record(
    number: int, space: Space = OF_ADA, content: str = "", tags: Iterable[str] = (), used: str = NOW
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
            "usedAt": used,
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
    content: str = "",
    used: str = NOW,
) -> IndexedMemory:
    """A memory whose vector is an axis."""
    vector = None if towards is None else np.eye(DIMENSIONS, dtype=np.float32)[towards]
    return IndexedMemory(space, record(number, space, content, tags, used), tuple(terms.split()), vector, tuple(tables))


def among(*spaces: Space, tags: Sequence[str] = ()) -> MemorySelection:
    """All memories of some spaces, or those with a tag."""
    return MemorySelection(spaces, tuple(tags))


def numbers(found: Iterable[FoundMemory]) -> list[int]:
    """Which memories were found."""
    return [int(each.record.memory_id.removeprefix("mem_"), 16) for each in found]


def test_before_anything_is_written_nothing_is_there(index: MemoryIndex) -> None:
    assert index.by_words(among(OF_ADA), ["invoice"], 5) == []
    assert index.by_vector(among(OF_ADA), np.ones(DIMENSIONS), 5) == []
    assert index.about_tables(among(OF_ADA), ["shop.public.invoice"], 5) == []
    assert list(index.of_spaces(among(OF_ADA))) == []
    assert index.count(among(OF_ADA)) == 0
    index.write([], [(OF_ADA, record(1).memory_id)])
    index.write([])
    assert index.count(among(OF_ADA)) == 0


def test_it_is_empty_until_something_is_written_and_once_it_is_lost(
    index: MemoryIndex, other: MemoryIndex, lose: Callable[[], None]
) -> None:
    assert index.is_empty()
    index.write([memory(1, "x", OF_BOB)])
    assert not other.is_empty()
    lose()
    assert index.is_empty()


def test_what_one_process_writes_the_next_call_of_another_finds_as_it_was_written(
    index: MemoryIndex, other: MemoryIndex
) -> None:
    assert other.by_words(among(OF_ADA), ["void"], 5) == []
    index.write([memory(1, "invoice void", content=HOSTILE, tags=["Ärger"]), memory(2, "invoice paid", towards=1)])
    (found,) = other.by_words(among(OF_ADA), ["void"], 5)
    assert (found.space, found.record) == (OF_ADA, record(1, content=HOSTILE, tags=["Ärger"]))
    assert list(found.terms) == ["invoice", "void"]
    assert found.vector is not None
    assert np.allclose(found.vector, np.eye(DIMENSIONS)[0])
    assert other.count(among(OF_ADA)) == 2
    other.write([], [(OF_ADA, record(1).memory_id)])
    assert index.by_words(among(OF_ADA), ["void"], 5) == []
    assert index.count(among(OF_ADA)) == 1


def test_every_search_gives_back_the_terms_and_the_vector_that_were_written(index: MemoryIndex) -> None:
    terms = ["x", "x", "with space", "\u2028", "\U0001f4a3", 'a"b']
    about = ("shop.public.order",)
    direction = np.array([0.6, 0.8, 0.0, 0.0], dtype=np.float32)
    index.write([IndexedMemory(OF_ADA, record(1), terms, direction, about)])
    index.write([IndexedMemory(OF_ADA, record(2), ["x"], None, about)])
    wanted = among(OF_ADA)
    for found in (
        index.by_words(wanted, ["x"], 9),
        index.about_tables(wanted, about, 9),
        list(index.of_spaces(wanted)),
    ):
        by_number = dict(zip(numbers(found), found, strict=True))
        assert list(by_number[1].terms) == terms
        vector = by_number[1].vector
        assert vector is not None
        assert np.allclose(vector, direction, atol=0.001)
        assert by_number[2].vector is None
    (nearest,) = index.by_vector(wanted, direction, 9)
    assert nearest.vector is not None
    assert np.allclose(nearest.vector, direction, atol=0.001)


def test_a_rarer_and_a_more_frequent_term_weigh_more(index: MemoryIndex) -> None:
    index.write([memory(1, "invoice void"), memory(2, "invoice paid"), memory(3, "invoice paid paid")])
    assert numbers(index.by_words(among(OF_ADA), ["void", "invoice"], 5))[0] == 1
    found = index.by_words(among(OF_ADA), ["paid"], 5)
    assert numbers(found) == [3, 2]
    assert found[0].score > found[1].score > 0
    assert numbers(index.by_words(among(OF_ADA), ["paid"], 1)) == [3]
    for strange in ([], ["nothing"], ["", HOSTILE], ["\ud800"[:0]]):
        assert index.by_words(among(OF_ADA), strange, 5) == []


def test_vectors_are_ranked_by_cosine_however_long_the_question_is(index: MemoryIndex) -> None:
    index.write([memory(1), memory(2, towards=1), memory(3, towards=None)])
    found = index.by_vector(among(OF_ADA), np.array([6.0, 8.0, 0.0, 0.0]), 5)
    assert [(number, round(each.score, 3)) for number, each in zip(numbers(found), found, strict=True)] == [
        (2, 0.8),
        (1, 0.6),
    ]
    opposite = index.by_vector(among(OF_ADA), np.array([-1.0, 0.0, 0.0, 0.0]), 5)
    assert round(opposite[-1].score, 3) == -1.0
    assert numbers(index.by_vector(among(OF_ADA), np.array([0.0, 1.0, 0.0, 0.0]), 1)) == [2]
    assert index.by_vector(among(OF_ADA), np.zeros(DIMENSIONS), 5) == []


@pytest.mark.parametrize("limit", [0, -1])
def test_who_asks_for_nothing_gets_nothing(index: MemoryIndex, limit: int) -> None:
    index.write([memory(1, "invoice", tables=["t"])])
    assert index.by_words(among(OF_ADA), ["invoice"], limit) == []
    assert index.by_vector(among(OF_ADA), np.ones(DIMENSIONS), limit) == []
    assert index.about_tables(among(OF_ADA), ["t"], limit) == []


def test_no_search_leaves_the_spaces_that_it_names(index: MemoryIndex) -> None:
    spaces = [OF_ADA, OF_SHOP, OF_SESSION, OF_BOB]
    index.write([memory(1, "invoice", space, tables=["t"]) for space in spaces])
    (like_ada,) = Identity("ada ").spaces("user")
    for wanted in ([OF_ADA], [OF_BOB], [OF_SHOP, OF_SESSION], [], [like_ada], [OF_ADA, OF_ADA]):
        expected = {space for space in wanted if space in spaces}
        for found in (
            index.by_words(among(*wanted), ["invoice"], 9),
            index.by_vector(among(*wanted), np.ones(DIMENSIONS), 9),
            index.about_tables(among(*wanted), ["t"], 9),
            list(index.of_spaces(among(*wanted))),
            list(index.of_spaces(among(*wanted), [record(1).memory_id])),
        ):
            assert {each.space for each in found} == expected
            assert len(found) == len(expected)
    assert [index.count(among(space)) for space in (OF_ADA, OF_BOB, like_ada)] == [1, 1, 0]
    index.write([], [(OF_BOB, record(1).memory_id)])
    assert [index.count(among(space)) for space in (OF_ADA, OF_BOB)] == [1, 0]


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
        assert {*numbers(index.by_words(among(OF_ADA, tags=tags), ["x"], 9))} == expected
        assert {*numbers(index.by_vector(among(OF_ADA, tags=tags), np.ones(DIMENSIONS), 9))} == expected


SCOPES = (
    (Scope(), {1, 2, 3, 4, 5, 6}),
    (Scope(frozenset({"shop"})), {1, 2, 4, 6}),
    (Scope(frozenset(), frozenset({("shop", "public")})), {1, 2, 6}),
    (Scope(frozenset({"hr", "none"})), {1, 3, 6}),
    (Scope(frozenset({"shop", "hr", "public", "a.b"})), {1, 2, 3, 4, 6}),
    (Scope(frozenset(), frozenset({("shop", "x.y")})), {1, 4}),
    (Scope(frozenset()), {1}),
)


@pytest.mark.parametrize(("scope", "expected"), SCOPES)
def test_a_memory_that_names_tables_is_there_for_who_may_see_one_of_them(
    index: MemoryIndex, scope: Scope, expected: set[int]
) -> None:
    named: tuple[list[str], ...] = (
        [],
        ["shop.public.order"],
        ["hr.public.pay"],
        ['shop."x.y".order'],
        ["order", "public.order", "shop"],
    )
    about = [*named, ["order", "hr.public.pay", "shop.public.order"]]
    index.write(memory(number, "x", tables=tables) for number, tables in enumerate(about, 1))
    wanted = MemorySelection((OF_ADA,), (), scope)
    every = [table for tables in about for table in tables]
    assert {*numbers(index.by_words(wanted, ["x"], 9))} == expected
    assert {*numbers(index.by_vector(wanted, np.ones(DIMENSIONS), 9))} == expected
    assert {*numbers(index.of_spaces(wanted))} == expected
    assert {*numbers(index.of_spaces(wanted, [record(number).memory_id for number in range(9)]))} == expected
    assert {*numbers(index.about_tables(wanted, every, 9))} == expected - {1}
    assert index.count(wanted) == len(expected)


def test_a_memory_of_a_session_is_there_while_it_was_used_since(index: MemoryIndex) -> None:
    used = ["2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z", "2026-11-02T01:00:00.5+01:00", "2026-11-03T00:00:00Z"]
    index.write(memory(number, "x", OF_SESSION, used=at, tables=["t"]) for number, at in enumerate(used))
    index.write([memory(9, "x", OF_SHOP, used=used[0], tables=["t"])])
    since = datetime(2026, 11, 2, tzinfo=UTC)
    wanted = MemorySelection((OF_SESSION, OF_SHOP), used_since=since)
    for found in (
        index.by_words(wanted, ["x"], 9),
        index.by_vector(wanted, np.ones(DIMENSIONS), 9),
        index.about_tables(wanted, ["t"], 9),
        index.of_spaces(wanted),
        index.of_spaces(wanted, [record(number).memory_id for number in range(10)]),
    ):
        assert {*numbers(found)} == {2, 3, 9}
    assert index.count(wanted) == 3
    assert index.count(among(OF_SESSION, OF_SHOP)) == 5


def test_what_a_search_may_not_look_at_takes_no_place_among_its_hits(index: MemoryIndex) -> None:
    index.write(memory(number, "void", tables=["hr.public.pay"]) for number in range(30))
    index.write([memory(99, "void invoice of last year", tables=["shop.public.order"], towards=1)])
    wanted = MemorySelection((OF_ADA,), (), Scope(frozenset({"shop"})))
    assert numbers(index.by_words(wanted, ["void"], 1)) == [99]
    assert numbers(index.by_vector(wanted, np.eye(DIMENSIONS)[0], 1)) == [99]
    assert numbers(index.about_tables(wanted, ["shop.public.order", "hr.public.pay"], 1)) == [99]


def test_a_memory_is_replaced_whole(index: MemoryIndex) -> None:
    index.write([memory(1, "invoice", tags=["a"], tables=["t"])])
    index.write([memory(1, "order", tags=["b"], tables=["u"], towards=1)])
    index.write([memory(1, "order", tags=["b"], tables=["u"], towards=1)])
    assert index.count(among(OF_ADA)) == 1
    assert index.by_words(among(OF_ADA), ["invoice"], 9) == []
    assert index.by_words(among(OF_ADA, tags=["a"]), ["order"], 9) == []
    assert index.about_tables(among(OF_ADA), ["t"], 9) == []
    assert numbers(index.about_tables(among(OF_ADA), ["t", "u"], 9)) == [1]
    (found,) = index.by_vector(among(OF_ADA), np.array([0.0, 1.0, 0.0, 0.0]), 9)
    assert round(found.score, 3) == 1.0


def test_all_of_a_space_is_listed_and_can_be_removed_alone(index: MemoryIndex, other: MemoryIndex) -> None:
    index.write(memory(number, "invoice") for number in range(1_200))
    index.write([memory(1, "invoice", OF_BOB)])
    assert {*numbers(index.of_spaces(among(OF_ADA)))} == {*range(1_200)}
    assert {*numbers(index.of_spaces(among(OF_ADA), [record(7).memory_id, record(5_000).memory_id]))} == {7}
    index.write([], [(OF_ADA, record(number).memory_id) for number in range(1_200)])
    assert [other.count(among(space)) for space in (OF_ADA, OF_BOB)] == [0, 1]
    index.write([memory(1, "invoice")])
    assert other.count(among(OF_ADA)) == 1


def test_nothing_is_lost_or_doubled_when_several_write_at_once(index: MemoryIndex, other: MemoryIndex) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: (index, other)[number % 2].write([memory(number % 20, "x")]), range(40)))
    assert sorted(numbers(other.of_spaces(among(OF_ADA)))) == [*range(20)]
