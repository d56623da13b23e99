"""A caller with a narrow scope sees nothing that is hidden, whatever it asks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.answering.test_answers import ask
from tests.cases import each_case
from tests.fakes import MemoryStore, application_over
from tests.sample_shop.indexed import Key, index_all, table_document, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.identity.scope import Scope
from tribal.ports import Application, Caller
from tribal_contracts import ReadColumn, TableDocument

SALES_ONLY = Caller("bob", scope=Scope(schemas=frozenset({("firm", "sales")})))
HIDDEN = ("payslip", "employee", "garnish", "bonus", "people.", "zq7")
"""Words of the names, texts and values of the schema that is hidden."""


def firm() -> list[TableDocument]:
    seller = Key(("seller_id",), "people.employee", ("employee_id",))
    orders = table_document(
        "firm.sales.orders",
        "order_id customer_id seller_id status ordered_on total_cents",
        domain="sales",
        keys=[Key(("customer_id",), "sales.customer", ("customer_id",)), seller],
        comment="Orders of customers.",
        comments={"seller_id": "One of people.employee, for bonus_cents.", "total_cents": "Total in cents."},
    )
    customer = table_document(
        "firm.sales.customer", "customer_id name email seller_id", domain="sales", keys=[seller], comment="Customers."
    )
    employee = table_document(
        "firm.people.employee", "employee_id grade", domain="people", comment="Everyone.", samples={"grade": ["zq7"]}
    )
    payslip = table_document(
        "firm.people.payslip",
        "payslip_id employee_id bonus_cents garnished",
        domain="people",
        keys=[Key(("employee_id",), "people.employee", ("employee_id",))],
        comment="What is paid.",
    )
    edges = [
        ReadColumn(column="seller_id", from_table=payslip.name, from_column="employee_id", via="direct"),
        ReadColumn(column="cost", from_table=payslip.name, from_column="bonus_cents", via="computed"),
        ReadColumn(column="cost", from_table=employee.name, from_column="grade", via="filter"),
        ReadColumn(column="total", from_table=orders.name, from_column="total_cents", via="computed"),
    ]
    view = table_document("firm.sales.v_seller", "seller_id cost total", domain="sales").model_copy(
        update={
            "kind": "view",
            "view_definition": "SELECT o.seller_id, p.bonus_cents * 2 AS cost, sum(o.total_cents) AS total"
            " FROM sales.orders o JOIN people.payslip p ON p.employee_id = o.seller_id"
            " JOIN people.employee e ON e.employee_id = o.seller_id WHERE e.grade = 'zq7'",
            "reads": [orders.name, payslip.name, employee.name],
            "lineage": edges,
        }
    )
    return [orders, customer, employee, payslip, view]


@pytest.fixture(name="firm", scope="module")
def firm_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    store, index = MemoryStore(), SqliteIndex(tmp_path_factory.mktemp("firm") / "index.db")
    write_documentation(store, firm())
    index_all(store, index)
    yield application_over(index, store=store)
    index.close()


QUESTIONS = (
    "what does seller_id mean in orders?",
    "what does cost mean in v_seller?",
    "how is cost in v_seller computed?",
    "what is v_seller?",
    "which columns does v_seller have?",
    "which columns does orders have?",
    "what values can the status of an order have?",
    "where is the seller of an order?",
    "where is the grade kept?",
    "how do I join orders to v_seller?",
    "how do I join customers to sellers?",
    "what is the difference between orders and v_seller?",
    "can an order have no seller?",
    "what happens to orders if a seller is deleted?",
    "total cost per seller",
    "how many orders does each seller have?",
    "what is documented?",
    "what does seller_id mean and how do I join orders to v_seller?",
)


@each_case("question", QUESTIONS)
def test_a_caller_with_a_narrow_scope_sees_nothing_hidden(firm: Application, question: str) -> None:
    told = ask(firm, question, SALES_ONLY).to_json().decode().lower()
    assert [word for word in HIDDEN if word in told] == []


def test_a_caller_who_may_see_all_sees_what_is_hidden_from_others(firm: Application) -> None:
    told = "".join(ask(firm, question).to_json().decode().lower() for question in QUESTIONS)
    assert [word for word in ("employee", "bonus", "people.") if word not in told] == []
