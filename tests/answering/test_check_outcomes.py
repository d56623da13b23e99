"""Which checks rule out what a question describes."""

from __future__ import annotations

from tests.cases import each_case
from tests.sample_shop.indexed import table_document
from tribal.answering.forms.check_outcomes import is_ruled_out
from tribal.answering.matches import AskedWord, TableMatch
from tribal.questions.words import question_words

_EITHER = "(arrived_at IS NULL) OR (departed_at IS NOT NULL AND arrived_at IS NOT NULL)"


@each_case(
    ("check", "question", "ruled_out"),
    [
        (_EITHER, "can a flight have arrived without having departed", True),
        (_EITHER, "can a flight have departed without having arrived", False),
        ("seats >= 0", "can seats be negative", True),
        ("seats >= 0", "can seats be zero", False),
        ("seats <> 0", "can there be zero seats", True),
        ("arrived_at >= departed_at", "can it have arrived before it departed", True),
        ("arrived_at >= departed_at", "can it have arrived after it departed", False),
        ("num_nonnulls(arrived_at, departed_at) = 1", "can it have arrived and departed", True),
        ("(seats IS NULL) <> (departed_at IS NULL)", "can it have seats and have departed", True),
        ("seats BETWEEN 1 AND 3", "can seats be negative", False),
        ("not SQL at all (", "can seats be negative", False),
    ],
)
def test_a_check_rules_out_a_row(check: str, question: str, ruled_out: bool) -> None:
    table = table_document("air.s.flight", "seats arrived_at departed_at", domain="d")
    words = question_words(question)
    match = TableMatch(table, [AskedWord.of(word.text, {}) for word in words])
    negated = {word.text for word in words if word.negated}
    assert is_ruled_out(check, question, match, negated) is ruled_out
