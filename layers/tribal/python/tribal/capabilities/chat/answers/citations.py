"""Number the sources of an answer in the order in which they are first cited."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.capabilities.chat.answers.sources import Source
from tribal_contracts.chat.events import ChatSource


class Citations:
    """Sources that an answer has cited so far."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, int, str, str], int] = {}
        self._sources: list[ChatSource] = []
        self.has_passage = False
        """Whether the answer cites a file."""
        self.notes: list[str] = []
        """Warnings about what the answer shows."""

    def cite(self, sources: Sequence[Source]) -> str:
        """Return the citation marks of these sources, such as `[1][3]`."""
        return "".join(f"[{number}]" for number in dict.fromkeys(self._number(each) for each in sources))

    @property
    def sources(self) -> tuple[ChatSource, ...]:
        """All cited sources, ordered by number."""
        return tuple(self._sources)

    def _number(self, source: Source) -> int:
        shown = source.shown
        self.has_passage |= source.is_passage
        key = (source.file_id or shown.source_filename, shown.page_number, shown.title, shown.url or "")
        if key not in self._numbers:
            self._numbers[key] = len(self._numbers) + 1
            self._sources.append(source.numbered(self._numbers[key]).shown)
        return self._numbers[key]
