"""Ten small issues, whose checks run in the sandbox. The model is a script: this is about the plumbing."""

from __future__ import annotations

from pathlib import Path

from tests.capabilities.contribution.writing.issues import SUITABLE, Mind, package_in
from tests.capabilities.contribution.writing.small_issues import ISSUES, SmallIssue
from tests.cases import verify_all_but
from tests.fakes.github.server import FakeGitHub


@verify_all_but(4, "issue", ISSUES)
def test_an_issue_is_done_or_its_check_says_why_not(issue: SmallIssue, tmp_path: Path) -> None:
    answers = [issue.answer]
    mind = Mind(analyst=[issue.plan], code=answers, tests=answers, documents=answers)
    mind.scout = [{**SUITABLE, "read": [path for path, (search, _) in issue.edits.items() if search]}]
    package = package_in(tmp_path, github=FakeGitHub(dict(issue.files)), mind=mind)
    try:
        package.run_checks()
        record = package.do_issue(issue.title, "Please.")
        if issue.outcome == "failed check":
            assert record.outcome == "blocked"
            assert record.blockers[0].startswith("check "), record.blockers
            assert len(package.mind.data("code")) == 2, "it was repaired once"
            assert package.mind.data("code")[1]["failed"]["output"]
            return
        assert record.state == "waiting", record.blockers
        assert record.publication is not None
        assert record.publication.draft == (issue.outcome == "draft"), record.publication.body
        package.approve()
        [pull] = package.github.pulls.found
        published = package.github.objects.files(pull.branch)
        assert {path: published[path].decode() for path in issue.edits} == {
            path: issue.files.get(path, b"").decode().replace(search, replace) if search else replace
            for path, (search, replace) in issue.edits.items()
        }
    finally:
        package.github.stop()
