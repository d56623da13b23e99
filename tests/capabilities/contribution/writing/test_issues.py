"""A model does a small issue: hand-offs, checks, approval and the pull request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.capabilities.contribution.writing.issues import (
    BODY,
    EDITS,
    PACKAGE,
    PLANNED,
    SUITABLE,
    TITLE,
    Package,
    package_in,
)
from tests.fakes.github.server import FakeGitHub
from tribal.capabilities.contribution.errors import (
    ApprovalStale,
    ContributionForbidden,
    CycleUnknown,
    RepositoryNotAllowed,
)
from tribal.capabilities.contribution.views import contribution_output
from tribal.errors import RepositoryUnusable
from tribal.identity.scope import Scope
from tribal_contracts import ModelQuote
from tribal_contracts.contribution.changes import CodeChanges, DocsChanges, TestChanges
from tribal_contracts.contribution.tools import PrepareContributionInput


@pytest.fixture(name="package")
def package_fixture(tmp_path: Path) -> Iterator[Package]:
    package = package_in(tmp_path)
    yield package
    package.github.stop()


def test_a_model_changes_code_tests_and_documents_and_a_person_publishes_them(package: Package) -> None:
    record = package.do_issue()
    assert (record.state, record.recipe, record.model, record.database) == ("waiting", None, "writer", "")
    handoffs = package.contributions().files.handoffs(1)
    code, tests, documents = (handoffs[each] for each in ("agent-4-coder", "agent-5-tester", "agent-6-docs"))
    assert isinstance(code, CodeChanges)
    assert isinstance(tests, TestChanges)
    assert isinstance(documents, DocsChanges)
    assert [each.file for each in code.changes] == ["pricing/prices.py"]
    assert [each.tests_added[0].name for each in tests.test_files] == ["test_of_a_negative_price"]
    assert [each.sections_updated[0].heading for each in documents.doc_files] == ["Net"]
    assert record.publication is not None
    assert record.publication.branch == f"tribal/{record.swarm_id[:8]}-1-refuse-negative-prices"
    approved = package.approve()
    assert approved.state == "following"
    [pull] = package.github.pulls.found
    assert (pull.title, pull.draft) == ("Refuse negative prices", True)
    assert "Fixes #7" in pull.body
    assert "A language model wrote this change." in pull.body
    assert "bubblewrap is not installed" in pull.body
    package.require_specified()


def test_what_a_model_may_cost_is_quoted_before_and_booked_to_the_contribution(package: Package) -> None:
    quotes: list[ModelQuote] = []
    service = package.contributions()
    service.prepare(PrepareContributionInput(issue=package.ask("Fix it", "Please.")), confirm=quotes.append)
    [quote] = quotes
    assert quote.calls == 5
    assert {(each.name, each.usd) for each in package.source.accounts} == {("cycle:1", 2.0)}


def test_an_issue_that_is_too_large_or_unclear_is_left_to_people(package: Package) -> None:
    package.mind.scout = [{**SUITABLE, "suitable": False, "problem": "It does not say which price."}]
    record = package.do_issue()
    assert record.outcome == "blocked"
    assert record.blockers == [
        "the model finds the issue unsuitable: It does not say which price; describe it more exactly, or do it by hand"
    ]
    package.mind.scout, package.mind.analyst = [SUITABLE], [{**PLANNED, "complexity": "hard"}]
    assert package.do_issue().outcome == "blocked"


def test_the_output_shows_the_checks_of_all_agents(package: Package) -> None:
    record = package.do_issue()
    output = contribution_output(package.contributions(), record)
    assert {(each.name, each.status) for each in output.checks} == {
        ("lint", "not_run"),
        ("build", "absent"),
        ("test", "not_run"),
    }
    assert output.diff is not None
    assert "+    if gross_cents < 0:" in output.diff


def test_a_failed_check_is_shown_to_the_model_once_and_then_ends_the_cycle(package: Package) -> None:
    wrong = {
        **EDITS["code"],
        "edits": [{**EDITS["code"]["edits"][0], "replace": '    """The price."""\n    return 1\n'}],
    }
    package.run_checks()
    package.mind.code = [wrong, EDITS["code"]]
    assert package.do_issue().state == "waiting"
    first, second = package.mind.data("code")
    assert "failed" not in first
    assert second["failed"]["command"] == "make test"
    assert "AssertionError: 1 != 100" in second["failed"]["output"]
    assert "+    return 1" in second["before"][0]
    package.mind.code = [wrong]
    record = package.do_issue()
    assert (record.outcome, record.stopped_by) == ("blocked", "agent-4-coder")
    assert record.blockers == ["check test failed: make test"]


def test_what_passed_its_checks_is_no_draft(package: Package) -> None:
    package.run_checks()
    record = package.do_issue()
    assert record.publication is not None
    assert record.publication.draft is False
    assert "- test: passed, `make test`" in record.publication.body
    tests = package.contributions().files.handoffs(1)["agent-5-tester"]
    assert isinstance(tests, TestChanges)
    [lint, test] = tests.checks
    assert (lint.status, test.status) == ("passed", "passed")
    assert "Ran 2 tests" in test.output


def test_a_change_that_the_base_branch_has_overtaken_is_stale(package: Package) -> None:
    package.do_issue()
    package.github.objects.commit({**PACKAGE, "README.md": b"# Another\n"})
    assert package.contributions().review(1).sha256, "another file does not matter"
    package.github.objects.commit({**PACKAGE, "pricing/prices.py": b"def net(x): return x\n"})
    with pytest.raises(ApprovalStale, match="the base branch has changed what contribution 1 changes"):
        package.contributions().review(1)


def test_a_database_that_is_kept_from_models_keeps_its_repository_from_them(package: Package) -> None:
    package.source.kept = frozenset({"shop"})
    with pytest.raises(RepositoryNotAllowed, match="`describer: rules` keeps from models"):
        package.do_issue()
    assert package.mind.asked == []


def test_a_caller_who_may_see_some_tables_sees_no_changes_for_issues(package: Package) -> None:
    package.do_issue()
    bounded = package.contributions(scope=Scope(frozenset({"shop"})))
    assert bounded.records() == []
    with pytest.raises(CycleUnknown):
        bounded.record(1)
    with pytest.raises(ContributionForbidden, match="you may see only some of them"):
        bounded.prepare(PrepareContributionInput(issue=package.ask(TITLE, BODY)))


def test_without_a_model_an_issue_asks_for_descriptions_or_is_refused(package: Package) -> None:
    settings = package.parts.settings.model_copy(update={"model": None})
    package.parts = replace(package.parts, settings=settings, models=None)
    with pytest.raises(RepositoryUnusable, match="does not ask for a description"):
        package.do_issue()


def test_a_check_that_fails_without_the_change_too_says_nothing_about_it(tmp_path: Path) -> None:
    broken = {**PACKAGE, "Makefile": b"test:\n\tfalse\n"}
    package = package_in(tmp_path, github=FakeGitHub(broken))
    package.run_checks()
    record = package.do_issue()
    assert record.publication is not None
    assert record.publication.draft is True
    assert "- test: not run, `make test` (it fails without the change, too)" in record.publication.body
    assert len(package.mind.data("code")) == 1
    package.github.stop()


def test_checks_whose_packages_cannot_be_installed_are_not_run(tmp_path: Path) -> None:
    broken = {**PACKAGE, "Makefile": PACKAGE["Makefile"] + b"\ninstall:\n\techo there is no index; false\n"}
    package = package_in(tmp_path, github=FakeGitHub(broken))
    package.run_checks()
    record = package.do_issue()
    output = contribution_output(package.contributions(), record)
    [test] = [each for each in output.checks if each.name == "test"]
    assert (test.status, test.output.splitlines()[0]) == (
        "not_run",
        "what it needs could not be installed by make install",
    )
    assert "there is no index" in test.output
    package.github.stop()
