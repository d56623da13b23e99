"""How large answers are: at most what an answer may have, in whole items, each on exactly one page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import each_case
from tests.fakes import FixedClock
from tests.sample_shop.indexed import Key, table_document, with_relations
from tests.sample_shop.retrieval import call, code, codes, shop_fixture, toolbox_over  # noqa: F401
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.capabilities.retrieval.errors import AnswerTooLong
from tribal.capabilities.retrieval.paging import ITEMS_A_PAGE, Page, Place, fill_page, fit_join
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.identity.table_names import TableIdentity
from tribal.ports.application import ANSWER_TOKENS
from tribal.tools.call import with_tokens_used
from tribal_contracts import (
    DocumentedColumn,
    DocumentedIndex,
    DomainInfo,
    GetJoinPathOutput,
    JoinAlternative,
    JoinStep,
    ListDomainsOutput,
    TableDocument,
)

Over = Callable[[list[TableDocument]], Toolbox]
LONG = "é本" * 31 + "é"
"""A name of 63 characters of two and three bytes."""


@pytest.fixture(name="over")
def over_fixture(tmp_path: Path) -> Iterator[Over]:
    opened: list[Toolbox] = []

    def over(tables: list[TableDocument]) -> Toolbox:
        toolbox = toolbox_over(tmp_path, None, tables)
        opened.append(toolbox)
        return toolbox

    yield over
    for toolbox in opened:
        toolbox.index.close()


def pages(toolbox: Toolbox, tool: str, **arguments: Any) -> list[Any]:
    """Every page of an answer, each held to the limit and to what it says about itself."""
    turned, cursor = [], None
    while True:
        answer = call(toolbox, tool, **arguments, **({"cursor": cursor} if cursor else {}))
        assert answer.success, answer.error
        assert answer.tokens_used <= ANSWER_TOKENS
        turned.append(answer)
        cursor = answer.next_cursor
        assert answer.truncated == (cursor is not None)
        if cursor is None:
            break
    assert {answer.total for answer in turned} == {sum(answer.returned for answer in turned)}
    return turned


def long_table(columns: int, spokes: int) -> list[TableDocument]:
    """A hub with many columns of long names, tables that refer to it, and as many keys and indexes of its own."""
    names = " ".join(["hub_id", *(f"c{number}_{LONG}" for number in range(columns - 1))])
    target = Key(("hub_id",), "s.hub", ("hub_id",))
    around = [
        table_document(f"shop.s.spoke_{number}", "id hub_id", domain="d", keys=[target]) for number in range(spokes)
    ]
    own = [Key((f"c{number}_{LONG}",), f"s.spoke_{number}", ("id",)) for number in range(20)]
    hub = table_document("shop.s.hub", names, domain="d", keys=own)
    indexes = [
        DocumentedIndex(name=f"i{number}_{LONG}", columns=[column.name], unique=False)
        for number, column in enumerate(hub.columns[:40])
    ]
    return with_relations([hub.model_copy(update={"indexes": indexes}), *around])


def test_the_pages_of_a_hub_hold_each_column_relation_key_and_index_once(over: Over) -> None:
    tables = long_table(200, 300)
    hub = tables[0]
    turned = [answer.schema_ for answer in pages(over(tables), "get_table_schema", table="hub")]
    assert len(turned) > 10
    assert [column.name for page in turned for column in page.columns] == [column.name for column in hub.columns]
    found = [(one.name, one.relationship) for page in turned for one in page.related_tables]
    assert found == [(one.name, one.relationship) for one in hub.relations]
    assert len(found) == 320
    assert [key.name for page in turned for key in page.foreign_keys] == [key.name for key in hub.foreign_keys]
    assert [index.name for page in turned for index in page.indexes] == [index.name for index in hub.indexes]
    assert {(page.name, page.description, tuple(page.primary_key)) for page in turned} == {
        ("shop.s.hub", "Holds hub.", ("hub_id",))
    }


def test_a_cursor_is_good_for_one_question_about_one_table(over: Over) -> None:
    toolbox = over(long_table(200, 30))
    cursor = call(toolbox, "get_table_schema", table="hub").next_cursor
    for other in ({"table": "hub", "include_relationships": False}, {"table": "spoke_1"}):
        assert code(call(toolbox, "get_table_schema", **other, cursor=cursor)) == "RET_QUERY_INVALID"
    assert code(call(toolbox, "list_domains", cursor=cursor)) == "RET_QUERY_INVALID"


def test_the_tables_of_a_domain_and_the_domains_come_in_pages_each_once(over: Over) -> None:
    names = [str(TableIdentity("shop", "s", f"t{number:03}{LONG}")) for number in range(120)]
    others = [f"shop.s.u{number}" for number in range(120)]
    tables = [table_document(name, "id", domain="wide") for name in names]
    tables += [table_document(name, "id", domain=f"d{place}_{'x' * 50}") for place, name in enumerate(others)]
    toolbox = over(tables)
    overview = pages(toolbox, "get_domain_overview", domain="wide")
    assert [table.name for answer in overview for table in answer.tables] == names
    assert overview[0].er_diagram
    assert all(answer.er_diagram is None and answer.common_joins is None for answer in overview[1:])
    listed = pages(toolbox, "list_domains")
    assert len(listed) > 1
    assert [domain.name for answer in listed for domain in answer.domains] == sorted({one.domain for one in tables})


def test_a_description_of_ten_thousand_characters_is_whole_on_every_page(over: Over) -> None:
    text = "All of it. " * 910
    tables = [table_document("shop.s.told", " ".join(f"c{n}" for n in range(30)), domain="d", comment=text)]
    turned = pages(over(tables), "get_table_schema", table="told")
    assert len(turned) > 1
    assert {answer.schema_.description for answer in turned} == {text}


def test_a_table_whose_description_alone_is_too_long_says_what_would_help(over: Over) -> None:
    toolbox = over([table_document("shop.s.told", "id", domain="d", comment=LONG * 160)])
    answer = call(toolbox, "get_table_schema", table="told")
    assert code(answer) == "RET_BUDGET_EXCEEDED"
    assert "shop.s.told" in answer.error.message
    needed = answer.error.message.rpartition("limits.answer_tokens to ")[2].replace(",", "")
    wide = call(replace(toolbox, answer_tokens=int(needed) + 100), "get_table_schema", table="told")
    assert wide.schema_.description == LONG * 160


def test_one_column_too_long_is_named_and_the_others_are_reached_behind_it(over: Over) -> None:
    table = table_document("shop.s.odd", "id story name", domain="d", comments={"story": "word " * 3_000})
    toolbox = over([table])
    first = call(toolbox, "get_table_schema", table="odd")
    assert [column.name for column in first.schema_.columns] == ["id"]
    second = call(toolbox, "get_table_schema", table="odd", cursor=first.next_cursor)
    assert code(second) == "RET_BUDGET_EXCEEDED"
    assert second.error.message.startswith("story,")
    third = call(toolbox, "get_table_schema", table="odd", cursor=second.error.context["next_cursor"])
    assert [column.name for column in third.schema_.columns] == ["name"]


def test_notes_too_long_for_an_answer_are_left_out_whole_and_said_to_be(over: Over) -> None:
    table = table_document("shop.s.noted", "id a b", domain="d")
    short, long = ["Beware."], ["Beware of it. " * 1_000]
    for notes, shown, warned in ((short, short, []), (long, None, ["RET_ANSWER_PARTIAL"])):
        (answer,) = pages(over([table.model_copy(update={"notes": notes})]), "get_table_schema", table="noted")
        assert (answer.schema_.notes, codes(answer)) == (shown, warned)


def domain_with(toolbox: Toolbox, tmp_path: Path, diagram: str, joins: list[str]) -> Any:
    """The overview of the domain `d` of a toolbox, with another diagram and other joins."""
    index = SqliteIndex(tmp_path / "index.db")

    class Drawn:
        """The index, with a domain document that is told to it."""

        def __getattr__(self, name: str) -> Any:
            return getattr(index, name)

        def domain_records(self, where: Any) -> list[Any]:
            change = {"er_diagram": diagram, "common_joins": joins}
            return [
                record.model_copy(update={"structured_domain": record.structured_domain.model_copy(update=change)})
                for record in index.domain_records(where)
                if record.structured_domain is not None
            ]

    drawn: Any = Drawn()
    answer = call(replace(toolbox, index=drawn), "get_domain_overview", domain="d")
    index.close()
    assert answer.tokens_used <= ANSWER_TOKENS
    return answer


@pytest.mark.parametrize(
    ("diagram", "joins", "tables", "kept"),
    [
        (8_000, 2_000, 5, ["er_diagram", "common_joins"]),
        (8_000, 6_000, 5, ["er_diagram"]),
        (40_000, 6_000, 5, ["common_joins"]),
        (40_000, 40_000, 5, []),
        (5_000, 6_000, 100, ["er_diagram"]),
        (7_000, 500, 100, ["common_joins"]),
    ],
)
def test_diagram_and_joins_are_left_out_whole_where_there_is_no_room_for_them(
    over: Over, tmp_path: Path, diagram: int, joins: int, tables: int, kept: list[str]
) -> None:
    toolbox = over([table_document(f"shop.s.table_{number}", "id", domain="d") for number in range(tables)])
    answer = domain_with(toolbox, tmp_path, "d" * diagram, ["j" * joins])
    sizes = {"er_diagram": len(answer.er_diagram or ""), "common_joins": len((answer.common_joins or [""])[0])}
    assert sizes == {"er_diagram": diagram * ("er_diagram" in kept), "common_joins": joins * ("common_joins" in kept)}
    left_out = [name for name in sizes if name not in kept]
    assert codes(answer) == ["RET_ANSWER_PARTIAL"] * bool(left_out)
    assert all(name in answer.warnings[0].message for name in left_out)
    assert answer.returned == len(answer.tables) > 0
    assert answer.total == tables


def test_a_search_returns_as_many_whole_results_as_fit_unless_it_is_asked_for_a_number(over: Over) -> None:
    tables = [
        table_document(f"shop.s.parcel_{number}", "id", domain="d", comment="Parcels. " * 400) for number in range(9)
    ]
    toolbox = over(tables)
    plain = call(toolbox, "search_tables", query="parcels")
    assert 1 < len(plain.tables) < 5
    assert plain.tokens_used <= ANSWER_TOKENS
    assert (plain.returned, plain.truncated, plain.total_matches) == (len(plain.tables), True, 9)
    assert all(table.description == "Parcels. " * 400 for table in plain.tables)
    asked = call(toolbox, "search_tables", query="parcels", limit=5)
    assert asked.tokens_used > ANSWER_TOKENS
    assert asked.tables[: len(plain.tables)] == plain.tables
    assert (asked.returned, len(asked.tables)) == (5, 5)
    alone = call(replace(toolbox, answer_tokens=500), "search_tables", query="parcels")
    assert (code(alone), alone.tables) == ("RET_BUDGET_EXCEEDED", [])
    assert "shop.s.parcel_" in alone.error.message


def test_a_question_too_long_to_be_interpreted_in_the_answer_leaves_room_for_its_results(shop: Toolbox) -> None:
    answer = call(replace(shop, answer_tokens=1_000), "search_tables", query="customer " + "本" * 1_900)
    assert answer.tokens_used <= 1_000
    assert answer.tables[0].name.endswith("customer")
    assert (answer.query_interpretation, codes(answer)) == (None, ["RET_WORDS_UNMATCHED", "RET_ANSWER_PARTIAL"])


def test_a_path_is_one_item_with_its_sql(shop: Toolbox) -> None:
    ends = {"source_table": "shipment", "target_table": "stock_level"}
    assert call(shop, "get_join_path", **ends).path_found
    tight = call(replace(shop, answer_tokens=200), "get_join_path", **ends)
    assert (code(tight), tight.path, tight.sql_snippet) == ("RET_BUDGET_EXCEEDED", None, None)
    assert "limits.answer_tokens" in tight.error.message


@each_case(("count", "kept"), [(3, 3), (300, None)])
def test_alternatives_to_a_path_are_left_out_whole_where_there_is_no_room(count: int, kept: int | None) -> None:
    toolbox = Toolbox(SqliteIndex(Path("none.db")), None, FixedClock())
    step = JoinStep(step=1, from_table="a.b.c", to_table="a.b.d", join_type="INNER", on_clause="t0.id = t1.id")
    other = JoinAlternative(path=[step], hop_count=1, sql_snippet="SELECT 1", reasons=["it is longer"])
    plain = GetJoinPathOutput(
        success=True, tokens_used=0, path_found=True, source="a.b.c", target="a.b.d", alternatives=[other] * count
    )
    answer = fit_join(plain, toolbox)
    assert answer.alternatives == (None if kept is None else [other] * kept)
    assert codes(answer) == ([] if kept else ["RET_ANSWER_PARTIAL"])


@settings(deadline=None)
@given(
    texts=st.lists(st.text(alphabet='a"\\é本\U0001f600\n', max_size=900), max_size=60),
    limit=st.integers(500, 4_000),
)
def test_items_of_any_size_are_each_on_one_page_that_keeps_to_any_limit(texts: list[str], limit: int) -> None:
    toolbox = Toolbox(SqliteIndex(Path("none.db")), None, FixedClock(), answer_tokens=limit)
    items = [DomainInfo(name=f"n{n}", description=text, table_count=n, databases=[]) for n, text in enumerate(texts)]

    def answer(page: Page[DomainInfo]) -> ListDomainsOutput:
        return ListDomainsOutput(
            success=True,
            tokens_used=0,
            domains=list(page.items),
            total=page.total,
            returned=page.returned,
            truncated=page.truncated,
            next_cursor=page.next_cursor,
        )

    seen: list[DomainInfo] = []
    cursor: Any = None
    while True:
        place = Place.of(len(items), cursor, ["any"])
        try:
            shown = fill_page(place, items[place.start :], answer, toolbox, around="this")
        except AnswerTooLong as error:
            alone = with_tokens_used(answer(place.page((items[place.start],))))
            assert alone.tokens_used > limit - 30
            seen.append(items[place.start])
            cursor = (error.context or {}).get("next_cursor")
        else:
            assert with_tokens_used(shown).tokens_used <= limit
            assert shown.domains or not items
            seen += shown.domains
            cursor = shown.next_cursor
        if cursor is None:
            break
    assert seen == items


def test_even_without_a_limit_a_page_holds_a_bounded_number_of_items(over: Over) -> None:
    names = " ".join(f"column_{number}" for number in range(ITEMS_A_PAGE + 30))
    toolbox = replace(over([table_document("shop.s.wide", names, domain="d")]), answer_tokens=None)
    first = call(toolbox, "get_table_schema", table="wide")
    assert len(first.schema_.columns) == ITEMS_A_PAGE
    second = call(toolbox, "get_table_schema", table="wide", cursor=first.next_cursor)
    assert [column.name for column in second.schema_.columns] == names.split()[ITEMS_A_PAGE:]


def test_every_column_counts_with_its_samples(over: Over) -> None:
    shown = [f"sample value {number} of it" for number in range(20)]
    table = table_document("shop.s.seen", "id " + " ".join(f"c{n}" for n in range(30)), domain="d")
    columns: list[DocumentedColumn] = [column.model_copy(update={"samples": shown}) for column in table.columns]
    toolbox = over([table.model_copy(update={"columns": columns})])
    turned = pages(toolbox, "get_table_schema", table="seen", include_samples=True)
    assert len(turned) > len(pages(toolbox, "get_table_schema", table="seen"))
    assert all(column.samples == shown for answer in turned for column in answer.schema_.columns)
