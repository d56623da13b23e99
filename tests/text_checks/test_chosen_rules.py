"""Each caller of the checks chooses its rules."""

from __future__ import annotations

from tests.cases import each_case
from tribal.text_checks import RULES, SentenceJudge, ShownText

NOTHING_SHOWN = ShownText()


def judge(*left_out: str) -> SentenceJudge:
    """A judge by all rules but these."""
    return SentenceJudge(NOTHING_SHOWN, {}, None, rules=RULES.keys() - {*left_out})


ONLY_ONE = [
    ("figure", "There are 12 kinds of invoices."),
    ("quoted", "The status is called 'open' by the sales team."),
    ("identifier", "The amount is stored in net_amount."),
    ("markup", "The amount is stored in *cents*."),
    ("order", "You should look at the invoices first."),
]


@each_case("rule, sentence", ONLY_ONE)
def test_a_sentence_that_breaks_one_rule_is_kept_by_who_leaves_it_out(rule: str, sentence: str) -> None:
    assert judge().broken_rule(sentence) == rule
    assert judge(rule).broken_rule(sentence) == ""


def test_the_next_rule_is_named_where_the_first_does_not_apply() -> None:
    sentence = "Ask sales@example for the 12 kinds."
    assert [judge().broken_rule(sentence), judge("address").broken_rule(sentence)] == ["address", "figure"]
