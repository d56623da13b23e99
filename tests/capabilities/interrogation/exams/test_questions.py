"""Files of questions: three formats, and errors that name the line."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from tribal.capabilities.interrogation.errors import ExamInvalid
from tribal.capabilities.interrogation.exams.questions import read_questions

QUESTIONS = ["Which invoices are unpaid?", "Umsatz je Kunde?"]


@each_case(
    ("name", "text"),
    [
        ("q.txt", "# weekly\nWhich invoices are unpaid?\n\n  Umsatz je Kunde?  \nWhich invoices are unpaid?\n"),
        ("q.txt", "\ufeffWhich invoices are unpaid?\r\nUmsatz je Kunde?"),
        ("q.csv", 'team,Question\nfinance,Which invoices are unpaid?\n\n"a, b","Umsatz je Kunde?"\n'),
        ("q.jsonl", '{"question": "Which invoices are unpaid?", "team": 1}\n\n"Umsatz je Kunde?"\n'),
    ],
)
def test_questions_are_read_once_each_in_order(name: str, text: str) -> None:
    assert read_questions(name, text.encode()) == QUESTIONS


TWO = ["Which invoices, if any, are unpaid; and why?", "Umsatz je Kunde?"]


@each_case("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@each_case(
    ("name", "text"),
    [
        ("q.csv", 'question;team\r\n"Which invoices, if any, are unpaid; and why?";finance\r\nUmsatz je Kunde?;sales'),
        ("q.csv", "team\tquestion\na\tWhich invoices, if any, are unpaid; and why?\nb\tUmsatz je Kunde?\n"),
        ("q.tsv", 'question\tteam\nWhich invoices, if any, are unpaid; and why?\tfinance\n"Umsatz je Kunde?"\tsales'),
        ("q.txt", 'Question\tteam\r\n"Which invoices, if any, are unpaid; and why?"\ta\r\nUmsatz je Kunde?\tb\r\n'),
        ("q.csv", "sep=|\nquestion|team\nWhich invoices, if any, are unpaid; and why?|a\nUmsatz je Kunde?|b\n"),
        ("q.csv", '"SEP=;"\r\nteam;question\r\na;"Which invoices, if any, are unpaid; and why?"\r\nb;Umsatz je Kunde?'),
        ("q.csv", "question\nWhich invoices, if any, are unpaid; and why?\nUmsatz je Kunde?\n"),
    ],
)
def test_a_table_is_read_whatever_separates_its_columns(name: str, text: str, encoding: str) -> None:
    assert read_questions(name, text.encode(encoding)) == TWO


@each_case(
    ("name", "data", "message"),
    [
        ("q.txt", b"", "q.txt has no questions"),
        ("q.txt", b"fine?\n\xff\xfe\n", "q.txt:2: the line is not UTF-8"),
        ("q.txt", b"fine?\n" + b"x" * 2_001, "q.txt:2: the question has 2001 characters"),
        ("q.txt", b"fine?\npassword=hunter2-4711-xyz?", "q.txt:2: the question contains what looks like a secret"),
        ("q.txt", b"\n".join(b"%d?" % number for number in range(5_001)), "q.txt:5001: an exam has at most 5,000"),
        ("q.csv", b"team,what\na,b\n", "q.csv:1: there is no `question` column"),
        ("q.csv", b"sep=;\nteam;what\na;b\n", "q.csv:2: there is no `question` column"),
        ("q.csv", b"sep=;\nteam;question\n\na;\n", "q.csv:4: the question is blank"),
        ("q.txt", "fine?".encode("utf-16")[:-1], "q.txt:1: the line is not UTF-8"),
        ("q.csv", b'question\n"fine?"x\n', "q.csv:2: the line is not valid CSV"),
        ("q.csv", b"team,question\na\n", "q.csv:2: the question is blank"),
        (
            "q.jsonl",
            b'{"question": "fine?"}\n{"question": 1}\n',
            "q.jsonl:2: the line has no `question` field with text",
        ),
        ("q.jsonl", b"{", "q.jsonl:1: the line is not valid JSON"),
    ],
)
def test_a_bad_line_is_named(name: str, data: bytes, message: str) -> None:
    with pytest.raises(ExamInvalid) as refused:
        read_questions(name, data)
    assert refused.value.message.startswith(message)
