"""Prose that models wrote, kept so that nobody pays for it twice."""

from __future__ import annotations

from tribal.catalog import locations
from tribal.describing.model.writing import Written
from tribal.ports import Clock, ObjectStore
from tribal.store import put_record, read_record
from tribal_contracts import KeptProse


class ProseShelf:
    """The prose about the tables and domains of one database.

    Args:
        fresh: whether to find nothing, so that everything is written anew.
    """

    def __init__(self, store: ObjectStore, database: str, clock: Clock, *, fresh: bool = False) -> None:
        self._store = store
        self._database = database
        self._clock = clock
        self._fresh = fresh

    def find(self, subject: str, key: str) -> KeptProse | None:
        """What was written about a subject under this key; damaged prose counts as none."""
        if self._fresh:
            return None
        kept = read_record(self._store, locations.prose_file(self._database, subject), KeptProse)
        return kept if kept is not None and kept.key == key and kept.subject == subject else None

    def keep(self, subject: str, key: str, model: str, written: Written) -> KeptProse:
        """Keep what was written, in the place of what was there."""
        prose = KeptProse(
            schema_version="1.0",
            subject=subject,
            key=key,
            model=model,
            title=written.title,
            text=written.text,
            columns=dict(sorted(written.columns.items())),
            dropped=written.dropped,
            from_samples=written.from_samples,
            written_at=self._clock.published(),
            usage=written.usage,
        )
        put_record(self._store, locations.prose_file(self._database, subject), prose)
        return prose
