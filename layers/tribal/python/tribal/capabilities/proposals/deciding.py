"""List, accept and reject open proposals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from tribal.answering.visible_tables import VisibleTables, visible_tables
from tribal.capabilities.proposals.errors import ProposalClosed, ProposalForbidden, ProposalNotFound
from tribal.capabilities.proposals.files import ProposalFiles
from tribal.capabilities.proposals.rights import PROPOSE_DESCRIPTIONS, WRITE_ANNOTATIONS
from tribal.identity.scope import EVERYTHING
from tribal.identity.table_names import TableIdentity
from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal_contracts.proposals.records import DescriptionProposal, ProposalClosing, ProposalOutcome
from tribal_contracts.proposals.tools import ClosedProposal, ListedProposal, ProposalList


@dataclass(frozen=True, slots=True)
class Proposals:
    """The proposals of one store, as one caller sees them.

    With the right to write annotations, these are all within its scope, otherwise its own. A proposal of someone else
    whose text mentions something outside the scope does not exist for the caller.
    """

    app: Application
    caller: Caller

    def listed(self) -> ProposalList:
        """Return the open proposals, newest first.

        Raises:
            ProposalForbidden: when the caller may see none at all.
            IndexNotReady: when the caller is restricted and there is no finished index.
        """
        found = sorted(self._visible(), key=lambda each: (each.at, each.id), reverse=True)
        return ProposalList(proposals=found, total=len(found))

    def open(self, name: str) -> ListedProposal:
        """Return an open proposal; raises as `listed` does.

        Raises:
            ProposalNotFound: when it is missing or hidden: the same words for both.
            ProposalClosed: when it is closed.
        """
        self._require_right()
        proposal = self._files.find(name)
        visible = None if proposal is None else next(self._visible_of([proposal]), None)
        if visible is None:
            raise not_found(name)
        closing = self._files.closing(name)
        if closing is not None:
            raise ProposalClosed(f"the proposal {name} was {closing.outcome} at {closing.at}; nothing is left to do")
        return visible

    def accept(self, proposal: ListedProposal, written: str) -> ClosedProposal:
        """Close a proposal whose text, or another one for it, was just written.

        If someone else closed it meanwhile, that outcome stays.
        """
        return self._close(proposal, "accepted" if written == proposal.description else "edited")

    def reject(self, name: str) -> ClosedProposal:
        """Reject an open proposal, or withdraw one's own; raises as `open` does.

        Raises:
            ProposalClosed: when someone else closed it at the same time with another outcome.
        """
        proposal = self.open(name)
        is_own = proposal.by == self.caller.subject and not self.caller.may(WRITE_ANNOTATIONS)
        outcome: ProposalOutcome = "withdrawn" if is_own else "rejected"
        closed = self._close(proposal, outcome)
        if closed.outcome != outcome:
            raise ProposalClosed(f"the proposal {name} was {closed.outcome} in the meantime")
        return closed

    @property
    def _files(self) -> ProposalFiles:
        return ProposalFiles(self.app.store())

    def _visible(self) -> Iterator[ListedProposal]:
        self._require_right()
        by = None if self.caller.may(WRITE_ANNOTATIONS) else self.caller.subject
        yield from self._visible_of(self._files.readable(self._files.open_ids(by)))

    def _visible_of(self, proposals: Iterable[DescriptionProposal]) -> Iterator[ListedProposal]:
        with ExitStack() as stack:
            tables: VisibleTables | None = None
            for each in proposals:
                is_own, table = each.by == self.caller.subject, TableIdentity.parse(each.table)
                if not (is_own or self.caller.may(WRITE_ANNOTATIONS)):
                    continue
                if not self.caller.scope.allows(table.database, table.schema):
                    continue
                if self.caller.scope != EVERYTHING and tables is None:
                    tables = stack.enter_context(visible_tables(self.caller, self.app))
                # Hiding a caller's own proposal would reveal that it mentions a hidden object.
                if tables is not None and not is_own and tables.withholds(each.description, table):
                    continue
                hides_before = tables is not None and tables.withholds(each.before, table)
                yield ListedProposal(
                    id=each.id,
                    table=each.table,
                    column=each.column,
                    before="" if hides_before else each.before,
                    description=each.description,
                    by=each.by,
                    at=each.at,
                )

    def _close(self, proposal: ListedProposal, outcome: ProposalOutcome) -> ClosedProposal:
        closing = ProposalClosing(
            id=proposal.id, outcome=outcome, by=self.caller.subject, at=self.app.clock.published()
        )
        if not self._files.close(closing):
            closing = self._files.closing(proposal.id) or closing
        return ClosedProposal(id=closing.id, outcome=closing.outcome)

    def _require_right(self) -> None:
        if not (self.caller.may(WRITE_ANNOTATIONS) or self.caller.may(PROPOSE_DESCRIPTIONS)):
            raise ProposalForbidden(
                f"proposals need the right {WRITE_ANNOTATIONS!r}, or {PROPOSE_DESCRIPTIONS!r} for one's own: "
                "`tribal serve --write`, or a token with it"
            )


def not_found(name: str) -> ProposalNotFound:
    """Return the error for a proposal that is missing or hidden: the same words for both."""
    return ProposalNotFound(f"there is no proposal {name[:100]!r}; `tribal proposals` lists those that you may see")
