"""Sizes of the functions of an environment, by default those that capabilities declare."""

from __future__ import annotations

from typing import Any, Self

from pydantic import Field, create_model, model_validator

from infra.model import Part
from tribal.capabilities import capabilities

API_GATEWAY_SECONDS = 29
"""How long API Gateway waits for a whole answer."""


class FunctionSize(Part):
    """Resources of a function; Lambda allots CPU in proportion to memory, one vCPU at 1,769 MB."""

    memory_mb: int = Field(ge=128, le=10_240)
    timeout_seconds: int = Field(ge=10, le=900)
    storage_mb: int = Field(default=512, ge=512, le=10_240)
    """Size of the temporary folder."""


class _OwnFunctionSizes(Part):
    planner: FunctionSize = FunctionSize(memory_mb=3008, timeout_seconds=900)
    documenter: FunctionSize = FunctionSize(memory_mb=1769, timeout_seconds=900)
    finisher: FunctionSize = FunctionSize(memory_mb=3008, timeout_seconds=900)
    indexer: FunctionSize = FunctionSize(memory_mb=1769, timeout_seconds=300)
    authorizer: FunctionSize = FunctionSize(memory_mb=512, timeout_seconds=10)
    mcp: FunctionSize = FunctionSize(memory_mb=1024, timeout_seconds=28)

    @model_validator(mode="after")
    def _api_gateway_waits_29_seconds(self) -> Self:
        behind = ["retriever", "authorizer", "mcp"]
        alone = {spec.name for spec in FUNCTION_SPECS if spec.may_take_longer}
        behind += [spec.name for spec in FUNCTION_SPECS if spec.name not in alone and spec.name not in behind]
        if max(getattr(self, name).timeout_seconds for name in behind) > API_GATEWAY_SECONDS:
            raise ValueError(
                f"API Gateway waits 29 seconds: {', '.join(behind[:-1])} and {behind[-1]} must answer within them"
            )
        return self


FUNCTION_SPECS = [spec for each in capabilities() for spec in each.functions]
"""The functions of all capabilities."""
_CAPABILITY_SIZES: dict[str, Any] = {
    spec.name: (
        FunctionSize,
        FunctionSize(memory_mb=spec.memory_mb, timeout_seconds=spec.timeout_seconds, storage_mb=spec.storage_mb),
    )
    for spec in FUNCTION_SPECS
}
FunctionSizes = create_model("FunctionSizes", __base__=_OwnFunctionSizes, **_CAPABILITY_SIZES)
"""Sizes of all functions. One with a schedule, a queue or a state machine, or that sends its answers in pieces, may
take longer than API Gateway waits for a whole answer."""
