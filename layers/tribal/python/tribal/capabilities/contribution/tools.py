"""The tools of contribution; none of them approves. Use cases and contracts are imported only when a tool is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tribal.capabilities.contribution.rights import PREPARE_CONTRIBUTIONS, READ_CONTRIBUTIONS
from tribal.ports.tool import Effect, ToolGroup, ToolSpec, models_of

if TYPE_CHECKING:
    from tribal.capabilities.contribution.contributions import Contributions
    from tribal.ports.application import Application
    from tribal.ports.caller import Caller
    from tribal_contracts import AgentError, Contract
    from tribal_contracts.contribution.tools import (
        GetContributionInput,
        ListContributionsInput,
        PrepareContributionInput,
    )

_CONTRACTS = "tribal_contracts.contribution.tools"
_PREPARES = Effect(read_only=False, idempotent=False)


def _prepare(request: PrepareContributionInput, caller: Caller, app: Application) -> Contract:
    from tribal.capabilities.contribution.views import contribution_output, problem_of
    from tribal_contracts.contribution.tools import ContributionOutput

    service = _contributions(caller, app)
    record = service.prepare(request)
    if record is None:
        return ContributionOutput(success=True, message="There is nothing to contribute.")
    problem = problem_of(record)
    if problem is not None:
        raise problem
    return contribution_output(service, record)


def _get(request: GetContributionInput, caller: Caller, app: Application) -> Contract:
    from tribal.capabilities.contribution.views import contribution_output

    service = _contributions(caller, app)
    return contribution_output(service, service.record(request.cycle))


def _list(request: ListContributionsInput, caller: Caller, app: Application) -> Contract:
    from tribal.capabilities.contribution.views import list_output

    return list_output(_contributions(caller, app), request)


def _contributions(caller: Caller, app: Application) -> Contributions:
    from tribal.capabilities.contribution.contributions import Contributions
    from tribal.capabilities.contribution.parts import contribution_parts

    parts = contribution_parts(app)
    return Contributions(app, parts, caller, caller.person, parts.stop)


def _failed(spec: ToolSpec, _: Mapping[str, Any], error: AgentError) -> Contract:
    return spec.output_model(success=False, error=error)


CONTRIBUTION = ToolGroup(
    name="contribution",
    tools=(
        ToolSpec(
            name="list_contributions",
            title="List contributions",
            summary="List descriptions that could be contributed to the repositories that create the tables.",
            description="Lists descriptions that people wrote here and that the repository which creates the table"
            " lacks, in the order in which they would be contributed, with their state: open, proposed, declined,"
            " merged, applied, conflict (the repository says something else) or not_offered; and the contributions.",
            models=models_of(_CONTRACTS, "ListContributionsInput", "ListContributionsOutput"),
            handler=_list,
            right=READ_CONTRIBUTIONS,
            example={"state": "open"},
        ),
        ToolSpec(
            name="prepare_contribution",
            title="Prepare a contribution",
            summary="Prepare a small change that adds descriptions to a repository.",
            description="Prepares a change that adds descriptions to the repository that creates the tables: a"
            " migration or an edit of dbt's YAML. Nothing is published: a person looks at it and approves it with"
            " `tribal contribute approve`.",
            models=models_of(_CONTRACTS, "PrepareContributionInput", "ContributionOutput"),
            handler=_prepare,
            right=PREPARE_CONTRIBUTIONS,
            effect=_PREPARES,
            example={"tables": ["shop.billing.invoice"]},
        ),
        ToolSpec(
            name="get_contribution",
            title="Show a contribution",
            summary="Show what a contribution would publish, and what became of it.",
            description="Shows a contribution: its diff, title and text, checks, warnings, state and outcome.",
            models=models_of(_CONTRACTS, "GetContributionInput", "ContributionOutput"),
            handler=_get,
            right=READ_CONTRIBUTIONS,
            example={"cycle": 1},
        ),
    ),
    failed=_failed,
    invalid_input_code="CON_REPOSITORY_NOT_ALLOWED",
    internal_code="CON_INTERNAL",
    access_denied_code="CON_ACCESS_DENIED",
    instructions="list_contributions shows which descriptions the repositories that create the tables lack."
    " prepare_contribution prepares a change for one repository, and get_contribution shows it. A person approves it on"
    " the command line; no tool does.",
)
