"""Prose that models wrote, kept so that nobody pays for it twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tribal.describing.model.written import Written
from tribal.identity import locations
from tribal.ports import Clock, ObjectStore
from tribal.store import put_record, read_record
from tribal_contracts import KeptProse, KeptSlice, ModelUsage


@dataclass(frozen=True, slots=True)
class OnShelf:
    """What is kept about a subject."""

    prose: KeptProse | None = None
    """Under the key that was looked for."""
    slices: Mapping[str, KeptSlice] = field(default_factory=dict)
    """Answers to some of the questions about a table, by the key of each, while others wait."""


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

    def find(self, subject: str, key: str) -> OnShelf:
        """What was written about a subject under this key, and slices; damaged prose counts as none.

        Slices are found even where everything is written anew: nobody has used them yet.
        """
        kept = self._read(subject)
        if kept is None:
            return OnShelf()
        return OnShelf(kept if kept.key == key and not self._fresh else None, kept.slices or {})

    def keep(self, subject: str, key: str, model: str, written: Written) -> KeptProse:
        """Keep what was written, in the place of what was there, slices included."""
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
            usage=written.usage + written.paid_before,
        )
        self._put(subject, prose)
        return prose

    def keep_slice(self, subject: str, key: str, model: str, part: KeptSlice) -> None:
        """Keep the answer to one of several questions beside what was there."""
        kept = self._read(subject) or self._nothing(subject, key, model)
        self._put(subject, kept.model_copy(update={"slices": {**(kept.slices or {}), key: part}}))

    def _nothing(self, subject: str, key: str, model: str) -> KeptProse:
        return KeptProse(
            schema_version="1.0",
            subject=subject,
            key=key,
            model=model,
            text="",
            written_at=self._clock.published(),
            usage=ModelUsage(),
        )

    def _read(self, subject: str) -> KeptProse | None:
        kept = read_record(self._store, locations.prose_file(self._database, subject), KeptProse)
        return kept if kept is not None and kept.subject == subject else None

    def _put(self, subject: str, prose: KeptProse) -> None:
        put_record(self._store, locations.prose_file(self._database, subject), prose)
