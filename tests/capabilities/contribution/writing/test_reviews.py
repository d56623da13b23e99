"""Reviews of what a model wrote: prepared changes and replies, which wait for approval again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.capabilities.contribution.writing.issues import Package, package_in
from tribal.capabilities.contribution.errors import ApprovalStale
from tribal.capabilities.contribution.views import contribution_output
from tribal_contracts.contribution.reviews import ReviewActivity

CHANGED: dict[str, Any] = {
    "kind": "change",
    "reply": "The message names the price now.",
    "edits": [
        {
            "path": "pricing/prices.py",
            "search": '"a price is not negative"',
            "replace": 'f"a price is not negative: {gross_cents}"',
        }
    ],
}
ANSWERED: dict[str, Any] = {"kind": "question", "reply": "Because a gross price has VAT.", "edits": []}
LEFT: dict[str, Any] = {"kind": "out_of_scope", "reply": "", "edits": []}


@pytest.fixture(name="package")
def package_fixture(tmp_path: Path) -> Iterator[Package]:
    package = package_in(tmp_path)
    package.do_issue()
    package.approve()
    yield package
    package.github.stop()


def follow(package: Package, *answers: dict[str, Any]) -> Any:
    package.mind.review = answers
    package.mind.asked.clear()
    [record] = package.contributions().follow()
    package.require_specified()
    return record


def test_a_comment_becomes_a_commit_and_a_reply_once_a_person_approves(package: Package) -> None:
    [pull] = package.github.pulls.found
    head = package.github.objects.tip(pull.branch)
    asked = pull.say("bea", "Please name the price in the message.", "pricing/prices.py", 7)
    record = follow(package, CHANGED)
    assert record.state == "following"
    assert package.github.objects.tip(pull.branch) == head
    assert len(pull.line_comments) == 1
    output = contribution_output(package.contributions(), record)
    assert output.diff is not None
    assert '+        raise ValueError(f"a price is not negative: {gross_cents}")' in output.diff
    assert output.message.startswith("Answers to the review wait for approval")
    approved = package.approve()
    assert (approved.state, approved.follow_up, approved.approvals) == ("following", None, 2)
    tip = package.github.objects.tip(pull.branch)
    assert tip != head
    shown = package.github.objects.shown_commit(tip or "")
    assert shown is not None
    assert [each["sha"] for each in shown["parents"]] == [head]
    assert "Tribal-Action: commit-2" in shown["message"]
    reply = pull.line_comments[1]
    assert reply["in_reply_to_id"] == asked
    assert reply["body"].startswith("The message names the price now.")
    assert "Tribal Knowledge, a program, prepared this answer; ada@here read and approved it." in reply["body"]
    # Nothing is left to answer.
    assert follow(package, CHANGED).follow_up is None
    assert package.mind.asked == []
    activity = package.contributions().files.handoffs(1)["agent-8-reviews"]
    assert isinstance(activity, ReviewActivity)
    assert {each.type for each in activity.activity} == {"review_received", "comment_replied", "changes_made"}


def test_a_question_gets_a_reply_and_the_rest_is_left_to_people(package: Package) -> None:
    [pull] = package.github.pulls.found
    pull.review("bea", "CHANGES_REQUESTED", "Why are prices integers?")
    pull.say("cem", "Nice!")
    record = follow(package, ANSWERED, LEFT)
    assert [each.reply.splitlines()[0] for each in record.follow_up.answers] == ["Because a gross price has VAT."]
    assert [each.kind for each in record.answered] == ["out_of_scope"]
    head = package.github.objects.tip(pull.branch)
    package.approve()
    assert package.github.objects.tip(pull.branch) == head
    assert [each["user"]["login"] for each in pull.comments] == ["cem", "tribal[bot]"]


def test_answers_to_a_branch_that_was_changed_meanwhile_are_prepared_again(package: Package) -> None:
    [pull] = package.github.pulls.found
    pull.say("bea", "Please name the price in the message.")
    follow(package, CHANGED)
    service = package.contributions()
    review = service.review(1)
    files = package.github.objects.files(pull.branch)
    package.github.objects.commit({**files, "docs/prices.md": b"# Prices\n"}, pull.branch)
    failed = service.approve(review, review.sha256[:8])
    assert failed.error is not None
    assert failed.error.code == ApprovalStale.default_code
    assert len(pull.comments) == 1
    again = follow(package, CHANGED)
    assert again.follow_up is not None
    assert again.follow_up.head == package.github.objects.tip(pull.branch)
    assert package.approve().follow_up is None
    assert len(pull.comments) == 2
