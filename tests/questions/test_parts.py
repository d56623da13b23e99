"""A question that asks several things is split; any other stays whole."""

from __future__ import annotations

from tests.cases import each_case
from tribal.questions.parts import parts_of

JOIN = "how do I join invoices to customers?"


@each_case(
    ("question", "parts"),
    [
        (f"what does part mean and {JOIN}", ["what does part mean?", JOIN]),
        (f"what does part mean? And {JOIN}", ["what does part mean?", JOIN]),
        (f"what does part mean; {JOIN}", ["what does part mean?", JOIN]),
        ("what can a status be, and what does it mean?", ["what can a status be?", "what does it mean?"]),
        ("which are paid and which are open invoices?", None),
        ("how many customers and how many invoices are there?", None),
        ("which tables hold orders and which hold customers?", None),
        ("what is the difference between what is paid and what is open?", None),
        ("Can you help me? what does part mean?", None),
        ("how many invoices are there? In France.", None),
    ],
)
def test_a_question_is_split_where_another_one_begins(question: str, parts: list[str] | None) -> None:
    assert parts_of(question) == (parts or [question])
