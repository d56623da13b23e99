"""A model does a small issue: hand-offs, checks, approval and the pull request."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.capabilities.contribution.writing.issues import (
    BODY,
    EDITS,
    PACKAGE,
    PLANNED,
    SUITABLE,
    TITLE,
    Mind,
    Package,
    package_in,
)
from tests.cases import each_case
from tests.fakes.github.server import FakeGitHub
from tribal.adapters.bubblewrap.sandbox import open_sandbox
from tribal.capabilities.contribution.errors import (
    ApprovalStale,
    ContributionForbidden,
    CycleUnknown,
    CycleUnsuitable,
    RepositoryNotAllowed,
)
from tribal.capabilities.contribution.views import contribution_output
from tribal.capabilities.contribution.writing.schemas import ANALYST, EDITOR, SCOUT, fits
from tribal.errors import RepositoryUnusable
from tribal.identity.scope import Scope
from tribal.ports.sandbox import PackageIndex, Sandbox, SandboxResult
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
    assert "- test: not run, `make test` (there was no sandbox to run it in)" in pull.body
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


def test_documents_are_part_of_what_is_checked(tmp_path: Path) -> None:
    checked = {**PACKAGE, "Makefile": b"test:\n\tgrep -q 'has no VAT' docs/prices.md\n"}
    package = package_in(tmp_path, github=FakeGitHub(checked))
    package.run_checks()
    edit = {"path": "docs/prices.md", "search": "has no VAT", "replace": "lacks VAT"}
    package.mind.documents = [{**EDITS["documents"], "edits": [edit]}]
    record = package.do_issue()
    assert (record.outcome, record.stopped_by) == ("blocked", "agent-6-docs")
    assert record.blockers == ["check test failed: make test"]
    package.github.stop()


def test_a_change_of_what_the_checks_are_is_a_draft_with_a_warning(package: Package) -> None:
    package.run_checks()
    named = {"path": "Makefile", "change": "edit", "why": "check more"}
    package.mind.analyst = [{**PLANNED, "files": [*PLANNED["files"], named]}]
    edit = {"path": "Makefile", "search": "lint:\n", "replace": "lint: \n"}
    package.mind.code = [{**EDITS["code"], "edits": [*EDITS["code"]["edits"], edit]}]
    record = package.do_issue()
    assert record.publication is not None
    assert record.publication.draft is True
    assert "It is a draft: Makefile says what the checks are." in record.publication.body
    assert "it changes Makefile, which says what the checks are" in record.warnings


def test_the_limit_of_lines_holds_for_all_agents_together(package: Package) -> None:
    text = "".join(f"Line {number} of the document.\n" for number in range(160))
    edits = [{"path": "docs/prices.md", "search": "## Net\n", "replace": f"## Net\n\n{text}"}]
    package.mind.documents = [{**EDITS["documents"], "edits": edits}]
    tests = EDITS["tests"]["edits"][0]
    many = tests["replace"] + "".join(f"# {number}\n" for number in range(160))
    package.mind.tests = [{**EDITS["tests"], "edits": [{**tests, "replace": many}]}]
    record = package.do_issue()
    assert record.outcome == "blocked"
    assert record.blockers[0].endswith("lines; contribution.limits.issue_lines is 300")


@each_case(
    "path",
    ["pricing", "README.md/deeper.md", "x" * 300, ".github/x.yml", "../outside", "latest"],
)
def test_a_path_that_no_file_can_have_ends_the_cycle(path: str, tmp_path: Path) -> None:
    package = package_in(tmp_path, github=FakeGitHub({**PACKAGE, "latest": (0o120000, b"docs")}))
    named = {"path": path, "change": "create", "why": "to see"}
    package.mind.analyst = [{**PLANNED, "files": [*PLANNED["files"], named]}]
    record = package.do_issue()
    assert record.outcome == "blocked"
    assert record.blockers[0].startswith(f"{path!r} cannot be changed: ")
    package.github.stop()


_WRONG: tuple[object, ...] = (None, 7, "text", [], {}, [1], True, "\ud800")
_NEVER: tuple[object, ...] = (None, 7, "x", {}, [1])
_NO_NUMBERS: tuple[object, ...] = (True, 1.5, math.inf, "1")
_RIGHT = {"scout": SUITABLE, "analyst": PLANNED, "code": EDITS["code"]}
_FIELDS = [(agent, field) for agent, right in _RIGHT.items() for field in right]


@each_case(
    ("agent", "field", "wrong"),
    [(agent, field, _WRONG[number % len(_WRONG)]) for number, (agent, field) in enumerate(_FIELDS)],
)
def test_answers_of_another_form_are_asked_for_again_and_end_the_cycle(
    agent: str, field: str, wrong: object, package: Package
) -> None:
    before = package.mind
    package.source.mind = package.mind = replace(Mind(), **{agent: [{**_RIGHT[agent], field: wrong}]})  # type: ignore[arg-type]
    record = package.do_issue()
    package.source.mind = package.mind = before
    assert record.error is None, record.error
    assert record.state == "waiting" or record.outcome == "blocked"


@each_case(
    ("value", "schema", "is_fitting"),
    [
        (SUITABLE, SCOUT, True),
        (PLANNED, ANALYST, True),
        (EDITS["code"], EDITOR, True),
        ({**SUITABLE, "more": 1}, SCOUT, True),
        *(({**SUITABLE, field: wrong}, SCOUT, False) for field in ("suitable", "type", "read") for wrong in _NEVER),
        *(({**PLANNED, "lines": wrong}, ANALYST, False) for wrong in _NO_NUMBERS),
        ({**PLANNED, "files": [{"path": "a"}]}, ANALYST, False),
        ({}, EDITOR, False),
        ([], EDITOR, False),
    ],
)
def test_answers_are_compared_with_their_schema(value: object, schema: Mapping[str, Any], is_fitting: bool) -> None:
    assert fits(value, schema) is is_fitting


def test_an_issue_whose_text_only_mentions_a_comment_is_done_by_the_model(package: Package) -> None:
    record = package.do_issue("The importer crashes", "It fails on sales.customer; see the comment in the code.")
    assert (record.recipe, record.model) == (None, "writer")


def test_an_issue_is_done_once_at_a_time(package: Package) -> None:
    package.do_issue()
    again = PrepareContributionInput(issue=package.ask(TITLE, BODY))
    with pytest.raises(CycleUnsuitable, match="contribution 1 is for this issue already"):
        package.contributions().prepare(again)


def test_a_secret_next_to_a_change_is_not_shown_to_the_other_agents(tmp_path: Path) -> None:
    code = PACKAGE["pricing/prices.py"].replace(b"def net", b'KEY = "AKIAIOSFODNN7EXAMPLE"\n\n\ndef net')
    package = package_in(tmp_path, github=FakeGitHub({**PACKAGE, "pricing/prices.py": code}))
    assert package.do_issue().state == "waiting"
    assert "AKIAIOSFODNN7EXAMPLE" not in repr(package.mind.asked)
    assert package.mind.data("tests")[0]["changed"] != []
    package.github.stop()


@dataclass
class CountingSandbox:
    """A sandbox that counts installations."""

    sandbox: Sandbox
    installed: list[str]

    def install(self, files: Path, command: str, environment: Path, index: PackageIndex) -> SandboxResult:
        self.installed.append(command)
        return self.sandbox.install(files, command, environment, index)

    def run(self, files: Path, command: str, environment: Path | None = None) -> SandboxResult:
        return self.sandbox.run(files, command, environment)


def test_what_checks_need_is_installed_once_for_all_agents(tmp_path: Path) -> None:
    makefile = PACKAGE["Makefile"].replace(b"test:\n", b"test:\n\ttest -f /environment/tool\n")
    installing = {**PACKAGE, "Makefile": makefile + b"\ninstall:\n\ttouch /environment/tool\n"}
    package = package_in(tmp_path, github=FakeGitHub(installing))
    package.run_checks()
    installed: list[str] = []
    package.open_sandbox = lambda: CountingSandbox(open_sandbox(), installed)
    package.use()
    record = package.do_issue()
    assert record.publication is not None
    assert record.publication.draft is False
    assert len(installed) == 1
    package.github.stop()
