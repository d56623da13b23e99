"""Tables that repeat another one rank below it, unless they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.cases import each_case
from tests.sample_shop.indexed import table_document
from tests.sample_shop.retrieval import call, found, toolbox_over
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.capabilities.retrieval.searching.repeated_tables import RepeatedTables, terms_of
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.identity.scope import Scope
from tribal.ports import IndexedTable
from tribal_contracts import TableCopy, TableDocument

Kind = Literal["copy", "part", "view"]
COLUMNS = "parcel_id weight sent_at carrier"


def copy_of(original: str, kind: Kind, name: str, domain: str = "d") -> TableDocument:
    change = {"copy_of": TableCopy(kind=kind, of=original), "kind": "view" if kind == "view" else "table"}
    return table_document(name, COLUMNS, domain=domain).model_copy(update=change)


@pytest.fixture(name="depot", scope="module")
def depot_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    parcel = "db.s.parcel"
    tables = [
        table_document(parcel, COLUMNS, domain="d"),
        table_document("db.s.parcel_scan", "scan_id parcel_id place", domain="d"),
        table_document("db.s.truck", "truck_id plate weight", domain="d"),
        *(copy_of(parcel, "part", f"db.s.parcel_2024_0{month}") for month in range(1, 5)),
        copy_of(parcel, "copy", "db.s.parcel_hist"),
        copy_of(parcel, "view", "db.s.v_parcel_live"),
        copy_of(parcel, "copy", "db.t.parcel_shadow", "elsewhere"),
    ]
    toolbox = toolbox_over(tmp_path_factory.mktemp("depot"), None, tables)
    yield toolbox
    toolbox.index.close()


def search(toolbox: Toolbox, query: str, **arguments: Any) -> Any:
    return call(toolbox, "search_tables", query=query, **{"limit": 20, **arguments})


def test_parts_are_one_result_with_their_table_which_says_so_and_counts_once(depot: Toolbox) -> None:
    answer = search(depot, "weight of parcels")
    assert found(answer)[0] == "db.s.parcel"
    assert not any("2024" in name for name in found(answer))
    assert "it also covers 4 of its parts" in answer.tables[0].reasons
    assert answer.total_matches == answer.returned == len(found(answer)) == 6
    assert not answer.truncated
    short = search(depot, "weight of parcels", limit=2)
    assert (short.total_matches, short.returned, short.truncated) == (6, 2, True)


def test_copies_and_parts_that_are_near_in_meaning_alone_are_folded_shown_and_counted_alike(tmp_path: Path) -> None:
    parcel = "db.s.parcel"
    tables = [
        table_document(parcel, COLUMNS, domain="d"),
        copy_of(parcel, "part", "db.s.parcel_2024_01"),
        copy_of(parcel, "copy", "db.s.parcel_hist"),
        table_document("db.s.truck", "truck_id plate", domain="d"),
    ]
    toolbox = toolbox_over(tmp_path, WordLlamaEmbedder(), tables)
    answer = search(toolbox, "packages delivered")
    assert sorted(found(answer)[:2]) == ["db.s.parcel", "db.s.truck"]
    assert found(answer)[2:] == ["db.s.parcel_hist"]
    # The truck is not near enough to count.
    assert (answer.total_matches, answer.returned, answer.truncated) == (2, 3, False)
    toolbox.index.close()


def test_a_table_without_parts_covers_none(depot: Toolbox) -> None:
    reasons = [reason for table in search(depot, "truck plates").tables for reason in table.reasons]
    assert not any("stands for" in reason for reason in reasons)


def test_copies_come_last_and_a_view_right_behind_its_table(depot: Toolbox) -> None:
    names = found(search(depot, "weight of parcels"))
    assert set(names[-2:]) == {"db.s.parcel_hist", "db.t.parcel_shadow"}
    assert names[:2] == ["db.s.parcel", "db.s.v_parcel_live"]


@each_case(
    ("query", "first"),
    [
        ("parcel history", "db.s.parcel_hist"),
        ("parcel_hist", "db.s.parcel_hist"),
        ("shadow of the parcels", "db.t.parcel_shadow"),
        ("live parcels", "db.s.v_parcel_live"),
        ("parcel_2024_03", "db.s.parcel_2024_03"),
        ("db.s.parcel_2024_03", "db.s.parcel_2024_03"),
    ],
)
def test_a_copy_that_is_asked_for_comes_first_itself(depot: Toolbox, query: str, first: str) -> None:
    assert found(search(depot, query))[0] == first


def test_a_part_that_is_named_counts_for_itself(depot: Toolbox) -> None:
    answer = search(depot, "db.s.parcel_2024_03")
    assert "db.s.parcel" in found(answer)
    assert answer.total_matches == answer.returned
    assert "it is named in the question" in answer.tables[0].reasons


def test_a_copy_is_not_asked_for_by_what_its_original_is_called_for_short(tmp_path: Path) -> None:
    originals = [f"db.s.t_{name}" for name in ("parcel", "truck", "depot")]
    tables = [table_document(name, COLUMNS, domain="d") for name in originals]
    tables += [copy_of(name, "copy", name.replace("t_", "shadow_")) for name in originals]
    toolbox = toolbox_over(tmp_path, None, tables)
    names = found(search(toolbox, "parcels"))
    assert names[0] == "db.s.t_parcel"
    assert names.index("db.s.shadow_parcel") >= len(originals)
    toolbox.index.close()


@each_case("query", ["weight of parcels in 2024", "parcels sent in 2024-01", "how heavy was parcel 3 of 2024"])
def test_a_number_in_a_question_asks_for_rows_and_not_for_a_part(depot: Toolbox, query: str) -> None:
    answer = search(depot, query)
    assert found(answer)[0] == "db.s.parcel"
    assert not any("2024" in name for name in found(answer))
    assert answer.total_matches == answer.returned


def test_a_filter_that_leaves_out_the_original_leaves_the_copy(depot: Toolbox) -> None:
    answer = search(depot, "parcels", domain="elsewhere")
    assert (found(answer), answer.total_matches) == (["db.t.parcel_shadow"], 1)


def test_a_scope_that_hides_the_original_leaves_the_copy_and_tells_nothing_of_it(depot: Toolbox) -> None:
    narrow = replace(depot, scope=Scope(schemas=frozenset({("db", "t")})))
    answer = search(narrow, "parcels")
    assert (found(answer), answer.total_matches) == (["db.t.parcel_shadow"], 1)
    assert "db.s" not in answer.model_dump_json()
    assert "stands for" not in answer.model_dump_json()


def _entry(number: int, name: str, copy: TableCopy | None = None) -> IndexedTable:
    database, schema, table = name.split(".")
    return IndexedTable(number, database, schema, table, "d", "postgres", copy_of=copy)


def test_only_a_word_that_the_original_lacks_asks_for_its_copy() -> None:
    copy = _entry(2, "db.s.parcel_archive", TableCopy(kind="copy", of="db.s.parcel"))
    repeated = RepeatedTables.of([_entry(1, "db.s.parcel"), copy])
    assert set(repeated.set_aside(terms_of("parcel"), ())) == {1}
    assert repeated.set_aside(terms_of("archive"), ()) == {}
    assert repeated.set_aside(terms_of("parcel"), {1}) == {}
    assert RepeatedTables.of([copy]).tables == {}
