"""What a question is for."""

from __future__ import annotations

from tests.cases import each_case
from tribal.capabilities.chat.asking.intents import intent_of
from tribal_contracts.chat.settings import Intent, IntentRule

CASES: list[tuple[str, Intent]] = [
    ("What is an invoice?", "fast"),
    ("who owns the customers table", "fast"),
    ("How do I join orders and customers?", "coder"),
    ("write SQL for revenue per month", "coder"),
    ("how would I compute churn", "coder"),
    ("Why is revenue different from payments?", "reasoning"),
    ("compare orders and invoices", "reasoning"),
    ("What tables are there?", "syllabus_query"),
    ("which domains do we have", "syllabus_query"),
    ("What is covered in this course?", "syllabus_query"),
    ("list all files", "syllabus_query"),
    ("WHAT TABLES ARE THERE", "syllabus_query"),
]


@each_case("question, intent", CASES)
def test_rules_say_what_a_question_is_for(question: str, intent: Intent) -> None:
    assert intent_of(question) == intent


def test_rules_of_ones_own_come_first() -> None:
    rules = [IntentRule(intent="reasoning", pattern=r"\binvoice")]
    assert intent_of("What is an Invoice?", rules) == "reasoning"
    assert intent_of("What is an order?", rules) == "fast"
