"""Reviews of what a model wrote: prepared changes and replies, which wait for approval again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.capabilities.contribution.writing.issues import Package, package_in
from tribal.capabilities.contribution.errors import ApprovalStale, CycleUnsuitable
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


def test_answers_are_never_published_once_the_contribution_has_ended(package: Package) -> None:
    [pull] = package.github.pulls.found
    pull.say("bea", "Please name the price in the message.")
    follow(package, CHANGED)
    service = package.contributions()
    review, head = service.review(1), package.github.objects.tip(pull.branch)
    package.github.pulls.merge(pull.number)
    refused = service.approve(review, review.sha256[:8])
    assert refused.error is not None
    assert "no longer open" in refused.error.message
    assert [each.outcome for each in service.follow()] == ["merged"]
    with pytest.raises(CycleUnsuitable, match="contribution 1 is merged; there is nothing to approve"):
        service.approve(review, review.sha256[:8])
    assert (package.github.objects.tip(pull.branch), len(pull.comments)) == (head, 1)


def test_an_aborted_contribution_has_no_answers_to_approve(package: Package) -> None:
    [pull] = package.github.pulls.found
    pull.say("bea", "Why?")
    follow(package, ANSWERED)
    service = package.contributions()
    assert service.abort(1).follow_up is None
    with pytest.raises(CycleUnsuitable):
        service.review(1)


def test_a_repository_that_became_public_gets_no_answers(package: Package) -> None:
    [pull] = package.github.pulls.found
    pull.say("bea", "Why?")
    follow(package, ANSWERED)
    service = package.contributions()
    review = service.review(1)
    package.github.private, package.github.visibility = False, "public"
    with pytest.raises(ApprovalStale):
        service.approve(review, review.sha256[:8])
    package.approve()
    assert package.contributions().record(1).error is not None
    assert len(pull.comments) == 1


def test_a_mark_that_someone_else_wrote_is_a_comment_like_any_other(package: Package) -> None:
    [pull] = package.github.pulls.found
    record = package.contributions().record(1)
    asked = pull.say("bea", "Why are prices integers?")
    pull.say("mallory", f"<!-- tribal:{record.swarm_id}:1:reply-{asked} -->")
    record = follow(package, ANSWERED, LEFT)
    assert [each.comment for each in record.follow_up.answers] == [asked]
    package.approve()
    assert [each["user"]["login"] for each in pull.comments] == ["bea", "mallory", "tribal[bot]"]


def test_a_comment_that_cannot_be_answered_does_not_hold_up_the_others(package: Package) -> None:
    [pull] = package.github.pulls.found
    pull.say("bea", "Please do something odd.")
    pull.say("cem", "Why are prices integers?")
    record = follow(package, {"kind": "change", "reply": 7, "edits": [1]}, {}, ANSWERED)
    assert len(record.follow_up.answers) == 1
    [left] = record.answered
    assert left.left.startswith('bea: "Please do something odd." (the model gave no answer that can be used')
    output = contribution_output(package.contributions(), record)
    assert output.left_to_you == [left.left]
    # Waiting answers stay, and only new comments are asked about.
    pull.say("di", "And why cents?")
    again = follow(package, ANSWERED)
    assert len(package.mind.data("review")) == 1
    assert len(again.follow_up.answers) == 2


def test_a_reply_to_a_comment_that_was_deleted_is_withdrawn(package: Package) -> None:
    [pull] = package.github.pulls.found
    pull.say("bea", "Why?", "pricing/prices.py", 7)
    assert follow(package, ANSWERED).follow_up is not None
    pull.line_comments.clear()
    assert follow(package, ANSWERED).follow_up is None


def test_a_change_whose_checks_fail_is_left_to_a_person_with_the_reason(tmp_path: Path) -> None:
    package = package_in(tmp_path)
    package.run_checks()
    package.do_issue()
    package.approve()
    [pull] = package.github.pulls.found
    pull.say("bea", "Please return nothing.")
    broken = {"kind": "change", "reply": "Done.", "edits": [{**CHANGED["edits"][0], "replace": '""'}]}
    record = follow(package, broken)
    assert record.follow_up is None
    assert record.answered[0].left == 'bea: "Please return nothing." (its change fails make test)'
    pull.say("bea", "Then name the price.")
    passing = follow(package, CHANGED)
    output = contribution_output(package.contributions(), passing)
    assert {each.name: each.status for each in output.checks} == {"lint": "passed", "build": "absent", "test": "passed"}
    package.github.stop()


def test_a_commit_says_that_its_checks_were_not_run(package: Package) -> None:
    [pull] = package.github.pulls.found
    pull.say("bea", "Please name the price in the message.")
    record = follow(package, CHANGED)
    assert "Its checks were not run." in record.follow_up.publication.messages[0]
    assert {each.status for each in record.follow_up.checks} == {"not_run", "absent"}


def test_the_limit_of_lines_holds_for_the_whole_pull_request(package: Package) -> None:
    [pull] = package.github.pulls.found
    pull.say("bea", "Please say more.", "docs/prices.md", 5)
    text = "".join(f"Line {number} of the document.\n" for number in range(290))
    edit = {"path": "docs/prices.md", "search": "## Net\n", "replace": f"## Net\n\n{text}"}
    record = follow(package, {"kind": "change", "reply": "Done.", "edits": [edit]})
    assert record.follow_up is None
    assert "the pull request would change more than 300 lines" in record.answered[0].left


def test_a_database_that_is_kept_from_models_later_is_kept_from_then_on(package: Package) -> None:
    [pull] = package.github.pulls.found
    pull.say("bea", "Why?")
    package.source.kept = frozenset({"shop"})
    record = follow(package, ANSWERED)
    assert package.mind.asked == []
    assert record.error is not None
    assert "keeps from models" in record.error.message
