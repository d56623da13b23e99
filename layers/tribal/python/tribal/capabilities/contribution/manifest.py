"""The manifest of contribution: data only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.capabilities.contribution.rights import APPROVE_CONTRIBUTIONS, PREPARE_CONTRIBUTIONS
from tribal.capabilities.contribution.tools import CONTRIBUTION
from tribal.ports.capability import Capability, CommandSpec

if TYPE_CHECKING:
    from tribal_contracts import CapabilitySettings


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
            help="Carry descriptions back to the repositories that create the tables.",
        ),
    ),
    extras=("contribution",),
    jobs=("tribal.capabilities.contribution.cycles.job_kind:CONTRIBUTIONS",),
)
