"""Agents 4 to 6 by a model: the coder, the tester and the writer of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tribal.capabilities.contribution.agents.coder import branch_of, commit_message, summary_of
from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.gate.diffs import changed_files
from tribal.capabilities.contribution.writing.checks import CheckName, open_checks, passed
from tribal.capabilities.contribution.writing.edits import files_of
from tribal.capabilities.contribution.writing.writer import RoleChange, write
from tribal_contracts.contribution.changes import (
    AddedTest,
    ChangedTestFile,
    CodeChange,
    CodeChanges,
    CodeValidation,
    CountedTests,
    DocFile,
    DocsChanges,
    DocsSummary,
    DocsValidation,
    TestChanges,
    UpdatedSection,
    ValidatedTests,
)
from tribal_contracts.contribution.handoffs import Check, CodebaseMap, FileToModify, IssueAnalysis

_CHECKS: tuple[CheckName, ...] = ("lint", "build", "test")


def coder(context: AgentContext) -> CodeChanges:
    """Change the code, and run the repository's own checks on it."""
    explored = context.earlier(CodebaseMap)
    left = _CHECKS[2:] if any(each.change_type == "edit" for each in _named_tests(context)) else ()
    with open_checks(context, explored.build_commands) as checks:
        written = write(context, "code", partial(checks.run, [each for each in _CHECKS if each not in left]))
    # The others run them, on what they change.
    left = left if written.changes else _CHECKS
    ran = [*written.checks, *(Check(name=each, status="absent", command="", output="") for each in left)]
    return CodeChanges(
        agent="agent-4-coder",
        timestamp=context.now,
        cycle=context.record.cycle,
        status="completed",
        branch=branch_of(context),
        changes=list(written.changes),
        validation=CodeValidation(
            lint_passed=passed(ran, "lint"),
            typecheck_passed=True,  # no repository states a command of its own for it
            build_passed=passed(ran, "build"),
            tests_passed=passed(ran, "test"),
            errors=list(written.blockers),
        ),
        summary=summary_of(written.changes),
        commit_ready=not written.blockers and all(passed(ran, name) for name in _CHECKS),
        suggested_commit_message=commit_message(context),
        checks=ran,
        blockers=list(written.blockers),
    )


def tester(context: AgentContext) -> TestChanges:
    """Change the tests, and run all of them on the change."""
    code = context.earlier(CodeChanges)
    named = _named_tests(context)
    if not named:
        return _tested(context, RoleChange(), code.validation.tests_passed, "the change names no test")
    before = _changed(context, code.changes)
    with open_checks(context, context.earlier(CodebaseMap).build_commands) as checks:
        written = write(context, "tests", lambda own: checks.run(["lint", "test"], {**before, **own}), code.changes)
    return _tested(context, written, passed(written.checks, "test"), "")


def docs(context: AgentContext) -> DocsChanges:
    """Change the documents."""
    code = context.earlier(CodeChanges).changes
    before = _changed(context, code)
    with open_checks(context, context.earlier(CodebaseMap).build_commands) as checks:
        written = write(context, "documents", lambda own: checks.run(_CHECKS, {**before, **own}) if own else [], code)
    files = [
        DocFile(
            path=each.file,
            action="created" if each.action == "created" else "modified",
            sections_updated=[
                UpdatedSection(heading=note.name, change=note.text) for note in written.notes_of(each.file) if note.name
            ],
            diff=each.diff,
            lines_changed=each.lines_changed,
        )
        for each in written.changes
    ]
    sections = sum(len(each.sections_updated) for each in files)
    added = sum(len(each.sections_updated) for each in files if each.action == "created")
    return DocsChanges(
        agent="agent-6-docs",
        timestamp=context.now,
        cycle=context.record.cycle,
        status="completed",
        docs_required=bool(files),
        reason="" if files else "the change names no document",
        doc_files=files,
        # A link that leads nowhere is a fault of the answer.
        validation=DocsValidation(links_valid=True, examples_tested=False, spelling_checked=False),
        summary=DocsSummary(files_updated=len(files), sections_added=added, sections_modified=sections - added),
        checks=list(written.checks),
        blockers=list(written.blockers),
    )


def _named_tests(context: AgentContext) -> list[FileToModify]:
    layout = context.earlier(CodebaseMap).structure
    return files_of("tests", context.earlier(IssueAnalysis).analysis.files_to_modify, layout)


def _tested(context: AgentContext, written: RoleChange, passes: bool, reason: str) -> TestChanges:
    files = [
        ChangedTestFile(
            path=each.file,
            action="created" if each.action == "created" else "modified",
            tests_added=[
                AddedTest(name=note.name, type="unit", covers=note.text)
                for note in written.notes_of(each.file)
                if note.name
            ],
            diff=each.diff,
            lines_changed=each.lines_changed,
        )
        for each in written.changes
    ]
    return TestChanges(
        agent="agent-5-tester",
        timestamp=context.now,
        cycle=context.record.cycle,
        status="completed",
        tests_required=bool(files),
        reason=reason,
        test_files=files,
        validation=ValidatedTests(
            existing_tests_pass=passes, new_tests_pass=passes, coverage_before="", coverage_after=""
        ),
        summary=CountedTests(
            tests_added=sum(len(each.tests_added) for each in files),
            tests_modified=sum(each.action == "modified" for each in files),
            total_test_files=len(files),
        ),
        checks=list(written.checks),
        blockers=list(written.blockers),
    )


def _changed(context: AgentContext, changes: Sequence[CodeChange]) -> Mapping[str, bytes]:
    """The files as the coder left them."""
    return changed_files(context.source.files(context.record.base_commit), {each.file: each.diff for each in changes})
