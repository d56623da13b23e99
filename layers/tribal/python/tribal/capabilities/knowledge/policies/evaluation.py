"""Evaluates one constraint over a evidence. What cannot be evaluated is a violation, never a pass.

Source: docs/contracts.md, Knowledge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from tribal.capabilities.knowledge.errors import PatternInvalid
from tribal.capabilities.knowledge.policies.configuration import is_configuration
from tribal.capabilities.knowledge.policies.evidence import Evidence, Named, SourceFile
from tribal.capabilities.knowledge.policies.patterns import expression, path_glob
from tribal_contracts.knowledge import Constraint, Severity


@dataclass(frozen=True, slots=True)
class Violation:
    """Where a constraint does not hold, and why.

    Attributes:
        severity: unset where it is the constraint's own.
        is_unevaluated: whether it says that the constraint could not be evaluated.
        is_over_limit: whether that is because of a limit. Then it blocks where the constraint blocks.
    """

    reason: str
    file: str | None = None
    line: int | None = None
    severity: Severity | None = None
    is_unevaluated: bool = False
    is_over_limit: bool = False


def violations(constraint: Constraint, evidence: Evidence) -> list[Violation]:
    """Where a constraint does not hold, in order of the evidence."""
    try:
        applies = _applicable(constraint)
        match constraint.operator:
            case "must_exist" | "must_not_exist":
                return [*_of_existence(constraint, evidence, applies)]
            case _ if constraint.target in ("code", "config"):
                return [*_of_texts(constraint, evidence, applies)]
            case _:
                return [*_of_names(constraint, evidence, applies)]
    except PatternInvalid as error:
        return [Violation(f"cannot be evaluated: {error.message}", severity="block", is_unevaluated=True)]


def _applicable(constraint: Constraint) -> Callable[[str | None], bool]:
    """Whether a constraint is about what is in a file, or in no file that is known: that it is always about."""
    if constraint.applies_to is None:
        return lambda _: True
    names = path_glob(constraint.applies_to)
    return lambda path: path is None or names(path)


def _of_existence(
    constraint: Constraint, evidence: Evidence, applies: Callable[[str | None], bool]
) -> Iterator[Violation]:
    is_meant = path_glob(constraint.pattern)
    files = [each for each in evidence.files if applies(each.path) and _is_of(constraint, each)]
    found = [each for each in files if is_meant(each.path)]
    if constraint.operator == "must_not_exist":
        for each in found:
            yield Violation(f"{each.path!r} must not exist", each.path)
    elif evidence.is_complete and not found:
        yield Violation(f"there is no file {constraint.pattern!r}")


def _of_texts(constraint: Constraint, evidence: Evidence, applies: Callable[[str | None], bool]) -> Iterator[Violation]:
    pattern = expression(constraint.pattern)
    meant = [each for each in evidence.files if applies(each.path) and _is_of(constraint, each)]
    for each in meant:
        if each.unread is not None and not each.is_binary:
            told = f"cannot be evaluated: {each.unread}"
            yield Violation(told, each.path, severity="warn", is_unevaluated=True, is_over_limit=each.is_over_limit)
    files = [each for each in meant if each.unread is None]
    lines = [(each, pattern.line_in(each.data)) for each in files]
    match constraint.operator:
        case "must_not_use" | "must_not_match":
            for each, line in lines:
                if line is not None:
                    yield Violation(f"{constraint.pattern!r} is found", each.path, line)
        case "must_match":
            for each, line in lines:
                if line is None:
                    yield Violation(f"{constraint.pattern!r} is not found", each.path)
        case _ if evidence.is_complete and all(line is None for _, line in lines):
            yield Violation(f"{constraint.pattern!r} is found in no file")


def _of_names(constraint: Constraint, evidence: Evidence, applies: Callable[[str | None], bool]) -> Iterator[Violation]:
    # A demand on how names are written is one on their case too.
    is_match = cache(expression(constraint.pattern, folded=constraint.operator != "must_match").is_whole)
    found = evidence.found(constraint.target)
    named = [each for each in found.named if applies(each.file)]
    match constraint.operator:
        case "must_not_use" | "must_not_match":
            for each in _once(named):
                if _matches(each, is_match):
                    yield Violation(f"{constraint.target} {each.name!r} is not allowed", each.file, each.line)
        case "must_match":
            for each in _once(named):
                if not _matches(each, is_match):
                    told = f"{constraint.target} {each.name!r} does not match {constraint.pattern!r}"
                    yield Violation(told, each.file, each.line)
        case _ if evidence.is_complete and not any(_matches(each, is_match) for each in named):
            yield Violation(f"no {constraint.target} matches {constraint.pattern!r}")
    for gap in found.unread:
        if constraint.target in gap.targets and applies(gap.file):
            told = f"cannot be evaluated: {gap.reason}"
            yield Violation(
                told, gap.file, gap.line, severity="warn", is_unevaluated=True, is_over_limit=gap.is_over_limit
            )


def _matches(named: Named, is_match: Callable[[str], bool]) -> bool:
    return any(map(is_match, named.spellings))


def _once(named: Sequence[Named]) -> list[Named]:
    """Each name once a file, where it is first."""
    first: dict[tuple[str, str | None], Named] = {}
    for each in named:
        first.setdefault((each.name, each.file), each)
    return [*first.values()]


def _is_of(constraint: Constraint, file: SourceFile) -> bool:
    # Whoever says which files it is about knows which of them are configuration.
    return constraint.target != "config" or constraint.applies_to is not None or is_configuration(file.path)
