"""Agent 8 by a model: prepares answers to what reviewers said, each a change, a reply, or left to a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tribal.capabilities.contribution.agents.coder import change_of
from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.facts.project import project_facts
from tribal.capabilities.contribution.publishing.publication import (
    answer_text,
    diffs_in,
    follow_up_publication,
    patch_of,
    problems_of,
)
from tribal.capabilities.contribution.publishing.reviews import Said, unanswered
from tribal.capabilities.contribution.recipes.recipe import Edit, Files
from tribal.capabilities.contribution.writing.answers import REVIEW, ReviewKind
from tribal.capabilities.contribution.writing.checks import failed, open_checks
from tribal.capabilities.contribution.writing.edits import TextEdit, apply_edits, edit_of
from tribal.capabilities.contribution.writing.faults import edit_faults, known_text
from tribal.capabilities.contribution.writing.shown import file_text, unreadable
from tribal.capabilities.contribution.writing.texts import publishable
from tribal.masking import redact_text
from tribal.ports.models.chains import Reading
from tribal_contracts.contribution.cycles import AnsweredComment, FollowUp, ReviewAnswer
from tribal_contracts.contribution.handoffs import IssueAnalysis
from tribal_contracts.contribution.reviews import PRCreated

MOST_ANSWERED = 10
"""Comments that are answered at once; a judgement."""
_MOST_COMMENT, _MOST_QUOTE, _MOST_REPLY = 4_000, 500, 600


def answers_to_review(context: AgentContext) -> dict[str, Any]:
    """Prepare answers to new comments on the pull request of a cycle; returns what they change in its record.

    Answers that wait for approval already are prepared again when the branch or the comments have changed.
    """
    record, branch = context.record, context.earlier(PRCreated).pr.branch
    with context.open_forge("follow") as forge:
        found = forge.find_pull_request(branch)
        if found is None or found.state != "open":
            return {}
        said = unanswered(forge.activity(found.number), record)
    waiting = record.follow_up
    said = said[:MOST_ANSWERED]
    if waiting is not None and waiting.head == found.head and {each.id for each in said} == _comments(waiting):
        return {}
    prepared = prepare_answers(context, said, found.head)
    left = [AnsweredComment(comment=each.comment, kind=each.kind, at=context.now) for each in prepared.left]
    return {"follow_up": prepared.follow_up, "answered": [*record.answered, *left]}


def _comments(follow_up: FollowUp) -> set[int]:
    return {each.comment for each in follow_up.answers}


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was prepared for some comments."""

    follow_up: FollowUp | None
    """What waits for approval; `None` if all were left to a person."""
    left: Sequence[ReviewAnswer]
    """Those that were left to a person."""


def prepare_answers(context: AgentContext, said: Sequence[Said], head: str) -> Prepared:
    """Prepare answers to comments.

    Args:
        context: of the agent.
        said: the comments, oldest first.
        head: the commit at the tip of the branch.
    """
    files = context.source.files(head)
    session = _Session(context, files)
    answers = [session.answer(each) for each in said]
    if session.edits and not _passes(context, head, session.edits):
        answers = [each if each.kind != "change" else _left(each) for each in answers]
        session.edits.clear()
    number = context.record.approvals + 1
    diffs = {path: change_of(each).diff for path, each in session.edits.items()}
    replied = [each.model_copy(update={"reply": answer_text(context.record, each)}) for each in answers if each.reply]
    left = [each for each in answers if not each.reply]
    if not replied:
        return Prepared(None, left)
    publication = follow_up_publication(
        context, number, has_change=bool(diffs), replies=[each.reply for each in replied]
    )
    follow_up = FollowUp(number=number, head=head, publication=publication, diffs=diffs, answers=replied)
    if problems_of(publication, follow_up.patch, [context.record.swarm_id]):
        return Prepared(None, [*left, *map(_left, replied)])
    return Prepared(follow_up, left)


@dataclass(frozen=True, slots=True)
class _Answer:
    kind: ReviewKind
    reply: str
    texts: Mapping[str, str]


@dataclass
class _Session:
    """Answers to comments in order; each sees the edits of those before."""

    context: AgentContext
    files: Files
    edits: dict[str, Edit] = field(default_factory=dict)

    def answer(self, said: Said) -> ReviewAnswer:
        """Ask for the answer to one comment; what cannot be used is left to a person."""
        analysis = self.context.earlier(IssueAnalysis).analysis
        own = [path for path in diffs_in(self.context.handoffs) if unreadable(self.files, path) is None]
        present = {path: self._text(path) for path in own}
        data = {
            "comment": {
                "text": redact_text(said.text[:_MOST_COMMENT], prose=False),
                "path": said.path or "",
                "line": said.line or 0,
            },
            "summary": analysis.summary,
            "requirements": analysis.requirements,
            "diff": redact_text(patch_of(self.context.handoffs), prose=False),
            "files": [{"path": each, "text": redact_text(text, prose=False)} for each, text in present.items()],
        }
        with self.context.open_model() as model:
            found: _Answer = model.ask("review_reader.md", REVIEW, data, lambda value: self._read(value, present))
        for path, text in found.texts.items():
            self.edits[path] = self._edit(path, text)
        quote = publishable(said.text, _MOST_QUOTE)
        return ReviewAnswer(comment=said.id, thread=said.thread, quote=quote, kind=found.kind, reply=found.reply)

    def _read(self, value: Mapping[str, Any], present: Mapping[str, str]) -> Reading[_Answer]:
        left = _Answer("out_of_scope", "", {})
        kind, edits = value.get("kind"), value.get("edits")
        if kind == "out_of_scope":
            return Reading(left)
        if kind not in ("change", "question") or not isinstance(edits, list):
            return Reading(None)
        reply = publishable(value.get("reply"), _MOST_REPLY)
        faults = [] if reply else ["`reply` is empty, or has an address, a mention, a reference or a secret"]
        texts: Mapping[str, str] = {}
        if kind == "change":
            try:
                wanted = [TextEdit(str(each["path"]), str(each["search"]), str(each["replace"])) for each in edits]
            except (KeyError, TypeError):
                return Reading(None)
            edited = apply_edits(wanted, present)
            texts = edited.texts
            made = [self._edit(path, text) for path, text in texts.items()]
            faults += edited.faults or ([] if made else ["the edits change nothing"])
            known = known_text(self.context, self.files, present)
            faults += edit_faults(made, known, self.context.limits.issue_lines)
        # What still has faults after a repair is left to a person.
        return Reading(left if faults else _Answer(kind, reply, texts), tuple(faults))

    def _text(self, path: str) -> str:
        edit = self.edits.get(path)
        return file_text(self.files, path) if edit is None else edit.after.decode().replace("\r\n", "\n")

    def _edit(self, path: str, text: str) -> Edit:
        return edit_of(path, self.files.read(path), text, "answer the review")


def _left(answer: ReviewAnswer) -> ReviewAnswer:
    return answer.model_copy(update={"kind": "out_of_scope", "reply": ""})


def _passes(context: AgentContext, head: str, edits: Mapping[str, Edit]) -> bool:
    """Whether no check of the repository fails on edits of the branch."""
    commands = project_facts(context.source.files(head)).commands
    with open_checks(context, commands, head) as checks:
        ran = checks.run(["lint", "build", "test"], {path: each.after for path, each in edits.items()})
    return failed(ran) is None
