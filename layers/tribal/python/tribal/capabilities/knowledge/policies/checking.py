"""Checks a evidence against the constraints of items."""

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
    "cannot be evaluated: the check took too long; check fewer files at once",
    severity="warn",
    is_unevaluated=True,
    is_over_limit=True,
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A constraint, and the item that states it."""

    item_id: str
    item_title: str
    item_severity: Severity | None
    constraint: Constraint

    @property
    def severity(self) -> Severity:
        """How grave a violation is."""
        return self.constraint.severity or self.item_severity or _DEFAULT


def check(
    rules: Sequence[Rule],
    evidence: Evidence,
    least: Severity,
    warnings: Sequence[str] = (),
    most: int | None = MAX_VIOLATIONS,
    is_late: Callable[[], bool] = lambda: False,
) -> KnowledgeCheckOutput:
    """Whether a evidence keeps the rules.

    Args:
        rules: in the order in which violations of one severity are told.
        evidence: what is checked.
        least: lighter violations are counted and not told.
        warnings: what to know about the evidence.
        most: how many violations are told; `None` for all.
        is_late: whether no time is left; the remaining rules then count as not evaluated.
    """
    counts = dict.fromkeys(SEVERITIES, 0)
    # A hostile file may break every rule by every name in it: only what is told is kept.
    kept: dict[Severity, list[tuple[Rule, Violation]]] = {severity: [] for severity in SEVERITIES}
    for rule in rules:
        for each in [_TOO_LATE] if is_late() else violations(rule.constraint, evidence):
            severity = _severity(rule, each)
            counts[severity] += 1
            if most is None or len(kept[severity]) < most:
                kept[severity].append((rule, each))
    told = SEVERITIES[SEVERITIES.index(least) :]
    gravest = [each for severity in reversed(told) for each in kept[severity]][:most]
    said = [*warnings, *(() if rules else ("nothing was checked",))]
    is_cut = most is not None and sum(counts[severity] for severity in told) > most
    return KnowledgeCheckOutput(
        passed=not counts["block"],
        violations=[_told(rule, each) for rule, each in gravest],
        summary=SeverityCounts(**counts),
        returned=most if is_cut else None,
        truncated=True if is_cut else None,
        warnings=said or None,
    )


def _told(rule: Rule, violation: Violation) -> PolicyViolation:
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
        # No place says which one it is.
        return f"{constraint.message} ({violation.reason})"
    return constraint.message
