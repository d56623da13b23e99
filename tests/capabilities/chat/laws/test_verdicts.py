"""All laws are evaluated, the first that refuses is named, and one that fails refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cases import each_case
from tribal.capabilities.chat.laws.scope import NothingRetrieved, Relevance, scope_by_distance, scope_by_relevance
from tribal.capabilities.chat.laws.verdicts import APPROVED, MASTERY, LawVerdict, govern
from tribal_contracts.chat.state import Law


def _refuses() -> LawVerdict:
    return LawVerdict(False, "no")


def _raises() -> LawVerdict:
    raise ZeroDivisionError


def test_every_law_is_evaluated_and_the_first_that_refuses_is_named() -> None:
    seen: list[str] = []

    def law(name: str, verdict: LawVerdict) -> Callable[[], LawVerdict]:
        def evaluate() -> LawVerdict:
            seen.append(name)
            return verdict

        return evaluate

    verdict = govern(
        {
            "mastery": law("mastery", _refuses()),
            "integrity": law("integrity", _refuses()),
            "scope": law("scope", APPROVED),
        }
    )
    assert seen == ["scope", "integrity", "mastery"]
    assert (verdict.approved, verdict.law_violated, verdict.reason) == (False, "integrity", "no")


def test_mastery_approves_and_is_reported_as_not_enforced() -> None:
    verdict = govern({"scope": lambda: APPROVED, "mastery": lambda: MASTERY})
    assert verdict.approved
    assert verdict.not_enforced == ["mastery"]
    assert verdict.law_violated is None


@each_case("law", ["scope", "integrity", "mastery"])
def test_a_law_that_raises_refuses(law: Law) -> None:
    failed: list[tuple[Law, Exception]] = []
    laws: dict[Law, Callable[[], LawVerdict]] = {
        "scope": lambda: APPROVED,
        "integrity": lambda: APPROVED,
        "mastery": lambda: MASTERY,
    }
    verdict = govern({**laws, law: _raises}, lambda *each: failed.append(each))
    assert (verdict.approved, verdict.law_violated) == (False, law)
    assert isinstance(failed[0][1], ZeroDivisionError)


@each_case("distance, approved", [(1.499, True), (1.4999999, True), (1.5, False), (2.0, False), (0.0, True)])
def test_a_distance_of_the_threshold_is_out_of_scope(distance: float, approved: bool) -> None:
    assert scope_by_distance([Relevance(distance=distance)], 1.5).approved is approved


def test_a_follow_up_is_in_scope_with_the_turn_before_it() -> None:
    assert scope_by_distance([Relevance(distance=1.8), Relevance(distance=1.2)], 1.5).approved
    found = [Relevance(topic=0.01), Relevance(passage=0.4)]
    assert scope_by_relevance(found, 0.15, asks_what_exists=False).approved


def test_nothing_retrieved_is_refused() -> None:
    with pytest.raises(NothingRetrieved):
        scope_by_distance([Relevance()], 1.5)
    assert not scope_by_relevance([], 0.15, asks_what_exists=False).approved


def test_what_exists_may_always_be_asked() -> None:
    assert scope_by_relevance([Relevance()], 0.15, asks_what_exists=True).approved
