"""Cached texts from models, so that no text is paid for twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tribal.describing.model.writing import WriteResult
from tribal.identity import locations
from tribal.ports import Clock, ObjectStore
from tribal.store import put_record, read_record
from tribal_contracts import KeptProse, KeptSlice, ModelUsage


@dataclass(frozen=True, slots=True)
class CachedProse:
    """What the cache holds about a subject."""

    prose: KeptProse | None = None
    """The text for the requested key."""
    slices: Mapping[str, KeptSlice] = field(default_factory=dict)
    """Answers to some of a table's questions, by question key, while others are still to be asked."""


class ProseCache:
    """Cached texts about the tables and domains of one database.

    Args:
        fresh: ignore cached texts, so that everything is rewritten.
    """

    def __init__(self, store: ObjectStore, database: str, clock: Clock, *, fresh: bool = False) -> None:
        self._store = store
        self._database = database
        self._clock = clock
        self._fresh = fresh

    def find(self, subject: str, *keys: str) -> CachedProse:
        """The text cached for a subject under one of these keys, and slices; damaged files count as missing.

        Slices are returned even if everything is rewritten: they have not been used yet.
        """
        kept = self._read(subject)
        if kept is None:
            return CachedProse()
        return CachedProse(kept if kept.key in keys and not self._fresh else None, kept.slices or {})

    def move(self, prose: KeptProse, key: str) -> None:
        """Cache a text under another key, if it has an earlier one."""
        if prose.key != key:
            self._put(prose.subject, prose.model_copy(update={"key": key}))

    def keep(self, subject: str, key: str, model: str, written: WriteResult) -> KeptProse:
        """Cache a text, replacing what was cached about the subject, slices included."""
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
        """Add the answer to one of several questions to what is cached."""
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
