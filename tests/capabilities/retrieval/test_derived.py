"""What tools work out from an index is kept by generation: worked out once for each, and never found stale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.fakes import MemoryStore
from tests.sample_shop.indexed import Key, index_all, table_document, with_relations, write_documentation
from tests.sample_shop.retrieval import call, found, toolbox_over
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.identity.scope import Scope
from tribal.ports import DerivedValues
from tribal_contracts import TableDocument

Value = TypeVar("Value")


class CountingDerivedValues(DerivedValues):
    """Counts what is worked out."""

    def __init__(self) -> None:
        super().__init__()
        self.worked_out: Counter[tuple[Hashable, Any]] = Counter()

    def get(self, generation: Hashable, key: Hashable, derive: Callable[[], Value]) -> Value:
        def counted() -> Value:
            self.worked_out[generation, key] += 1
            return derive()

        return super().get(generation, key, counted)

    @property
    def kinds(self) -> Counter[str]:
        """How many values of each kind were worked out."""
        keys = (key for _, key in self.worked_out.elements())
        return Counter(key if isinstance(key, str) else key[0] for key in keys)


def tables_of(database: str, *more: str) -> list[TableDocument]:
    """A declared key, a likely one, and tables without any."""
    return with_relations(
        [
            table_document(f"{database}.s.car", "id vin", domain="d"),
            table_document(f"{database}.s.maker", "id name", domain="d"),
            table_document(
                f"{database}.s.model", "id maker_id", domain="d", keys=[Key(("maker_id",), "s.maker", ("id",))]
            ),
            table_document(f"{database}.s.sale", "id car_id", domain="d"),
            table_document(f"{database}.t.weather", "day", domain="d"),
            *(table_document(f"{database}.{name}", "id", domain="d") for name in more),
        ]
    )


@pytest.fixture
def derived() -> CountingDerivedValues:
    return CountingDerivedValues()


@pytest.fixture
def toolbox(tmp_path: Path, derived: CountingDerivedValues) -> Iterator[Callable[[str], Toolbox]]:
    """Makes toolboxes over indexes of their own, which share what they work out."""
    made: list[Toolbox] = []

    def make(database: str) -> Toolbox:
        over = toolbox_over(tmp_path / database, None, tables_of(database))
        made.append(replace(over, derived=derived))
        return made[-1]

    yield make
    for one in made:
        one.index.close()


def ask_everything(toolbox: Toolbox, database: str) -> list[object]:
    """Answers of the tools that work something out."""
    declared = {"source_table": f"{database}.s.model", "target_table": f"{database}.s.maker"}
    likely = {"source_table": f"{database}.s.sale", "target_table": f"{database}.s.car"}
    return [
        call(toolbox, "search_tables", query="car"),
        call(toolbox, "get_join_path", **declared),
        call(toolbox, "get_join_path", **likely),
    ]


def test_two_indexes_asked_in_turn_work_nothing_out_twice(
    toolbox: Callable[[str], Toolbox], derived: CountingDerivedValues
) -> None:
    one, two = toolbox("one"), toolbox("two")
    first = [ask_everything(one, "one"), ask_everything(two, "two")]
    worked_out = dict(derived.worked_out)
    # A graph, a map of the tables, their names and the likely joins, for each of the two.
    assert len(worked_out) == 8
    assert set(worked_out.values()) == {1}
    for _ in range(2):
        assert [ask_everything(one, "one"), ask_everything(two, "two")] == first
    assert derived.worked_out == worked_out


def test_what_was_worked_out_from_an_index_that_was_replaced_is_never_used(
    toolbox: Callable[[str], Toolbox], derived: CountingDerivedValues
) -> None:
    one = toolbox("one")
    ask_everything(one, "one")
    store, newer = MemoryStore(), tables_of("one", "t.storm")
    key = table_document("one.s.sale", "id car_id", domain="d", keys=[Key(("car_id",), "s.car", ("id",))])
    write_documentation(store, with_relations([key if table.table == "sale" else table for table in newer]))
    assert isinstance(one.index, SqliteIndex)
    index_all(store, one.index)
    answer = call(one, "get_join_path", source_table="one.s.sale", target_table="one.s.car")
    assert [step.source for step in answer.path] == [None]
    assert "one.t.storm" in found(call(one, "search_tables", query="storm"))
    assert derived.kinds["table map"] == derived.kinds["join graph"] == 2


def test_callers_who_see_different_parts_share_the_keys_and_nothing_else(
    toolbox: Callable[[str], Toolbox], derived: CountingDerivedValues
) -> None:
    everyone = toolbox("one")
    narrow = replace(everyone, scope=Scope(schemas=frozenset({("one", "t")})))
    for _ in range(2):
        assert found(call(everyone, "search_tables", query="car")) == ["one.s.car", "one.s.sale"]
        assert found(call(narrow, "search_tables", query="car")) == []
        assert found(call(narrow, "search_tables", query="weather")) == ["one.t.weather"]
    assert derived.kinds == {"table map": 2, "table names": 2, "join graph": 1, "bounds": 1}
