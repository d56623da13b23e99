"""The rules across the fields of a session, which every session keeps when it is written.

Those of the data model hold for every file that is read, too. The others are narrower: a file that only they forbid is
read with a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from tribal_contracts.answering.open_gaps import GAP_CATEGORIES
from tribal_contracts.interrogation.scoring import consistency_score
from tribal_contracts.interrogation.sessions import (
    MAX_ANSWER_CHARS,
    MAX_CONTRADICTIONS,
    MAX_GAPS,
    MAX_HYPOTHESIS_CHARS,
    MAX_QUESTION_CHARS,
    MAX_TRAIL_ENTRIES,
    AuditResult,
    AuditTrailEntry,
    Gap,
    GapAnalysis,
    InterrogationSession,
    QuestionAnswerPair,
    RemainingGap,
)
from tribal_contracts.interrogation.times import instant, is_written_in_utc

_UUID_4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_NEVER_CHANGE = ("id", "hypothesis", "start_time", "iteration_limit", "owner", "scope", "domain", "manifest_hash")
_PROVIDER = re.compile(r"[a-z][a-z0-9-]*:\S+")


def broken_rules(session: InterrogationSession) -> list[str]:
    """The rules that a session breaks, one sentence each without quoted text; empty for a valid session."""
    return [
        *broken_specification(session),
        *_of_identity(session),
        *_of_times(session),
        *_of_status(session),
        *_of_pairs(session),
        *_of_trail(session.audit_trail),
        *_of_audit(session.audit_result, session, "auditResult"),
        *_of_audit(session.interim_audit, session, "interimAudit"),
    ]


def broken_specification(session: InterrogationSession) -> list[str]:
    """The rules of the data model that a session breaks, one sentence each, which begins with the field.

    Source: data model, validation rules.
    """
    return [*_of_session(session), *_of_positions(session), *_of_indexes(session)]


def broken_by_change(before: InterrogationSession, after: InterrogationSession) -> list[str]:
    """The rules that replacing one state of a session by another breaks."""
    changed = [name for name in _NEVER_CHANGE if getattr(before, name) != getattr(after, name)]
    problems = [f"{name} of a session does not change" for name in changed]
    if not before.is_running:
        problems.append("a session that has ended does not change")
    count = len(before.qa_pairs)
    if after.qa_pairs[:count] != before.qa_pairs or len(after.qa_pairs) > count + 1:
        problems.append("pairs are added one by one, and never change")
    if len(after.qa_pairs) > count and count and not before.qa_pairs[-1].gap_analysis.requires_follow_up:
        problems.append("no pair follows one that requires no follow-up")
    return problems


def remaining_gaps(open_gaps: Iterable[Gap]) -> list[RemainingGap]:
    """The gaps of an audit: those of the last pair."""
    return [RemainingGap(**gap.model_dump(by_alias=False)) for gap in open_gaps]


def is_provider(text: str) -> bool:
    """Whether a text has the form `{provider}:{model}`, split at its first colon."""
    return _PROVIDER.fullmatch(text) is not None


def _of_session(session: InterrogationSession) -> Iterator[str]:
    if not _UUID_4.fullmatch(session.id.lower()):
        yield "id must be a UUID of version 4"
    if session.end_time is not None:
        if session.is_running:
            yield "endTime must be absent while the session is running"
        if instant(session.start_time) > instant(session.end_time):
            yield "endTime must not be before startTime"
    if session.current_iteration > session.iteration_limit:
        yield "currentIteration must be at most iterationLimit"
    if (session.status == "completed") != (session.audit_result is not None):
        yield "auditResult must be there exactly when the session is completed"


def _of_positions(session: InterrogationSession) -> Iterator[str]:
    for number, pair in enumerate(session.qa_pairs):
        if pair.sequence != number + 1:
            yield f"qaPairs[{number}].sequence must count the pairs from 1"
        if instant(pair.timestamp) < instant(session.start_time):
            yield f"qaPairs[{number}].timestamp must not be before startTime"
        if not all(pair.provider_used.partition(":")):
            yield f"qaPairs[{number}].providerUsed must have the form provider:model"


def _of_indexes(session: InterrogationSession) -> Iterator[str]:
    for name, audit in (("auditResult", session.audit_result), ("interimAudit", session.interim_audit)):
        for number, contradiction in enumerate(audit.contradictions if audit is not None else ()):
            if max(contradiction.qa_pair_indexes) >= len(session.qa_pairs):
                yield f"{name}.contradictions[{number}].qaPairIndexes must be indexes of pairs"


def _of_identity(session: InterrogationSession) -> Iterator[str]:
    if session.id != session.id.lower():
        yield "id must be in lower case"
    text = session.hypothesis.text
    if not text.strip() or len(text) > MAX_HYPOTHESIS_CHARS:
        yield f"hypothesis.text must not be blank, and have at most {MAX_HYPOTHESIS_CHARS} characters"


def _of_times(session: InterrogationSession) -> Iterator[str]:
    pairs = [pair.timestamp for pair in session.qa_pairs]
    trail = [entry.timestamp for entry in session.audit_trail]
    ends = [] if session.end_time is None else [session.end_time]
    holders = [] if session.holder is None else [session.holder.expires_at]
    every = [session.hypothesis.created_at, session.start_time, *pairs, *trail, *ends, *holders]
    if not all(map(is_written_in_utc, every)):
        yield "times must be in UTC and end with Z"
    for name, times in (("qaPairs", pairs), ("auditTrail", trail)):
        ordered = [instant(time) for time in (session.start_time, *times, *ends)]
        if any(earlier > later for earlier, later in pairwise(ordered)):
            yield f"the times of {name} must not decrease, nor lie outside startTime and endTime"


def _of_status(session: InterrogationSession) -> Iterator[str]:
    status, pairs = session.status, session.qa_pairs
    if session.is_running != (session.end_time is None):
        yield "endTime must be there exactly when the session has ended"
    if session.holder is not None and not session.is_running:
        yield "a session that has ended has no holder"
    ended_early = status in ("failed", "limit-reached") and bool(pairs)
    if ended_early != (session.interim_audit is not None):
        yield "interimAudit must be there exactly when a session with pairs ended without being completed"
    follow_up = pairs[-1].gap_analysis.requires_follow_up if pairs else None
    if status == "completed" and follow_up is not False:
        yield "a completed session needs a pair, the last of which requires no follow-up"
    if status == "limit-reached" and not (follow_up and len(pairs) == session.iteration_limit):
        yield "limit-reached needs the last allowed pair, which still requires a follow-up"


def _of_pairs(session: InterrogationSession) -> Iterator[str]:
    pairs = session.qa_pairs
    if len(pairs) != session.current_iteration:
        yield "currentIteration must be the number of pairs"
    for number, pair in enumerate(pairs):
        for problem in (*_of_pair(pair), *_of_analysis(pair.gap_analysis)):
            yield f"qaPairs[{number}]: {problem}"


def _of_pair(pair: QuestionAnswerPair) -> Iterator[str]:
    if not pair.question.strip() or len(pair.question) > MAX_QUESTION_CHARS:
        yield f"question must not be blank, and have at most {MAX_QUESTION_CHARS} characters"
    if len(pair.answer) > MAX_ANSWER_CHARS:
        yield f"answer must have at most {MAX_ANSWER_CHARS} characters"
    if not is_provider(pair.provider_used) or not is_provider(pair.witness_used or pair.provider_used):
        yield "providerUsed and witnessUsed must have the form provider:model"


def _of_analysis(analysis: GapAnalysis) -> Iterator[str]:
    gaps = analysis.gaps
    if len(gaps) > MAX_GAPS:
        yield f"there must be at most {MAX_GAPS} gaps"
    if not all(gap.description.strip() for gap in gaps):
        yield "the description of a gap must not be blank"
    if (not gaps) != (analysis.completeness_score == 100):
        yield "completenessScore must be 100 exactly when there is no gap"
    if analysis.requires_follow_up and all(gap.severity == "low" for gap in gaps):
        yield "requiresFollowUp needs a medium or high gap"


def _of_trail(trail: Sequence[AuditTrailEntry]) -> Iterator[str]:
    if len(trail) > MAX_TRAIL_ENTRIES:
        yield f"auditTrail must have at most {MAX_TRAIL_ENTRIES} entries"
    for number, entry in enumerate(trail):
        names = [name for name in (entry.from_provider, entry.to_provider) if name is not None]
        if len(names) != (2 if entry.event == "provider_switch" else 0) or not all(map(is_provider, names)):
            yield f"auditTrail[{number}]: exactly a provider_switch names two providers, of the form provider:model"


def _of_audit(audit: AuditResult | None, session: InterrogationSession, name: str) -> Iterator[str]:
    if audit is None:
        return
    gaps, contradictions = session.open_gaps, audit.contradictions
    if audit.remaining_gaps != remaining_gaps(gaps) or not {gap.category for gap in gaps} <= {*GAP_CATEGORIES}:
        yield f"{name}.remainingGaps must be the gaps of the last pair"
    if audit.consistency_score != consistency_score(gaps, len(contradictions)):
        yield f"{name}.consistencyScore must follow from the contradictions and the gaps of the last pair"
    if not audit.summary.strip():
        yield f"{name}.summary must not be blank"
    if len(contradictions) > MAX_CONTRADICTIONS:
        yield f"{name} must have at most {MAX_CONTRADICTIONS} contradictions"
    for contradiction in contradictions:
        first, second = contradiction.qa_pair_indexes
        if first > second or not contradiction.description.strip():
            yield f"{name}: a contradiction needs a description, and two indexes in order"
