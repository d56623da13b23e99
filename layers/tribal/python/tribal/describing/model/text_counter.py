"""Count the texts that a model writes, and those that share nothing with what they describe."""

from __future__ import annotations

import threading

from tribal.describing.model.writing import WriteResult
from tribal.text_checks import UNSUPPORTED
from tribal_contracts import WrittenTexts


class TextCounter:
    """Counts texts about tables and columns, in any number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._total = WrittenTexts()

    @property
    def total(self) -> WrittenTexts:
        """The counts so far."""
        with self._lock:
            return self._total

    def count(self, written: WriteResult) -> None:
        """Count what was written about a table and its columns."""
        kept = {*written.columns, *([""] if written.text else [])}
        unsupported = {each.subject for each in written.dropped if each.rule == UNSUPPORTED} - kept
        every = kept | {each.subject for each in written.dropped}
        with self._lock:
            self._total += WrittenTexts(written=len(every), unsupported=len(unsupported))
