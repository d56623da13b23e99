"""Scripts without spaces between words, and words that are written as one with others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.naming import (
    STOP_WORDS,
    content_words,
    index_terms,
    is_spaceless,
    may_be_compound,
    query_terms,
    said_in,
    split_identifier,
    terms_to_find,
    tokenize_text,
    with_part,
)

RUNS = st.text(st.sampled_from("客户订单金额税のはをスタカナー고객주문ลูกค้าชำระเ"), min_size=1, max_size=12)


@each_case(
    ("text", "tokens"),
    [
        ("订单amount", ["订单", "amount"]),
        ("客户db2", ["客户", "db", "2"]),
        ("顧客の受注。返品", ["顧客の受注", "返品"]),
        ("ลูกค้า vip", ["ลูกค้า", "vip"]),
        ("größe", ["grösse"]),
    ],
)
def test_a_script_without_spaces_ends_where_another_begins(text: str, tokens: list[str]) -> None:
    assert tokenize_text(text) == split_identifier(text) == tokens


def test_a_run_is_not_cut_like_a_word() -> None:
    assert "末尾" in index_terms("長" * 500 + "末尾")


@each_case(
    ("text", "words"),
    [
        ("哪些客户没有付款", ["客户", "付款"]),
        ("顧客の受注は", ["顧客", "受注"]),
        ("の", ["の"]),
        ("顧客 の 受注", ["顧客", "受注"]),
        ("订单 of the amount", ["订单", "amount"]),
        ("ลูกค้าที่ยังไม่ชำระเงิน", ["ลูกค้า", *tokenize_text("ชำระเงิน")]),
    ],
)
def test_stop_words_are_left_out_where_no_space_is_around_them(text: str, words: list[str]) -> None:
    assert content_words(text) == words


@each_case(
    ("run", "terms"),
    [
        ("订单金额", ("订单", "单金", "金额")),
        ("税", ("税",)),
        ("支払い", ("支払", "払い")),
        ("スタッフ", ("スタッ", "タッフ")),
        ("主キー", ("主キ",)),
        ("キー", ("キー",)),
        ("保持する", ("保持", "持す")),
        ("していた", ("してい", "ていた")),
        ("고객", ("고객",)),
        ("ลูกค้า", ("ลูกค้", "กค้า")),
    ],
)
def test_a_question_looks_for_pairs_of_characters_and_threes_of_letters(run: str, terms: tuple[str, ...]) -> None:
    assert terms_to_find(run) == terms


def test_two_letters_that_words_share_by_chance_find_nothing() -> None:
    assert set(index_terms("スタッフの一覧")).isdisjoint(terms_to_find("カスタマー"))


@given(RUNS, RUNS, RUNS)
def test_what_a_run_contains_is_found_in_it(before: str, run: str, after: str) -> None:
    run = "".join(tokenize_text(run))
    if is_spaceless(run) and run not in STOP_WORDS and len(terms_to_find(run)[0]) > 1:
        assert {*terms_to_find(run)} <= {*index_terms(f"x {before}。{run}。{after}")}


def test_the_terms_of_a_question_are_those_that_are_known_or_one_for_the_run() -> None:
    words = content_words("客户付款 invoices 考勤表")
    assert query_terms(words, {"客户", "付款"}) == ["客户", "付款", "invoic", "考勤"]
    assert query_terms(words) == ["客户", "户付", "付款", "invoic", "考勤", "勤表"]


@each_case(
    ("terms", "said"),
    [
        ({"订单", "单金", "金额"}, ["订单金额"]),
        ({"订单", "金额"}, ["订单", "金额"]),
        ({"单金"}, ["单金"]),
        ({"amount"}, []),
    ],
)
def test_the_parts_of_a_run_that_a_text_has_are_shown_as_words(terms: set[str], said: list[str]) -> None:
    assert said_in("订单金额", terms) == said


WHOLES = ["fälligkeitsdatum", "kundenrechnungen", "lieferadressen", "rechnungen", "statement", "transaktion"]


@each_case(
    ("word", "wholes"),
    [
        ("rechnung", ["rechnungen", "kundenrechnungen"]),
        ("kunde", ["kundenrechnungen"]),
        ("kunden", ["kundenrechnungen"]),
        ("datum", ["fälligkeitsdatum"]),
        ("fälligkeit", ["fälligkeitsdatum"]),
        ("adresse", ["lieferadressen"]),
        ("state", []),
        ("actions", []),
        ("unfall", []),
    ],
)
def test_a_word_is_found_in_longer_ones(word: str, wholes: list[str]) -> None:
    assert with_part(word, WHOLES) == wholes


@each_case(
    ("term", "may_be"),
    [
        ("kundenrechnungen", True),
        ("statement", False),
        ("datum", False),
        ("客户订单金额明细", False),
        ("a1b2c3d4", False),
    ],
)
def test_long_words_that_no_list_of_english_words_has_may_contain_others(term: str, may_be: bool) -> None:
    assert may_be_compound(term) is may_be
