"""The tool that proposes a description. Use cases and contracts are imported only when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tribal.capabilities.proposals.rights import PROPOSE_DESCRIPTIONS
from tribal.ports.tool import Effect, ToolGroup, ToolSpec, models_of

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal.ports.caller import Caller
    from tribal_contracts import AgentError, Contract
    from tribal_contracts.proposals.tools import ProposeDescriptionInput

_PROPOSES = Effect(read_only=False)


def _propose(request: ProposeDescriptionInput, caller: Caller, app: Application) -> Contract:
    from tribal.capabilities.proposals.proposing import propose

    return propose(request, caller, app)


def _failed(_: ToolSpec, __: Mapping[str, Any], error: AgentError) -> Contract:
    from tribal_contracts.answering.answers import FailedAnswer

    return FailedAnswer(tokens_used=0, error=error)


def _failure_model() -> type[Contract]:
    from tribal_contracts.answering.answers import FailedAnswer

    return FailedAnswer


PROPOSALS = ToolGroup(
    name="proposals",
    tools=(
        ToolSpec(
            name="propose_description",
            title="Propose a description",
            summary="Propose a better description of a table or a column.",
            description="Proposes a better description of a table or a column, once a person has told you what it means"
            " or you found it missing or wrong. A person accepts, edits or rejects it; until then no tool shows it."
            " Write what is known: no guesses, no values of rows.",
            models=models_of("tribal_contracts.proposals.tools", "ProposeDescriptionInput", "ProposeDescriptionOutput"),
            handler=_propose,
            right=PROPOSE_DESCRIPTIONS,
            effect=_PROPOSES,
            command="propose",
            example={"table": "shop.billing.invoice", "column": "status", "description": "Void invoices have 3."},
        ),
    ),
    failed=_failed,
    failure_model=_failure_model,
    invalid_input_code="PRO_INPUT_INVALID",
    internal_code="PRO_INTERNAL",
    access_denied_code="PRO_ACCESS_DENIED",
    instructions="propose_description suggests a text about a table or a column to the people who maintain the"
    " documentation. success, error, warnings, tokens_used, total, returned and truncated are as in the other tools.",
    explained=frozenset("success error warnings tokens_used total returned truncated".split()),
)
