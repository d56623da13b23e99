"""A progress sink that remembers what it was sent."""

from __future__ import annotations

import threading
from collections import Counter

from tribal.ports import ItemOutcome


class RecordingSink:
    """Keeps every call: assert on what a stage reported, in order."""

    def __init__(self) -> None:
        self.started: list[tuple[str, int]] = []
        self.advanced: list[tuple[str, str, ItemOutcome]] = []
        self.ended: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.notes: list[str] = []
        self._lock = threading.Lock()

    def begin(self, stage: str, total: int) -> None:
        with self._lock:
            self.started.append((stage, total))

    def advance(self, stage: str, item: str, outcome: ItemOutcome) -> None:
        with self._lock:
            self.advanced.append((stage, item, outcome))

    def add_text(self, stage: str, text: str) -> None:  # noqa: ARG002 - the only stage
        self.texts.append(text)

    def end(self, stage: str, summary: str) -> None:
        with self._lock:
            self.ended.append((stage, summary))

    def note(self, message: str) -> None:
        with self._lock:
            self.notes.append(message)

    def outcomes(self, stage: str) -> Counter[ItemOutcome]:
        """How often each outcome was reported for a stage."""
        return Counter(outcome for at, _, outcome in self.advanced if at == stage)
