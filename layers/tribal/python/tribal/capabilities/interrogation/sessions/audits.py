"""Turn the results of a detective into analyses and audits that follow the rules of a session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tribal.capabilities.interrogation.parties import Analysis, Audit
from tribal.rendering.markdown import escape_text, list_section, page
from tribal.rendering.words import bounded, listing, number
from tribal_contracts.answering.open_gaps import GapSeverity
from tribal_contracts.interrogation.rules import remaining_gaps
from tribal_contracts.interrogation.scoring import completeness_score, consistency_score, requires_follow_up
from tribal_contracts.interrogation.sessions import (
    MAX_CONTRADICTIONS,
    MAX_GAPS,
    AuditResult,
    Contradiction,
    Gap,
    GapAnalysis,
    InterrogationSession,
    QuestionAnswerPair,
)

_ORDER: dict[GapSeverity, int] = {"high": 0, "medium": 1, "low": 2}
_MOST_INCOMPLETE = 99


def gap_analysis(analysis: Analysis) -> GapAnalysis:
    """Return the analysis of an answer: the most severe gaps without duplicates, and the score and follow-up."""
    distinct = {(gap.category, gap.target, gap.description): gap for gap in analysis.gaps if gap.description.strip()}
    gaps = sorted(distinct.values(), key=lambda gap: _ORDER[gap.severity])[:MAX_GAPS]
    return GapAnalysis(
        gaps=gaps,
        completeness_score=_completeness(gaps, analysis.completeness_score),
        requires_follow_up=analysis.can_continue and requires_follow_up(gaps),
    )


def audit_result(session: InterrogationSession, audit: Audit) -> AuditResult:
    """Return the audit of a session. Score and remaining gaps are computed from its last answer."""
    gaps = session.open_gaps
    contradictions = [each for each in audit.contradictions if _is_sound(each, len(session.qa_pairs))]
    contradictions = contradictions[:MAX_CONTRADICTIONS]
    summary = bounded(audit.summary, len(audit.summary))
    return AuditResult(
        consistency_score=consistency_score(gaps, len(contradictions)),
        contradictions=contradictions,
        remaining_gaps=remaining_gaps(gaps),
        summary=summary if summary.strip() else summary_of(session),
    )


def interim_audit(session: InterrogationSession) -> AuditResult:
    """Return the audit of a session that ends early, without asking the detective or the witness."""
    return audit_result(session, Audit(summary_of(session)))


def summary_of(session: InterrogationSession, contradictions: Sequence[Contradiction] = ()) -> str:
    """Return a summary in Markdown: gaps, contradictions with the catalog, and answered questions."""
    gaps, pairs = session.open_gaps, session.qa_pairs
    blocks = [
        f"**{escape_text(session.hypothesis.text)}**",
        f"{number(len(pairs), 'question')} asked, {_counted(gaps)}, {number(len(contradictions), 'contradiction')}.",
        list_section("## What the documentation lacks", map(_gap_line, gaps)),
        list_section("## Contradictions", (escape_text(each.description) for each in contradictions)),
        list_section("## What the documentation answers", (_pair_line(pair) for pair in pairs if pair.answer.strip())),
    ]
    return page(blocks)


def _gap_line(gap: Gap) -> str:
    return f"{gap.severity}, {gap.category.replace('_', ' ')}: {escape_text(gap.description)}"


def _pair_line(pair: QuestionAnswerPair) -> str:
    names = listing([escape_text(each.name) for each in pair.sources or ()])
    return f"{escape_text(pair.question)}{f' ({names})' if names else ''}"


def _completeness(gaps: Sequence[Gap], given: int | None) -> int:
    if not gaps:
        return 100
    return completeness_score(gaps) if given is None else max(0, min(given, _MOST_INCOMPLETE))


def _is_sound(contradiction: Contradiction, pairs: int) -> bool:
    first, second = contradiction.qa_pair_indexes
    return first <= second < pairs and bool(contradiction.description.strip())


def _counted(gaps: Sequence[Gap]) -> str:
    counts = Counter(gap.severity for gap in gaps)
    named = ", ".join(f"{counts[severity]} {severity}" for severity in _ORDER if counts[severity])
    return f"{number(len(gaps), 'open gap')} ({named})" if gaps else "no open gaps"
