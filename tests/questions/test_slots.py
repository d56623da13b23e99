"""The parts of a question: what it asks about, within what, by what it groups, and in which time."""

from __future__ import annotations

from collections.abc import Mapping

from tests.cases import each_case
from tribal.questions.intents import intent_of
from tribal.questions.periods import Period, grouped_unit, period_of
from tribal.questions.slots import slots_of
from tribal.questions.words import acronyms_of, counted_word, measured_by, verbs


@each_case(
    ("question", "parts"),
    [
        ("What does outbound mean on a ticket?", {"target": "outbound", "scope": "a ticket"}),
        ("in what unit is the weight of a parcel", {"target": "the weight", "scope": "a parcel"}),
        ("what is a dunning run", {"target": "a dunning run"}),
        ("What is the difference between a quote and an order?", {"first": "a quote", "second": "an order"}),
        ("quotes vs orders", {"first": "quotes", "second": "orders"}),
        ("join shipments with products", {"first": "shipments", "second": "products"}),
        ("how do I get the city of a customer", {"first": "a customer", "second": "the city"}),
        ("how are returns and credit notes related", {"first": "returns", "second": "credit notes"}),
        ("how many orders per country", {"group": "country"}),
        ("how much did each customer pay in May", {"group": "customer"}),
        ("top 10 customers by order amount", {"group": "customers", "measure": "order amount"}),
        ("which users have the most karma", {"group": "users", "measure": "karma"}),
        ("which tables are there", {}),
    ],
)
def test_a_question_has_parts(question: str, parts: Mapping[str, str]) -> None:
    found = slots_of(question, intent_of(question).kind).words
    assert {name: " ".join(word.text for word in words) for name, words in found.items()} == parts


@each_case(
    ("question", "period", "unit"),
    [
        ("orders of last month", Period("month", back=1), None),
        ("orders this year per quarter", Period("year"), "quarter"),
        ("orders of the last 3 weeks", Period("week", back=3, count=3), None),
        ("orders in March 2026", Period(start="2026-03-01", end="2026-04-01"), None),
        ("orders in december 2025, monthly", Period(start="2025-12-01", end="2026-01-01"), "month"),
        ("orders in 2024", Period(start="2024-01-01", end="2025-01-01"), None),
        ("orders since 2020", Period(start="2020-01-01"), None),
        ("orders until 2020", Period(end="2021-01-01"), None),
        ("orders in October", Period(month=10), None),
        ("what was ordered yesterday", Period("day", back=1), None),
        ("may an order be empty", None, None),
    ],
)
def test_a_question_is_about_a_time(question: str, period: Period | None, unit: str | None) -> None:
    assert (period_of(question), grouped_unit(question)) == (period, unit)


def test_words_are_counted_measured_and_done() -> None:
    assert counted_word("How many likes does a film have?") == "likes"
    assert counted_word("the number of open orders") == "open"
    assert measured_by("how heavy is the longest parcel") == {
        "heavy": ("weight", "mass"),
        "longest": ("length", "duration"),
    }
    things = {"passengers", "plane", "month"}.__contains__
    assert verbs("how many passengers flew last month", things) == {"flew"}
    assert verbs("how fast a plane flies", things) == {"flies"}
    assert acronyms_of("a virtual machine of mine")["machine"] == acronyms_of("virtual machine")["virtual"]
