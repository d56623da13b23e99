"""Counts the pending work that a caller may see: proposals and contributions for a person, uploads for a process.

`tribal status` and the page show the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from tribal.capabilities.chat.parts import ChatParts
from tribal.capabilities.chat.rights import WRITE_COLLECTIONS
from tribal.capabilities.contribution.parts import ContributionParts
from tribal.capabilities.contribution.rights import READ_CONTRIBUTIONS
from tribal.capabilities.proposals.rights import PROPOSE_DESCRIPTIONS, WRITE_ANNOTATIONS
from tribal.errors import TribalError
from tribal.ports.application import Application
from tribal.ports.caller import Caller

Count = Callable[[Caller, Application], int | None]


@dataclass(frozen=True, slots=True)
class Waiting:
    """How much waits; `None` for what is not configured, cannot be read, or needs a right that the caller lacks."""

    proposals: int | None
    """Open ones."""
    contributions: int | None
    """Those that wait for approval, as answers to a review may, too."""
    uploads: int | None
    """Uploads and removals in progress."""

    @property
    def known_counts(self) -> dict[str, int]:
        """Return the counts that are known, by name."""
        return {name: number for name, number in asdict(self).items() if number is not None}

    @property
    def counts(self) -> dict[str, int]:
        """Return all counts by name; 0 for those that are not known."""
        return {name: number or 0 for name, number in asdict(self).items()}


def waiting(caller: Caller, app: Application) -> Waiting:
    """Count what waits."""

    def counted(count: Count) -> int | None:
        try:
            return count(caller, app)
        except TribalError:
            return None

    return Waiting(counted(_proposals), counted(_contributions), counted(_uploads))


def _proposals(caller: Caller, app: Application) -> int | None:
    from tribal.capabilities.proposals.deciding import Proposals

    if not (caller.may(WRITE_ANNOTATIONS) or caller.may(PROPOSE_DESCRIPTIONS)):
        return None
    return Proposals(app, caller).listed().total


def _contributions(caller: Caller, app: Application) -> int | None:
    from tribal.capabilities.contribution.contributions import Contributions

    parts = app.part(ContributionParts)
    if parts is None or not caller.may(READ_CONTRIBUTIONS):
        return None
    records = Contributions(app, parts, caller, caller.person).records()
    return sum(each.state == "waiting" or each.follow_up is not None for each in records)


def _uploads(caller: Caller, app: Application) -> int | None:
    from tribal.capabilities.chat.uploads.uploads import Uploads

    if app.part(ChatParts) is None or not caller.may(WRITE_COLLECTIONS):
        return None
    return Uploads(app, caller).processing()
