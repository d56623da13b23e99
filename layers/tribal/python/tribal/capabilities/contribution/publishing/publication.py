"""What a contribution would publish, and the hash that an approval is for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.agents.scout import issue_body
from tribal.capabilities.contribution.gate.diffs import added_lines
from tribal.capabilities.contribution.gate.screening import addresses, new_addresses, problem_of
from tribal.capabilities.contribution.recipes.recipe import Recipe
from tribal.identity.hashing import object_hash
from tribal.rendering.markdown import code_span, escape_text, list_section
from tribal.rendering.words import listing
from tribal_contracts.contribution.changes import CodeChanges, DocsChanges, TestChanges
from tribal_contracts.contribution.cycles import (
    Approval,
    CycleRecord,
    FollowUp,
    Publication,
    PublishTarget,
    RequestedIssue,
)
from tribal_contracts.contribution.handoffs import AgentName, Check, CodebaseMap, Handoff, IssueAnalysis

APPROVER = "{approved_by}"
_WORST = ("absent", "passed", "not_run", "failed")
_DEFINE_CHECKS = {
    *("Makefile", "makefile", "GNUmakefile", "package.json", "tox.ini", "noxfile.py", "pytest.ini", "setup.cfg"),
    *("pyproject.toml", "conftest.py"),
}


def publication_of(context: AgentContext) -> Publication:
    """Everything that an approval covers, besides the diff, as the repository is now.

    Raises:
        HandoffInvalid: when a hand-off is missing or failed.
    """
    state, changes = context.source.state, context.earlier(CodeChanges)
    return Publication(
        target=PublishTarget(
            repository=context.source.entry.name,
            owner=state.owner,
            name=state.name,
            url=state.url,
            location=context.source.entry.location,
            visibility=state.visibility,
        ),
        branch=changes.branch,
        base_branch=state.base_branch,
        messages=[changes.suggested_commit_message],
        author=state.author,
        title=context.title,
        body=_body(context),
        draft=not _is_ready(context),
        labels=[context.source.entry.label] if state.visibility != "local" and context.source.entry.label else [],
    )


def follow_up_publication(
    context: AgentContext, number: int, *, checks: Sequence[Check] | None, replies: Sequence[str]
) -> Publication:
    """The publication of answers to a review, without their diff.

    Args:
        context: of the cycle.
        number: of its approval.
        checks: of its commit; `None` if it has none.
        replies: in Markdown, with their marks.
    """
    record = context.record
    trailers = f"Tribal-Cycle: {record.swarm_id}:{record.cycle}\n{action_line(number)}\n"
    unchecked = any(each.status == "not_run" for each in checks or ())
    said = f"Prepared by Tribal Knowledge, approved by {APPROVER}.{' Its checks were not run.' if unchecked else ''}"
    message = f"Answer the review\n\n{said}\n\n{trailers}"
    changes = {"messages": [] if checks is None else [message], "replies": list(replies), "labels": []}
    return publication_of(context).model_copy(update=changes)


def action_line(number: int) -> str:
    """The line by which the commit of an approval is recognised."""
    return f"Tribal-Action: commit-{number}"


def answer_text(record: CycleRecord, comment: int, reply: str) -> str:
    """The reply to a comment in Markdown, with its mark."""
    said = f"Tribal Knowledge, a program, prepared this answer; {APPROVER} read and approved it."
    mark = marker_of(record, f"reply-{comment}")
    return f"{escape_text(reply)}\n\n{said}\n\n{mark}\n"


def diffs_in(handoffs: Mapping[AgentName, Handoff]) -> dict[str, str]:
    """The diff of each file that a cycle changes, by path, in the order in which they are shown and published."""
    diffs: dict[str, str] = {}
    for each in handoffs.values():
        if isinstance(each, CodeChanges):
            diffs |= {change.file: change.diff for change in each.changes}
        elif isinstance(each, TestChanges):
            diffs |= {file.path: file.diff for file in each.test_files}
        elif isinstance(each, DocsChanges):
            diffs |= {file.path: file.diff for file in each.doc_files}
    return diffs


def patch_of(handoffs: Mapping[AgentName, Handoff]) -> str:
    """The whole diff of a cycle."""
    return "".join(diffs_in(handoffs).values())


def publication_hash(publication: Publication, patch: str) -> str:
    """SHA-256 over canonical JSON of everything that an approval covers."""
    return object_hash({**json.loads(publication.to_compact_json()), "patch": patch})


def follow_up_hash(follow_up: FollowUp, current: Publication | None = None) -> str:
    """The hash that an approval of answers to a review is for.

    Args:
        follow_up: the answers.
        current: the publication of the cycle as the repository is now; unset, as it was when they were prepared.
    """
    own = follow_up.publication
    if current is not None:
        changes = {"messages": own.messages, "replies": own.replies, "labels": own.labels}
        own = current.model_copy(update=changes)
    return publication_hash(own, follow_up.patch)


def final_text(text: str, approval: Approval, *, signs: bool = True) -> str:
    """A text as it is published, with the approving person's sign-off if it is a commit's message."""
    named = text.replace(APPROVER, approval.approved_by.partition(":")[2] or approval.approved_by)
    if not (signs and approval.signed_off_as):
        return named
    return f"{named.rstrip()}\nSigned-off-by: {approval.signed_off_as}\n"


def marker_of(record: CycleRecord, action: str) -> str:
    """The mark by which a pull request or a reply is recognised."""
    return f"{marks_of(record)}{action} -->"


def marks_of(record: CycleRecord) -> str:
    """The beginning of all marks of a cycle."""
    return f"<!-- tribal:{record.swarm_id}:{record.cycle}:"


def problems_of(publication: Publication, patch: str, identifiers: Iterable[str]) -> list[str]:
    """Find what must not be published: secrets, personal data, and characters that no one sees.

    Args:
        publication: what would be published.
        patch: its diff.
        identifiers: made by programs; they may look like someone's number.
    """
    parts = {
        "the diff": "\n".join(added_lines(patch)),
        "the title": publication.title,
        "the text": "\n".join([publication.body, *publication.replies]),
    }
    for each in identifiers:
        parts = {place: text.replace(each, "") for place, text in parts.items()}
    return [f"{place}: {problem}" for place, text in parts.items() if (problem := problem_of(text)) is not None]


def address_warnings(context: AgentContext, patch: str) -> list[str]:
    """A warning for each network address that the diff adds and the repository does not mention."""
    added = "\n".join(added_lines(patch))
    if not addresses(added):
        return []
    files = context.source.files(context.record.base_commit)
    known = context.source.state.url + "".join(
        files.read(each.path).decode(errors="replace")
        for each in context.earlier(CodebaseMap).relevant_files.to_reference
    )
    return [f"it adds the address {each}" for each in new_addresses(added, addresses(known))]


def checks_in(handoffs: Mapping[AgentName, Handoff]) -> list[Check]:
    """The checks of a cycle, which several agents run on their parts; of each the worst outcome."""
    found: dict[str, Check] = {}
    # The tester's come last: of equal outcomes, they say the most.
    for agent in ("agent-4-coder", "agent-6-docs", "agent-5-tester"):
        handoff = handoffs.get(agent)
        for check in handoff.checks if isinstance(handoff, CodeChanges | TestChanges | DocsChanges) else ():
            found[check.name] = max(check, found.get(check.name, check), key=lambda each: _WORST.index(each.status))
    return list(found.values())


def changes_checks(handoffs: Mapping[AgentName, Handoff]) -> list[str]:
    """The changed files that say what the checks of the repository are."""
    return [path for path in diffs_in(handoffs) if path.rpartition("/")[2] in _DEFINE_CHECKS]


def _is_ready(context: AgentContext) -> bool:
    """Whether more than a draft may be opened. Source: docs/contracts.md, Contribution."""
    if context.record.recipe is not None:
        return True
    tests = context.earlier(TestChanges).validation
    return (
        all(each.status in ("passed", "absent") for each in checks_in(context.handoffs))
        and not changes_checks(context.handoffs)
        and context.earlier(CodeChanges).commit_ready
        and tests.existing_tests_pass
        and tests.new_tests_pass
        and context.earlier(DocsChanges).validation.links_valid
    )


def _body(context: AgentContext) -> str:
    record = context.record
    blocks = [
        *(_written(context) if record.recipe is None else _described(context)),
        _reference(record.issue),
        f"Tribal Knowledge, a program, prepared this change; {APPROVER} read and approved it.",
        marker_of(record, "pr"),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _described(context: AgentContext) -> list[str]:
    """The descriptions of a contribution, and what they do."""
    record, changes = context.record, context.earlier(CodeChanges)
    notes = list(changes.notes)
    models = [each for each in record.descriptions if each.source == "model"]
    if models:
        names = (f"{each.schema_name}.{each.table}" + (f".{each.column}" if each.column else "") for each in models)
        notes.append(f"A language model wrote these texts: {', '.join(escape_text(name) for name in names)}.")
    notes += [escape_text(each) for each in changes.warnings]
    return [
        issue_body(record.database, record.descriptions).rstrip(),
        _effect(context.recipe, context),
        list_section("### Please note", notes),
    ]


def _written(context: AgentContext) -> list[str]:
    """The summary of a model's change for an issue, and the checks that ran on it."""
    analysis = context.earlier(IssueAnalysis)
    checks = [f"{each.name}: {_said(each)}" for each in checks_in(context.handoffs)]
    return [
        escape_text(analysis.analysis.summary),
        list_section("### Requirements", [escape_text(each) for each in analysis.analysis.requirements]),
        list_section("### Checks", checks) or "The repository states no check of its own.",
        list_section("### Please note", [escape_text(each) for each in analysis.warnings]),
        "A language model wrote this change." + ("" if _is_ready(context) else f" It is a draft: {_missing(context)}."),
    ]


def _missing(context: AgentContext) -> str:
    """Why only a draft may be opened."""
    if changed := changes_checks(context.handoffs):
        return f"{listing(changed)} says what the checks are"
    return "not all checks passed"


def _said(check: Check) -> str:
    if check.status == "absent":
        return "the repository states none"
    reason = next(iter(check.output.splitlines()), "") if check.status == "not_run" else ""
    command = f", {code_span(check.command)}" if check.command else ""
    return check.status.replace("_", " ") + command + (f" ({escape_text(reason)})" if reason else "")


def _reference(issue: RequestedIssue | None) -> str:
    if issue is None:
        return ""
    return f"Fixes #{issue.number}" if issue.is_answered else f"Part of #{issue.number}."


def _effect(recipe: Recipe, context: AgentContext) -> str:
    relations = [each.relation for each in context.texts()]
    if all(recipe.reaches_database(each) for each in relations):
        return "Once it is merged and applied, the database has these descriptions as comments."
    if any(recipe.reaches_database(each) for each in relations):
        return "Once it is merged and applied, the database has some of these descriptions as comments."
    return "The change documents the repository; nothing writes these descriptions into the database."
