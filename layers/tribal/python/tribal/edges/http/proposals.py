"""The routes by which callers see, reject and withdraw proposed descriptions; a correction accepts one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.capabilities.proposals.errors import ProposalClosed, ProposalForbidden, ProposalNotFound
from tribal.edges.http.messages import Response
from tribal.edges.http.routing import Call, Route
from tribal.errors import IndexNotReady

if TYPE_CHECKING:
    from tribal_contracts import Contract

PROPOSALS = "/v1/proposals"
PROPOSAL = f"{PROPOSALS}/{{id}}"


def routes() -> tuple[Route, ...]:
    """The routes of one process."""
    return (
        Route(
            "GET",
            PROPOSALS,
            _listed,
            "Open proposals of descriptions that the caller may see, newest first.",
            models=_list_models,
            failures=(ProposalForbidden, IndexNotReady),
        ),
        Route(
            "DELETE",
            PROPOSAL,
            _rejected,
            "Reject a proposal, or withdraw one's own.",
            models=_closed_models,
            failures=(ProposalForbidden, ProposalNotFound, ProposalClosed, IndexNotReady),
        ),
    )


def _list_models() -> tuple[None, type[Contract]]:
    from tribal_contracts.proposals.tools import ProposalList

    return None, ProposalList


def _closed_models() -> tuple[None, type[Contract]]:
    from tribal_contracts.proposals.tools import ClosedProposal

    return None, ClosedProposal


def _listed(call: Call) -> Response:
    from tribal.capabilities.proposals.deciding import Proposals

    return Response(200, Proposals(call.app, call.request.caller).listed().to_compact_json())


def _rejected(call: Call) -> Response:
    from tribal.capabilities.proposals.deciding import Proposals

    return Response(200, Proposals(call.app, call.request.caller).reject(call.values["id"]).to_compact_json())
