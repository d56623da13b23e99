"""Whether a plan that cannot be read may be a person's work, or is what a failing disk left of it."""

from __future__ import annotations

from tribal.catalog import locations
from tribal.errors import ObjectDamaged, ObjectNotFound
from tribal.ports import ObjectStore

_CONTROL_CHARACTERS = bytes({*range(32)} - set(b"\t\n\v\f\r"))


def may_be_edited(store: ObjectStore, made: bytes | None) -> bool:
    """Whether the plan is text that an editor could have left, given the plan as it was made.

    A disk changes bytes in place, cuts a file, or leaves something behind its end; whoever edits, for instance by
    moving a table, does none of these alone.
    """
    try:
        data = store.get(locations.PLAN_FILE).data
    except (ObjectDamaged, ObjectNotFound):
        return False
    if not data.strip() or not _is_text(data):
        return False
    if made is None:
        return True
    return not (len(data) == len(made) or made.startswith(data) or data.startswith(made))


def _is_text(data: bytes) -> bool:
    if data.translate(None, _CONTROL_CHARACTERS) != data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
