"""Texts of an answer that are not about their subject."""

from __future__ import annotations

from dataclasses import replace

from tests.conformance.describer import column
from tests.describing.model.made import KNOWN, answer, asking, context, orders, question, read
from tests.describing.model.test_questions import DOMAIN
from tribal.describing.model.answers import read_answer, read_repair, repair_part
from tribal.describing.model.questions import Question, domain_question
from tribal.ports import HumanDescription
from tribal_contracts import DroppedSentence

NONSENSE = "The benefits of a diverse workforce"


def booking() -> Question:
    return question(context(orders(column("cost_ctr"), column("grade"))))


def test_a_column_with_a_text_about_something_else_is_left_to_rules() -> None:
    reading = read_answer(booking(), answer("An order of a customer.", {1: NONSENSE, 2: "Grade of the order."}), KNOWN)
    assert reading is not None
    assert reading.columns == {"grade": "Grade of the order."}
    assert reading.dropped == [DroppedSentence(subject="cost_ctr", rule="unsupported")]


def test_a_table_with_a_text_about_something_else_is_left_to_rules() -> None:
    reading = read(f"{NONSENSE}. It makes teams happy.")
    assert reading.text == ""
    assert reading.dropped == [DroppedSentence(subject="", rule="unsupported")]


def test_a_sentence_without_evidence_stays_next_to_one_that_has_some() -> None:
    text = "An order of a customer. It makes the whole team happy."
    assert read(text).text == text


def test_what_is_left_of_a_text_without_its_faulty_sentences_is_judged() -> None:
    reading = read(f"There are 7 orders. {NONSENSE}.")
    assert reading.text == ""
    assert [fault.rule for fault in reading.faults] == ["figure", "unsupported"]


def test_a_text_by_a_person_and_a_term_are_evidence() -> None:
    person = question(
        context(human=HumanDescription(columns={"stage": "Kept for the diversity report of the works council"}))
    )
    assert read(f"{NONSENSE}.", person).text == f"{NONSENSE}."
    terms = question(how=asking(terms={"workforce": "everyone who packs orders"}))
    assert read(f"{NONSENSE}.", terms).text == f"{NONSENSE}."


def test_a_repair_replaces_an_unsupported_text() -> None:
    asked = booking()
    first = read_answer(asked, answer("", {1: NONSENSE}), KNOWN)
    assert first is not None
    assert first.needs_repair
    assert NONSENSE in repair_part(asked, first)
    mended = read_repair(asked, first, answer("", {1: "Cost centre that pays for it."}), KNOWN)
    assert mended is not None
    assert mended.columns == {"cost_ctr": "Cost centre that pays for it."}
    assert mended.dropped == []


def test_an_unsupported_text_that_is_repaired_by_another_is_dropped() -> None:
    asked = booking()
    first = read_answer(asked, answer("", {1: NONSENSE}), KNOWN)
    assert first is not None
    for second in (answer("", {1: "Tips for better sleep in summer."}), answer("", {})):
        left = read_repair(asked, first, second, KNOWN)
        assert left is not None
        assert left.columns == {}
        assert left.dropped == [DroppedSentence(subject="cost_ctr", rule="unsupported")]


def test_a_title_is_supported_by_itself_or_by_its_text() -> None:
    asked = domain_question(DOMAIN, asking())

    def title(said: str, text: str) -> str:
        reading = read_answer(asked, answer(text, title=said), KNOWN)
        assert reading is not None
        return reading.title

    assert title(NONSENSE, NONSENSE) == ""
    assert title("Everything before the warehouse", "Orders of customers.") == "Everything before the warehouse"
    assert title("Orders before the warehouse packs", "") == "Orders before the warehouse packs"


def test_a_text_in_another_language_is_not_judged() -> None:
    german = question(how=asking(language="German"))
    text = "Die Vorteile einer bunten Belegschaft."
    assert read(text, german).text == text


def test_a_sentence_of_the_prompts_example_is_a_copy() -> None:
    reading = read_answer(booking(), answer("", {1: "When the member left.", 2: "Grade of the order."}), KNOWN)
    assert reading is not None
    assert reading.dropped == [DroppedSentence(subject="cost_ctr", rule="copied")]


def test_a_model_that_failed_its_test_needs_evidence_of_the_subject_itself() -> None:
    texts = {1: "The shop manages its customers.", 2: "Grade."}
    asked = booking()
    lenient = read_answer(asked, answer("An order that is paid.", texts), KNOWN)
    strict = read_answer(replace(asked, is_strict=True), answer("An order that is paid.", texts), KNOWN)
    assert lenient is not None
    assert strict is not None
    assert set(lenient.columns) == {"cost_ctr"}
    assert strict.columns == {}
    assert strict.text == "An order that is paid."
    about = {1: "The centre that pays."}
    assert read_answer(replace(asked, is_strict=True), answer("", about), KNOWN) == read_answer(
        asked, answer("", about), KNOWN
    )


def test_an_answer_in_another_language_than_the_settings_is_dropped() -> None:
    for text in (
        "客户的订单。",
        "Заказ клиента.",
        "Ein Auftrag, den der Kunde erteilt.",
        "Un pedido que hace el cliente.",
    ):
        assert [fault.rule for fault in read(text).faults] == ["language"], text
    spanish = question(how=asking(language="Spanish"))
    assert read("Un pedido que hace el cliente.", spanish).text == "Un pedido que hace el cliente."
    english = (
        "An order of the Rio de la Plata shop.",
        "An order for El Paso and Las Vegas.",
        "Price per order per stage.",
    )
    for text in english:
        assert read(text).text == text
