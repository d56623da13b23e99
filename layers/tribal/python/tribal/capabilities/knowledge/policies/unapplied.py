"""Reports constraints that apply to no file: a typo in `appliesTo` would silently turn a policy off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from tribal.capabilities.knowledge.errors import PatternInvalid
from tribal.capabilities.knowledge.policies.checking import Rule, applies_to_name
from tribal.capabilities.knowledge.policies.evidence import Evidence, SourceFile
from tribal.capabilities.knowledge.policies.file_names import targets_read_of
from tribal.capabilities.knowledge.policies.patterns import path_glob
from tribal_contracts.knowledge import Constraint

_MOST_NAMED = 3
_MOST_HINTS = 5


def notes_on_unapplied(rules: Sequence[Rule], evidence: Evidence) -> list[str]:
    """What to know about constraints that apply to none of the files: a line for each `appliesTo` that is nearly right,
    and one for all others."""
    if not evidence.files:
        return []
    unapplied = [rule for rule in rules if not _is_applied(rule.constraint, evidence)]
    hints: dict[tuple[str, str], str] = {}
    others: list[str] = []
    for rule in unapplied:
        glob = rule.constraint.applies_to
        known = (rule.item_id, glob or "")
        if glob is None:
            others.append(f"{rule.item_id} ({rule.constraint.target})")
        elif _matches(glob, evidence.files):
            others.append(f"{rule.item_id} ({rule.constraint.target} in {glob!r})")
        elif known not in hints and len(hints) < _MOST_HINTS and (nearest := _nearest(glob, evidence.files)):
            hints[known] = (
                f"appliesTo {glob!r} of {rule.item_id} matches none of the checked files, but {nearest!r} does"
            )
        elif known not in hints:
            others.append(f"{rule.item_id} (appliesTo {glob!r})")
    return [*hints.values(), *_summary(others, len(rules))]


def _summary(unapplied: Sequence[str], total: int) -> Iterator[str]:
    if unapplied:
        named = list(dict.fromkeys(unapplied))
        more = f" and {len(named) - _MOST_NAMED:,} more" if len(named) > _MOST_NAMED else ""
        count = f"{len(unapplied):,} of {total:,} constraints" if total > 1 else "the constraint"
        verb = "apply" if len(unapplied) > 1 else "applies"
        yield f"{count} {verb} to none of the checked files: {', '.join(named[:_MOST_NAMED])}{more}"


def _is_applied(constraint: Constraint, evidence: Evidence) -> bool:
    try:
        applies = (lambda _: True) if constraint.applies_to is None else path_glob(constraint.applies_to)
    except PatternInvalid:
        # The check itself reports it.
        return True
    if constraint.operator in ("must_exist", "must_not_exist"):
        return any(applies(file.path) for file in evidence.files)
    if constraint.target in ("code", "config"):
        return any(applies_to_name(constraint, file) and applies(file.path) for file in evidence.files)
    is_elsewhere = any(each.file is None for each in evidence.found(constraint.target).named)
    targets = (constraint.target,)
    return is_elsewhere or any(targets_read_of(file, targets) and applies(file.path) for file in evidence.files)


def _nearest(glob: str, files: Sequence[SourceFile]) -> str | None:
    """A similar glob that matches a file."""
    return next((candidate for candidate in _similar(glob, files) if _matches(candidate, files)), None)


def _matches(glob: str, files: Sequence[SourceFile]) -> bool:
    try:
        matches = path_glob(glob)
    except PatternInvalid:
        return False
    return any(matches(file.path) for file in files)


def _similar(glob: str, files: Sequence[SourceFile]) -> Iterator[str]:
    if glob.startswith("!"):
        return
    folders, slash, last = glob.rpartition("/")
    yield f"**/{glob.lstrip('/')}"
    if slash and "*" in last and not folders.endswith("**"):
        # Its files may be in folders further down.
        yield f"{folders}/**/{last}"
    first, slash, rest = glob.lstrip("/").partition("/")
    names = {file.path.partition("/")[0] for file in files}
    folded = {name.casefold(): name for name in sorted(names)}
    for close in get_close_matches(first.casefold(), folded, cutoff=0.6):
        yield f"{folded[close]}{slash}{rest}"
