"""Issues that ask for descriptions: which repository they are in, and which tables and columns they name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tribal.capabilities.contribution.errors import RepositoryNotAllowed
from tribal.capabilities.contribution.offers.offers import Offer
from tribal.errors import RepositoryUnusable
from tribal.masking import redact_text
from tribal.ports.repositories import Forge, ForgeIssue
from tribal_contracts.contribution.cycles import RequestedIssue
from tribal_contracts.contribution.settings import ContributionSettings, RepositoryEntry

_ADDRESS = re.compile(r"(?P<page>https?://\S+?)/issues/(?P<number>[1-9]\d{0,8})/?(?:[?#]\S*)?")
_NAME = re.compile(r"(?<![\w$./])[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*){1,3}")
_ASKS = re.compile(r"\b(?:describ|descript|document|comment)", re.IGNORECASE)
_MOST_BODY = 20_000


@dataclass(frozen=True, slots=True)
class DescriptionRequest:
    """An issue that asks for descriptions, and the names in it, folded."""

    issue: ForgeIssue
    names: frozenset[str]

    def is_for(self, offer: Offer) -> bool:
        """Whether it names what an offer describes: its column, or its table as a whole."""
        return not self.names.isdisjoint(_names_of(offer))

    def require_known(self, offers: Sequence[Offer]) -> None:
        """Check that it names something that has a description.

        Raises:
            RepositoryUnusable: when it does not.
        """
        if not offers:
            raise RepositoryUnusable(
                f"{self.issue.url} names no table or column with a description here that its repository creates; write"
                " one into annotations/, or compare `tribal contribute list`"
            )

    def recorded(self, offers: Sequence[Offer]) -> RequestedIssue:
        """The issue as a cycle records it; it is answered if offers are for every name in it."""
        answered = {name for each in offers for name in _names_of(each)}
        return requested(self.issue, is_answered=self.names <= answered)


def requested(issue: ForgeIssue, *, is_answered: bool) -> RequestedIssue:
    """An issue as a cycle records it."""
    return RequestedIssue(
        number=issue.number,
        url=issue.url,
        title=redact_text(issue.title, prose=False),
        body=redact_text(issue.body, prose=False)[:_MOST_BODY],
        labels=list(issue.labels),
        comments=issue.comments,
        created_at=issue.created_at,
        is_answered=is_answered,
    )


def issue_place(url: str, settings: ContributionSettings) -> tuple[RepositoryEntry, int]:
    """The configured repository of an issue, and its number.

    Raises:
        RepositoryNotAllowed: when the address is not one of an issue, or its repository is not configured.
    """
    found = _ADDRESS.fullmatch(url.strip())
    if found is None:
        raise RepositoryNotAllowed(
            f"{url[:200]!r} is not the address of an issue, such as https://github.com/acme/shop/issues/12"
        )
    for entry in settings.repositories:
        if entry.url is not None and _page(entry.url) == _page(found["page"]):
            return entry, int(found["number"])
    raise RepositoryNotAllowed(
        f"the repository {found['page']} is not configured, so nothing is read from it; add it to"
        " contribution.repositories by its `url`"
    )


def read_issue(forge: Forge, entry: RepositoryEntry, number: int) -> ForgeIssue:
    """Read an open issue.

    Raises:
        RepositoryUnusable: when it was moved or is closed.
        RepositoryUnreadable: when it does not exist, or may not be read.
    """
    issue = forge.read_issue(number)
    place = _ADDRESS.fullmatch(issue.url)
    if place is None or _page(place["page"]) != _page(entry.url or "") or issue.number != number:
        raise RepositoryUnusable(f"issue {number} of {entry.url} is {issue.url} now; use that address")
    if not issue.is_open:
        raise RepositoryUnusable(f"{issue.url} is closed")
    return issue


def asks_in_title(issue: ForgeIssue) -> bool:
    """Whether the title of an issue asks for a description; a word in its text may mean something else."""
    return _ASKS.search(issue.title) is not None


def description_request(issue: ForgeIssue) -> DescriptionRequest:
    """Read what descriptions an issue asks for.

    Raises:
        RepositoryUnusable: when it asks for something else, or names no table.
    """
    text = f"{issue.title}\n{issue.body}"
    names = frozenset(each.casefold() for each in _NAME.findall(text))
    if not _ASKS.search(text):
        raise RepositoryUnusable(f"{issue.url} does not ask for a description, documentation or a comment")
    if not names:
        raise RepositoryUnusable(f"{issue.url} names no table; write it as schema.table or schema.table.column")
    return DescriptionRequest(issue, names)


def _names_of(offer: Offer) -> set[str]:
    written = offer.written
    table = [written.database, written.relation.schema, written.relation.name]
    places = [table] if written.column is None else [table, [*table, written.column]]
    return {".".join(each).casefold() for place in places for each in (place, place[1:])}


def _page(url: str) -> str:
    return url.casefold().removesuffix("/").removesuffix(".git")
