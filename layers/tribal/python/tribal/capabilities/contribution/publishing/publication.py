"""What a contribution would publish, and the hash that an approval is for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.agents.scout import issue_body, record_title
from tribal.capabilities.contribution.gate.diffs import added_lines
from tribal.capabilities.contribution.gate.screening import addresses, new_addresses, problem_of
from tribal.capabilities.contribution.recipes.recipe import Recipe
from tribal.identity.hashing import object_hash
from tribal.rendering.markdown import escape_text, list_section
from tribal_contracts.contribution.changes import CodeChanges, DocsChanges, TestChanges
from tribal_contracts.contribution.cycles import Approval, CycleRecord, Publication, PublishTarget, RequestedIssue
from tribal_contracts.contribution.handoffs import AgentName, CodebaseMap, Handoff

APPROVER = "{approved_by}"


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
        title=record_title(context.record),
        body=_body(context, changes),
        labels=[context.source.entry.label] if state.visibility != "local" and context.source.entry.label else [],
    )


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


def final_text(text: str, approval: Approval, *, signs: bool = True) -> str:
    """A text as it is published, with the approving person's sign-off if it is a commit's message."""
    named = text.replace(APPROVER, approval.approved_by.partition(":")[2] or approval.approved_by)
    if not (signs and approval.signed_off_as):
        return named
    return f"{named.rstrip()}\nSigned-off-by: {approval.signed_off_as}\n"


def marker_of(record: CycleRecord, action: str) -> str:
    """The mark by which a pull request or a reply is recognised."""
    return f"<!-- tribal:{record.swarm_id}:{record.cycle}:{action} -->"


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
        "the text": publication.body,
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


def _body(context: AgentContext, changes: CodeChanges) -> str:
    record = context.record
    sources = {each.source for each in record.descriptions}
    notes = list(changes.notes)
    if "model" in sources:
        models = [each for each in record.descriptions if each.source == "model"]
        names = (f"{each.schema_name}.{each.table}" + (f".{each.column}" if each.column else "") for each in models)
        notes.append(f"A language model wrote these texts: {', '.join(escape_text(name) for name in names)}.")
    notes += [escape_text(each) for each in changes.warnings]
    blocks = [
        issue_body(record.database, record.descriptions).rstrip(),
        _effect(context.recipe, context),
        list_section("### Please note", notes) if notes else "",
        _reference(record.issue),
        f"Tribal Knowledge, a program, prepared this change; {APPROVER} read and approved it.",
        marker_of(record, "pr"),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


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
