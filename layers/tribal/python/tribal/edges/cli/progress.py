"""Progress on a terminal."""

from __future__ import annotations

from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from rich.console import Console

    from tribal.ports import ItemOutcome

_NOUNS = {"read": "databases", "document": "tables", "index": "files"}


class TerminalSink:
    """One bar per stage, with elapsed and remaining time; notes scroll above the bars."""

    def __init__(self, console: Console) -> None:
        self._lock = Lock()
        self._tasks: dict[str, TaskID] = {}
        self._progress = Progress(
            TextColumn("{task.fields[stage]:<10}"),
            BarColumn(bar_width=32),
            MofNCompleteColumn(),
            TextColumn("{task.fields[noun]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("[dim]{task.fields[item]}"),
            console=console,
            refresh_per_second=8,
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._progress.stop()

    def begin(self, stage: str, total: int) -> None:
        """Show the stage's bar."""
        noun = _NOUNS.get(stage, "items")
        with self._lock:
            self._tasks[stage] = self._progress.add_task(stage, total=total, stage=stage, noun=noun, item="")

    def advance(self, stage: str, item: str, outcome: ItemOutcome) -> None:
        """Move the stage's bar by one."""
        label = item if outcome in ("documented", "indexed") else f"{item} ({outcome})"
        with self._lock:
            self._progress.update(self._tasks[stage], advance=1, item=escape(label[:60]))

    def end(self, stage: str, summary: str) -> None:
        """Leave the stage's bar as it is."""
        with self._lock:
            self._progress.update(self._tasks[stage], item=escape(summary))

    def note(self, message: str) -> None:
        """Print a line above the bars."""
        self._progress.console.print(f"[yellow]note:[/] {escape(message)}")
