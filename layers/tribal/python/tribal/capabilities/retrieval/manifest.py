"""The manifest of retrieval: data only."""

from __future__ import annotations

from tribal.capabilities.retrieval.tools import RETRIEVAL
from tribal.ports.capability import Capability, CommandSpec, FunctionSpec, FunctionUse

CAPABILITY = Capability(
    name="retrieval",
    groups=(RETRIEVAL,),
    errors="tribal.capabilities.retrieval.errors",
    page="tools.md",
    commands=(
        CommandSpec(
            name="check-sql",
            target="tribal.edges.cli.check_sql.command:check_sql",
            heading="Check",
            example="tribal check-sql queries/unpaid.sql",
        ),
    ),
    functions=(FunctionSpec(name="retriever", package="retriever", layers=("deps-policies",)),),
    uses=(
        FunctionUse(
            function="retriever",
            asks=("guidance", "policies"),
            tools=tuple(spec.name for spec in RETRIEVAL.tools),
            reads=("docs/definitions.json",),
        ),
    ),
)
