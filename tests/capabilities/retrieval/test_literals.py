"""Values in a question do not decide which tables are meant."""

from __future__ import annotations

from tests.cases import each_case
from tribal.capabilities.retrieval.searching.query import without_literals


@each_case(
    ("question", "rest"),
    [
        ("ports of 3f2b8c1e-9d4a-4c6f-8f0e-1a2b3c4d5e6f please", "ports of   please"),
        ("who is jane.doe+x@example.co.uk", "who is  "),
        ("pages under https://example.com/a?b=1 today", "pages under   today"),
        ("orders since 2024-05-06T07:08:09.123Z", "orders since  "),
        ("orders since 2024-05-06 07:08", "orders since  "),
        ("orders at 10:30", "orders at  "),
        ("hosts in 10.0.0.0/8", "hosts in  "),
        ("device 00:1a:2b:3c:4d:5e", "device  "),
        ("commit d670460b4b4aece5915caf5c68d12f560a9fe3e4", "commit  "),
    ],
)
def test_values_that_name_rows_are_left_out(question: str, rest: str) -> None:
    assert without_literals(question) == rest


@each_case("question", ["1099 forms", "covid-19 cases in 2020", "deadbeef feedface", "192.168.0.1"])
def test_numbers_words_and_a_question_of_nothing_else_stay(question: str) -> None:
    assert without_literals(question) == question
