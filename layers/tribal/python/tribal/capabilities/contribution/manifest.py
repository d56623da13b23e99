"""The manifest of contribution: data only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.capabilities.contribution.rights import APPROVE_CONTRIBUTIONS, PREPARE_CONTRIBUTIONS
from tribal.capabilities.contribution.tools import CONTRIBUTION
from tribal.ports.capability import (
    AlarmSpec,
    Capability,
    ChartSpec,
    CommandSpec,
    FunctionSpec,
    FunctionUse,
    MachineSpec,
    Measure,
)

if TYPE_CHECKING:
    from tribal_contracts import CapabilitySettings

_CONTRIBUTOR, _PUBLISHER = "contributor", "publisher"
_STATE = ("contribution/*", "progress/leases/contribution.json")
_BUDGET = "progress/budget.json"
_FAILED = Measure(function=_CONTRIBUTOR, name="ContributionsFailed")
_UNPUBLISHED = Measure(function=_PUBLISHER, name="ContributionsFailed")
_FOLLOWED = Measure(function=_CONTRIBUTOR, name="SchedulesDone")
_FAULTS = tuple(Measure(function=name, name="ContributionFaults") for name in (_CONTRIBUTOR, _PUBLISHER))
_STUCK = tuple(
    Measure(function=function, name=name, of="machine")
    for function in (_CONTRIBUTOR, _PUBLISHER)
    for name in ("ExecutionsFailed", "ExecutionsTimedOut")
)
_LOADS = """
from tribal.adapters.aws.state_machine import StateMachine
from tribal.adapters.github.forge import GitHubForge
from tribal.adapters.github.repository import GitHubRepository
from tribal.adapters.github.tokens import AppKey, InstallationTokens
from tribal.adapters.github.transport import Transport
from tribal.capabilities.contribution.scheduled import follow_and_prepare
import cryptography.hazmat.primitives.asymmetric.rsa
import sqlglot
StateMachine(aws_client("stepfunctions"), "arn")
assert not {"openai", "anthropic", "opensearchpy", "numpy"} & {*sys.modules}
"""


def _function(name: str, machine: str, schedule: str, routes: tuple[str, ...] = ()) -> FunctionSpec:
    return FunctionSpec(
        name=name,
        package="contribution",
        layers=("deps-contribution",),
        fault_metric="ContributionFaults",
        timeout_seconds=900,
        # The archives of repositories: 1 GB each, unpacked.
        storage_mb=4_096,
        searches=False,
        routes=routes,
        schedule=schedule,
        # Five steps, each tried three times, in calls of at least one step. By judgement.
        machine=MachineSpec(
            name=machine, job="cycle", most_calls=30, pause_seconds=60, longest_seconds=6 * 3600, needs_models=False
        ),
    )


def _section() -> type[CapabilitySettings]:
    from tribal_contracts.contribution.settings import ContributionSettings

    return ContributionSettings


CAPABILITY = Capability(
    name="contribution",
    groups=(CONTRIBUTION,),
    section=_section,
    errors="tribal.capabilities.contribution.errors",
    page="contribution.md",
    builder="tribal.app.contribution:build",
    routes="tribal.edges.http.contribution:routes",
    write_rights=(PREPARE_CONTRIBUTIONS,),
    named_rights=(APPROVE_CONTRIBUTIONS,),
    commands=(
        CommandSpec(
            name="contribute",
            target="tribal.edges.cli.contribution.contribute:contribute",
            heading="Contribute",
            example="tribal contribute prepare --table billing.invoice\ntribal contribute approve 3",
            help="Carry descriptions to the repositories of the tables.",
        ),
    ),
    extras=("contribution",),
    functions=(
        _function(_CONTRIBUTOR, "preparation", "Contribute"),
        _function(_PUBLISHER, "publication", "Publish", ("POST /v1/contributions/{cycle}/approval",)),
    ),
    uses=(
        FunctionUse(
            function=_CONTRIBUTOR,
            tools=tuple(spec.name for spec in CONTRIBUTION.tools),
            asks_index=False,
            reads=(*_STATE, "annotations/*", "catalog/*", "docs/*", "sessions/open-gaps.json"),
            writes=_STATE,
            removes=("contribution/*",),
            secrets=("repositories.read_secret",),
            models=("model",),
            reads_with_models=("config/*", _BUDGET),
            writes_with_models=(_BUDGET,),
            loads=_LOADS,
        ),
        FunctionUse(
            function=_PUBLISHER,
            asks_index=False,
            reads=(*_STATE, "catalog/*"),
            writes=_STATE,
            removes=("contribution/*",),
            secrets=("repositories.read_secret", "repositories.write_secret", "repositories.app.key_secret"),
            loads=_LOADS,
        ),
    ),
    alarms=(
        AlarmSpec(
            name="contributions-failed",
            measures=(_FAILED,),
            says="A contribution could not be prepared; get_contribution says why",
        ),
        AlarmSpec(
            name="publishing-failed",
            measures=(_UNPUBLISHED,),
            says="An approved contribution could not be published; get_contribution says why",
        ),
        AlarmSpec(
            name="contributions-stuck",
            measures=_STUCK,
            says="A contribution is neither prepared nor published; see docs/operating.md",
        ),
        AlarmSpec(
            name="contribution-faults",
            measures=_FAULTS,
            says="Contributions could not be read, prepared or approved; see docs/operating.md",
        ),
        AlarmSpec(
            name="contributions-not-followed",
            measures=(_FOLLOWED,),
            says="Published contributions were not followed for {hours} hours",
            silent_hours="alarm_hours",
        ),
    ),
    charts=(ChartSpec(title="Contributions", measures=(_FOLLOWED, _FAILED, _UNPUBLISHED, *_FAULTS, *_STUCK)),),
    jobs=("tribal.capabilities.contribution.cycles.job_kind:CONTRIBUTIONS",),
)
