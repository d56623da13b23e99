"""How identifiers, questions and prose become tokens and terms."""

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.naming import (
    MAX_TEXT_CHARS,
    MAX_TOKEN_CHARS,
    MAX_TOKENS,
    STOP_WORDS,
    index_terms,
    split_identifier,
    tokenize_text,
)


@each_case(
    ("identifier", "tokens"),
    [
        ("custAddr_line2ID", ["cust", "addr", "line", "2", "id"]),
        ("HTTPServerURL", ["http", "server", "url"]),
        ("SalesOrderHeader", ["sales", "order", "header"]),
        ("customerIDs", ["customer", "ids"]),
        ("ORDER_LINE", ["order", "line"]),
        ("order-line.total amount", ["order", "line", "total", "amount"]),
        ("__x__", ["x"]),
        ("sha256", ["sha", "256"]),
        ("2024_orders", ["2024", "orders"]),
        ("größeÄnderung", ["grösse", "änderung"]),
        ("ДатаЗаказа", ["дата", "заказа"]),
        ("ｆｕｌｌＷｉｄｔｈ", ["full", "width"]),  # noqa: RUF001 - the wide letters are the point
        ("पताNo", ["पता", "no"]),
        ("客户DB", ["客户", "db"]),
        ("", []),
        ("$%&/()", []),
    ],
)
def test_a_name_is_split_at_separators_case_changes_and_digits(identifier: str, tokens: list[str]) -> None:
    assert split_identifier(identifier) == tokens


@each_case(
    ("text", "tokens"),
    [
        ("the user-agent of a session", ["the", "user", "agent", "of", "a", "session"]),
        ("written in C++ or C#", ["written", "in", "cpp", "or", "csharp"]),
        ("o'brien's orders", ["o", "brien", "orders"]),
        ("What's the customer\u2019s name?", ["what", "the", "customer", "name"]),
        ("they didn't pay", ["they", "did", "pay"]),
        ("status = \"A\" AND x = 's'", ["status", "a", "and", "x", "s"]),
        ("join orders.cust_id to custId", ["join", "orders", "cust", "id", "to", "cust", "id"]),
        ("l'adresse", ["l", "adresse"]),
        ("3.14", ["3", "14"]),
    ],
)
def test_prose_is_split_into_words_that_can_be_searched_for(text: str, tokens: list[str]) -> None:
    assert tokenize_text(text) == tokens


def test_the_name_with_an_apostrophe_and_its_identifier_give_the_same_tokens() -> None:
    assert tokenize_text("O'Brien") == split_identifier("OBrien")


@given(st.text(max_size=60))
def test_the_tokens_of_a_name_are_their_own_only_tokens(text: str) -> None:
    for token in split_identifier(text):
        assert split_identifier(token) == [token]


@given(st.text(max_size=60))
def test_tokenising_the_joined_tokens_of_a_text_gives_them_again(text: str) -> None:
    tokens = tokenize_text(text)
    assert tokenize_text(" ".join(tokens)) == tokens


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), max_size=60))
def test_tokens_of_ascii_text_are_lower_case_letters_or_digits_alone(text: str) -> None:
    for token in tokenize_text(text):
        assert token.islower() or token.isdecimal()
        assert token.isalnum()


@given(st.lists(st.sampled_from(["cust", "order", "line", "total", "amount"]), min_size=1, max_size=5))
def test_snake_camel_pascal_and_upper_case_names_of_the_same_words_give_the_same_tokens(words: list[str]) -> None:
    pascal = "".join(word.title() for word in words)
    for name in ("_".join(words), "_".join(words).upper(), pascal, pascal[0].lower() + pascal[1:], "-".join(words)):
        assert split_identifier(name) == words


def test_tokens_and_their_number_are_bounded() -> None:
    assert split_identifier("x" * 1_000) == ["x" * MAX_TOKEN_CHARS]
    assert len(tokenize_text("ab " * 20_000)) == MAX_TOKENS
    assert tokenize_text(" " * MAX_TEXT_CHARS + "late") == []


def test_a_long_run_of_combining_marks_is_tokenised_in_linear_time() -> None:
    # Normalising it uncut takes minutes: the marks are sorted one by one.
    assert len(split_identifier("a" + "\u0315\u0316" * 50_000)) == 1


def test_index_terms_are_stems_without_stop_words_in_reading_order() -> None:
    question = "What are the names of all customers who ordered?"
    assert index_terms(question) == ["name", "custom", "order"]


def test_an_identifier_and_a_question_about_it_share_their_terms() -> None:
    assert set(index_terms("shippingAddresses")) == set(index_terms("Show me the shipped address"))


def test_repetitions_of_a_term_are_kept() -> None:
    assert index_terms("order orders") == ["order", "order"]


def test_a_name_made_of_stop_words_keeps_them() -> None:
    assert index_terms("which") == ["which"]
    assert index_terms("is_in") == ["is", "in"]


@given(st.sampled_from(sorted(STOP_WORDS)))
def test_a_stop_word_next_to_another_word_is_left_out(word: str) -> None:
    assert index_terms(f"{word} invoice") == ["invoic"]


def test_importing_the_room_loads_nothing_heavy() -> None:
    program = (
        "import sys; before = set(sys.modules); import tribal.naming;"
        "heavy = {'typing', 'dataclasses', 'inspect', 'json', 'pydantic', 'numpy', 'datetime', 'asyncio'};"
        "print(sorted(heavy & (set(sys.modules) - before)))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
