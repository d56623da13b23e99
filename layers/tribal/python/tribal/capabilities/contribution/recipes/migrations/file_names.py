"""Names of versioned files: their order, the next version, and a slug of the title."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from tribal.capabilities.contribution.recipes.recipe import RecipeBlocked

VersionStyle = Literal["number", "time", "date", "epoch"]

_DATE = r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_TIME = re.compile(rf"{_DATE}(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?")
_DAY = re.compile(_DATE)
_EPOCH = re.compile(r"1\d{9}(?:\d{3})?")
_LONGEST_SLUG = 60


class Version(NamedTuple):
    """The version in a file's name: its digits, cut at separators."""

    parts: tuple[str, ...]
    separators: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[int, ...]:
        """The value to sort by; trailing zeros do not count."""
        numbers = [int(part) for part in self.parts]
        while len(numbers) > 1 and numbers[-1] == 0:
            numbers.pop()
        return tuple(numbers)

    @property
    def text(self) -> str:
        """The version as it is written."""
        return "".join(part + sep for part, sep in zip(self.parts, (*self.separators, ""), strict=True))

    @property
    def style(self) -> VersionStyle:
        """What the version counts."""
        digits = "".join(self.parts)
        if _TIME.fullmatch(digits):
            return "time"
        if _DAY.fullmatch(self.parts[0]) and len(self.parts) <= 2:
            return "date"
        return "epoch" if _EPOCH.fullmatch(digits) and len(self.parts) == 1 else "number"


def parse_version(written: str) -> Version:
    """Return a version of digits that are separated by `.`, `_` or `-`."""
    return Version(tuple(re.split(r"[._-]", written)), tuple(re.findall(r"[._-]", written)))


def next_version(versions: Sequence[Version], at: str) -> Version:
    """Return a version above all others, in the style of the highest.

    Args:
        versions: all versions, not empty.
        at: the time for versions that are timestamps, in ISO 8601 and UTC.

    Raises:
        RecipeBlocked: the padded number has no digit left.
    """
    highest = max(versions, key=lambda version: version.order)
    timed = _timed(highest, at)
    if timed is not None and timed.order > highest.order:
        return timed
    last = highest.parts[-1]
    number = str(int(last) + 1).zfill(len(last))
    shaped = [version.parts[-1] for version in versions if len(version.parts) == len(highest.parts)]
    if len(number) > len(last) and any(len(part) > 1 and part.startswith("0") for part in shaped):
        raise RecipeBlocked(
            f"version {highest.text} is the last one of its width; rename the migrations to a wider number, or add "
            "the next one yourself"
        )
    return highest._replace(parts=(*highest.parts[:-1], number))


def epoch_seconds(at: str) -> int:
    """Return the seconds since 1970 of a time in ISO 8601 and UTC."""
    return calendar.timegm(tuple(map(int, re.findall(r"\d+", at)[:6])))


def _timed(highest: Version, at: str) -> Version | None:
    """Return the time in the shape of the highest version; `None` if its versions count something else."""
    digits = re.sub(r"\D", "", at)[:14]
    if highest.style == "number":
        return None
    if highest.style == "epoch":
        return highest._replace(parts=(str(epoch_seconds(at)).ljust(len(highest.parts[0]), "0"),))
    if highest.style == "date":
        sequence = ("1".zfill(len(highest.parts[1])),) if len(highest.parts) == 2 else ()
        if digits[:8] == highest.parts[0]:
            return None
        return highest._replace(parts=(digits[:8], *sequence))
    parts = []
    for part in highest.parts:
        parts.append(digits[: len(part)])
        digits = digits[len(part) :]
    return highest._replace(parts=tuple(parts))


def slug_of(title: str, siblings: Sequence[str]) -> str:
    """Return the title as siblings write theirs: their sign between the words, and their case."""
    dashed = sum("-" in name for name in siblings) > sum("_" in name for name in siblings)
    words = re.findall(r"[A-Za-z0-9]+", title) or ["describe", "tables"]
    if not any(name[:1].isupper() for name in siblings):
        words = [word.lower() for word in words]
    slug = ""
    for word in words:
        longer = f"{slug}{'-' if dashed else '_'}{word}" if slug else word[:_LONGEST_SLUG]
        if len(longer) > _LONGEST_SLUG:
            break
        slug = longer
    return slug
