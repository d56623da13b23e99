"""The tool that answers questions. Use cases and contracts are imported only when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.capabilities.chat.rights import ASK_CHAT, READ_DOCUMENTATION
from tribal.ports.tool import ToolGroup, ToolSpec, failed_answer, failed_answer_model, models_of

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal.ports.caller import Caller
    from tribal_contracts.answering.answers import Answer, AskInput


_ANY_QUESTION = "how many customers are there?"


def _ask(request: AskInput, caller: Caller, app: Application) -> Answer:
    if request.collection is None:
        from tribal.answering.documentation import Documentation
        from tribal.capabilities.chat.asking.whole import refusal_of_order
        from tribal.ranking.calibration import LEAST_TOPIC

        if (refused := refusal_of_order(request.question)) is not None:
            return refused
        return Documentation(caller, app).answer(request, least_topic=LEAST_TOPIC)
    from tribal.capabilities.chat.asking.whole import whole_answer
    from tribal.capabilities.chat.errors import QuestionInvalid

    if request.database is not None or request.domain is not None:
        raise QuestionInvalid("database and domain cannot be combined with collection")

    return whole_answer(request.question, request.collection, caller, app)


def _is_documented(answer: Answer) -> bool:
    return answer.verdict != "not_documented"


def _prepare(app: Application) -> None:
    """Load what the first answer and the first chat need."""
    from tribal.ports.caller import Caller
    from tribal.ports.capability import load
    from tribal_contracts.answering.answers import AskInput

    load("tribal.capabilities.chat.asking.chat:Chat")
    _ask(AskInput(question=_ANY_QUESTION), Caller("server"), app)


CHAT = ToolGroup(
    name="chat",
    tools=(
        ToolSpec(
            name="ask",
            title="Ask the documentation",
            summary="Answer a question from the documentation, with sources.",
            description="Answers a question from the documentation: tables, columns, codes and joins, and the decisions"
            " and memories that apply. Each statement names its source, and unexplained words are listed. No data is"
            " read. With a collection, it answers from that collection's documents, or refuses under its laws. To write"
            " SQL, call get_query_context instead.",
            models=models_of("tribal_contracts.answering.answers", "AskInput", "Answer"),
            handler=_ask,
            right=READ_DOCUMENTATION,
            spends=ASK_CHAT,
            command="ask",
            example={"question": "which invoices are unpaid?"},
            is_done=_is_documented,
        ),
    ),
    failed=failed_answer,
    failure_model=failed_answer_model,
    prepare=_prepare,
    invalid_input_code="CHAT_QUESTION_INVALID",
    internal_code="CHAT_INTERNAL",
    access_denied_code="CHAT_ACCESS_DENIED",
    instructions="`ask` answers a question from the documentation, with sources; `reading` shows how the"
    " question was interpreted. success, error, warnings, tokens_used, total, returned and truncated mean the same as"
    " in the other tools.",
    explained=frozenset("reading success error warnings tokens_used total returned truncated".split()),
)
