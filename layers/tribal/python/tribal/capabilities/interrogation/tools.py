"""The tools that question the documentation. Use cases and contracts are imported only when a tool is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tribal.capabilities.interrogation.rights import READ_INTERROGATION, START_INTERROGATION
from tribal.ports.tool import Effect, ToolGroup, ToolSpec, failed_answer, failed_answer_model, models_of

if TYPE_CHECKING:
    from tribal.capabilities.interrogation.interrogations import Interrogations
    from tribal.ports.application import Application
    from tribal.ports.caller import Caller
    from tribal_contracts import AgentError, Contract
    from tribal_contracts.interrogation.tools import (
        CloseMarkInput,
        GetInterrogationInput,
        ListInterrogationsInput,
        MarkAnswerInput,
        StartInterrogationInput,
        StopInterrogationInput,
    )

_CONTRACTS = "tribal_contracts.interrogation.tools"
_STARTS = Effect(read_only=False, idempotent=False)
_STOPS = Effect(read_only=False, destructive=True)
PAIRS_A_PAGE = 5
"""Questions with answers per page. By judgement: an answer has at most 8,000 characters."""


def _start(request: StartInterrogationInput, caller: Caller, app: Application) -> Contract:
    from tribal_contracts.interrogation.tools import StartInterrogationOutput

    service = _interrogations(caller, app)
    session = service.start(service.new(request.hypothesis, request.iteration_limit, request.database, request.domain))
    return StartInterrogationOutput(
        success=True,
        tokens_used=0,
        session_id=session.id,
        status=session.status,
        iteration_limit=session.iteration_limit,
        hypothesis=session.hypothesis.text,
        audit_result=session.audit_result,
        interim_audit=session.interim_audit,
    )


def _stop(request: StopInterrogationInput, caller: Caller, app: Application) -> Contract:
    from tribal_contracts.interrogation.tools import StopInterrogationOutput

    session, stopping = _interrogations(caller, app).stop(request.session_id)
    return StopInterrogationOutput(
        success=True, tokens_used=0, session_id=session.id, status=session.status, stopping=stopping
    )


def _get(request: GetInterrogationInput, caller: Caller, app: Application) -> Contract:
    from tribal.capabilities.interrogation.listing import pairs_page, visible_session
    from tribal.capabilities.interrogation.sessions.repository import foreign_notes
    from tribal_contracts.interrogation.tools import GetInterrogationOutput, SessionWithoutPairs

    session = visible_session(_interrogations(caller, app).sessions, request.session_id, caller).record
    pairs, following = pairs_page(session, request.cursor, PAIRS_A_PAGE)
    shown = SessionWithoutPairs(**session.model_dump(by_alias=False, exclude={"qa_pairs"}))
    return GetInterrogationOutput(
        success=True,
        tokens_used=0,
        session=shown if request.cursor is None else None,
        qa_pairs=pairs,
        total=len(session.qa_pairs),
        returned=len(pairs),
        truncated=following is not None,
        next_cursor=following,
        warnings=_warnings(foreign_notes(session), app),
    )


def _list(request: ListInterrogationsInput, caller: Caller, app: Application) -> Contract:
    from tribal.capabilities.interrogation.errors import HypothesisInvalid
    from tribal.capabilities.interrogation.listing import PageRequest, list_sessions
    from tribal_contracts.interrogation.tools import MOST_LISTED, ListInterrogationsOutput

    if not 1 <= request.limit <= MOST_LISTED:
        raise HypothesisInvalid(f"limit is {request.limit}; it must be from 1 to {MOST_LISTED}")
    wanted = PageRequest(status=request.status, limit=request.limit, cursor=request.cursor)
    page = list_sessions(_interrogations(caller, app).sessions, caller, wanted)
    notes = [*page.damaged, *page.notes]
    if page.is_lower_bound:
        notes.append("not all sessions were read, so total may be too low")
    return ListInterrogationsOutput(
        success=True,
        tokens_used=0,
        sessions=page.sessions,
        total=page.total,
        returned=len(page.sessions),
        truncated=page.next_cursor is not None,
        next_cursor=page.next_cursor,
        warnings=_warnings(notes, app),
    )


def _mark(request: MarkAnswerInput, caller: Caller, app: Application) -> Contract:
    from tribal.capabilities.interrogation.marks import Marks
    from tribal_contracts.interrogation.tools import MarkAnswerOutput

    mark = Marks(app, caller).create(request.question, request.why, request.tables)
    return MarkAnswerOutput(success=True, tokens_used=0, mark=mark.id, tables=mark.tables)


def _close_mark(request: CloseMarkInput, caller: Caller, app: Application) -> Contract:
    from tribal.capabilities.interrogation.marks import Marks
    from tribal_contracts.interrogation.tools import CloseMarkOutput

    Marks(app, caller).close(request.mark)
    return CloseMarkOutput(success=True, tokens_used=0, mark=request.mark)


def _warnings(notes: Sequence[str], app: Application) -> list[AgentError] | None:
    from tribal_contracts import agent_error

    now = app.clock.published()
    errors = [agent_error("INT_SESSION_INVALID", note, timestamp=now) for note in notes]
    return [each.model_copy(update={"severity": "warning"}) for each in errors] or None


def _interrogations(caller: Caller, app: Application) -> Interrogations:
    from tribal.capabilities.interrogation.interrogations import Interrogations

    return Interrogations(app, caller)


def _prepare(app: Application) -> None:
    from tribal.capabilities.interrogation.interrogations import resume_abandoned
    from tribal.ports.remembering.identity import UNIDENTIFIED

    resume_abandoned(app, UNIDENTIFIED)


INTERROGATION = ToolGroup(
    name="interrogation",
    tools=(
        ToolSpec(
            name="start_interrogation",
            title="Start an interrogation",
            summary="Have a detective question the documentation.",
            description="A detective questions the documentation about a hypothesis, and audits the answers: what is"
            " missing, ambiguous or contradictory. Use it to find out what has to be documented before a question can"
            " be answered. Without models, the answer contains the result; with models, get_interrogation returns it.",
            models=models_of(_CONTRACTS, "StartInterrogationInput", "StartInterrogationOutput"),
            handler=_start,
            right=START_INTERROGATION,
            spends=START_INTERROGATION,
            effect=_STARTS,
            example={"hypothesis": "What was revenue per customer last year?"},
        ),
        ToolSpec(
            name="stop_interrogation",
            title="Stop an interrogation",
            summary="Stop an interrogation before its next question.",
            description="Stops a running interrogation before its next question. What it has found is kept.",
            models=models_of(_CONTRACTS, "StopInterrogationInput", "StopInterrogationOutput"),
            handler=_stop,
            right=START_INTERROGATION,
            effect=_STOPS,
            example={"sessionId": "3f0c1c5e-8a53-4a0e-9a57-1c2b7c0e6b1d"},
        ),
        ToolSpec(
            name="get_interrogation",
            title="Show an interrogation",
            summary="Show an interrogation: questions, answers, gaps and audit.",
            description="Returns the state and audit of an interrogation, and pages of questions, answers and gaps.",
            models=models_of(_CONTRACTS, "GetInterrogationInput", "GetInterrogationOutput"),
            handler=_get,
            right=READ_INTERROGATION,
            example={"sessionId": "3f0c1c5e-8a53-4a0e-9a57-1c2b7c0e6b1d"},
            paged=("qa_pairs",),
        ),
        ToolSpec(
            name="list_interrogations",
            title="List interrogations",
            summary="List interrogations, newest first.",
            description="Returns the interrogations that you may see, newest first, with status and score.",
            models=models_of(_CONTRACTS, "ListInterrogationsInput", "ListInterrogationsOutput"),
            handler=_list,
            right=READ_INTERROGATION,
            paged=("sessions",),
        ),
        ToolSpec(
            name="mark_answer",
            title="Mark an answer as wrong",
            summary="Mark an answer as wrong so that its source can be corrected.",
            description="Marks an answer as wrong and records an open gap in the documentation of the cited tables.",
            models=models_of(_CONTRACTS, "MarkAnswerInput", "MarkAnswerOutput"),
            handler=_mark,
            right=START_INTERROGATION,
            effect=_STARTS,
            example={
                "question": "which invoices are unpaid?",
                "why": "A credit note counts as paid.",
                "tables": ["shop.billing.invoice"],
            },
        ),
        ToolSpec(
            name="close_mark",
            title="Close a mark",
            summary="Close a mark that calls an answer wrong.",
            description="Closes a mark. Use it when the answer is or always was correct.",
            models=models_of(_CONTRACTS, "CloseMarkInput", "CloseMarkOutput"),
            handler=_close_mark,
            right=START_INTERROGATION,
            effect=_STOPS,
            example={"mark": "3f0c1c5e-8a53-4a0e-9a57-1c2b7c0e6b1d"},
        ),
    ),
    failed=failed_answer,
    failure_model=failed_answer_model,
    prepare=_prepare,
    invalid_input_code="INT_HYPOTHESIS_INVALID",
    internal_code="INT_INTERNAL",
    access_denied_code="INT_ACCESS_DENIED",
    instructions="start_interrogation finds out what has"
    " to be documented before a question can be answered: a detective asks, the documentation answers (each question "
    "and answer is in qaPairs), and gaps say what is missing, ambiguous, inconsistent or vague. A completed session"
    " has an auditResult; one that ended otherwise has an interimAudit. list_interrogations returns sessions, and"
    " get_interrogation returns one session. success, error, warnings, tokens_used, total, returned and truncated mean"
    " the same as in the other tools.",
    explained=frozenset(
        "success error warnings tokens_used total returned truncated session qaPairs sessions auditResult"
        " interimAudit".split()
    ),
)
