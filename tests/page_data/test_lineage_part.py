"""The part for lineage: the page walks over it, and finds what the tool `get_lineage` finds."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.capabilities.retrieval.test_lineage import PUB, documents, view
from tests.fakes import MemoryStore, application_over
from tests.golden.samples import SAMPLES
from tests.page_data.test_parts import Page
from tests.sample_shop.indexed import index_all, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.identity.scope import EVERYTHING, Scope
from tribal.joins.lineage import MAX_TABLES
from tribal.ports import Caller
from tribal.tools.call import call_tool
from tribal_contracts import DocumentationManifest, TableDocument

Step = tuple[str, str, str, str, str]
Columns = Collection[str] | None
"""Some columns of a table; `None` for the whole table."""
_SEED = 20_261_130


@dataclass
class Lineage:
    """The part, walked as the page walks it."""

    names: Sequence[str]
    steps: Sequence[Step]
    problems: Collection[str]

    @classmethod
    def of(cls, page: Page, scope: Scope = EVERYTHING) -> Lineage:
        part, names = page.part("lineage", scope), page.tables(scope)
        steps = [(names[one], own, names[other], to, via) for one, own, other, to, via in part["edges"]]
        return cls(names, steps, {names[place] for place, _ in part["problems"]})

    def walk(self, table: str, column: str | None, depth: int, *, upstream: bool) -> set[Step]:
        found: set[Step] = set()
        level: dict[str, Columns] = {table: None if column is None else {column}}
        done = {(table, column or "")}
        for _ in range(depth):
            following: dict[str, set[str]] = {}
            for step in self._next(level, upstream=upstream):
                found.add(step)
                other, part = step[:2] if upstream else step[2:4]
                if column is None:
                    part = ""
                elif not part and step[4] == "filter":
                    continue
                if (other, part) not in done and (other, "") not in done:
                    done.add((other, part))
                    following.setdefault(other, set()).add(part)
            level = {name: None if "" in parts else parts for name, parts in following.items()}
        return found

    def _next(self, level: dict[str, Columns], *, upstream: bool) -> Iterator[Step]:
        here, there = (2, 0) if upstream else (0, 2)
        for name, columns in sorted(level.items()):
            at = [step for step in self.steps if step[here] == name]
            chosen = [step for step in at if columns is None or step[here + 1] in columns]
            yield from chosen
            followed = {step[there] for step in chosen}
            for step in at:
                unknown = (step[0], "", step[2], "", "computed")
                if step[2] in self.problems and step[there] not in followed and (upstream or step == unknown):
                    yield unknown


def answered(page: Page, table: str, column: str | None, depth: int, scope: Scope, *, upstream: bool) -> set[Step]:
    arguments = {"table": table, "direction": "upstream" if upstream else "downstream", "depth": depth}
    answer: Any = call_tool(
        "get_lineage",
        arguments if column is None else {**arguments, "column": column},
        Caller("test", scope),
        page.app,
    )
    assert answer.success, answer.error
    assert not answer.truncated
    return {
        (edge.from_.table, edge.from_.column or "", edge.to.table, edge.to.column or "", edge.via)
        for edge in answer.edges
    }


def pages_of(tables: Sequence[TableDocument], folder: Path) -> Iterator[Page]:
    store, index = MemoryStore(), SqliteIndex(folder / "index.db")
    write_documentation(store, tables)
    index_all(store, index)
    yield Page(application_over(index, store=store))
    index.close()


def company_tables() -> list[TableDocument]:
    """The tables of the sample company, as its documentation in the repository has them."""
    manifest = DocumentationManifest.from_json((SAMPLES / "documentation-manifest.json").read_bytes())
    return [
        TableDocument.from_json((SAMPLES / file.path).read_bytes())
        for file in manifest.indexable_files
        if file.type == "table"
    ]


def odd_tables() -> list[TableDocument]:
    """Views over a hidden schema, one that cannot be read, and one of which only a part can."""
    partly = view(
        "shop.top.v_partly",
        "id rest",
        ("id", "shop.pub.orders", "id", "direct"),
        ("id", "shop.pub.v_open", "sum", "computed"),
        problem="cannot follow vault.x.*",
        tables=("shop.vault.v_secret",),
    )
    tables = [*documents(), partly, view("shop.pub.v_last", "rest", ("rest", "shop.top.v_partly", "rest", "direct"))]
    return [
        each.model_copy(update={"read_by": readers or None, "read_by_total": len(readers) or None})
        for each in tables
        for readers in [sorted(one.name for one in tables if each.name in (one.reads or ()))]
    ]


@pytest.fixture(name="company", scope="module")
def company_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    yield from pages_of(company_tables(), tmp_path_factory.mktemp("company"))


@pytest.fixture(name="odd", scope="module")
def odd_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    yield from pages_of(odd_tables(), tmp_path_factory.mktemp("odd"))


def assert_same(page: Page, starts: Sequence[tuple[str, str | None]], scope: Scope = EVERYTHING) -> int:
    """Compare the walks from some tables and columns; returns how many steps they found."""
    lineage, count = Lineage.of(page, scope), 0
    for (table, column), depth, upstream in product(starts, (1, 2, 3), (True, False)):
        found = lineage.walk(table, column, depth, upstream=upstream)
        assert found == answered(page, table, column, depth, scope, upstream=upstream), (table, column, depth, upstream)
        count += len(found)
    return count


def test_walks_from_any_table_and_column_of_the_company_are_those_of_the_tool(company: Page) -> None:
    read = {name for step in Lineage.of(company).steps for name in (step[0], step[2])}
    starts = [
        (table.name, column) for table in company_tables() for column in (None, *(each.name for each in table.columns))
    ]
    Random(_SEED).shuffle(starts)
    some = [start for start in starts if start[0] in read][:40] + [start for start in starts if start[0] not in read][
        :5
    ]
    assert assert_same(company, some) > 100


def test_so_are_those_over_views_that_are_read_in_part_and_for_a_caller_who_sees_two_schemas(odd: Page) -> None:
    for scope in (EVERYTHING, PUB):
        seen = set(odd.tables(scope))
        starts = [
            (table.name, column)
            for table in odd_tables()
            if table.name in seen
            for column in (None, *(each.name for each in table.columns))
        ]
        assert assert_same(odd, starts, scope) > 50


def test_a_caller_who_sees_two_schemas_learns_of_no_step_and_no_reason_in_others(odd: Page) -> None:
    whole, bounded = odd.part("lineage"), odd.part("lineage", PUB)
    assert "vault" in json.dumps(whole["problems"])
    assert "vault" not in json.dumps(bounded)
    assert "secret" not in json.dumps(bounded)
    names = odd.tables(PUB)
    assert {names[place]: reason for place, reason in bounded["problems"]} == dict.fromkeys(
        ["shop.top.v_odd", "shop.top.v_partly"], "its SQL could not be read"
    )
    assert not any(names[other] == "shop.top.v_from_secret" for _, _, other, _, _ in bounded["edges"])
    assert len(bounded["edges"]) < len(whole["edges"])


def test_the_part_has_every_step_where_an_answer_would_be_cut(tmp_path: Path) -> None:
    views = [view(f"shop.pub.v{n}", "id", ("id", "shop.pub.orders", "id", "direct")) for n in range(MAX_TABLES + 50)]
    for page in pages_of([documents()[0], *views], tmp_path):
        assert len(page.part("lineage")["edges"]) == len(views)
