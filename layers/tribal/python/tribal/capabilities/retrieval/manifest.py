"""The manifest of retrieval: data only."""

from __future__ import annotations

from tribal.capabilities.retrieval.tools import RETRIEVAL
from tribal.ports.tool import Capability, FunctionSpec, FunctionUse

CAPABILITY = Capability(
    name="retrieval",
    groups=(RETRIEVAL,),
    errors="tribal.capabilities.retrieval.errors",
    functions=(FunctionSpec(name="retriever", package="retriever"),),
    uses=(
        FunctionUse(
            function="retriever", tools=tuple(spec.name for spec in RETRIEVAL.tools), reads=("docs/definitions.json",)
        ),
    ),
)
