"""The eight hand-offs between the agents of a contribution.

Source: contribution specification, "Interface Definitions". Fields that the specification lacks are extensions.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.core.shape import AgentError, Contract, Count, ISOTimestamp, Unset, optional

AgentName = Literal[
    "agent-1-scout",
    "agent-2-analyst",
    "agent-3-explorer",
    "agent-4-coder",
    "agent-5-tester",
    "agent-6-docs",
    "agent-7-pr",
    "agent-8-reviews",
]
HandoffStatus = Literal["completed", "failed"]
Difficulty = Literal["trivial", "easy", "medium"]
IssueType = Literal["documentation", "bug-fix", "feature", "test", "refactor"]
ChangeType = Literal["create", "edit", "delete"]
CiStatus = Literal["pending", "success", "failure"]
CheckStatus = Literal["passed", "failed", "absent", "not_run"]
Line = Annotated[int, Field(ge=1)]


class Handoff(Contract):
    """The fields that all hand-offs share."""

    timestamp: ISOTimestamp
    cycle: Count = Field(description="Extension: the cycle that it belongs to; 0 in none.")
    blockers: list[str] = Field(
        default_factory=list, description="Extension: what a repository or an issue says against the change."
    )
    errors: list[AgentError] = Field(
        default_factory=list, description='Extension, from "Error Handling": why it failed; empty unless it failed.'
    )


class Check(Contract):
    """Extension. A check that was run on a change."""

    name: str
    status: CheckStatus
    command: str
    """Empty for a check of our own."""
    output: str


class OfferedDescription(Contract):
    """Extension. A description of a table or a column, offered to the repository that creates it."""

    schema_name: str
    table: str
    column: str | Unset = optional()
    text: str
    source: Literal["human", "comment", "model"]
    comment: str | Unset = optional("What the database says now.")


class IssueRepository(Contract):
    """The repository of an issue."""

    owner: str
    name: str
    url: str
    language: str
    stars: Count
    license: str


class SelectedIssue(Contract):
    """The issue that a cycle works on."""

    url: str
    title: str
    body: str
    labels: list[str]
    repository: IssueRepository
    comments_count: Count
    created_at: str
    difficulty_estimate: Difficulty
    type: IssueType
    descriptions: list[OfferedDescription] = Field(
        default_factory=list, description="Extension: of a batch of descriptions, what it consists of."
    )


class Alternative(Contract):
    """An issue that was not selected."""

    url: str
    title: str
    reason_not_selected: str


class SearchStats(Contract):
    """How many issues were looked at."""

    total_searched: Count
    filtered_out: Count
    candidates_found: Count


class CurrentIssue(Handoff):
    """Scout to analyst. File: `contribution/current-issue.json`."""

    agent: Literal["agent-1-scout"]
    status: HandoffStatus
    selected_issue: SelectedIssue
    alternatives: list[Alternative]
    search_stats: SearchStats
    files_to_read: list[str] = Field(
        default_factory=list, description="Extension: paths that the analyst reads, where a model chose them."
    )


class FileToModify(Contract):
    """A file that the change touches."""

    path: str
    change_type: ChangeType
    description: str


class Analysis(Contract):
    """The requirements of an issue, and the changes that meet them."""

    summary: str
    type: IssueType
    complexity: Difficulty
    estimated_loc_change: Count
    breaking_change: bool
    requirements: list[str]
    files_to_modify: list[FileToModify]
    tests_required: bool
    docs_update_required: bool


class RepositoryContext(Contract):
    """The repository's rules for contributions."""

    contributing_guidelines: str
    pr_template_exists: bool
    code_style: str
    branch_naming: str
    commit_convention: str


class ImplementationPlan(Contract):
    """How the change will be made."""

    steps: list[str]
    estimated_time: str
    risk_level: Literal["low", "medium", "high"]


class IssueAnalysis(Handoff):
    """Analyst to explorer. File: `contribution/issue-analysis.json`."""

    agent: Literal["agent-2-analyst"]
    status: HandoffStatus
    issue_url: str
    analysis: Analysis
    repository_context: RepositoryContext
    implementation_plan: ImplementationPlan
    warnings: list[str]
    title: str = Field(default="", description="Extension: of the change, where a model writes it.")


class MappedRepository(Contract):
    """The repository, at its base commit."""

    owner: str
    name: str
    local_path: str
    """Relative to the cycle's folder; empty where nothing was unpacked."""
    branch: str
    default_branch: str


class RepositoryLayout(Contract):
    """How the repository is laid out. Empty where nothing says so."""

    framework: str
    language: str
    package_manager: str
    monorepo: bool
    source_dir: str
    test_dir: str
    docs_dir: str


class RelevantFile(Contract):
    """A file to modify."""

    path: str
    purpose: str
    line_numbers: list[Line] | Unset = optional()
    content_preview: str | Unset = optional()


class ReferencedFile(Contract):
    """A file to read."""

    path: str
    purpose: str


class RelevantFiles(Contract):
    """The files that matter to the change."""

    to_modify: list[RelevantFile]
    to_reference: list[ReferencedFile]
    tests: list[str]
    docs: list[str]


class CodeStyle(Contract):
    """How code is written. A length of 0 means that none is set."""

    indent: str
    quotes: Literal["single", "double"]
    semicolons: bool
    trailing_comma: str
    line_length: Count
    formatter: str
    linter: str


class BuildCommands(Contract):
    """Commands that the repository states; empty where it states none."""

    install: str
    build: str
    test: str
    lint: str


class Insights(Contract):
    """Other observations about the repository."""

    patterns_observed: list[str]
    potential_gotchas: list[str]


class CodebaseMap(Handoff):
    """Explorer to coder, tester and docs. File: `contribution/codebase-map.json`."""

    agent: Literal["agent-3-explorer"]
    status: HandoffStatus
    repository: MappedRepository
    structure: RepositoryLayout
    relevant_files: RelevantFiles
    code_style: CodeStyle
    build_commands: BuildCommands
    insights: Insights
    sign_off: str = Field(default="", description="Extension: where a sign-off is required; empty if it is not.")
