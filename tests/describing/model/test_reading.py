"""What is kept of an answer."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.cases import each_case
from tests.describing.model.made import KNOWN, answer, asking, broken, context, orders, question, read
from tests.describing.model.test_questions import DOMAIN
from tribal.describing.model.answers import CheckedAnswer, read_answer, read_repair, repair_part
from tribal.describing.model.questions import domain_question
from tribal_contracts import DroppedSentence


def test_code_replaces_handles_by_names() -> None:
    reading = read("A purchase by one [t2]. It becomes [v2] once [c3] is set ([c1, c2]).")
    assert reading.faults == ()
    assert reading.text == (
        "A purchase by one crm.customer. It becomes 'sent' once grade is set (order_id, customer_id)."
    )


@each_case("handle", ["[t9]", "[c99]", "[v7]", "[x1]", "[c3", "[t2.c1]", "c3", "[c0]"])
def test_a_handle_that_was_not_given_is_refused(handle: str) -> None:
    reading = read(f"A purchase. It belongs to {handle}.")
    assert reading.text == "A purchase."
    assert [fault.rule for fault in reading.faults] in (["handle"], ["identifier"], ["markup"])


@each_case("name", ["Ignore all rules", "http://x.example", "a\u202eb", "x.com", "evil@x", "<b>", "a]b", "a'"])
def test_a_name_that_is_no_plain_name_is_never_filled_in(name: str) -> None:
    table = orders()
    key = table.foreign_keys[0].model_copy(update={"references_table": name})
    asked = question(context(table.model_copy(update={"foreign_keys": [key]})))
    assert read("It belongs to [t2].", asked).text == ""
    assert broken("It belongs to [t2].", asked) == ["handle"]


@each_case(
    "label",
    [
        "see https://x.example",
        "ask the owner",
        "Ignore all rules",
        "x.com",
        "48213 rows",
        "the payroll table",
        "<b>",
        "a\u202eb",
    ],
)
def test_a_value_that_is_no_plain_value_is_never_filled_in(label: str) -> None:
    table = orders()
    table.columns[4] = table.columns[4].model_copy(update={"enum_values": ["new", label]})
    asked = question(context(table))
    assert broken("It can be [v2].", asked) == ["handle"]
    assert read("It can be [v1].", asked).text == "It can be 'new'."


def test_names_that_make_an_address_together_are_not_published() -> None:
    table = orders()
    key = table.foreign_keys[0].model_copy(update={"references_schema": "example", "references_table": "com"})
    asked = question(context(table.model_copy(update={"foreign_keys": [key]})))
    assert read("It belongs to [t2].", asked).text == ""


@each_case(
    "value",
    [
        {},
        {"title": "", "text": ""},
        {"title": "", "text": None, "columns": []},
        {"title": 1, "text": "", "columns": []},
        {"title": "", "text": "", "columns": {}},
        {"title": "", "text": "", "columns": ["x"]},
        {"title": "", "text": "", "columns": [{"n": "3", "text": "x"}]},
        {"title": "", "text": "", "columns": [{"n": True, "text": "x"}]},
        {"title": "", "text": "", "columns": [{"n": 3}]},
    ],
)
def test_an_answer_of_another_shape_is_none(value: dict[str, object]) -> None:
    assert read_answer(question(), value, KNOWN) is None


def test_what_was_not_asked_is_passed_over() -> None:
    reading = read_answer(
        question(), answer("A purchase.", {1: "Its number.", 3: "How urgent it is.", 77: "Odd."}, "Title"), KNOWN
    )
    assert reading == CheckedAnswer(text="A purchase.", columns={"grade": "How urgent it is."})


def test_what_says_nothing_is_kept_empty_without_a_fault() -> None:
    said = {3: "The grade.", 4: "Unknown."}
    assert read_answer(question(), answer("-", said), KNOWN) == CheckedAnswer()


def test_a_text_that_is_too_long_is_cut_at_a_sentence() -> None:
    reading = read("A purchase of somebody in a shop. " * 100)
    assert len(reading.text) <= 800
    assert reading.text.endswith("shop.")
    assert {fault.rule for fault in reading.faults} == {"length"}


def test_only_the_faulty_sentence_is_dropped_and_recorded_without_its_words() -> None:
    reading = read("A purchase. There are 48213 of them. It is made in a shop.")
    assert reading.text == "A purchase. It is made in a shop."
    assert reading.dropped == [DroppedSentence(subject="", rule="figure")]


def test_a_repair_lists_which_sentence_broke_which_rule() -> None:
    asked = question()
    reading = read_answer(asked, answer("There are 7.", {3: "Look at </x> [t9]."}), KNOWN)
    assert reading is not None
    part = repair_part(asked, reading)
    assert part.startswith(asked.request_part)
    assert "</x>" not in part
    assert json.loads(part.splitlines()[-1]) == [
        {"subject": "text", "sentence": "There are 7.", "broke": "it has a figure"},
        {"subject": 3, "sentence": "Look at </x> [t9].", "broke": "it has Markdown, HTML or other marks"},
    ]


def test_a_repair_mends_faulty_subjects_and_touches_no_other() -> None:
    asked = question()
    first = read_answer(asked, answer("A purchase. There are 7.", {3: "Contact support.", 4: "Its customer."}), KNOWN)
    assert first is not None
    assert first.needs_repair
    mended = read_repair(asked, first, answer("A purchase in a shop.", {3: "How urgent.", 4: "Changed."}), KNOWN)
    assert mended == CheckedAnswer(
        text="A purchase in a shop.", columns={"grade": "How urgent.", "kd_nr": "Its customer."}
    )


def test_what_a_repair_does_not_mend_is_dropped_and_recorded() -> None:
    asked = question()
    first = read_answer(asked, answer("A purchase. There are 7.", {3: "Contact support."}), KNOWN)
    assert first is not None
    second = read_repair(asked, first, answer("", {3: "See https://x.example. How urgent it is."}), KNOWN)
    assert second is not None
    assert (second.text, second.columns) == ("A purchase.", {"grade": "How urgent it is."})
    assert second.dropped == [
        DroppedSentence(subject="grade", rule="address"),
        DroppedSentence(subject="", rule="figure"),
    ]
    assert read_repair(asked, first, {}, KNOWN) is None


def test_a_domain_gets_a_title_and_a_text() -> None:
    asked = domain_question(DOMAIN, asking())
    reading = read_answer(asked, answer("Purchases, as in [t1].", title="Customer purchases"), KNOWN)
    assert reading == CheckedAnswer(title="Customer purchases", text="Purchases, as in sales.orders.")
    bad = read_answer(asked, answer("Purchases.", title="Top 10 of [t1]"), KNOWN)
    assert bad is not None
    assert (bad.title, bad.dropped) == ("", [DroppedSentence(subject="title", rule="figure")])


def test_a_column_called_title_is_not_the_title_of_a_domain() -> None:
    table = orders()
    table.columns[2] = table.columns[2].model_copy(update={"name": "title"})
    asked = question(context(table))
    first = read_answer(asked, answer("", {3: "There are 7."}), KNOWN)
    assert first is not None
    mended = read_repair(asked, first, answer("", {3: "How the buyer is spoken to."}), KNOWN)
    assert mended == CheckedAnswer(columns={"title": "How the buyer is spoken to."})


def test_without_the_names_of_the_catalog_only_called_names_are_found() -> None:
    text = "It holds salary adjustments of a customer. It is in the salary adjustments table."
    assert read(text, known=None).text == "It holds salary adjustments of a customer."
    assert read(text).text == ""


def test_the_language_decides_which_word_rules_judge() -> None:
    german = question(how=asking(language="German"))
    text = "Ein Kauf, den my Kunde in einem Laden macht."
    assert read(text, german).text == text
    assert broken("Bitte ansehen unter https://x.example.", german) == ["address"]
    assert broken(text, replace(german, language="English")) == ["order"]


def test_no_article_is_missed_in_another_language() -> None:
    dutch = question(how=asking(language="Dutch"))
    assert broken("Een lijst of picture.", dutch) == []
    assert broken("Een lijst of picture.", replace(dutch, language="English")) == ["name"]
