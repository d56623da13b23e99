"""The hand-offs with the change itself: code, tests and documents. Source: contribution specification, 4 to 6."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from tribal_contracts.contribution.handoffs import Check, Handoff, HandoffStatus
from tribal_contracts.core.shape import Contract, Count


class LinesChanged(Contract):
    """How many lines a change adds and removes."""

    added: Count
    removed: Count

    @property
    def total(self) -> int:
        """Lines added and removed."""
        return self.added + self.removed


class CodeChange(Contract):
    """A changed file."""

    file: str
    action: Literal["created", "modified", "deleted"]
    diff: str
    lines_changed: LinesChanged
    description: str


class CodeValidation(Contract):
    """The outcome of the checks of a change."""

    lint_passed: bool
    typecheck_passed: bool
    build_passed: bool
    tests_passed: bool
    errors: list[str]


class CodeSummary(Contract):
    """The size of a change."""

    total_files_changed: Count
    total_additions: Count
    total_deletions: Count


class CodeChanges(Handoff):
    """Coder to PR. File: `contribution/code-changes.json`."""

    agent: Literal["agent-4-coder"]
    status: HandoffStatus
    branch: str
    changes: list[CodeChange]
    validation: CodeValidation
    summary: CodeSummary
    commit_ready: bool
    suggested_commit_message: str
    checks: list[Check] = Field(default_factory=list, description="Extension.")
    warnings: list[str] = Field(default_factory=list, description="Extension.")
    notes: list[str] = Field(default_factory=list, description="Extension: for the reviewer, in Markdown.")
    identifiers: list[str] = Field(
        default_factory=list, description="Extension: identifiers in the diff that may look like personal data."
    )


class AddedTest(Contract):
    """A test that was added."""

    name: str
    type: Literal["unit", "integration", "e2e"]
    covers: str


class ChangedTestFile(Contract):
    """A file of tests that was changed."""

    path: str
    action: Literal["created", "modified"]
    tests_added: list[AddedTest]
    diff: str = Field(default="", description="Extension.")
    lines_changed: LinesChanged = Field(
        default_factory=lambda: LinesChanged(added=0, removed=0), description="Extension."
    )


class ValidatedTests(Contract):
    """The outcome of the tests. Coverage is empty unless the test command states it."""

    existing_tests_pass: bool
    new_tests_pass: bool
    coverage_before: str
    coverage_after: str


class CountedTests(Contract):
    """How many tests were changed."""

    tests_added: Count
    tests_modified: Count
    total_test_files: Count


class TestChanges(Handoff):
    """Tester to PR. File: `contribution/test-changes.json`."""

    __test__: ClassVar[bool] = False
    """pytest does not take it for tests."""
    agent: Literal["agent-5-tester"]
    status: HandoffStatus
    tests_required: bool
    reason: str
    test_files: list[ChangedTestFile]
    validation: ValidatedTests
    summary: CountedTests
    checks: list[Check] = Field(default_factory=list, description="Extension.")


class UpdatedSection(Contract):
    """A section of a document that was changed."""

    heading: str
    change: str


class DocFile(Contract):
    """A document that was changed."""

    path: str
    action: Literal["created", "modified"]
    sections_updated: list[UpdatedSection]
    diff: str = Field(default="", description="Extension.")
    lines_changed: LinesChanged = Field(
        default_factory=lambda: LinesChanged(added=0, removed=0), description="Extension."
    )


class DocsValidation(Contract):
    """The outcome of the checks of documents."""

    links_valid: bool
    examples_tested: bool
    spelling_checked: bool


class DocsSummary(Contract):
    """How many documents were changed."""

    files_updated: Count
    sections_added: Count
    sections_modified: Count


class DocsChanges(Handoff):
    """Docs to PR. File: `contribution/docs-changes.json`."""

    agent: Literal["agent-6-docs"]
    status: HandoffStatus
    docs_required: bool
    reason: str
    doc_files: list[DocFile]
    validation: DocsValidation
    summary: DocsSummary
    checks: list[Check] = Field(default_factory=list, description="Extension.")
