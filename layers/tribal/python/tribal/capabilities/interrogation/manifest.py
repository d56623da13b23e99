"""Manifest of interrogations. Data only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.capabilities.interrogation.rights import START_INTERROGATION
from tribal.capabilities.interrogation.tools import INTERROGATION
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

_SESSIONS = "sessions/*"
_BUDGET = "progress/budget.json"
_CONFIGURATION = ("config/*", "catalog/databases.json")
"""Which databases are kept from models, and the project's own prompts."""
_FUNCTION = "interrogator"
_FAULTS = Measure(function=_FUNCTION, name="InterrogationFaults")
_FAILED = Measure(function=_FUNCTION, name="SessionsFailed", with_models=True)
_STUCK = tuple(
    Measure(function=_FUNCTION, name=name, of="machine", with_models=True)
    for name in ("ExecutionsFailed", "ExecutionsTimedOut")
)
_LOADS = """
from tribal.adapters.aws.state_machine import StateMachine
from tribal.capabilities.interrogation.interrogations import Interrogations, run_for_owner
from tribal.capabilities.interrogation.listing import visible_session
StateMachine(aws_client("stepfunctions"), "arn")
assert not {"openai", "anthropic"} & {*sys.modules}
"""


def _section() -> type[CapabilitySettings]:
    from tribal_contracts.interrogation import InterrogationSettings

    return InterrogationSettings


CAPABILITY = Capability(
    name="interrogation",
    groups=(INTERROGATION,),
    section=_section,
    needs_section=False,
    errors="tribal.capabilities.interrogation.errors",
    page="interrogation.md",
    builder="tribal.app.interrogation:build",
    write_rights=(START_INTERROGATION,),
    commands=(
        CommandSpec(
            name="interrogate",
            target="tribal.edges.cli.interrogation.interrogate:interrogate",
            heading="Check",
            example="tribal interrogate 'what does a void invoice mean?'\n"
            "tribal interrogate --questions exam.txt --report exam.md",
        ),
        CommandSpec(
            name="interrogations",
            target="tribal.edges.cli.interrogation.sessions:interrogations",
            heading="Check",
            example="tribal interrogations --status running",
            help="List, show, resume and remove interrogations.",
        ),
    ),
    functions=(
        FunctionSpec(
            name=_FUNCTION,
            package="interrogator",
            fault_metric="InterrogationFaults",
            timeout_seconds=900,
            # 20 questions and an audit, in calls of at most 15 minutes. The pauses together outlast the lease of a
            # call that died, and a provider that is down for half an hour. By judgement.
            machine=MachineSpec(
                name="interrogation", job="session_id", most_calls=60, pause_seconds=60, longest_seconds=12 * 3600
            ),
        ),
    ),
    uses=(
        FunctionUse(
            function=_FUNCTION,
            asks=("guidance",),
            tools=tuple(spec.name for spec in INTERROGATION.tools),
            reads=("docs/definitions.json", _SESSIONS),
            writes=(_SESSIONS,),
            removes=(_SESSIONS,),
            models=("detectives", "witness"),
            reads_with_models=(*_CONFIGURATION, _BUDGET),
            writes_with_models=(_BUDGET,),
            loads=_LOADS,
        ),
    ),
    # A session that someone stopped has not failed.
    alarms=(
        AlarmSpec(name="interrogation-faults", measures=(_FAULTS,), says="Interrogations could not be read or written"),
        AlarmSpec(
            name="sessions-failed", measures=(_FAILED,), says="An interrogation failed; its audit trail says why"
        ),
        AlarmSpec(name="sessions-stuck", measures=_STUCK, says="An interrogation is stuck; see docs/operating.md"),
    ),
    charts=(
        ChartSpec(
            title="Interrogations",
            measures=(Measure(function=_FUNCTION, name="ToolErrors"), _FAULTS, _FAILED, *_STUCK),
        ),
    ),
)
