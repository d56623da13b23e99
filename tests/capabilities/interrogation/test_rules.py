"""What the detective by rules asks, which gaps it finds, and what closes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.fakes import MemoryStore, application_over
from tests.sample_shop.indexed import Key, index_all, table_document, write_documentation
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.capabilities.interrogation.interrogations import Interrogations
from tribal.ports import Caller
from tribal_contracts import TableDocument
from tribal_contracts.interrogation.sessions import Gap, InterrogationSession

Examine = Callable[[Sequence[TableDocument], str], InterrogationSession]


def customer(**more: object) -> TableDocument:
    table = table_document("shop.crm.customer", "customer_id name status cust_seg_cd", domain="crm")
    return table.model_copy(update=more)


def invoice(columns: str = "invoice_id customer_id total", **comments: str) -> TableDocument:
    key = Key(("customer_id",), "crm.customer", ("customer_id",))
    return table_document("shop.billing.invoice", columns, domain="billing", keys=[key], comments=comments)


@pytest.fixture(name="examine")
def examine_fixture(tmp_path: Path, request: pytest.FixtureRequest) -> Examine:
    def examine(tables: Sequence[TableDocument], hypothesis: str) -> InterrogationSession:
        store, index = MemoryStore(), SqliteIndex(tmp_path / f"{len(list(tmp_path.iterdir()))}.db")
        request.addfinalizer(index.close)
        write_documentation(store, tables)
        index_all(store, index)
        service = Interrogations(application_over(index, store=store), Caller("ada"))
        return service.start(service.new(hypothesis))

    return examine


def gaps_about(session: InterrogationSession, target: str) -> list[Gap]:
    return [gap for gap in session.open_gaps if gap.target == target]


@each_case(
    ("hypothesis", "question"),
    [
        ("customers", "What is documented about “customers”?"),
        ("customers", "What is one row of crm.customer?"),
        ("customer status", "What do the values of crm.customer.status mean?"),
        ("invoices of each customer", "Which keys join billing.invoice and crm.customer?"),
    ],
)
def test_it_asks_what_an_analyst_asks(hypothesis: str, question: str, examine: Examine) -> None:
    session = examine([customer(), invoice()], hypothesis)
    assert question in [pair.question for pair in session.qa_pairs]
    assert session.status == "completed"


def test_codes_without_a_meaning_are_a_gap_until_someone_explains_them(examine: Examine) -> None:
    status = "shop.crm.customer.status"
    (gap,) = gaps_about(examine([customer(), invoice()], "customer status"), status)
    assert (gap.category, gap.severity) == ("missing_information", "medium")
    explained = table_document(
        "shop.crm.customer",
        "customer_id name status cust_seg_cd",
        domain="crm",
        comments={"status": "A while the customer may order, C once the account is closed."},
    )
    assert gaps_about(examine([explained, invoice()], "customer status"), status) == []


@each_case(
    ("question", "said", "is_answered"),
    [
        ("what does the status closed of a customer mean?", "", False),
        ("what does the status closed of a customer mean?", "What the customer may do.", True),
        ("what does the status closed of a customer mean?", "closed: may not order", True),
        # Where the value is, is news.
        ("what does closed mean?", "", True),
    ],
)
def test_a_value_that_is_a_word_is_explained_by_more_than_the_column_that_was_named(
    question: str, said: str, is_answered: bool, examine: Examine
) -> None:
    table = table_document("shop.crm.customer", "customer_id name status", domain="crm", comments={"status": said})
    column = {"allowed_values": ["open", "closed"], "allowed_values_complete": True}
    columns = [each.model_copy(update=column) if each.name == "status" else each for each in table.columns]
    session = examine([table.model_copy(update={"columns": columns}), invoice()], question)
    found = [each.severity for each in gaps_about(session, "shop.crm.customer.status")]
    assert ("low" in found or not found) is is_answered, found


@each_case(
    ("hypothesis", "target", "category"),
    [
        ("which customers are active?", "shop.crm.customer.status", "missing_information"),
        ("which invoices are overdue?", "shop.billing.invoice", "missing_information"),
        ("how many customers were there last year?", "shop.crm.customer", "missing_information"),
        ("what does cust_seg_cd mean?", "shop.crm.customer.cust_seg_cd", "missing_information"),
        ("which status can a customer have?", "shop.crm.customer.status", "missing_information"),
    ],
)
def test_what_keeps_a_question_from_an_answer_names_a_table_or_a_column(
    hypothesis: str, target: str, category: str, examine: Examine
) -> None:
    gaps = [gap for gap in examine([customer(), invoice()], hypothesis).open_gaps if gap.severity != "low"]
    assert [(gap.target, gap.category) for gap in gaps] == [(target, category)]


@each_case(
    "hypothesis",
    ["how many customers are there still?", "what is the name of a customer?", "invoices of each customer"],
)
def test_a_filled_form_leaves_no_gap_that_blocks(hypothesis: str, examine: Examine) -> None:
    assert [gap for gap in examine([customer(), invoice()], hypothesis).open_gaps if gap.severity != "low"] == []


def test_a_unit_that_nothing_states_is_asked_for(examine: Examine) -> None:
    total = "shop.billing.invoice.total"

    def with_total(said: str) -> TableDocument:
        table = invoice(total=said)
        columns = [
            each.model_copy(update={"type": "numeric"}) if each.name == "total" else each for each in table.columns
        ]
        return table.model_copy(update={"columns": columns})

    unknown = examine([customer(), with_total("What the customer has to pay.")], "total of each invoice")
    assert "no unit is documented" in gaps_about(unknown, total)[0].description
    known = examine([customer(), with_total("What the customer has to pay, in cents.")], "total of each invoice")
    assert gaps_about(known, total) == []


def test_tables_that_no_key_joins_are_a_high_gap(examine: Examine) -> None:
    apart = table_document("shop.web.visit", "visit_id page", domain="web")
    session = examine([customer(), apart], "visits of each customer")
    assert [gap.severity for gap in session.open_gaps if gap.description.startswith("no key joins")] == ["high"]


def test_a_question_about_time_needs_a_date(examine: Examine) -> None:
    dated = table_document("shop.sales.orders", "order_id order_date ship_date", domain="sales")
    session = examine([dated], "orders of last year")
    (gap,) = [gap for gap in session.open_gaps if gap.category == "ambiguity"]
    assert (
        gap.description
        == "nothing says whether sales.orders.order_date or sales.orders.ship_date is the date that counts"
    )
    none = examine([customer()], "customers of last year")
    assert [gap.severity for gap in none.open_gaps if "no date" in gap.description] == ["high"]


def test_words_in_quotes_and_names_are_values_that_need_no_documentation(examine: Examine) -> None:
    session = examine([customer()], 'customers "Zeppelin" in New York')
    assert [gap for gap in session.open_gaps if (gap.target or "").startswith("word:")] == []


def test_a_contradiction_names_the_pair_that_cites_its_table(examine: Examine) -> None:
    table = table_document(
        "shop.crm.customer", "customer_id email", domain="crm", comments={"email": "Unique e-mail address."}
    )
    session = examine([table], "customers by email")
    assert session.audit_result is not None
    (contradiction,) = session.audit_result.contradictions
    first, second = contradiction.qa_pair_indexes
    assert first == second
    assert "shop.crm.customer" in {source.name for source in session.qa_pairs[first].sources or ()}
    assert "no key makes it unique" in contradiction.description
    (gap,) = gaps_about(session, "shop.crm.customer.email")
    assert (gap.category, gap.severity, gap.description) == ("inconsistency", "medium", contradiction.description)
    assert gaps_about(examine([table], "how many customers are there?"), "shop.crm.customer.email") == []


def test_equal_documents_and_questions_give_equal_sessions(examine: Examine) -> None:
    sessions = [examine([customer(), invoice()], "invoices of each customer") for _ in range(2)]
    assert sessions[0].qa_pairs == sessions[1].qa_pairs
    assert sessions[0].audit_result == sessions[1].audit_result
