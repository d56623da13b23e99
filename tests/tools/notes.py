"""A family of tools that only the tests have: one writes, one fails in its own shape, one takes all kinds of input.

To the registry it is what any capability is: nothing of the product knows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from tribal.errors import NotFound
from tribal.ports import Application, Caller, Effect, ToolGroup, ToolSpec
from tribal_contracts import AgentError, ClosedContract, Contract, Unset, agent_error
from tribal_contracts.core.shape import optional

NOTES_FOLDER = "notes/"


class Section(ClosedContract):
    """A part of a note."""

    title: str
    lines: int


class NoteAddInput(ClosedContract):
    """Every kind of field that a tool may have."""

    key: Annotated[str, Field(description="What the note is called.")]
    content: str = Field(description="What to remember.", json_schema_extra={"contentMediaType": "text/markdown"})
    layer: Literal["user", "project"] = Field(default="user", description="Who sees it.")
    tags: list[str] | Unset = optional("Tags to find it by.")
    layers: list[Literal["user", "project"]] = Field(default_factory=list, description="Where else.")
    priority: int | None = Field(default=None, description="A whole number.")
    weight: float | None = Field(default=None, description="Any number.")
    pinned: bool = Field(default=False, description="Keep it on top.")
    metadata: dict[str, JsonValue] | Unset = optional("Anything else.")
    sections: list[Section] | Unset = optional("Its parts.")


class NoteFindInput(ClosedContract):
    """What to look for."""

    tags: list[str] = Field(description="All of them.")
    limit: int | None = Field(default=None, description="How many at most.")


class NoteDropInput(ClosedContract):
    """Which one."""

    key: str = Field(description="What the note is called.")


class NoteStored(Contract):
    """A note that is there now."""

    success: Literal[True] = True
    note_id: str = Field(alias="noteId")
    note: NoteAddInput


class NotesFound(Contract):
    """Notes in order of their names; it does not say how large it is."""

    results: list[NoteAddInput]
    summary: dict[str, int]


class NoteFailure(Contract):
    """How all of them fail."""

    success: Literal[False] = False
    error_code: Literal["WRONG", "REFUSED", "MISSING", "BROKEN"] = Field(alias="errorCode")
    message: str
    details: dict[str, str]


class NoteMissing(NotFound):
    """No note is called so."""

    code = "RET_TABLE_NOT_FOUND"


def _add(request: NoteAddInput, caller: Caller, app: Application) -> NoteStored:
    app.store().put(f"{NOTES_FOLDER}{request.key}", request.to_json())
    return NoteStored(note_id=f"{caller.subject}/{request.key}", note=request)


def _find(request: NoteFindInput, caller: Caller, app: Application) -> NotesFound:
    notes = [NoteAddInput.from_json(app.store().get(key).data) for key in app.store().keys(NOTES_FOLDER)]
    found = [note for note in notes if set(request.tags) <= set(note.tags or ())]
    return NotesFound(results=found[: request.limit], summary={"matches": len(found), "notes": len(notes)})


def _drop(request: NoteDropInput, caller: Caller, app: Application) -> NoteStored:
    key = f"{NOTES_FOLDER}{request.key}"
    if request.key == "defect":
        raise ZeroDivisionError("secret value 4711")
    if app.store().head(key) is None:
        raise NoteMissing(f"there is no note {request.key!r}", ["lunch"])
    note = NoteAddInput.from_json(app.store().get(key).data)
    app.store().delete(key)
    return NoteStored(note_id=request.key, note=note)


_WIRE_CODES: dict[str, Any] = {
    "RET_QUERY_INVALID": "WRONG",
    "ENV_ACCESS_DENIED": "REFUSED",
    "RET_TABLE_NOT_FOUND": "MISSING",
    "RET_INTERNAL": "BROKEN",
}


def _failed(spec: ToolSpec, arguments: Mapping[str, Any], error: AgentError) -> NoteFailure:
    details = {"tool": spec.name, "code": error.code}
    return NoteFailure(error_code=_WIRE_CODES[error.code], message=error.message, details=details)


def _error_of(answer: Any) -> AgentError | None:
    if not isinstance(answer, NoteFailure):
        return None
    return agent_error(answer.details["code"], answer.message, timestamp="2026-11-21T02:45:00Z")


NOTES = ToolGroup(
    name="notes",
    tools=(
        ToolSpec(
            name="note_add",
            title="Add a note",
            summary="Remember something.",
            description="Use it to remember something.",
            models=lambda: (NoteAddInput, NoteStored),
            handler=_add,
            right="notes:write",
            effect=Effect(read_only=False),
            command="remember",
        ),
        ToolSpec(
            name="note_find",
            title="Find notes",
            summary="Find what was remembered.",
            description="Use it to find notes by their tags.",
            models=lambda: (NoteFindInput, NotesFound),
            handler=_find,
            right="notes:read",
            command="recall",
        ),
        ToolSpec(
            name="note_drop",
            title="Drop a note",
            summary="Forget something.",
            description="Use it to forget a note.",
            models=lambda: (NoteDropInput, NoteStored),
            handler=_drop,
            right="notes:write",
            effect=Effect(read_only=False, destructive=True, open_world=True),
            command="forget",
        ),
    ),
    failed=_failed,
    failure_model=lambda: NoteFailure,
    error_of=_error_of,
    invalid_input_code="RET_QUERY_INVALID",
    internal_code="RET_INTERNAL",
    access_denied_code="ENV_ACCESS_DENIED",
    instructions="Notes are remembered with note_add.",
)
