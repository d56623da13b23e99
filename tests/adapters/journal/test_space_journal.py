"""The object of a space: what was changed last counts, no one's change is lost, and it stays small."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import each_case
from tests.fakes import MemoryStore
from tests.plugins.verify import examples
from tribal.adapters.journal.space_journal import SpaceJournal
from tribal.adapters.local.folder import FolderStore
from tribal.errors import MemoryConflict, MemoryRefused, ObjectDamaged, PreconditionFailed, TribalError

KEY = "memory/index/user/ada.jsonl"


def entry(text: str) -> dict[str, str]:
    return {"content": text}


class Crowded(MemoryStore):
    """Someone else is always faster."""

    def put(self, *_: object, **__: object) -> str:
        raise PreconditionFailed("somebody else was faster")


def test_what_one_process_adds_the_next_call_of_another_finds(tmp_path: Path) -> None:
    here, there = SpaceJournal(FolderStore(tmp_path)), SpaceJournal(FolderStore(tmp_path))
    assert there.read(KEY) == {}
    here.change(KEY, {"a": entry("one")})
    assert there.read(KEY) == {"a": entry("one")}
    there.change(KEY, {"a": entry("zwei\n\u2028"), "b": entry("three")})
    assert here.read(KEY) == {"a": entry("zwei\n\u2028"), "b": entry("three")}
    here.change(KEY, {"a": None})
    assert there.read(KEY) == {"b": entry("three")}


def test_a_change_of_nothing_writes_nothing() -> None:
    store = MemoryStore()
    journal = SpaceJournal(store)
    journal.change(KEY, {"a": None})
    assert list(store.keys()) == []
    journal.change(KEY, {"a": entry("one")})
    before = store.get(KEY)
    journal.change(KEY, {"a": entry("one"), "b": None})
    assert store.get(KEY) == before


def test_nothing_is_lost_when_eight_add_at_once() -> None:
    store = MemoryStore()

    def add(worker: int) -> None:
        journal = SpaceJournal(store)
        for number in range(25):
            journal.change(KEY, {f"{worker}-{number}": entry(f"{number}")})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(8)))
    assert len(SpaceJournal(store).read(KEY)) == 200


def test_a_writer_that_is_never_first_is_told_to_try_again() -> None:
    paused: list[float] = []
    with pytest.raises(MemoryConflict):
        SpaceJournal(Crowded(), pause=paused.append).change(KEY, {"a": entry("one")})
    assert 1 < sum(paused) < 25


def test_a_full_space_refuses_more_names_opensearch_and_still_forgets() -> None:
    journal = SpaceJournal(MemoryStore(), most=3)
    journal.change(KEY, {name: entry(name) for name in "abc"})
    with pytest.raises(MemoryRefused, match="index: opensearch") as refused:
        journal.change(KEY, {"d": entry("d")})
    assert refused.value.to_agent_error("2026-11-23T00:00:00Z").code == "MEM_SPACE_FULL"
    assert set(journal.read(KEY)) == {"a", "b", "c"}
    journal.change(KEY, {"a": entry("changed")})
    journal.change(KEY, {"b": None, "d": entry("d")})
    assert set(journal.read(KEY)) == {"a", "c", "d"}


def test_an_object_does_not_grow_by_what_counts_no_more() -> None:
    store = MemoryStore()
    journal = SpaceJournal(store)
    sizes = []
    for number in range(1_000):
        journal.change(KEY, {"a": entry(f"{number:04}")})
        sizes.append(len(store.get(KEY).data))
    assert max(sizes) < 300 * 60
    assert SpaceJournal(store).read(KEY) == {"a": entry("0999")}


@each_case("data", [b"", b"x", b'{"version": 2}\n', b'{"version": 1}\n{"id": "a"}\n', b'{"version": 1}\n{'])
def test_a_damaged_object_is_reported_and_rebuilt(data: bytes) -> None:
    store = MemoryStore()
    store.put(KEY, data)
    journal = SpaceJournal(store)
    with pytest.raises(ObjectDamaged):
        journal.read(KEY)
    journal.rebuild(KEY, {"a": entry("one")})
    assert SpaceJournal(store).read(KEY) == journal.read(KEY) == {"a": entry("one")}


@settings(max_examples=examples(20, 60))
@given(st.lists(st.dictionaries(st.sampled_from("abcde"), st.none() | st.text(max_size=4), max_size=3), max_size=25))
def test_a_space_holds_what_a_dictionary_would(changes: list[dict[str, str | None]]) -> None:
    store = MemoryStore()
    journal, expected = SpaceJournal(store, most=4), dict[str, dict[str, str]]()
    for change in changes:
        wanted = {name: None if text is None else entry(text) for name, text in change.items()}
        after = {**expected, **{name: each for name, each in wanted.items() if each is not None}}
        after = {name: each for name, each in after.items() if wanted.get(name, "") is not None}
        try:
            journal.change(KEY, wanted)
        except TribalError:
            assert len(after) > 4
        else:
            expected = after
        assert journal.read(KEY) == SpaceJournal(store).read(KEY) == expected
