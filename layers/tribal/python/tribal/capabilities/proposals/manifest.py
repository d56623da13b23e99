"""The manifest of proposals: data only."""

from __future__ import annotations

from tribal.capabilities.proposals.rights import PROPOSE_DESCRIPTIONS, WRITE_ANNOTATIONS
from tribal.capabilities.proposals.tools import PROPOSALS
from tribal.ports.capability import AlarmSpec, Capability, CommandSpec, FunctionSpec, FunctionUse, Measure

_FUNCTION = "proposer"
_FAULTS = Measure(function=_FUNCTION, name="ProposalFaults")
_FILES = "proposals/*"
_LOADS = """
from tribal.capabilities.proposals.deciding import Proposals
from tribal.capabilities.proposals.proposing import propose
"""

CAPABILITY = Capability(
    name="proposals",
    groups=(PROPOSALS,),
    errors="tribal.capabilities.proposals.errors",
    page="tools.md",
    routes="tribal.edges.http.proposals:routes",
    write_rights=(PROPOSE_DESCRIPTIONS,),
    # A deployed environment takes no corrections, but with this right a caller sees and rejects proposals there.
    named_rights=(WRITE_ANNOTATIONS,),
    commands=(
        CommandSpec(
            name="proposals",
            target="tribal.edges.cli.proposals.command:proposals",
            heading="Contribute",
            example="tribal proposals",
            help="List, accept and reject descriptions that agents propose.",
        ),
    ),
    functions=(
        FunctionSpec(
            name=_FUNCTION,
            fault_metric="ProposalFaults",
            routes=("GET /v1/proposals", "DELETE /v1/proposals/{id}"),
        ),
    ),
    uses=(
        FunctionUse(
            function=_FUNCTION,
            tools=tuple(spec.name for spec in PROPOSALS.tools),
            reads=(_FILES,),
            writes=(_FILES,),
            loads=_LOADS,
        ),
    ),
    alarms=(AlarmSpec(name="proposal-faults", measures=(_FAULTS,), says="Proposals could not be read or written"),),
)
