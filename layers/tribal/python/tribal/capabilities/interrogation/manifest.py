"""The manifest of interrogation: data only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.capabilities.interrogation.rights import START_INTERROGATION
from tribal.capabilities.interrogation.tools import INTERROGATION
from tribal.ports.tool import Capability, CommandSpec, FunctionSpec, FunctionUse

if TYPE_CHECKING:
    from tribal_contracts import CapabilitySettings

_SESSIONS = "sessions/*"
_BUDGET = "progress/budget.json"
_CONFIGURATION = ("config/*", "catalog/databases.json")
"""Which databases are kept from models, and prompts of one's own."""
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
    write_rights=(START_INTERROGATION,),
    commands=(
        CommandSpec(name="interrogate", target="tribal.edges.cli.interrogation.interrogate:interrogate"),
        CommandSpec(
            name="interrogations",
            target="tribal.edges.cli.interrogation.sessions:interrogations",
            help="List, show, resume and remove interrogations.",
        ),
    ),
    functions=(
        FunctionSpec(
            name="interrogator",
            package="interrogator",
            fault_metric="InterrogationFaults",
            timeout_seconds=900,
            machine="interrogation",
        ),
    ),
    uses=(
        FunctionUse(
            function="interrogator",
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
)
