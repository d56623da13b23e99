"""Answers from the documentation: statements with sources, joins, and what is not explained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.fakes import MemoryStore, application_over
from tests.sample_shop.indexed import index_all, shop_tables, table_document, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.answering.documentation import Documentation
from tribal.answering.focus import focus_on
from tribal.capabilities.retrieval.context.gathering import GatheredContext
from tribal.capabilities.retrieval.definitions.matching import MatchedDefinitions
from tribal.errors import ToolInputInvalid
from tribal.identity.scope import Scope
from tribal.naming.tokens import content_words, terms_of
from tribal.ports import Application, Caller
from tribal.questions.mentions import Names
from tribal.questions.reading import Vocabulary, read
from tribal_contracts import GuidanceItem, TableDocument
from tribal_contracts.answering.answers import Answer, AskInput
from tribal_contracts.interrogation.settings import InterrogationSettings


@pytest.fixture(name="shop", scope="module")
def shop_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    store, index = MemoryStore(), SqliteIndex(tmp_path_factory.mktemp("answers") / "index.db")
    write_documentation(store, shop_tables())
    index_all(store, index, WordLlamaEmbedder())
    yield application_over(index, WordLlamaEmbedder(), store=store)
    index.close()


def ask(app: Application, question: str, caller: Caller | None = None, **more: str) -> Answer:
    return Documentation(caller or Caller("ada"), app).answer(AskInput(question=question, **more))


def messages(answer: Answer) -> list[str]:
    return [each.message for each in answer.warnings or ()]


def documents() -> dict[str, TableDocument]:
    return {table.name: table for table in shop_tables()}


def test_every_statement_has_a_source_and_every_source_a_statement(shop: Application) -> None:
    answer = ask(shop, "how many order lines does each customer have?")
    assert answer.verdict == "answered"
    cited = {source for each in answer.statements for source in each.sources}
    assert all(each.sources for each in answer.statements)
    assert cited == {each.id for each in answer.sources}
    tables = [each for each in answer.sources if each.kind == "table"]
    assert all(each.name in documents() and each.uri.startswith("tribal://") for each in tables)


def test_the_main_tables_are_joined_by_sql_that_names_their_keys(shop: Application) -> None:
    answer = ask(shop, "orders of each customer")
    about = {each.about for each in answer.statements}
    assert "shop.sales.order_header and shop.crm.customer" in about
    assert answer.sql is not None
    assert "JOIN" in answer.sql


@each_case(
    ("question", "verdict", "unexplained"),
    [
        ("how many customers are there?", "answered", []),
        ("which customers own a zeppelin?", "not_documented", ["zeppelin"]),
        ("what does the zeppelin cost?", "not_documented", ["zeppelin"]),
        ("who flew the zeppelin to the moon?", "not_documented", ["zeppelin", "moon"]),
    ],
)
def test_what_nothing_explains_is_said(shop: Application, question: str, verdict: str, unexplained: list[str]) -> None:
    answer = ask(shop, question)
    assert (answer.verdict, [word for word in answer.unexplained if word in unexplained]) == (verdict, unexplained)


def test_a_caller_never_reads_of_tables_outside_its_scope(shop: Application) -> None:
    caller = Caller("bob", scope=Scope(schemas=frozenset({("shop", "crm")})))
    answer = ask(shop, "order lines of each customer", caller)
    text = answer.to_json().decode()
    assert "shop.crm.customer" in text
    assert "sales" not in text


def test_an_answer_is_as_long_as_the_settings_allow_and_says_that_it_was_cut(tmp_path: Path) -> None:
    store, index = MemoryStore(), SqliteIndex(tmp_path / "index.db")
    write_documentation(store, [table_document("shop.s.wide", " ".join(f"c{n}" for n in range(60)), domain="d")])
    index_all(store, index)
    app = application_over(index, store=store)
    answer = ask(app, "which columns does wide have?")
    short = ask(
        replace(app, sections={"interrogation": InterrogationSettings(answer_tokens=500)}),
        "columns of wide, all of them",
    )
    index.close()
    for each in (answer, short):
        assert each.truncated
        assert each.returned == len(each.statements) < (each.total or 0) == 61
        left = (each.total or 0) - (each.returned or 0)
        assert f"{left} more statements are left out; `tribal table shop.s.wide` shows all" in messages(each)
    assert len(short.statements) < len(answer.statements)


@each_case("question", ["", "  ", "x" * 2_001])
def test_a_question_that_cannot_be_read_is_refused(shop: Application, question: str) -> None:
    with pytest.raises(ToolInputInvalid):
        ask(shop, question)


def test_the_same_question_has_the_same_answer(shop: Application) -> None:
    assert ask(shop, "customers by country") == ask(shop, "customers by country")


def nothing_found() -> GatheredContext:
    return GatheredContext(
        documents={},
        reasons={},
        scores={},
        joins=[],
        views=[],
        defined=MatchedDefinitions(),
        words={},
        question=None,
        topic=1.0,
        needed=[],
        missing=[],
        guidance=[],
        warnings=[],
    )


def test_tables_that_are_as_relevant_keep_their_order() -> None:
    tables = [table_document(f"shop.s.t{number}", "id size", domain="d") for number in range(8)]
    context = replace(
        nothing_found(),
        documents={table.name: table for table in tables},
        scores={table.name: 0.5 for table in reversed(tables)},
        words={"size": {"size": 1.0}},
    )
    focus = focus_on("size", context)
    assert list(focus.main) == ["shop.s.t0"]
    assert list(focus.rivals) == [table.name for table in reversed(tables[1:])]


@each_case(
    ("question", "topic", "in_scope"),
    [
        ("why do void invoices stay?", 0.1, 1.0),
        ("why do clouds float?", 0.1, 0.1),
        ("which parcels are there", 0.7, 0.7),
    ],
)
def test_a_question_that_a_decision_answers_is_in_scope(question: str, topic: float, in_scope: float) -> None:
    table = table_document("shop.s.t0", "id size", domain="d")
    decision = GuidanceItem(
        id="0002",
        kind="adr",
        layer="project",
        text="Void invoices stay: they are kept, marked as void.",
        author="ada",
        age="2 days",
    )
    context = replace(
        nothing_found(),
        documents={table.name: table},
        question=read(question, Vocabulary(Names([]))),
        topic=topic,
        words={word: dict.fromkeys(terms_of([word]), 1.0) for word in content_words(question)},
        guidance=[(table.name, decision)],
    )
    assert context.in_scope == in_scope
    assert (table.name in context.guided) is (in_scope == 1.0)


@each_case(
    ("question", "first", "second"),
    [
        ("where is the email of a customer and how do I join orders to customers?", "crm.customer.email", "Join "),
        ("how do I join orders to customers? Which columns does customer have?", "Join ", "crm.customer has"),
    ],
)
def test_a_question_that_asks_two_things_has_both_answers_in_order(
    shop: Application, question: str, first: str, second: str
) -> None:
    text = "\n".join(each.text for each in ask(shop, question).statements)
    assert -1 < text.find(first) < text.find(second)


def test_a_database_that_is_not_documented_is_said_to_be_none(shop: Application) -> None:
    answer = ask(shop, "how many customers are in the ledger database?")
    assert answer.verdict == "not_documented"
    assert answer.statements[0].text.startswith("This is not documented: no database is called ledger.")
    assert answer.sql is None


def test_tables_of_one_name_are_told_apart(tmp_path: Path) -> None:
    store, index = MemoryStore(), SqliteIndex(tmp_path / "index.db")
    tables = [("pos", "Receipts of shops."), ("web", "Receipts of the web shop.")]
    documents = [
        table_document(f"shop.{schema}.receipt", "receipt_id total", domain="d", comment=text)
        for schema, text in tables
    ]
    write_documentation(store, documents)
    index_all(store, index)
    app = application_over(index, store=store)
    both = "\n".join(each.text for each in ask(app, "which columns does receipt have?").statements)
    one = ask(app, "which columns does web.receipt have?")
    index.close()
    assert "pos.receipt has 2 columns." in both
    assert "web.receipt has the same name: Receipts of the web shop." in both
    assert one.main_tables == ["shop.web.receipt"]
    assert "pos.receipt" not in "\n".join(each.text for each in one.statements)


def test_sql_about_a_table_that_no_one_describes_has_a_statement_with_its_source(tmp_path: Path) -> None:
    tables = shop_tables()
    said = tables[0].description.model_copy(update={"source": "derived", "text": "Refers to crm.region."})
    undescribed = [
        each.model_copy(update={"description": said}) if each.table == "shipment" else each for each in tables
    ]
    store, index = MemoryStore(), SqliteIndex(tmp_path / "index.db")
    write_documentation(store, undescribed)
    index_all(store, index, WordLlamaEmbedder())
    answer = ask(application_over(index, WordLlamaEmbedder(), store=store), "list all shipments")
    index.close()
    assert [each.text for each in answer.statements] == ["sales.shipment: Refers to crm.region."]
    assert [each.name for each in answer.sources] == ["shop.sales.shipment"]
