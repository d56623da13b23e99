"""Names without separators are cut into words only where every part is a known one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.naming import is_word, segment, segment_all


@each_case(
    ("token", "words"),
    [
        ("invoicelinenumber", "invoice line number"),
        ("customeraddresses", "customer addresses"),
        ("unitofmeasure", "unit of measure"),
        ("shiptocustomerid", "ship to customer id"),
        ("createdby", "created by"),
        ("isapproved", "is approved"),
        ("deliverydate", "delivery date"),
        ("minorderqty", "min order qty"),
        ("teamapitoken", "team api token"),
        ("ticketoutputpdf", "ticket output pdf"),
        ("badgelayouts", "badge layouts"),
        ("useractivitylog", "user activity log"),
    ],
)
def test_words_that_were_written_together_are_found(token: str, words: str) -> None:
    assert " ".join(segment(token)) == words


@each_case(
    "word",
    [
        "warehouse",
        "island",
        "notable",
        "topic",
        "season",
        "therapist",
        "mandate",
        "generate",
        "customers",
        "kundennummer",
        "moderna",
        "apiculture",
        "websocket",
        "id",
        *"billable namespace namespaces payload payloads refundable roofless targetable internship warehouses".split(),
        *"damaged moderated refills sunscreens hostname webpage username lifelike timeshare bookshelf".split(),
        *"salesforce newcastle clickable unlikeable".split(),
    ],
)
def test_a_word_stays_whole(word: str) -> None:
    assert segment(word) == (word,)


def test_one_unknown_part_leaves_the_whole_name_alone() -> None:
    assert segment("customerxyzzy") == ("customerxyzzy",)


def test_a_word_of_the_dictionary_stays_whole_inside_a_name() -> None:
    assert segment("paymentpayloadid") == ("payment", "payload", "id")


def test_a_name_that_can_be_cut_in_two_places_is_left_alone() -> None:
    assert segment("elementspace") == ("elementspace",)
    assert segment("elementspaceid") == ("elementspaceid",)


def test_the_cut_with_fewer_words_is_taken() -> None:
    assert segment("salespersonname") == ("salesperson", "name")


def test_every_token_of_an_identifier_is_cut() -> None:
    assert segment_all(["orderline", "no"]) == ["order", "line", "no"]


@given(st.text(max_size=70))
def test_no_letter_is_lost_whatever_the_token(token: str) -> None:
    assert "".join(segment(token)) == token


@given(st.lists(st.sampled_from(["customer", "order", "price", "warehouse", "invoice"]), min_size=2, max_size=4))
def test_known_words_in_a_row_are_cut_into_known_words(words: list[str]) -> None:
    parts = segment("".join(words))
    assert all(is_word(part) for part in parts)
    assert len(parts) <= len(words)


def test_words_and_acronyms_of_computing_are_parts_of_names_alone() -> None:
    assert not any(map(is_word, ("badge", "cookie", "api", "smtp")))
