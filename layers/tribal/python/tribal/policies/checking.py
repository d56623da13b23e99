"""Checks a picture against the constraints of items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tribal.policies.evaluation import Violation, violations
from tribal.policies.picture import Picture
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
    picture: Picture,
    least: Severity,
    warnings: Sequence[str] = (),
    most: int | None = MAX_VIOLATIONS,
) -> KnowledgeCheckOutput:
    """Whether a picture keeps the rules.

    Args:
        rules: in the order in which violations of one severity are told.
        picture: what is checked.
        least: lighter violations are counted and not told.
        warnings: what to know about the picture.
        most: how many violations are told; `None` for all.
    """
    found = [each for rule in rules for each in _violations(rule, picture)]
    counts = {severity: sum(each.severity == severity for each in found) for severity in SEVERITIES}
    told = [each for each in found if SEVERITIES.index(each.severity) >= SEVERITIES.index(least)]
    gravest = sorted(told, key=lambda each: -SEVERITIES.index(each.severity))
    said = [*warnings, *(() if rules else ("nothing was checked",))]
    is_cut = most is not None and len(gravest) > most
    return KnowledgeCheckOutput(
        passed=not counts["block"],
        violations=gravest[:most],
        summary=SeverityCounts(**counts),
        returned=most if is_cut else None,
        truncated=True if is_cut else None,
        warnings=said or None,
    )


def _violations(rule: Rule, picture: Picture) -> Iterator[PolicyViolation]:
    constraint = rule.constraint
    for each in violations(constraint, picture):
        yield PolicyViolation(
            knowledge_item_id=rule.item_id,
            knowledge_item_title=rule.item_title,
            constraint=CheckedConstraint(
                operator=constraint.operator, target=constraint.target, pattern=constraint.pattern
            ),
            severity=_severity(rule, each),
            message=_message(constraint, each),
            location=None if each.file is None else ViolationPlace(file=each.file, line=each.line),
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
