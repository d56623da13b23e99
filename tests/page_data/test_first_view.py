"""The first view: numbers that agree with `tribal todo` and `tribal lint`, and ways in that lead somewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.cases import each_case
from tests.documenting.review.test_lint import shop_of
from tests.fakes import FixedClock, MemoryStore, application_over
from tests.fakes.catalogs import column, table
from tests.fakes.interrogation import open_gap
from tests.page_data.test_parts import SALES, Page
from tests.sample_shop.documented import Shop
from tests.sample_shop.indexed import (
    NOW,
    Key,
    index_all,
    shop_tables,
    table_document,
    with_relations,
    write_documentation,
)
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.capabilities.interrogation.open_gaps.reading import visible_gaps
from tribal.capabilities.interrogation.rights import READ_INTERROGATION
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.capabilities.retrieval.tools import READ_DOCUMENTATION
from tribal.documenting import lint, todo
from tribal.documenting.first_view import first_view, page_address, related_tables, table_facts
from tribal.identity.locations import DEFINITIONS_FILE, DOCS, SITE_PAGE
from tribal.identity.scope import EVERYTHING, Scope
from tribal.page_data.home import Reports, home_part, latest_exam
from tribal.page_data.parts import every_part
from tribal.page_data.survey import page_toolbox, survey
from tribal.ports import Caller, Provider
from tribal.ports.remembering.guidance import Guidance
from tribal.rendering.gaps import needs_description
from tribal.store import put_record
from tribal_contracts import Definitions, Description, LintRules, TableDocument, ValueMeaning
from tribal_contracts.interrogation.exams import ExamQuestion, ExamResult

NOTHING = Description(text="", source="derived", confidence=0.0)


def page_of(tables: Sequence[TableDocument], tmp_path: Path, store: MemoryStore | None = None) -> Page:
    """The page of tables; its index stays open until the test ends."""
    store, index = store or MemoryStore(), SqliteIndex(tmp_path / "index.db")
    write_documentation(store, tables)
    index_all(store, index)
    return Page(application_over(index, store=store))


def home_of(shop: Shop) -> dict[str, Any]:
    """The first view in the one file."""
    lines = shop.memory.get(DOCS + SITE_PAGE).data.split(b"\n")
    (home,) = [json.loads(line[1:]) for line in lines if line.startswith(b',{"t":"home"')]
    return {key: value for key, value in home.items() if key != "t"}


def described_shop() -> Shop:
    return shop_of(
        table("sales.customer", column("kdnr", "text"), column("email", "text"), column("prefs", "json"), comment="Us"),
        table("sales.orders", column("kind", "text", comment="How it came."), references=[("cust", "sales.customer")]),
        table("sales.visit", column("created_at", "date"), references=[("customer_id", "sales.customer")]),
    )


def test_the_numbers_agree_with_the_list_of_what_to_document_and_with_the_coverage() -> None:
    shop = described_shop()
    home, listed, report = home_of(shop), todo(shop.memory, 100).items, lint(shop.memory, LintRules())
    assert home["tables"]["n"] == report.tables.total
    by_people = sum(count for source, count in home["tables"]["by"].items() if source != "derived")
    assert by_people == report.tables.documented
    assert home["tables"]["n"] - by_people == sum(item.column is None for item in listed)
    left = home["columns"]["n"] - sum(home["columns"]["by"].values())
    assert left == sum(item.column is not None for item in listed) > 0
    assert [item[:2] for item in home["todo"]] == [[item.table, item.column or 0] for item in listed[:6]]


def test_keys_and_names_that_explain_themselves_need_no_description() -> None:
    columns = shop_of(
        table("sales.customer", column("email", "bytea"), column("x", "bytea")),
        table("sales.orders", references=[("customer_id", "sales.customer")]),
    )
    documents = [columns.document_of(name) for name in ("sales.customer", "sales.orders")]
    assert [each.name for document in documents for each in document.columns if needs_description(each)] == ["x"]
    assert home_of(columns)["columns"] == {"n": 1, "by": {"human": 0, "comment": 0, "model": 0, "derived": 0}}


def test_the_one_file_and_a_site_say_the_same(tmp_path: Path) -> None:
    shop = described_shop()
    documents = [shop.document_of(name) for name in ("sales.customer", "sales.orders", "sales.visit")]
    page = page_of(documents, tmp_path)
    assert home_of(shop) == page.part("catalog")["home"]


def coded(name: str, column: str, *values: str, **options: Any) -> TableDocument:
    """A table of a domain with a column whose values are explained."""
    document = table_document(name, f"id {column}", domain="sales", **options)
    meanings = {value: ValueMeaning(text=f"Value {value}.", source="comment") for value in values}
    columns = [
        each.model_copy(update={"value_meanings": meanings}) if each.name == column else each
        for each in document.columns
    ]
    return document.model_copy(update={"columns": columns})


def questions_of(*tables: TableDocument) -> list[list[str]]:
    found: list[list[str]] = first_view([table_facts(each) for each in tables])["questions"]
    return found


def test_a_question_about_values_leads_to_the_column_that_explains_most_of_them() -> None:
    few, many = coded("shop.s.few", "kind", "a", "b"), coded("shop.s.many", "status", "a", "b", "c")
    assert questions_of(few, many, coded("shop.s.one", "x", "a")) == [
        ["What does `status` of s.many mean?", "#/table/shop.s.many/status"],
        ["What does `kind` of s.few mean?", "#/table/shop.s.few/kind"],
    ]


def test_numbers_that_refer_to_rows_are_no_example_of_values_with_a_meaning() -> None:
    key = [Key(("ref",), "s.few", ("id",))]
    assert questions_of(coded("shop.s.t", "ref", "1", "2", keys=key)) == []
    assert len(questions_of(coded("shop.s.t", "ref", "A", "B", keys=key))) == 1


@each_case(("names", "asked"), [(("email", "work_email"), 1), (("email", "phone"), 0)])
def test_a_search_is_proposed_only_if_it_finds_several_tables(names: tuple[str, str], asked: int) -> None:
    tables = [table_document(f"shop.s.t{name}", f"id {name}", domain="sales") for name in names]
    found = questions_of(*tables)
    assert found == [["Which tables hold e-mail addresses?", "#/search/email?what=columns"]] * asked


def test_addresses_are_encoded_as_the_page_decodes_them() -> None:
    assert page_address("table", 'a."b c/é"', "(x)!'*~%") == "#/table/a.%22b%20c%2F%C3%A9%22/(x)!'*~%25"
    assert page_address("table", "\ud800") == "#/table/%3F"


def definitions(*queries: tuple[str, str, Sequence[str]]) -> Definitions:
    """Verified queries by question, status and tables, and one metric of the customers."""
    return Definitions.model_validate(
        {
            "schema_version": "1.0",
            "queries": [
                {"file": f"queries/{number}.sql", "line": 1, "database": "shop", "tables": tables, "is_safe": True,
                 "questions": [question], "sql": f"SELECT {number}", "owner": "Finance", "status": status}
                for number, (question, status, tables) in enumerate(queries)
            ],
            "metrics": [
                {"file": "a.yaml", "line": 1, "database": "shop", "tables": ["shop.crm.customer"], "is_safe": True,
                 "name": "customers", "description": "How many.", "expression": "count(*)", "status": "current"}
            ],
        }
    )  # fmt: skip


ASKED = definitions(
    ("Who bought?", "current", ["shop.crm.customer", "shop.sales.order_header"]),
    ("Who is gone?", "broken", ["shop.crm.customer"]),
    ("What was ordered?", "current", ["shop.sales.order_header"]),
)


def defined_page(tmp_path: Path) -> Page:
    store = MemoryStore()
    put_record(store, DEFINITIONS_FILE, ASKED)
    return page_of(shop_tables(), tmp_path, store)


def test_verified_queries_are_questions_and_count_as_readers(tmp_path: Path) -> None:
    page = defined_page(tmp_path)
    home = page.part("catalog")["home"]
    assert ["Who bought?", "#/table/shop.crm.customer?section=questions"] in home["questions"]
    assert ["Who is gone?", "#/table/shop.crm.customer?section=questions"] not in home["questions"]
    assert home["read"] == [["shop.crm.customer", 2], ["shop.sales.order_header", 2]]
    scoped = page.part("catalog", SALES)["home"]
    assert [text for text, _ in scoped["questions"]] == ["What was ordered?"]
    assert scoped["read"] == [["shop.sales.order_header", 1]]


def test_joins_are_asked_about_only_over_two_or_three_steps_between_domains(tmp_path: Path) -> None:
    questions = page_of(shop_tables(), tmp_path).part("catalog")["home"]["questions"]
    assert [each for each in questions if each[1].startswith("#/join/")] == [
        ["How do crm.customer and sales.order_line relate?", "#/join/shop.crm.customer/shop.sales.order_line"]
    ]


def test_a_join_that_needs_a_warning_is_no_example() -> None:
    tables = with_relations(shop_tables())
    keys = [(table.name, key.references_table) for table in tables for key in table.foreign_keys]
    facts, asked = [*map(table_facts, tables)], []

    def is_clear(one: str, other: str) -> bool:
        asked.append((one, other))
        return len(asked) == 2

    found = related_tables(facts, keys, is_clear)
    assert found is not None
    assert [(found[0].name, found[1].name)] == asked[1:]
    assert related_tables(facts, keys, lambda _one, _other: False) is None


def within(tables: Sequence[TableDocument], scope: Scope) -> list[TableDocument]:
    """Return the documents of a run whose database never had the tables outside a scope."""
    left = []
    for document in tables:
        if not scope.allows(document.database, document.schema_):
            continue
        keys = [key for key in document.foreign_keys if key.references_table.startswith("shop.sales.")]
        named = {name for key in keys for name in key.columns}
        columns = [
            each.model_copy(update={"is_foreign_key": False, "description": NOTHING})
            if each.is_foreign_key and each.name not in named
            else each
            for each in document.columns
        ]
        left.append(document.model_copy(update={"foreign_keys": keys, "columns": columns, "relations": []}))
    return with_relations(left)


def test_a_scoped_caller_sees_the_first_view_of_a_catalog_without_the_hidden_tables(tmp_path: Path) -> None:
    tables = shop_tables()
    whole, part = (page_of(each, tmp_path / str(len(each))) for each in made_folders(tmp_path, tables))
    seen, alone = whole.part("catalog", SALES), part.part("catalog", SALES)
    assert seen["home"] == alone["home"]
    assert seen["home"]["tables"]["n"] == 3
    assert [domain["tables"] for one in seen["databases"] for domain in one["domains"]] == [
        domain["tables"] for one in alone["databases"] for domain in one["domains"]
    ]
    assert whole.part("columns", SALES) == part.part("columns", SALES)
    assert whole.part("todo", SALES) == part.part("todo", SALES)
    assert whole.part("state", SALES)["databases"] == part.part("state", SALES)["databases"]


def made_folders(tmp_path: Path, tables: Sequence[TableDocument]) -> list[list[TableDocument]]:
    found = [list(tables), within(tables, SALES)]
    for each in found:
        (tmp_path / str(len(each))).mkdir()
    return found


def test_questions_about_a_table_do_not_count_the_hidden_tables_that_refer_to_it(tmp_path: Path) -> None:
    tables = {document.name: document for document in shop_tables()}
    hidden = table_document(
        "shop.crm.claim",
        "id order_id",
        domain="customers",
        keys=[Key(("order_id",), "sales.order_header", ("order_id",))],
    )
    page = page_of(with_relations([*tables.values(), hidden]), tmp_path)
    (header,) = [each for each in with_relations([*tables.values(), hidden]) if each.name == "shop.sales.order_header"]
    page.app = replace(page.app, gaps=lambda *_, **__: [open_gap(header, "status", "Where is it?")])
    assert page.part("todo")["items"][0][:4] == ["shop.sales.order_header", "status", 2, 1]
    assert page.part("todo", SALES)["items"][0][:4] == ["shop.sales.order_header", "status", 1, 1]
    assert page.part("catalog", SALES)["home"]["todo"][0] == [
        "shop.sales.order_header", "status", "blocks 1 question"
    ]  # fmt: skip


def test_lines_hold_flags_and_connections(tmp_path: Path) -> None:
    tables = shop_tables()
    first, kind = tables[0], {"sensitive": "email"}
    secret = [each.model_copy(update=kind) if each.name == "email" else each for each in first.columns]
    page = page_of([first.model_copy(update={"columns": secret}), *tables[1:]], tmp_path)
    lines = {line[0]: line for database in page.part("catalog")["databases"] for domain in database["domains"]
             for line in domain["tables"]}  # fmt: skip
    assert lines["crm.customer"] == ["crm.customer", "People and companies who buy from us.", 1200, 4, 0, 3, 3]
    assert lines["hr.employee"] == ["hr.employee", "Holds employee.", 100, 4]
    assert ["email", 0, 3] in page.part("columns")[page.tables().index("shop.crm.customer")]
    assert page.part("catalog")["databases"][0]["k"] == "postgres"


def test_hidden_partitions_and_lines_before_a_table_are_not_counted(tmp_path: Path) -> None:
    first, *others = shop_tables()
    written = {"partitions": ["shop.stock.product", "shop.crm.region"], "partition_count": 2, "annotation_line": 40}
    page = page_of([first.model_copy(update=written), *others], tmp_path)
    (whole,) = page.part("table", name="shop.crm.customer")
    assert (whole["p"], whole["al"]) == (2, 40)
    (seen,) = page.part("table", Scope(schemas=frozenset({("shop", "crm")})), name="shop.crm.customer")
    assert (seen["p"], seen.get("al")) == (1, None)


def test_columns_are_searched_by_their_values_and_what_these_mean(tmp_path: Path) -> None:
    first, *others = shop_tables()
    meanings = {"writeoff": ValueMeaning(text="given up", source="comment")}
    coded = {"allowed_values": ["open", "writeoff"], "value_meanings": meanings}
    columns = [each.model_copy(update=coded) if each.name == "name" else each for each in first.columns]
    page = page_of([first.model_copy(update={"columns": columns}), *others], tmp_path)
    found = page.part("columns")[page.tables().index("shop.crm.customer")]
    assert [line[3] for line in found if line[0] == "name"] == ["open; writeoff: given up"]


CHANGES = {
    "before": "20261121T024500Z-1f9c2a",
    "after": "20261122T024500Z-1f9c2a",
    "databases": [
        {
            "n": "shop",
            "tables": [
                ["crm.customer", "changed", [["column", "email", "type", "text", "citext"]]],
                ["crm.region", "changed", [["column", "x", "", None, "int"], ["comment", "", "", "a", "b"]]],
                ["crm.old", "dropped", []],
            ],
        }
    ],
}


def test_recent_changes_are_a_few_lines_with_the_tables_that_still_exist(tmp_path: Path) -> None:
    page = page_of(shop_tables(), tmp_path)
    with page.app.index().reading():
        toolbox = page_toolbox(Caller("reader"), page.app)
        home = home_part(survey(toolbox), toolbox, Reports(changes=CHANGES))
    assert home["changes"] == {
        "since": "2026-11-21",
        "tables": [0, 1, 2],
        "items": [
            ["crm.old", "dropped"],
            ["crm.customer", "column email", "shop.crm.customer"],
            ["crm.region", "2 changes (column and comment)", "shop.crm.region"],
        ],
    }
    assert "changes" not in page.part("catalog")["home"]


def exam(name: str, created_at: str) -> ExamResult:
    return ExamResult(
        id=f"0000000{name}-0000-4000-8000-000000000000",
        created_at=created_at,
        manifest_hash="0" * 64,
        total=2,
        answered=1,
        not_asked=0,
        share=0.5,
        questions=[
            ExamQuestion(question=text, verdict=verdict, completeness_score=50, blocked_by=[])
            for text, verdict in (("Who pays?", "answered"), (f"Exam {name}?", "blocked"))
        ],
        gaps=[],
    )


@each_case(
    ("caller", "sees"),
    [
        (Caller("site"), True),
        (Caller("reader", SALES), False),
        (Caller("reader", rights=frozenset({READ_DOCUMENTATION})), False),
        (Caller("reader", rights=frozenset({READ_INTERROGATION})), True),
    ],
)
def test_the_latest_exam_is_shown_to_who_may_see_all_sessions(caller: Caller, sees: bool) -> None:
    store = MemoryStore()
    assert latest_exam(store, caller) is None
    for name, created_at in (("2", "2026-11-22T00:00:00Z"), ("1", "2026-11-23T00:00:00Z")):
        Sessions(store).put_exam(exam(name, created_at))
    shown = {"at": "2026-11-23", "answered": 1, "total": 2, "blocked": ["Exam 1?"]}
    assert latest_exam(store, caller) == (shown if sees else None)


class Decided:
    """A decision and a memory about every table."""

    def about(self, *_: object) -> list[Guidance]:
        return [
            Guidance("adr-1", "adr", "project", "crm.customer is the only source.", "Ada", NOW, place=1),
            Guidance("m-1", "memory", "project", "crm.customer is slow.", "Bob", NOW),
        ]


def test_a_static_site_holds_decisions_and_no_memories_and_is_always_the_same(tmp_path: Path) -> None:
    page = page_of(shop_tables(), tmp_path)

    def parts(clock: FixedClock) -> dict[str, object]:
        app = replace(page.app, guidance=Provider.of(Decided()), clock=clock)
        toolbox = page_toolbox(Caller("site"), app)
        with app.index().reading():
            return dict(every_part(toolbox, app.store(), Reports(changes=CHANGES)))

    made = parts(FixedClock())
    assert json.dumps(made) == json.dumps(parts(FixedClock(datetime(2027, 1, 1, tzinfo=UTC))))
    records = [record for name, some in made.items() if name.startswith("tables-") for record in some]  # type: ignore[attr-defined]
    decision = {"kind": "adr", "id": "adr-1", "text": "crm.customer is the only source."}
    assert {record["n"]: record["rem"] for record in records if "rem" in record} == {
        "shop.crm.customer": [{**decision, "layer": "project", "author": "Ada"}]
    }
    assert not any(relation[6:] for record in records for relation in record.get("e", ()))


def test_without_gaps_that_can_be_read_the_first_view_is_there(tmp_path: Path) -> None:
    page = page_of(shop_tables(), tmp_path)
    page.app.store().put("sessions/open-gaps.json", b"{")
    page.app = replace(page.app, gaps=visible_gaps)
    assert page.part("catalog", EVERYTHING)["home"]["todo"]
