"""The tool that proposes a description. Use cases and contracts are imported only when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.capabilities.proposals.rights import PROPOSE_DESCRIPTIONS
from tribal.ports.tool import Effect, ToolGroup, ToolSpec, failed_answer, failed_answer_model, models_of

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal.ports.caller import Caller
    from tribal_contracts import Contract
    from tribal_contracts.proposals.tools import ProposeDescriptionInput

_PROPOSES = Effect(read_only=False)


def _propose(request: ProposeDescriptionInput, caller: Caller, app: Application) -> Contract:
    from tribal.capabilities.proposals.proposing import propose

    return propose(request, caller, app)


PROPOSALS = ToolGroup(
    name="proposals",
    tools=(
        ToolSpec(
            name="propose_description",
            title="Propose a description",
            summary="Propose a better description of a table or a column.",
            description="Proposes a better description of a table or a column when a person has told you what it means"
            " or its text is missing or wrong. A person accepts, edits or rejects it; until then no tool shows it."
            " Write what is known: no guesses, no values of rows.",
            models=models_of("tribal_contracts.proposals.tools", "ProposeDescriptionInput", "ProposeDescriptionOutput"),
            handler=_propose,
            right=PROPOSE_DESCRIPTIONS,
            effect=_PROPOSES,
            command="propose",
            example={"table": "shop.billing.invoice", "column": "status", "description": "Void invoices have 3."},
        ),
    ),
    failed=failed_answer,
    failure_model=failed_answer_model,
    invalid_input_code="PRO_INPUT_INVALID",
    internal_code="PRO_INTERNAL",
    access_denied_code="PRO_ACCESS_DENIED",
    heading="Contribute",
    instructions="propose_description suggests a text about a table or a column to the people who maintain the"
    " documentation. success, error, warnings, tokens_used, total, returned and truncated are as in the other tools.",
    explained=frozenset("success error warnings tokens_used total returned truncated".split()),
)
