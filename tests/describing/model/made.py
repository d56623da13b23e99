"""Tables, questions and answers made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tests.conformance.describer import column
from tests.describing.rules.made import make
from tribal.describing import RulesDescriber
from tribal.describing.model.answers import CheckedAnswer, read_answer
from tribal.describing.model.questions import Prompting, Question, table_questions
from tribal.ports import HumanDescription, TableContext
from tribal.prompt_templates import load_prompts
from tribal.text_checks import UNSUPPORTED, KnownNames
from tribal_contracts import (
    CatalogColumn,
    CatalogForeignKey,
    CatalogNames,
    CatalogTable,
    IncomingKey,
    ModelSettings,
    SliceNeighbour,
)

MODEL = "anthropic/claude-haiku-5-5"
KNOWN = KnownNames.of(
    CatalogNames(
        schema_version="1.0",
        database="shop",
        tables=["orders", "customer", "order_lines", "salary_adjustment", "payroll", "vendorratings", "customer_grade"],
        columns=[
            *("order_id", "grade", "kd_nr", "credit_limit", "hazard_class", "customer_order_stage"),
            *("archived_at", "is_frozen", "lookup", "picture", "stock"),
        ],
    )
)
"""The names of the catalog that the tables here belong to; no question shows the last four tables, nor the
columns from the fourth on."""


def asking(prompts: Mapping[str, bytes] | None = None, **settings: Any) -> Prompting:
    """What a run asks with."""
    whole = {"provider": "anthropic", "name": "claude-haiku-5-5", "api_key_secret": "key", **settings}
    return Prompting(load_prompts(prompts), ModelSettings(**whole), MODEL)


def orders(*columns: CatalogColumn, **others: Any) -> CatalogTable:
    """A table that refers to customers, with columns of which nothing is known but names."""
    standard = (
        column("order_id", "integer"),
        column("customer_id", "integer"),
        column("grade"),
        column("kd_nr", "character varying(20)"),
        column("stage").model_copy(update={"enum_values": ["new", "sent"], "type": "public.stage"}),
    )
    table = make("sales.orders", *(columns or standard), key=["order_id"], **others)
    key = CatalogForeignKey(
        name="fk",
        columns=["customer_id"],
        references_schema="crm",
        references_table="customer",
        references_columns=["customer_id"],
    )
    return table.model_copy(update={"foreign_keys": [key]})


def neighbour(name: str, comment: str | None = None) -> SliceNeighbour:
    """A neighbouring table, such as `crm.customer`."""
    schema, _, table = name.partition(".")
    return SliceNeighbour(
        name=f"shop.{name}",
        schema_name=schema,
        table_name=table,
        kind="table",
        domain="sales",
        path=f"shop/sales/{table}.md",
        comment=comment,
    )


def context(table: CatalogTable | None = None, **others: Any) -> TableContext:
    """The context of a table, with two neighbours: one that it refers to, and one that refers to it."""
    line = CatalogForeignKey(
        name="fk",
        columns=["order_id"],
        references_schema="sales",
        references_table="orders",
        references_columns=["order_id"],
    )
    incoming = IncomingKey(table="shop.sales.orders", from_table="shop.sales.order_lines", key=line, nullable=False)
    made = TableContext(
        database="shop",
        database_type="postgres",
        domain="sales",
        table=table or orders(),
        row_count=48_213,
        incoming=(incoming,),
        neighbours={each.name: each for each in (neighbour("crm.customer"), neighbour("sales.order_lines"))},
        samples={},
        human=HumanDescription(),
    )
    return replace(made, **others)


def questions(made: TableContext | None = None, how: Prompting | None = None, **others: Any) -> list[Question]:
    """The questions about a table that rules have described."""
    made = made or context()
    return table_questions(made, RulesDescriber().describe_table(made), how or asking(), **others)


def question(made: TableContext | None = None, how: Prompting | None = None) -> Question:
    """The first of them."""
    return questions(made, how)[0]


def answer(text: str = "", columns: Mapping[int, str] | None = None, title: str = "") -> dict[str, Any]:
    """What a model answers."""
    return {"title": title, "text": text, "columns": [{"n": n, "text": said} for n, said in (columns or {}).items()]}


def read(text: str, asked: Question | None = None, known: KnownNames | None = KNOWN) -> CheckedAnswer:
    """What is kept of a text about the table."""
    reading = read_answer(asked or question(), answer(text), known)
    assert reading is not None
    return reading


def broken(text: str, asked: Question | None = None) -> list[str]:
    """The rules that a text breaks, sentence by sentence; whether all of it has evidence is another question."""
    return [fault.rule for fault in read(text, asked).faults if fault.rule != UNSUPPORTED]
