"""Agent 8 by a model: prepares answers to what reviewers said, each a change, a reply, or left to a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tribal.capabilities.contribution.agents.coder import change_of
from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.errors import AgentTimedOut, LimitExceeded
from tribal.capabilities.contribution.facts.project import project_facts
from tribal.capabilities.contribution.gate.diffs import apply_diff, changed_lines, unified_diff
from tribal.capabilities.contribution.publishing.publication import (
    answer_text,
    diffs_in,
    follow_up_publication,
    problems_of,
)
from tribal.capabilities.contribution.publishing.reviews import unanswered
from tribal.capabilities.contribution.recipes.recipe import Edit, Files
from tribal.capabilities.contribution.writing.checks import failed, open_checks
from tribal.capabilities.contribution.writing.edits import TextEdit, apply_edits, edit_of
from tribal.capabilities.contribution.writing.faults import edit_faults, known_text
from tribal.capabilities.contribution.writing.prompt_data import file_text, unreadable
from tribal.capabilities.contribution.writing.schemas import REVIEW
from tribal.capabilities.contribution.writing.texts import publishable
from tribal.errors import RepositoryUnusable
from tribal.masking import redact_text
from tribal.ports.models.chains import Reading
from tribal.ports.repositories import PullRequestComment
from tribal.rendering.markdown import one_line
from tribal.rendering.words import shorten
from tribal_contracts.contribution.cycles import AnsweredComment, FollowUp, ReviewAnswer, ReviewKind
from tribal_contracts.contribution.handoffs import Check, IssueAnalysis
from tribal_contracts.contribution.reviews import PRCreated

MOST_ANSWERED = 10
"""Comments that are answered at once; a judgement."""
_MOST_COMMENT, _MOST_QUOTE, _MOST_REPLY = 4_000, 200, 600


def answers_to_review(context: AgentContext) -> dict[str, Any]:
    """Prepare answers to new comments on the pull request of a cycle; returns what they change in its record.

    Answers that wait for approval already stay, unless the branch has changed or a comment was deleted.
    """
    record, branch = context.record, context.earlier(PRCreated).pr.branch
    with context.open_forge("follow") as forge:
        found = forge.find_pull_request(branch)
        if found is None or found.state != "open":
            return {"follow_up": None}
        said = unanswered(forge.activity(found.number), record, found)[:MOST_ANSWERED]
    waiting = record.follow_up
    if waiting is not None and (waiting.head != found.head or not _comments(waiting) <= {each.id for each in said}):
        waiting = None
    known = set[int]() if waiting is None else _comments(waiting)
    new = [each for each in said if each.id not in known]
    if not new:
        return {"follow_up": waiting}
    session = _Session(context, found.head, context.source.files(found.head), waiting)
    for comment in new:
        try:
            session.answer(comment)
        except (LimitExceeded, AgentTimedOut):
            # What was paid for is kept; the others are looked at again.
            if not session.answers:
                raise
            break
    follow_up = session.follow_up()
    left = [
        AnsweredComment(comment=each.comment, kind=each.kind, at=context.now, left=_left_text(each))
        for each in session.answers
        if not each.reply
    ]
    return {"follow_up": follow_up, "answered": [*record.answered, *left]}


def _comments(follow_up: FollowUp) -> set[int]:
    return {each.comment for each in follow_up.answers}


def _left_text(answer: ReviewAnswer) -> str:
    reason = f" ({answer.reason})" if answer.reason else ""
    return f'{answer.author}: "{answer.quote}"{reason}'


@dataclass(frozen=True, slots=True)
class _Answer:
    kind: ReviewKind
    reply: str
    texts: Mapping[str, str]
    reason: str = ""


@dataclass
class _Session:
    """Answers to comments in order; each sees the edits of those before."""

    context: AgentContext
    head: str
    files: Files
    waiting: FollowUp | None
    """Answers that wait for approval already."""
    answers: list[ReviewAnswer] = field(default_factory=list, init=False)
    texts: dict[str, str] = field(default_factory=dict, init=False)
    """Edited files, with `\\n` at the ends of lines."""

    def __post_init__(self) -> None:
        for path, diff in (self.waiting.diffs if self.waiting is not None else {}).items():
            self.texts[path] = apply_diff(diff, self.files.read(path).decode()).replace("\r\n", "\n")

    def answer(self, comment: PullRequestComment) -> None:
        """Ask for the answer to one comment; what cannot be used is left to a person.

        Raises:
            LimitExceeded: when the money is spent.
            AgentTimedOut: when the model or the time ends.
        """
        self.context.source.deadline.check()
        analysis = self.context.earlier(IssueAnalysis).analysis
        own = [path for path in diffs_in(self.context.handoffs) if unreadable(self.files, path) is None]
        present = {path: self.texts.get(path) or file_text(self.files, path) for path in own}
        data = {
            "comment": {
                "text": redact_text(comment.text, prose=False)[:_MOST_COMMENT],
                "path": comment.path or "",
                "line": comment.line or 0,
            },
            "summary": analysis.summary,
            "requirements": analysis.requirements,
            "diff": redact_text("".join(self._diffs(present)), prose=False),
            "files": [{"path": path, "text": redact_text(text, prose=False)} for path, text in present.items()],
        }
        try:
            with self.context.open_model() as model:
                found = model.ask("review_reader.md", REVIEW, data, lambda value: self._read(value, present))
        except RepositoryUnusable as unusable:
            found = _Answer("out_of_scope", "", {}, unusable.message)
        self.texts.update(found.texts)
        self.answers.append(
            ReviewAnswer(
                comment=comment.id,
                thread=comment.thread,
                author=comment.author,
                quote=shorten(one_line(redact_text(comment.text, prose=False)), _MOST_QUOTE),
                kind=found.kind,
                reply=found.reply and answer_text(self.context.record, comment.id, found.reply),
                reason=found.reason,
            )
        )

    def follow_up(self) -> FollowUp | None:
        """The answers that can be published; `None` if all are left to a person."""
        waiting = [] if self.waiting is None else self.waiting.answers
        edits = [self._edit(path, text) for path, text in self.texts.items()]
        edits = [each for each in edits if each.before != each.after]
        checks = self._checks(edits) if edits else []
        broken = failed(checks)
        if broken is not None:
            # Which of the changes broke it is not known; those that wait already are prepared again.
            self.answers = [_left(each, f"its change fails {broken.command}") for each in self.answers]
            return self.waiting
        replied = [*waiting, *(each for each in self.answers if each.reply)]
        if not replied:
            return None
        publication = follow_up_publication(
            self.context,
            self.context.record.approvals + 1,
            checks=checks if edits else None,
            replies=[each.reply for each in replied],
        )
        made = FollowUp(
            number=self.context.record.approvals + 1,
            head=self.head,
            publication=publication,
            diffs={each.path: change_of(each).diff for each in edits},
            answers=replied,
            checks=checks,
        )
        problems = problems_of(publication, made.patch, [self.context.record.swarm_id])
        if not problems:
            return made
        self.answers = [_left(each, problems[0]) for each in self.answers]
        return self.waiting

    def _read(self, value: Mapping[str, Any], present: Mapping[str, str]) -> Reading[_Answer]:
        if value["kind"] == "out_of_scope":
            return Reading(_Answer("out_of_scope", "", {}))
        reply = publishable(value["reply"], _MOST_REPLY)
        faults = [] if reply else ["`reply` is empty, or has an address, a mention, a reference or a secret"]
        texts: Mapping[str, str] = {}
        if value["kind"] == "change":
            wanted = [TextEdit(each["path"], each["search"], each["replace"]) for each in value["edits"]]
            edited = apply_edits(wanted, present)
            texts = edited.texts
            faults += edited.faults or ([] if texts else ["the edits change nothing"])
            faults += self._faults({**present, **texts})
        # What still has faults after a repair is left to a person.
        left = _Answer("out_of_scope", "", {}, "; ".join(faults))
        return Reading(left if faults else _Answer(value["kind"], reply, texts), tuple(faults))

    def _faults(self, texts: Mapping[str, str]) -> list[str]:
        """What speaks against publishing files as they would be. The limit holds for the whole pull request."""
        made = [self._edit(path, text) for path, text in texts.items()]
        known = known_text(self.context, self.files, texts)
        limit = self.context.limits.issue_lines
        faults = edit_faults([each for each in made if each.before != each.after], known, limit)
        lines = changed_lines(self._diffs(texts))
        return faults if lines <= limit else [*faults, f"the pull request would change more than {limit} lines"]

    def _diffs(self, texts: Mapping[str, str]) -> Iterable[str]:
        """The diffs of files as they would be, from the commit that the pull request starts from."""
        base = self.context.source.files(self.context.record.base_commit)
        return [
            unified_diff(path, file_text(base, path) if path in base.paths else None, text)
            for path, text in texts.items()
        ]

    def _edit(self, path: str, text: str) -> Edit:
        return edit_of(path, self.files.read(path), text, "answer the review")

    def _checks(self, edits: Sequence[Edit]) -> list[Check]:
        commands = project_facts(self.files).commands
        with open_checks(self.context, commands, self.head) as checks:
            return checks.run(["lint", "build", "test"], {each.path: each.after for each in edits})


def _left(answer: ReviewAnswer, reason: str) -> ReviewAnswer:
    return answer.model_copy(update={"kind": "out_of_scope", "reply": "", "reason": reason})
