"""A disk that is full in the middle of a run that asks a model."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.fakes.claude import FakeClaude
from tests.runs.model.made import asked_about, over_folder, says, tables_asked
from tribal.adapters.local.folder import FolderStore
from tribal.errors import StoreUnwritable, unwritable
from tribal.identity import locations
from tribal.jobs.clock import SystemClock

TABLES = 12


class FilledStore(FolderStore):
    """A folder whose disk is full after so many writes of prose or documents, until there is room again."""

    def __init__(self, root: Path, room: int) -> None:
        super().__init__(root)
        self.room = room

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """Write a file, if there is room."""
        self._take_room(key)
        return super().put(key, data, if_match=if_match, if_absent=if_absent)

    def put_lines(self, key: str, lines: Iterable[bytes]) -> str:
        """Write a file, if there is room."""
        self._take_room(key)
        return super().put_lines(key, lines)

    def _take_room(self, key: str) -> None:
        if self.room <= 0:
            raise unwritable(Path(self.location) / key, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
        self.room -= key.startswith(("prose/", locations.DOCS))


@pytest.mark.parametrize("room", [1, 30])
def test_a_full_disk_ends_a_run_with_what_to_do_and_with_room_again_no_finished_table_is_paid_twice(
    claude: FakeClaude, tmp_path: Path, room: int
) -> None:
    claude.mind = says("Holds what was ordered.", "Tells how good it is.")
    store = FilledStore(tmp_path, room)
    runs = over_folder(store, claude, SystemClock(None), TABLES, 2)
    with pytest.raises(StoreUnwritable, match="make room on that disk and run again"):
        runs.run()
    kept, asked = runs.prose().keys(), len(claude.calls)
    assert kept

    store.room = 1_000_000
    assert runs.run().status == "completed"
    afterwards = tables_asked(asked_about(claude)[asked:])
    assert kept.isdisjoint(afterwards), "what was finished is paid for twice"
    assert len(afterwards) == len(set(afterwards))
    assert {document.description.source for document in runs.documents()} == {"model"}
    assert runs.budget().holders == {}
    assert runs.budget().day_spend.nanodollars >= claude.nanodollars
