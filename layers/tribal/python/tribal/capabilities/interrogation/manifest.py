"""The manifest of interrogation: data only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.capabilities.interrogation.tools import INTERROGATION, START_INTERROGATION
from tribal.ports.tool import Capability, CommandSpec, FunctionUse

if TYPE_CHECKING:
    from tribal_contracts import CapabilitySettings


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
    uses=(FunctionUse(function="retriever", tools=("ask",)),),
)
