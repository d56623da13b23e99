"""SQL files whose header says which questions they answer."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from tribal.documenting.definitions.query_files import MAX_QUERY_BYTES, parse_query_file, with_verified
from tribal.errors import ConfigurationError

FILE = "queries/billed.sql"


def refusal(text: str | bytes) -> str:
    with pytest.raises(ConfigurationError) as caught:
        parse_query_file(FILE, text.encode() if isinstance(text, str) else text)
    assert caught.value.code == "DOC_QUERY_INVALID"
    return caught.value.message


def test_a_header_says_what_a_query_answers_and_who_owns_it() -> None:
    text = (
        "\ufeff-- Billing, as finance counts it.\r\n-- question: What did we bill?\r\n"
        "--Question:  How much is owed? \r\n\r\n-- owner: Ada\r\n-- verified: 2026-02-28\r\n"
        "-- database: shop\r\n-- note: see the wiki\r\n\r\nSELECT 1; -- owner: not me\r\n"
    )
    found = parse_query_file(FILE, text.encode())
    assert found is not None
    assert (found.questions, found.line) == (("What did we bill?", "How much is owed?"), 2)
    assert (found.owner, found.verified, found.database) == ("Ada", "2026-02-28", "shop")
    assert (found.sql, found.sql_line) == ("SELECT 1; -- owner: not me", 10)


@each_case(
    "text", ["", "SELECT 1", "-- What customers owe us.\nSELECT 1", "SELECT 1\n-- question: too late?\n", "\n\n"]
)
def test_a_file_without_a_header_is_not_a_verified_query(text: str) -> None:
    assert parse_query_file(FILE, text.encode()) is None


@each_case(
    "text, message",
    [
        ("-- owner: Ada\nSELECT 1", "queries/billed.sql, line 1: the header has no question; add `-- question: `"),
        ("\n-- question:\nSELECT 1", "queries/billed.sql, line 2: `-- question:` is empty"),
        ("-- question: a?\n", "queries/billed.sql, line 1: there is no SQL below the header"),
        ("-- question: a?\n-- verified: 2026-02-30\nSELECT 1", "queries/billed.sql, line 2: the day is not a date"),
        ("-- question: a?\n-- verified: 20260201\nSELECT 1", "queries/billed.sql, line 2: the day is not a date"),
        (
            "-- question: a?\n-- owner: A\n-- owner: B\nSELECT 1",
            "queries/billed.sql, line 3: the header has `-- owner:`",
        ),
        (
            "-- quesiton: a?\nSELECT 1",
            "queries/billed.sql, line 1: the header has an unknown key 'quesiton'; did you mean",
        ),
        (
            f"-- question: a?\n-- owner: {'A' * 101}\nSELECT 1",
            "queries/billed.sql, line 2: the owner has more than 100",
        ),
        (b"-- question: a?\n\xff", "queries/billed.sql, line 2: is not UTF-8"),
        (f"-- question: a?\n{' ' * MAX_QUERY_BYTES}", "queries/billed.sql: is larger than 65,536 bytes"),
    ],
)
def test_an_incomplete_header_is_refused_with_its_line(text: str | bytes, message: str) -> None:
    assert refusal(text).startswith(message)


@each_case(
    "before, after",
    [
        (
            "-- question: a?\r\n-- verified: 2026-01-01\r\nSELECT 1\r\n",
            "-- question: a?\r\n-- verified: 2026-03-04\r\nSELECT 1\r\n",
        ),
        ("-- question: a?\r\nSELECT 1", "-- question: a?\r\n-- verified: 2026-03-04\r\nSELECT 1"),
        (
            "\ufeff-- question: a?\n-- question: b?\nSELECT '\u2028'\n",
            "\ufeff-- question: a?\n-- question: b?\n-- verified: 2026-03-04\nSELECT '\u2028'\n",
        ),
    ],
)
def test_verifying_changes_one_line(before: str, after: str) -> None:
    assert with_verified(before.encode(), "2026-03-04").decode() == after
