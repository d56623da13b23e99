"""The line of a page that says where to correct the documentation."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.identity import locations
from tribal.rendering.markdown import code_span


def correction(database: str, line: int | None, under: str, keys: Sequence[str]) -> str:
    """The last line of a page: which line of the annotations file corrects it, or where to add one."""
    file = code_span(locations.annotations_file(database))
    if line is not None:
        return f"Something wrong or missing? Correct it in {file}, line {line}; your words are never overwritten."
    where = f" under {code_span(under)}" if under else ""
    named = " or ".join(f"`{key}:`" for key in keys)
    return f"Something wrong or missing? Write it in {file}{where} as {named}; your words are never overwritten."
