"""Progress on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.cells import cell_len
from rich.measure import Measurement
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from tribal.edges.cli.safe_console import escape
from tribal.rendering.markdown import show_invisible
from tribal.runs.sinks import words_in

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from tribal.ports import ItemOutcome

    _Cell = tuple[RenderableType, int | None]
    """The content of a cell and its fixed width in columns; `None` for the remaining width."""

_NOUNS = {"read": "databases", "document": "tables", "index": "files"}
_STAGE, _NOUN, _TIME = len("document"), len("databases"), len("0:00:00")
# Terminal widths from which a bar shows a noun, both times, its latest item, and a long bar. By judgement.
_COMFORTABLE, _WIDE = 70, 110
_SHORT_BAR, _LONG_BAR, _SHORTEST_BAR = 12, 32, 4


class TerminalSink:
    """One line per stage, as the width of the terminal allows; notes scroll above them."""

    def __init__(self, console: Console) -> None:
        self._lock = Lock()
        self._tasks: dict[str, TaskID] = {}
        self._words = 0
        self._progress = _Stages(console)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._progress.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop drawing within the block, for a prompt below the bars."""
        self._progress.stop()
        try:
            yield
        finally:
            # Finished stages stay above the prompt.
            with self._lock:
                for task in [task for task in self._progress.tasks if task.fields["summary"]]:
                    self._progress.remove_task(task.id)
            self._progress.start()

    def begin(self, stage: str, total: int) -> None:
        """Show the stage's bar."""
        noun = _NOUNS.get(stage, "items")
        with self._lock:
            self._tasks[stage] = self._progress.add_task(
                stage, total=total, stage=stage, noun=noun, item="", summary=""
            )

    def advance(self, stage: str, item: str, outcome: ItemOutcome) -> None:
        """Move the stage's bar by one."""
        label = item if outcome in ("documented", "indexed") else f"{item} ({outcome})"
        with self._lock:
            self._words = 0
            self._progress.update(self._tasks[stage], advance=1, item=show_invisible(label))

    def add_text(self, stage: str, text: str) -> None:
        """Show how much a model has written since the last item."""
        with self._lock:
            self._words += words_in(text)
            if (task := self._tasks.get(stage)) is not None:
                self._progress.update(task, item=f"{self._words:,} words written")

    def end(self, stage: str, summary: str) -> None:
        """Show the stage's summary in place of its bar."""
        with self._lock:
            self._progress.update(self._tasks[stage], summary=show_invisible(summary))

    def note(self, message: str) -> None:
        """Print a line above the bars."""
        self._progress.console.print(f"[yellow]note:[/] {escape(message)}")


class _Stages(Progress):
    """Lays out each stage separately, so that a long item or summary never hides the numbers."""

    def __init__(self, console: Console) -> None:
        self._stage, self._noun = TextColumn("{task.fields[stage]}"), TextColumn("{task.fields[noun]}")
        self._count, self._elapsed, self._remaining = MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
        super().__init__(console=console, refresh_per_second=8)

    def get_renderables(self) -> Iterator[RenderableType]:
        """A line for each stage; all counts have the same width."""
        counted = max((2 * len(str(int(task.total or 0))) + 1 for task in self.tasks), default=0)
        for task in self.tasks:
            yield _line(self._ended(task, counted) if task.fields["summary"] else self._running(task, counted))

    def _running(self, task: Task, counted: int) -> list[_Cell]:
        width = self.console.width
        stage, count, elapsed = (self._stage(task), _STAGE), (self._count(task), counted), (self._elapsed(task), _TIME)
        if width < _COMFORTABLE:
            bar = max(width - _STAGE - counted - _TIME - 4, _SHORTEST_BAR)
            return [stage, (BarColumn(bar)(task), bar), count, elapsed]
        bar = _LONG_BAR if width >= _WIDE else _SHORT_BAR
        numbers = [count, (self._noun(task), _NOUN), elapsed, (self._remaining(task), _TIME)]
        return [stage, (BarColumn(bar)(task), bar), *numbers, (_Ending(task.fields["item"]), None)]

    def _ended(self, task: Task, counted: int) -> list[_Cell]:
        stage, count = (self._stage(task), _STAGE), (self._count(task), counted)
        summary = (Text(task.fields["summary"]), None)
        if self.console.width < _COMFORTABLE:
            return [stage, count, summary]
        return [stage, count, (self._noun(task), _NOUN), (self._elapsed(task), _TIME), summary]


def _line(cells: Sequence[_Cell]) -> Table:
    line = Table.grid(padding=(0, 1))
    for _, columns in cells:
        # A cell of a fixed width is never squeezed.
        line.add_column(width=columns, no_wrap=columns is not None)
    line.add_row(*(cell for cell, _ in cells))
    return line


class _Ending:
    """A text on one line that is cut at the start if it is too long: the table matters most in a long name."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(1, max(cell_len(self._text), 1)).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self._text
        if cell_len(text) > options.max_width:
            while text and cell_len(text) >= options.max_width:
                text = text[1:]
            text = f"\u2026{text}"
        yield Segment(text, Style(dim=True))
