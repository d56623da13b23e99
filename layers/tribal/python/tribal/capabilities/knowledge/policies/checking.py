"""Checks evidence against the constraints of items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tribal.capabilities.knowledge.policies.evaluation import Violation, violations
from tribal.capabilities.knowledge.policies.evidence import Evidence
from tribal_contracts.knowledge import (
    MAX_VIOLATIONS,
    SEVERITIES,
    CheckedConstraint,
    Constraint,
    KnowledgeCheckOutput,
    PolicyViolation,
    Severity,
    SeverityCounts,
    ViolationPlace,
)

_DEFAULT: Severity = "warn"
_TOO_LATE = Violation(
    "cannot be evaluated: the check timed out; check fewer files at once",
    severity="warn",
    is_unevaluated=True,
    is_over_limit=True,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A constraint and its item."""

    item_id: str
    item_title: str
    item_severity: Severity | None
    constraint: Constraint

    @property
    def severity(self) -> Severity:
        """The severity of a violation."""
        return self.constraint.severity or self.item_severity or _DEFAULT


def check(
    rules: Sequence[Rule],
    evidence: Evidence,
    min_severity: Severity,
    warnings: Sequence[str] = (),
    limit: int | None = MAX_VIOLATIONS,
    is_late: Callable[[], bool] = lambda: False,
) -> KnowledgeCheckOutput:
    """Check evidence against rules.

    Args:
        rules: the rules; violations of one severity are reported in this order.
        evidence: what is checked.
        least: violations below this severity are counted but not reported.
        warnings: warnings about the evidence.
        most: limit of reported violations; `None` for all.
        is_late: whether no time is left; the remaining rules then count as not evaluated.
    """
    counts = dict.fromkeys(SEVERITIES, 0)
    # A hostile file may break every rule with every name in it, so only reported violations are stored.
    found: dict[Severity, list[tuple[Rule, Violation]]] = {severity: [] for severity in SEVERITIES}
    for rule in rules:
        for each in [_TOO_LATE] if is_late() else violations(rule.constraint, evidence):
            severity = _severity(rule, each)
            counts[severity] += 1
            if limit is None or len(found[severity]) < limit:
                found[severity].append((rule, each))
    reported = SEVERITIES[SEVERITIES.index(min_severity) :]
    most_severe = [each for severity in reversed(reported) for each in found[severity]][:limit]
    notes = [*warnings, *(() if rules else ("nothing was checked",))]
    is_cut = limit is not None and sum(counts[severity] for severity in reported) > limit
    return KnowledgeCheckOutput(
        passed=not counts["block"],
        violations=[_finding(rule, each) for rule, each in most_severe],
        summary=SeverityCounts(**counts),
        returned=limit if is_cut else None,
        truncated=True if is_cut else None,
        warnings=notes or None,
    )


def _finding(rule: Rule, violation: Violation) -> PolicyViolation:
    constraint = rule.constraint
    return PolicyViolation(
        knowledge_item_id=rule.item_id,
        knowledge_item_title=rule.item_title,
        constraint=CheckedConstraint(
            operator=constraint.operator, target=constraint.target, pattern=constraint.pattern
        ),
        severity=_severity(rule, violation),
        message=_message(constraint, violation),
        location=None if violation.file is None else ViolationPlace(file=violation.file, line=violation.line),
    )


def _severity(rule: Rule, violation: Violation) -> Severity:
    if violation.is_over_limit and rule.severity == "block":
        return "block"
    return violation.severity or rule.severity


def _message(constraint: Constraint, violation: Violation) -> str:
    if violation.is_unevaluated or constraint.message is None:
        return violation.reason
    if violation.file is None and constraint.target in ("table", "column"):
        # Without a file and line, name the match.
        return f"{constraint.message} ({violation.reason})"
    return constraint.message
