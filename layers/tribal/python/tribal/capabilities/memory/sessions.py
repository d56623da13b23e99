"""Records when a session was last used, which decides how long its memories last.

There is one object per session, `memory/used/session/SPACE.json`. It is written when something is added to the session,
and when the session searches, at most once an hour.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tribal.capabilities.memory.records import FOLDER, all_memories, remove, space_of
from tribal.errors import MemoryStoreFailed, ObjectNotFound, PreconditionFailed, StoreError
from tribal.ports.remembering.selection import MemorySelection

if TYPE_CHECKING:
    from tribal.capabilities.memory.repository import Repository
    from tribal.ports import ObjectStore
    from tribal.ports.remembering.identity import Identity, Space
    from tribal.ports.remembering.memory_index import MemoryIndex

USES = f"{FOLDER}used/"
LEAST_BETWEEN = timedelta(hours=1)
"""Minimum time between two records of a session's use, which would otherwise be written at each search. By
judgement."""


@dataclass(frozen=True, slots=True)
class SessionUse:
    """The last use of a session."""

    used_at: datetime
    alive_since: datetime
    """Memories last used then or earlier had already expired when the session was used again."""


@dataclass(frozen=True, slots=True)
class Sessions:
    """Reads and records when sessions were used."""

    store: ObjectStore
    now: datetime
    lasting: timedelta
    """How long memories last after the last use of their session."""
    _read: dict[Space, tuple[SessionUse | None, str | None]] = field(default_factory=dict, init=False)

    def since(self, identity: Identity) -> datetime:
        """Memories of the caller's session used after this have not expired."""
        (cutoff,) = [self.since_in(space) for space in identity.spaces("session")] or [self.now - self.lasting]
        return cutoff

    def since_in(self, space: Space) -> datetime:
        """Memories of a session's space used after this have not expired."""
        return self._since(self._use(space)[0])

    def note_search(self, identity: Identity, index: MemoryIndex) -> None:
        """Extend the life of the session's memories, if it has any; of several concurrent records, one is enough."""
        for space in identity.spaces("session"):
            use, _ = self._use(space)
            if use is not None and self.now - use.used_at < LEAST_BETWEEN:
                continue
            wanted = MemorySelection((space,), used_since=self._since(use))
            if index.count(wanted):
                self.note(space)

    def note(self, space: Space) -> None:
        """Record that a session is used now, unless that was recorded within the hour.

        Raises:
            MemoryStoreFailed: when the store does not respond.
        """
        use, etag = self._use(space)
        if use is not None and self.now - use.used_at < LEAST_BETWEEN:
            return
        times = {"usedAt": self.now.isoformat(), "aliveSince": self._since(use).isoformat()}
        data = (json.dumps(times) + "\n").encode()
        try:
            if etag is None:
                self.store.put(_key(space), data, if_absent=True)
            else:
                self.store.put(_key(space), data, if_match=etag)
        except PreconditionFailed:
            return  # Another process has just recorded it.
        except StoreError as error:
            raise MemoryStoreFailed(f"cannot record the use of a session in {_key(space)}; try again") from error

    def remove_ended(self, space: Space, repository: Repository) -> int:
        """Remove the expired memories of a session's space; returns how many."""
        if space.layer != "session":
            return 0
        everything = MemorySelection((space,))
        alive = MemorySelection((space,), used_since=self.since_in(space))
        if repository.index.count(everything) == repository.index.count(alive):
            return 0
        lasting = {each.record.memory_id for each in repository.index.of_spaces(alive)}
        names = [each.record.memory_id for each in repository.index.of_spaces(everything)]
        ended = [name for name in names if name not in lasting]
        with repository.changing(space, ended, "prune"):
            for name in ended:
                remove(self.store, space, name)
        return len(ended)

    def prune(self, repository: Repository) -> int:
        """Remove the expired memories of all sessions, and the records of sessions without memories."""
        spaces = {space_of(record) for record in all_memories(self.store, "session")}
        removed = sum(self.remove_ended(space, repository) for space in sorted(spaces, key=str))
        left = {_key(space_of(record)) for record in all_memories(self.store, "session")}
        for key in [key for key in self._recorded() if key not in left]:
            use = _parsed(key, self.store.get(key).data)
            if use.used_at + self.lasting <= self.now:
                self.store.delete(key)
        return removed

    def _recorded(self) -> Iterator[str]:
        return iter([*self.store.keys(USES)])

    def _use(self, space: Space) -> tuple[SessionUse | None, str | None]:
        # Read once per call: a concurrent writer wins.
        if space not in self._read:
            self._read[space] = _read(self.store, space)
        return self._read[space]

    def _since(self, use: SessionUse | None) -> datetime:
        ended = self.now - self.lasting
        return ended if use is None or use.used_at <= ended else use.alive_since


def _key(space: Space) -> str:
    return f"{USES}{space.name}.json"


def _read(store: ObjectStore, space: Space) -> tuple[SessionUse | None, str | None]:
    key = _key(space)
    try:
        found = store.get(key)
    except ObjectNotFound:
        return None, None
    except StoreError as error:
        raise MemoryStoreFailed(f"{key} cannot be read; try again") from error
    return _parsed(key, found.data), found.etag


def _parsed(key: str, data: bytes) -> SessionUse:
    try:
        times = json.loads(data)
        return SessionUse(datetime.fromisoformat(times["usedAt"]), datetime.fromisoformat(times["aliveSince"]))
    except (ValueError, KeyError, TypeError) as error:
        raise MemoryStoreFailed(f"{key} is damaged; remove it") from error
