"""Which names and literals of an SQL text belong together, and the kinds that the names give them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from tribal.masking.kinds import SensitiveKind
from tribal.masking.sql.harmless import Place


class Name(NamedTuple):
    """A column as an expression mentions it."""

    text: str
    qualifier: str = ""


class Literal(NamedTuple):
    """A literal: the number of its token, and where it stands."""

    token: int
    place: Place


KindOf = Callable[[Name], SensitiveKind | None]


@dataclass(slots=True, eq=False)
class Segment:
    """Names and literals that belong together: operands of one comparison, arguments of one call, one selected value.

    `linked` says whether names count across the border with the segment above: those above for the literals here, and
    those here for the literals above.
    """

    above: Segment | None = None
    linked: bool = True
    names: list[Name] = field(default_factory=list)
    literals: list[Literal] = field(default_factory=list)
    kind: SensitiveKind | None = None
    forced: SensitiveKind | None = None
    """A kind of every literal here and below, whatever it is compared with there."""
    is_column: bool = False
    """Whether it is a column of a SELECT or of VALUES, whose names are those that it has outside."""
    only: set[str] = field(default_factory=set)
    """Different names here and below; of many, two."""
    has_literal: bool = False

    def cut(self) -> None:
        """Make the segment a condition, whose operands have nothing to do with what the condition decides."""
        self.linked = False


@dataclass(slots=True)
class Structure:
    """All segments of an SQL text, each after the one above it."""

    segments: list[Segment] = field(default_factory=list)
    tables: dict[str, str] = field(default_factory=dict)
    """Tables by their names and aliases."""
    broken: bool = False
    """Whether the text could not be followed, so that nothing is certain about what belongs together."""

    def new(self, above: Segment | None = None, *, linked: bool = True) -> Segment:
        """Add an empty segment."""
        segment = Segment(above, linked=linked and above is not None)
        self.segments.append(segment)
        return segment


def kinds_of_literals(structure: Structure, kind_of: KindOf) -> Iterable[tuple[Literal, SensitiveKind]]:
    """Every literal that stands beside a name of a kind, with that kind. Linear in the number of segments."""
    kinds = _kinds_of_names(structure, kind_of)
    everywhere = _secret_kind(kinds, kinds) if structure.broken else None
    for segment in reversed(structure.segments):
        for name in segment.names:
            segment.kind = surer(segment.kind, kinds.get(name))
        if segment.linked and segment.above is not None:
            segment.above.kind = surer(segment.above.kind, segment.kind)
    for segment in structure.segments:
        if segment.is_column:
            segment.forced = segment.forced or _secret_kind(segment.names, kinds)
        above = segment.above
        if above is not None:
            segment.forced = segment.forced or above.forced
            if segment.linked:
                segment.kind = surer(above.kind, segment.kind)
        kind = segment.kind or segment.forced or everywhere
        if kind is not None:
            yield from ((literal, kind) for literal in segment.literals)


def surer(one: SensitiveKind | None, other: SensitiveKind | None) -> SensitiveKind | None:
    """Of two kinds a secret rather than another one, and prose last; of equals the first."""
    ranked = [kind for kind in (one, other) if kind is not None]
    return min(ranked, key=lambda kind: (not kind.is_secret, kind is SensitiveKind.FREE_TEXT), default=None)


def _secret_kind(names: Iterable[Name], kinds: dict[Name, SensitiveKind]) -> SensitiveKind | None:
    found = (kinds.get(name) for name in names)
    return next((kind for kind in found if kind is not None and kind.is_secret), None)


def _kinds_of_names(structure: Structure, kind_of: KindOf) -> dict[Name, SensitiveKind]:
    """Kinds by name; a column and another name that a SELECT list gives it are of the same kind."""
    names = {name for segment in structure.segments for name in segment.names}
    kinds = {name: kind for name in names if (kind := kind_of(name)) is not None}
    same = _other_names(structure)
    learned: dict[str, SensitiveKind] = {}
    known = {name.text: kind for name, kind in kinds.items() if kind is not SensitiveKind.FREE_TEXT}
    waiting = list(known.items())
    while waiting:
        text, kind = waiting.pop()
        for other in same.get(text, ()):
            if other not in known and other not in learned:
                learned[other] = kind
                waiting.append((other, kind))
    return {name: learned[name.text] for name in names if name.text in learned} | kinds


def _other_names(structure: Structure) -> dict[str, set[str]]:
    """Names that stand for the same column, each with the others: `SELECT u.secret AS s`."""
    same: dict[str, set[str]] = defaultdict(set)
    for segment in reversed(structure.segments):
        _add(segment.only, (name.text for name in segment.names))
        segment.has_literal = segment.has_literal or bool(segment.literals)
        above = segment.above
        if above is None:
            continue
        if above.is_column and segment.linked and len(segment.only) == 1 and not segment.has_literal:
            for name in above.names:
                same[name.text] |= segment.only
                same[next(iter(segment.only))].add(name.text)
        _add(above.only, segment.only)
        above.has_literal = above.has_literal or segment.has_literal
    return same


def _add(known: set[str], more: Iterable[str]) -> None:
    for name in more:
        if len(known) > 1:
            return
        known.add(name)
