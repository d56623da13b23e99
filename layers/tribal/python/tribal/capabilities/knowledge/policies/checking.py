"""Checks evidence against the constraints of items.

A constraint that cannot be evaluated is violated, never met. Source: docs/contracts.md, Knowledge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from tribal.capabilities.knowledge.errors import PatternInvalid
from tribal.capabilities.knowledge.policies.evidence import Evidence, Gap, NameUse, SourceFile
from tribal.capabilities.knowledge.policies.patterns import expression, path_glob
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


@dataclass(frozen=True, slots=True)
class Violation:
    """Where a constraint is violated, and why.

    Attributes:
        severity: unset for the constraint's own.
        is_unevaluated: whether the constraint could not be evaluated.
        is_unreadable: whether that is because of its file, so that the item may soften it.
    """

    reason: str
    file: str | None = None
    line: int | None = None
    severity: Severity | None = None
    is_unevaluated: bool = False
    is_unreadable: bool = False


def violations(constraint: Constraint, evidence: Evidence) -> list[Violation]:
    """The violations of a constraint, in order of the evidence."""
    try:
        applies = _applicable(constraint)
        match constraint.operator:
            case "must_exist" | "must_not_exist":
                return [*_existence_violations(constraint, evidence, applies)]
            case _ if constraint.target in ("code", "config"):
                return [*_text_violations(constraint, evidence, applies)]
            case _:
                return [*_name_violations(constraint, evidence, applies)]
    except PatternInvalid as error:
        return [Violation(f"cannot be evaluated: {error.message}", severity="block", is_unevaluated=True)]


def _applicable(constraint: Constraint) -> Callable[[str | None], bool]:
    """Whether a constraint is about what is in a file, or in no file that is known: that it is always about."""
    if constraint.applies_to is None:
        return lambda _: True
    names = path_glob(constraint.applies_to)
    return lambda path: path is None or names(path)


def _existence_violations(
    constraint: Constraint, evidence: Evidence, applies: Callable[[str | None], bool]
) -> Iterator[Violation]:
    is_meant = path_glob(constraint.pattern)
    files = [each for each in evidence.files if applies(each.path) and applies_to_name(constraint, each)]
    found = [each for each in files if is_meant(each.path)]
    if constraint.operator == "must_not_exist":
        for each in found:
            yield Violation(f"{each.path!r} must not exist", each.path)
    elif evidence.is_complete and not found:
        yield Violation(f"no file matches {constraint.pattern!r}")


def _text_violations(
    constraint: Constraint, evidence: Evidence, applies: Callable[[str | None], bool]
) -> Iterator[Violation]:
    pattern = expression(constraint.pattern)
    meant = [each for each in evidence.files if applies(each.path) and applies_to_name(constraint, each)]
    gaps = [_unreadable(each.unread, each.path) for each in meant if each.unread is not None and not each.is_binary]
    files = [each for each in meant if each.unread is None]
    lines = [(each, pattern.line_in(each.data)) for each in files]
    match constraint.operator:
        case "must_not_use" | "must_not_match":
            for each, line in lines:
                if line is not None:
                    yield Violation(f"{constraint.pattern!r} is found", each.path, line)
            yield from gaps
        case "must_match":
            for each, line in lines:
                if line is None:
                    yield Violation(f"{constraint.pattern!r} is not found", each.path)
            yield from gaps
        case _ if evidence.is_complete and all(line is None for _, line in lines):
            yield from gaps or [Violation(f"{constraint.pattern!r} is found in no file")]


def _name_violations(
    constraint: Constraint, evidence: Evidence, applies: Callable[[str | None], bool]
) -> Iterator[Violation]:
    # A constraint on how names are written includes their case.
    is_match = cache(expression(constraint.pattern, folded=constraint.operator != "must_match").is_whole)
    found = evidence.found(constraint.target)
    named = [each for each in found.named if _applies(applies, each)]
    gaps = [
        _unreadable(gap.reason, gap.file, gap.line)
        for gap in found.unread
        if constraint.target in gap.targets and _applies(applies, gap)
    ]
    match constraint.operator:
        case "must_not_use" | "must_not_match":
            for each in _once(named):
                if _matches(each, is_match):
                    yield Violation(f"{constraint.target} {each.name!r} is not allowed", each.file, each.line)
            yield from gaps
        case "must_match":
            for each in _once(named):
                if not _matches(each, is_match):
                    message = f"{constraint.target} {each.name!r} does not match {constraint.pattern!r}"
                    yield Violation(message, each.file, each.line)
            yield from gaps
        case _ if evidence.is_complete and not any(_matches(each, is_match) for each in named):
            # What cannot be read may hold what is required.
            yield from gaps or [Violation(f"no {constraint.target} matches {constraint.pattern!r}")]


def _unreadable(reason: str, file: str | None, line: int | None = None) -> Violation:
    return Violation(f"cannot be evaluated: {reason}", file, line, is_unevaluated=True, is_unreadable=True)


def _applies(applies: Callable[[str | None], bool], found: NameUse | Gap) -> bool:
    return applies(found.file) or any(map(applies, found.included_by))


def _matches(named: NameUse, is_match: Callable[[str], bool]) -> bool:
    return any(map(is_match, named.spellings))


def _once(named: Sequence[NameUse]) -> list[NameUse]:
    """Each name once per file, at its first occurrence."""
    first: dict[tuple[str, str | None], NameUse] = {}
    for each in named:
        first.setdefault((each.name, each.file), each)
    return [*first.values()]


def applies_to_name(constraint: Constraint, file: SourceFile) -> bool:
    """Whether a constraint is about files with a name like this one's."""
    # If the constraint lists files, it has decided whether configuration is included.
    return constraint.target != "config" or constraint.applies_to is not None or _is_configuration(file.path)


_SUFFIXES = (
    ".cfg", ".conf", ".config", ".env", ".hcl", ".ini", ".json", ".json5", ".jsonc", ".properties", ".tf", ".tfvars",
    ".toml", ".xml", ".yaml", ".yml",
)  # fmt: skip
_NAMES = ("dockerfile", "makefile", "procfile", ".editorconfig", ".env", ".npmrc", ".yarnrc", ".gitconfig")


def _is_configuration(path: str) -> bool:
    """Whether a file is configuration: by its suffix, or by a name that such files have."""
    name = path.rpartition("/")[2].casefold()
    return name.endswith(_SUFFIXES) or name in _NAMES or name.startswith((".env.", "dockerfile."))


_DEFAULT: Severity = "warn"
_TOO_LATE = Violation("cannot be evaluated: the check timed out; check fewer files at once", is_unevaluated=True)
_REMEDY = "fix the file, exclude it with `appliesTo`, or put `unreadable: warn` into the policy"


@dataclass(frozen=True, slots=True)
class Rule:
    """A constraint and its item.

    Attributes:
        only_warns_if_unreadable: whether the item lets files pass that cannot be read.
    """

    item_id: str
    item_title: str
    item_severity: Severity | None
    constraint: Constraint
    only_warns_if_unreadable: bool = False

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
        message=_message(rule, violation),
        location=None if violation.file is None else ViolationPlace(file=violation.file, line=violation.line),
    )


def _severity(rule: Rule, violation: Violation) -> Severity:
    if violation.is_unreadable and rule.only_warns_if_unreadable and rule.severity == "block":
        return "warn"
    return violation.severity or rule.severity


def _message(rule: Rule, violation: Violation) -> str:
    constraint = rule.constraint
    if violation.is_unreadable and _severity(rule, violation) == "block":
        return f"{violation.reason}; {_REMEDY}"
    if violation.is_unevaluated or constraint.message is None:
        return violation.reason
    if violation.file is None and constraint.target in ("table", "column"):
        # Without a file and line, name the match.
        return f"{constraint.message} ({violation.reason})"
    return constraint.message
