"""What a question is about, over small schemas of known shapes; each also with other names."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.fakes import MemoryStore, application_over
from tests.sample_shop.indexed import Key, index_all, table_document, with_relations, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.capabilities.retrieval.context.query_context import get_query_context
from tribal.capabilities.retrieval.join_path import get_join_path
from tribal.capabilities.retrieval.searching.search_tables import search_tables
from tribal.capabilities.retrieval.toolbox import Toolbox
from tribal.capabilities.retrieval.tools import toolbox_of
from tribal.ports import Caller
from tribal.tools.call import call_tool
from tribal_contracts import (
    Definitions,
    GetJoinPathInput,
    GetQueryContextInput,
    GetQueryContextOutput,
    SearchTablesInput,
    TableDocument,
    VerifiedQuery,
)
from tribal_contracts.answering.answers import Answer


@dataclass(frozen=True)
class Words:
    """What the same schema is called in one of its two versions."""

    customer: str
    invoice: str
    slip: str
    paid: str

    def schema(self) -> list[TableDocument]:
        """Customers with invoices, and pay slips of employees with a namesake column."""
        customer = Key(("holder_id",), f"sales.{self.customer}", ("id",))
        employee = Key(("worker_id",), "people.employee", ("id",))
        return with_relations(
            [
                table_document(f"co.sales.{self.customer}", "id full_name city", domain="sales"),
                table_document(
                    f"co.sales.{self.invoice}",
                    "id holder_id amount settled_on",
                    domain="sales",
                    keys=[customer],
                    comments={"settled_on": f"When it was {self.paid}; empty while it is open."},
                ),
                table_document("co.people.employee", "id full_name grade", domain="people"),
                table_document(
                    f"co.people.{self.slip}",
                    f"id worker_id period {self.paid}_dt",
                    domain="people",
                    keys=[employee],
                    comments={f"{self.paid}_dt": f"When it was {self.paid}."},
                ),
            ]
        )


VERSIONS = [Words("customer", "invoice", "payroll", "paid"), Words("tenant", "rent_demand", "wage_sheet", "settled")]


def opened(folder: Path, tables: Sequence[TableDocument], queries: Sequence[VerifiedQuery] = ()) -> Toolbox:
    store, index = MemoryStore(), SqliteIndex(folder / "index.db")
    write_documentation(store, tables)
    index_all(store, index, WordLlamaEmbedder())
    toolbox = toolbox_of(Caller("ada"), application_over(index, WordLlamaEmbedder(), store=store))
    return replace(toolbox, definitions=lambda _: Definitions(schema_version="1.0", queries=list(queries)))


def names(toolbox: Toolbox, question: str) -> list[str]:
    with toolbox.index.reading():
        return [each.name for each in search_tables(SearchTablesInput(query=question), toolbox).tables]


def context(toolbox: Toolbox, question: str, **more: int) -> GetQueryContextOutput:
    with toolbox.index.reading():
        return get_query_context(GetQueryContextInput(question=question, **more), toolbox)


def test_a_table_that_no_key_joins_to_what_is_asked_about_comes_behind_one_that_is(tmp_path: Path) -> None:
    for number, words in enumerate(VERSIONS):
        (tmp_path / str(number)).mkdir()
        with closing(opened(tmp_path / str(number), words.schema()).index) as index:
            toolbox = toolbox_of(Caller("ada"), application_over(index, WordLlamaEmbedder(), store=MemoryStore()))
            found = names(toolbox, f"which {words.customer}s have not {words.paid}")
            assert found.index(f"co.sales.{words.invoice}") < found.index(f"co.people.{words.slip}")


@each_case("asked", ["which {0}s have not {1}", "who of the {0}s has not {1} yet?"])
def test_the_tables_of_a_verified_query_come_before_a_namesake_column(tmp_path: Path, asked: str) -> None:
    for number, words in enumerate(VERSIONS):
        query = VerifiedQuery(
            file="queries/open.sql",
            line=1,
            tables=[f"co.sales.{words.customer}", f"co.sales.{words.invoice}"],
            questions=[f"Which {words.customer}s have not {words.paid}?"],
            sql="SELECT 1",
            columns=[],
            checked_against={},
            status="current",
        )
        (tmp_path / str(number)).mkdir()
        toolbox = opened(tmp_path / str(number), words.schema(), [query])
        question = asked.format(words.customer, words.paid)
        assert set(names(toolbox, question)[:2]) == set(query.tables)
        assert {each.table for each in context(toolbox, question).tables[:2]} == set(query.tables)
        broken = replace(
            toolbox,
            definitions=lambda _, query=query: Definitions(  # type: ignore[misc]
                schema_version="1.0", queries=[query.model_copy(update={"status": "broken"})]
            ),
        )
        reasons = " ".join(
            reason
            for each in search_tables(SearchTablesInput(query=question), broken).tables
            for reason in each.reasons or ()
        )
        assert "queries/open.sql" not in reasons
        toolbox.index.close()


def ports(ship: str, harbour: str, leaves: str, arrives: str) -> list[TableDocument]:
    """A voyage with two keys to the same table."""
    keys = [
        Key((f"{leaves}_{harbour}",), f"s.{harbour}", ("id",)),
        Key((f"{arrives}_{harbour}",), f"s.{harbour}", ("id",)),
    ]
    columns = f"id {leaves}_{harbour} {arrives}_{harbour} tonnage"
    return with_relations(
        [
            table_document(f"sea.s.{ship}", columns, domain="d", keys=keys),
            table_document(f"sea.s.{harbour}", "id title", domain="d"),
        ]
    )


@each_case(
    ("version", "question", "column"),
    [
        (("voyage", "harbour", "departure", "arrival"), "the departure harbour of a voyage", "departure_harbour"),
        (("voyage", "harbour", "departure", "arrival"), "arrival harbours of voyages", "arrival_harbour"),
        (("transfer", "account", "debit", "credit"), "title of the account to debit in a transfer", "debit_account"),
        (("transfer", "account", "debit", "credit"), "credit account of each transfer", "credit_account"),
    ],
)
def test_of_two_keys_the_one_that_the_question_names_is_used(
    tmp_path: Path, version: tuple[str, str, str, str], question: str, column: str
) -> None:
    toolbox = opened(tmp_path, ports(*version))
    asked = GetJoinPathInput(source_table=f"sea.s.{version[0]}", target_table=f"sea.s.{version[1]}", question=question)
    with toolbox.index.reading():
        found = get_join_path(asked, toolbox)
        plain = get_join_path(asked.model_copy(update={"question": None}), toolbox)
    assert column in (found.sql_snippet or "")
    assert not found.warnings
    assert [each.code for each in plain.warnings or ()] == ["RET_JOIN_AMBIGUOUS"]
    assert column in context(toolbox, question).joins[0].sql
    toolbox.index.close()


def links(one: str, other: str) -> list[TableDocument]:
    """Two tables and what links them, which also says when."""
    keys = [Key((f"{one}_id",), f"s.{one}", ("id",)), Key((f"{other}_id",), f"s.{other}", ("id",))]
    return with_relations(
        [
            table_document(f"x.s.{one}", "id title note", domain="d"),
            table_document(f"x.s.{other}", "id title price", domain="d"),
            table_document(f"x.s.{one}_{other}", f"id {one}_id {other}_id created_at share", domain="d", keys=keys),
        ]
    )


@each_case(("one", "other"), [("recipe", "ingredient"), ("vessel", "sailor")])
def test_what_links_two_tables_is_in_the_context_behind_them(tmp_path: Path, one: str, other: str) -> None:
    toolbox = opened(tmp_path, links(one, other))
    answer = context(toolbox, f"price of the {other}s of each {one}")
    tables = [each.table for each in answer.tables]
    assert f"x.s.{one}_{other}" in tables
    assert {f"x.s.{one}", f"x.s.{other}"} <= {*tables}
    assert len(answer.joins) == 2
    toolbox.index.close()


@each_case("limit", [500, 800, 2_000])
def test_what_is_needed_is_shortened_before_it_is_left_out(tmp_path: Path, limit: int) -> None:
    wide = " ".join(f"measure_{number}_amount" for number in range(50))
    keys = [Key(("depot_id",), "s.depot", ("id",))]
    tables = with_relations(
        [
            table_document("x.s.parcel", f"id depot_id {wide}", domain="d", keys=keys),
            table_document("x.s.depot", f"id street {wide}", domain="d"),
            *(table_document(f"x.s.parcel_note_{n}", f"id note {wide}", domain="d") for n in range(5)),
        ]
    )
    toolbox = opened(tmp_path, tables)
    answer = context(toolbox, "street of the depot of a parcel", max_tokens=limit)
    needed = {"x.s.parcel", "x.s.depot"}
    if limit > 500:
        assert needed <= {each.table for each in answer.tables}
    else:
        said = " ".join(each.message for each in answer.warnings or ())
        assert all(name in said for name in needed - {each.table for each in answer.tables})
    assert len(answer.text.encode()) / 4 <= limit
    assert len(answer.to_compact_json()) / 4 <= 2 * limit
    toolbox.index.close()


def ask(folder: Path, tables: Sequence[TableDocument], question: str) -> Answer:
    store, index = MemoryStore(), SqliteIndex(folder / "index.db")
    write_documentation(store, tables)
    index_all(store, index, WordLlamaEmbedder())
    app = application_over(index, WordLlamaEmbedder(), store=store)
    with closing(index):
        answer = call_tool("ask", {"question": question}, Caller("ada"), app)
    assert isinstance(answer, Answer), answer
    return answer


def everyday(column: str, values: Sequence[str]) -> list[TableDocument]:
    """A documented column whose name has everyday words only."""
    seat = table_document("air.s.seat", f"id {column} row_no", domain="d", comments={column: "Travel class"})
    columns = [
        each.model_copy(update={"allowed_values": list(values)}) if each.name == column else each
        for each in seat.columns
    ]
    return [
        seat.model_copy(update={"columns": columns}),
        table_document("air.s.flight", "id title", domain="d"),
    ]


@each_case(
    ("column", "question", "verdict", "says"),
    [
        ("fare_conditions", "What does fare_conditions mean?", "answered", "Travel class"),
        ("order_number", "what is order number", "answered", "Travel class"),
        ("fare_conditions", "what does Comfort stand for", "answered", "Comfort"),
        ("order_number", "how do I cook spaghetti carbonara?", "refused", ""),
        ("fare_conditions", "What will the weather be like tomorrow?", "refused", ""),
        ("fare_conditions", "write me an essay about the history of music", "refused", ""),
        ("fare_conditions", "delete all flights", "refused", ""),
        ("fare_conditions", "what is in here?", "answered", "2 tables"),
    ],
)
def test_what_is_documented_is_answered_and_what_is_plainly_something_else_refused(
    tmp_path: Path, column: str, question: str, verdict: str, says: str
) -> None:
    answer = ask(tmp_path, everyday(column, ["Economy", "Comfort"]), question)
    assert answer.verdict == verdict
    assert says in " ".join(each.text for each in answer.statements)


@pytest.mark.parametrize(
    "question",
    [
        "x",
        "the of and",
        "Welche Kunden haben nicht bezahlt?",
        "quels clients n'ont pas payé",
        "\u672a\u6255\u3044\u306e\u9867\u5ba2\u306f\u8ab0\u3067\u3059\u304b",
        "SELECT * FROM invoice WHERE paid_dt IS NULL",
        "invoice customer payroll employee " * 50,
    ],
)
def test_odd_questions_are_read_and_answered(tmp_path: Path, question: str) -> None:
    toolbox = opened(tmp_path, VERSIONS[0].schema())
    with toolbox.index.reading():
        answer = search_tables(SearchTablesInput(query=question[:2_000]), toolbox)
    assert answer.success
    # An answer drops how it understood a question that is as long as itself.
    assert answer.query_interpretation is None or answer.query_interpretation.reading is not None
    assert context(toolbox, question[:2_000]).success
    toolbox.index.close()
