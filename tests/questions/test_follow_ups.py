"""A follow-up is completed by what was talked about, until the subject changes."""

from __future__ import annotations

from collections.abc import Sequence

from tests.cases import each_case
from tribal.naming import stem, tokenize_text
from tribal.questions.follow_ups import standalone
from tribal.questions.pointers import Topic

TABLES = {
    "bookings.tickets": ["ticket_no", "book_ref", "issued_on"],
    "bookings.bookings": ["book_ref", "book_date"],
    "crm.customer": ["cust_id", "email", "phone"],
    "billing.invoice": ["inv_no", "status", "inv_dt"],
}
TICKETS, CUSTOMERS, UNPAID = (
    "what is in bookings.tickets?",
    "how many customers are in France?",
    "which customers have not paid?",
)
EMAIL, STATUS = "what does customer.email mean?", "what does status in billing.invoice mean?"
OPEN = "which invoices are open?"


class Lookups:
    """Finds the tables whose name or columns a text has, and counts how often."""

    def __init__(self) -> None:
        self.count = 0

    def topic(self, text: str) -> Topic | None:
        self.count += 1
        said = {stem(word) for word in tokenize_text(text)}
        named = {name: columns for name, columns in TABLES.items() if stem(name.rpartition(".")[2]) in said}
        found = named or {name: columns for name, columns in TABLES.items() if said.intersection(columns)}
        columns = [each for each in next(iter(found.values()), []) if each in said]
        return Topic(found, columns) if found else None


def completed(earlier: Sequence[str], question: str) -> tuple[str, int]:
    lookups = Lookups()
    return standalone(question, earlier, lookups.topic), lookups.count


@each_case(
    "earlier, question, meant, lookups",
    [
        # Pronouns are replaced by what was talked about.
        (
            "which columns does tickets have?",
            "which of them are dates?",
            "which columns of bookings.tickets are dates?",
            1,
        ),
        (TICKETS, "and how do I join that to bookings?", "how do I join bookings.tickets to bookings?", 1),
        (TICKETS, "what else is stored there?", "what else is stored in bookings.tickets?", 1),
        (TICKETS, "what's its primary key?", "what's the primary key of bookings.tickets?", 1),
        (TICKETS, "which of its columns may be empty?", "which of the columns of bookings.tickets may be empty?", 1),
        (TICKETS, "what are the columns?", "what are the columns of bookings.tickets?", 1),
        (TICKETS, "which of the columns are dates?", "which columns of bookings.tickets are dates?", 1),
        (TICKETS, "is that table partitioned?", "is bookings.tickets partitioned?", 1),
        (TICKETS, "compare it with invoices", "compare bookings.tickets with invoices", 1),
        (EMAIL, "is it unique?", "is crm.customer.email unique?", 1),
        (EMAIL, "what columns does it have?", "what columns does crm.customer have?", 1),
        (STATUS, "what does that column hold for drafts?", "what does billing.invoice.status hold for drafts?", 1),
        (STATUS, "which of the values means paid?", "which values of billing.invoice.status means paid?", 1),
        (
            "how do I join customers and invoices?",
            "do they share a key?",
            "do crm.customer and billing.invoice share a key?",
            1,
        ),
        ("how is revenue computed in invoices?", "does it include tax?", "does billing.invoice include tax?", 1),
        ("where is the email of a customer?", "can it be empty?", "can crm.customer.email be empty?", 1),
        # Another table or column is asked the same.
        ("how many customers do we have?", "what about suppliers?", "how many suppliers do we have?", 1),
        ("which clients are active?", "and invoices?", "which invoices are active?", 1),
        (TICKETS, "the same for bookings", "what is in bookings?", 1),
        (EMAIL, "and phone?", "what does crm.customer.phone mean?", 1),
        ("which columns are in customer?", "and in invoices?", "which columns are in invoices?", 1),
        (EMAIL, "and the unit?", "what is the unit of crm.customer.email?", 1),
        (EMAIL, "in which unit?", "in which unit is crm.customer.email?", 1),
        # A join has no name.
        (
            "how do I join tickets to bookings?",
            "what does it multiply?",
            "how do I join tickets to bookings, what does it multiply?",
            0,
        ),
        # Fragments limit, group or extend the question before, and look nothing up.
        (UNPAID, "only the open ones", "which customers have not paid, open ones?", 0),
        (UNPAID, "per country", "which customers have not paid per country?", 0),
        ("how many orders were there this month?", "and last month?", "how many orders were there last month?", 0),
        ("orders per month in 2023", "and in 2024?", "orders per month in 2024", 0),
        ("orders per month in 2023", "and per country, please?", "orders per country in 2023", 0),
        (CUSTOMERS, "and in Germany?", "how many customers are in Germany?", 0),
        (UNPAID, "which of them are in Germany?", "which customers have not paid and are in Germany?", 0),
        (UNPAID, "how many of them are in Germany?", "how many customers have not paid and are in Germany?", 0),
        (OPEN, "how many?", "how many invoices are open?", 0),
        (OPEN, "not the void ones", "which invoices are open, not the void ones?", 0),
        (OPEN, "with their customers", "which invoices are open with their customers?", 0),
        (OPEN, "how much is that in total?", "which invoices are open, how much is that in total?", 0),
        ("is inv_no unique?", "why?", "why is inv_no unique?", 0),
        # What refers to something unknown is read together with the question before.
        ("what is the capital of France?", "is it old?", "what is the capital of France, is it old?", 1),
    ],
)
def test_a_follow_up_is_completed(earlier: str, question: str, meant: str, lookups: int) -> None:
    assert completed([earlier], question) == (meant, lookups)


@each_case(
    "question",
    [
        "what is the weather in Paris?",
        "and which flights were cancelled last week?",
        "unpaid invoices",
        "which tables are there?",
        "is there a table of employees?",
        "which customers have orders and when were they placed?",
        "does an invoice have a number before it is sent?",
        "how long does it take to deliver a parcel?",
        "is it possible to join tickets and bookings?",
        "which customers changed their address?",
        "explain that an invoice is paid",
        "flights that were cancelled",
        "who sees those invoices which are void?",
        "what is documented this year about bookings?",
        "per country, how many customers are there?",
        "which of the columns of bookings are dates?",
        "what does the column book_ref mean?",
        "what is an order?",
        "thanks!",
    ],
)
def test_a_question_that_refers_to_nothing_earlier_stays_as_it_is_and_looks_nothing_up(question: str) -> None:
    assert completed([TICKETS, OPEN], question) == (question, 0)


@each_case("question", ["is it unique?", "only the open ones", "why?", "what about suppliers?"])
def test_without_an_earlier_question_nothing_is_completed(question: str) -> None:
    assert completed([], question) == (question, 0)


@each_case(
    "turns, meant",
    [
        (
            [UNPAID, "only the open ones", "thanks", "per country"],
            "which customers have not paid, open ones per country?",
        ),
        ([STATUS, "which of the values means void?", "can it be empty?"], "can billing.invoice.status be empty?"),
        ([TICKETS, OPEN, "how many?"], "how many invoices are open?"),
    ],
)
def test_a_conversation_is_followed_from_its_last_whole_question(turns: list[str], meant: str) -> None:
    assert completed(turns[:-1], turns[-1])[0] == meant


def test_a_pronoun_is_not_guessed_from_a_question_that_is_incomplete_itself() -> None:
    assert completed([TICKETS, *["is that open?"] * 6], "and in Germany?") == (
        "is that open" + ", is that open" * 5 + " in Germany?",
        0,
    )


def test_a_long_question_is_cut_at_its_beginning() -> None:
    assert len(completed(["which customers " + "very " * 700 + "late?"], "per country")[0]) < 1_100
