"""The files of proposals in the object store.

A proposal is written once, and so is what became of it. The second file closes the proposal, so that of two callers who
decide at the same time only the first one does, and a killed process leaves a proposal open or closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from tribal.errors import ObjectDamaged, PreconditionFailed
from tribal.identity.hashing import object_hash
from tribal.identity.locations import PROPOSALS
from tribal.ports import ObjectStore
from tribal.store import RecordFile
from tribal_contracts.proposals.records import PROPOSAL_ID_PATTERN, DescriptionProposal, ProposalClosing

_CLOSED = f"{PROPOSALS}closed/"
_ID = re.compile(PROPOSAL_ID_PATTERN)


@dataclass(frozen=True, slots=True)
class ProposalFiles:
    """Reads and writes proposals."""

    store: ObjectStore

    def open_ids(self, by: str | None = None) -> list[str]:
        """Return the ids of all open proposals, or of those by one caller, read from the names of files."""
        start = "" if by is None else _start_of_ids(by)
        closed = {_id_in(key, _CLOSED) for key in self.store.keys(f"{_CLOSED}{start}")}
        found = (_id_in(key, PROPOSALS) for key in self.store.keys(f"{PROPOSALS}{start}"))
        return [name for name in found if name and name not in closed]

    def readable(self, names: Iterable[str]) -> Iterator[DescriptionProposal]:
        """Yield the proposals of some ids; damaged files are left out."""
        for name in names:
            with suppress(ObjectDamaged):
                found = self._proposal(name).find()
                if found is not None:
                    yield found

    def find(self, name: str) -> DescriptionProposal | None:
        """Return the proposal of an id, open or closed; `None` if it does not exist.

        Raises:
            ObjectDamaged: when its file cannot be parsed.
        """
        return self._proposal(name).find() if is_proposal_id(name) else None

    def create(self, proposal: DescriptionProposal) -> None:
        """Write a proposal, unless it exists."""
        with suppress(PreconditionFailed):
            self._proposal(proposal.id).create(proposal)

    def closing(self, name: str) -> ProposalClosing | None:
        """Return the outcome of a proposal; `None` while it is open.

        Raises:
            ObjectDamaged: when the file cannot be parsed.
        """
        return self._closing(name).find()

    def close(self, closing: ProposalClosing) -> bool:
        """Close a proposal; returns whether it was open."""
        try:
            self._closing(closing.id).create(closing)
        except PreconditionFailed:
            return False
        return True

    def _proposal(self, name: str) -> RecordFile[DescriptionProposal]:
        return RecordFile(self.store, f"{PROPOSALS}{name}.json", DescriptionProposal)

    def _closing(self, name: str) -> RecordFile[ProposalClosing]:
        return RecordFile(self.store, f"{_CLOSED}{name}.json", ProposalClosing)


def is_proposal_id(name: str) -> bool:
    """Whether a text has the form of an id."""
    return _ID.fullmatch(name) is not None


def proposal_id(by: str, table: str, column: str | None, description: str) -> str:
    """Return the id of a proposal.

    It starts with a hash of its caller, so that the open ones of a caller are counted by name.
    """
    return f"{_start_of_ids(by)}{object_hash([by, table, column, description])[:16]}"


def _start_of_ids(by: str) -> str:
    return f"prop_{object_hash(by)[:8]}"


def _id_in(key: str, folder: str) -> str:
    """Return the id in a key of a folder; empty for any other key."""
    name = key.removeprefix(folder).removesuffix(".json")
    return name if is_proposal_id(name) else ""
