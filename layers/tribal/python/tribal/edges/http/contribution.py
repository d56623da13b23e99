"""The route by which someone approves a contribution over HTTPS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from tribal.capabilities.contribution.errors import (
    ApprovalMissing,
    ApprovalStale,
    ContributionForbidden,
    CycleLocked,
    CycleUnknown,
    CycleUnsuitable,
)
from tribal.capabilities.contribution.rights import APPROVE_CONTRIBUTIONS
from tribal.edges.http.bodies import json_object, require_json
from tribal.edges.http.messages import Response
from tribal.edges.http.routing import Call, Route
from tribal.errors import RequestRefused

if TYPE_CHECKING:
    from tribal_contracts import Contract

APPROVAL = "/v1/contributions/{cycle}/approval"
_LONGEST_NUMBER = 9


def routes() -> tuple[Route, ...]:
    """The routes of one process."""
    return (
        Route(
            "POST",
            APPROVAL,
            _approve,
            "Approve a contribution that someone else has prepared; it is published next.",
            status=202,
            models=_models,
            failures=(
                ContributionForbidden,
                CycleUnknown,
                CycleUnsuitable,
                CycleLocked,
                ApprovalMissing,
                ApprovalStale,
            ),
        ),
    )


def _models() -> tuple[type[Contract], type[Contract]]:
    from tribal_contracts.contribution.tools import ApprovalAccepted, ApprovalInput

    return ApprovalInput, ApprovalAccepted


def _approve(call: Call) -> Response:
    from tribal.capabilities.contribution.contributions import Contributions
    from tribal.capabilities.contribution.cycles.files import unknown_cycle
    from tribal.capabilities.contribution.parts import contribution_parts
    from tribal_contracts.contribution.tools import ApprovalAccepted, ApprovalInput

    caller, number = call.request.caller, call.values["cycle"]
    if not caller.may(APPROVE_CONTRIBUTIONS):
        raise ContributionForbidden(f"approving needs the right {APPROVE_CONTRIBUTIONS!r}")
    require_json(call.request.headers.get("content-type"))
    try:
        given = ApprovalInput.model_validate(json_object(call.request.body, '{"sha256": "..."}'))
    except ValidationError as error:
        raise RequestRefused('send the hash of what you approve: {"sha256": "..."}') from error
    if not (number.isascii() and number.isdecimal() and len(number) <= _LONGEST_NUMBER and int(number) > 0):
        raise unknown_cycle(0)
    parts = contribution_parts(call.app)
    service = Contributions(call.app, parts, caller, caller.person, parts.stop)
    record = service.accept(int(number), given.sha256)
    answer = ApprovalAccepted(cycle=record.cycle, state=record.state, sha256=given.sha256)
    return Response(202, answer.to_compact_json())
