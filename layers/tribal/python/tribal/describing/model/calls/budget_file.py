"""The file of the budget: reading it, and changing it by conditional put."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pydantic import ValidationError

from tribal.describing.model.calls.timing import Timing
from tribal.errors import ObjectDamaged, ObjectNotFound, PreconditionFailed
from tribal.identity.locations import BUDGET_FILE
from tribal.ports import ObjectStore
from tribal.store import require_seal, sealed
from tribal_contracts import BudgetRecord

Told = TypeVar("Told")
Change = Callable[[BudgetRecord | None], tuple[BudgetRecord | None, Told]]

# Each race that is lost was won by another holder, so a holder out of forty waits for some seconds at the most.
_ATTEMPTS = 30
_FIRST_PAUSE_SECONDS = 0.01
_LONGEST_PAUSE_SECONDS = 0.5


def find_budget(store: ObjectStore) -> tuple[BudgetRecord | None, str | None]:
    """The record and its etag; nothing where no model was ever asked.

    Raises:
        ObjectDamaged: when the record is not as it was written. Nothing tells then what was spent, so no model may be
            asked until a person has looked.
    """
    try:
        found = store.get(BUDGET_FILE)
    except ObjectNotFound:
        return None, None
    try:
        require_seal(BUDGET_FILE, found.data)
        return BudgetRecord.from_json(found.data), found.etag
    except (ObjectDamaged, ValidationError) as error:
        raise ObjectDamaged(f"{BUDGET_FILE!r} in {store.location} is not as it was written") from error


class BudgetFile:
    """`progress/budget.json` in a store."""

    def __init__(self, store: ObjectStore, timing: Timing) -> None:
        self.store = store
        self._timing = timing

    def change(self, change: Change[Told]) -> Told:
        """Replace the record by what `change` makes of it, and return what else that tells.

        `change` is called anew with each record that another holder was quicker to write; it may return the record that
        it was given, and then nothing is written.

        Raises:
            PreconditionFailed: when others were quicker each time.
            ObjectDamaged: see `find_budget`.
            StoreError: when the store cannot be read or written.
        """
        for attempt in range(_ATTEMPTS):
            present, etag = find_budget(self.store)
            changed, told = change(present)
            if changed is None or changed == present:
                return told
            try:
                self.store.put(
                    BUDGET_FILE, sealed(BUDGET_FILE, changed.to_json()), if_match=etag, if_absent=etag is None
                )
            except PreconditionFailed:
                longest = min(_FIRST_PAUSE_SECONDS * 2**attempt, _LONGEST_PAUSE_SECONDS)
                self._timing.pause(self._timing.random() * longest)
            else:
                return told
        raise PreconditionFailed(
            f"{BUDGET_FILE!r} in {self.store.location} was changed by others {_ATTEMPTS} times running; "
            "what was spent is written with the next change"
        )
