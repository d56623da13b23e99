"""The last answer of `tribal ask`, which `--wrong` marks: a private file of the user, for each folder and profile.

It stays on this machine: no store, index or site has it.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tribal.identity.hashing import object_hash
from tribal.masking import find_sensitive
from tribal.settings import read_environment
from tribal_contracts import Contract
from tribal_contracts.answering.open_gaps import MAX_MARKED_TABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tribal.edges.cli.hints import Place

_DIGITS = 32
# A user without a home has no place; text from a terminal may not be Unicode.
_UNUSABLE = (OSError, RuntimeError, ValueError)


class LastAnswer(Contract):
    """A question, and the tables that its answer is about."""

    question: str
    tables: list[str]


def save_last_answer(place: Place, question: str, tables: Sequence[str]) -> None:
    """Keep an answer in place of the one before; does nothing where that is not possible.

    A question with a secret is not written, and the answer before it is removed.
    """
    answer = LastAnswer(question=question, tables=list(dict.fromkeys(tables)))
    with suppress(*_UNUSABLE):
        file = _file_of(place)
        if any(span.kind.is_secret for span in find_sensitive(question)):
            file.unlink(missing_ok=True)
            return
        _write(file, answer.to_compact_json())


def mark_last_answer(context: typer.Context, why: str, project: Path, *, as_json: bool) -> None:
    """Mark the last answer as wrong, here or in the environment that gave it."""
    from tribal.edges.cli.hints import as_typed
    from tribal.edges.cli.tools.calling import opened_tools
    from tribal.edges.cli.tools.command import show_answer
    from tribal.rendering.markdown import show_invisible
    from tribal.rendering.words import listing
    from tribal.tools.registry import EVERYTHING

    place = context.obj or project
    answer = _read(place)
    if answer is None:
        raise typer.BadParameter(
            f"there is no answer to mark; ask first, {as_typed('ask ...', place)}", param_hint="--wrong"
        )
    if not answer.tables:
        raise typer.BadParameter("the last answer cites no table, so there is nothing to correct", param_hint="--wrong")
    arguments = {"question": answer.question, "why": why, "tables": answer.tables[:MAX_MARKED_TABLES]}
    with opened_tools(context, project, limited=True) as call:
        found: Any = call("mark_answer", arguments)
    if as_json or EVERYTHING.group_of("mark_answer").error_of(found) is not None:
        show_answer(found, "mark_answer", EVERYTHING, as_json=as_json, place=place)
        return
    typer.echo(f"Marked as wrong: {show_invisible(answer.question)}")
    typer.echo(f"It is an open gap of {show_invisible(listing(found.tables))} until the documentation changes.")
    if not isinstance(place, str):
        typer.echo(f"To undo this, run {as_typed(f'interrogations remove {found.mark}', place)}.")


def _read(place: Place) -> LastAnswer | None:
    """Return the last answer at a place; `None` if none was kept, or it cannot be read."""
    try:
        return LastAnswer.from_json(_file_of(place).read_bytes())
    except _UNUSABLE:
        return None


def _file_of(place: Place) -> Path:
    folder = read_environment().get("XDG_STATE_HOME")
    root = Path(folder) if folder else Path("~/.local/state").expanduser()
    named = ["profile", place] if isinstance(place, str) else ["folder", str(place.expanduser().resolve())]
    return root / "tribal" / "last-answers" / f"{object_hash(named)[:_DIGITS]}.json"


def _write(file: Path, data: bytes) -> None:
    """Replace a file atomically; a temporary file can be read by its owner alone."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made, name = tempfile.mkstemp(dir=file.parent, prefix=file.stem)
    try:
        with os.fdopen(made, "wb") as out:
            out.write(data)
        Path(name).replace(file)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
