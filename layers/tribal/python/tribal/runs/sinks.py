"""Progress sinks for use without a terminal."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import TextIO

from tribal.ports import Clock, ItemOutcome

_SECONDS_BETWEEN_LINES = 1.0
_SECONDS_BETWEEN_WORDS = 15.0
# What stages count; all others count items.
_COUNTED = {"read": "databases", "plan": "databases", "document": "tables", "finish": "files", "index": "files"}


class SilentSink:
    """Discards all progress."""

    def begin(self, stage: str, total: int) -> None:
        """Do nothing."""

    def advance(self, stage: str, item: str, outcome: ItemOutcome) -> None:
        """Do nothing."""

    def add_text(self, stage: str, text: str) -> None:
        """Do nothing."""

    def end(self, stage: str, summary: str) -> None:
        """Do nothing."""

    def note(self, message: str) -> None:
        """Do nothing."""


@dataclass(slots=True)
class _Stage:
    total: int
    started: datetime
    last_line: datetime
    done: int = 0
    done_at_last_line: int = 0
    words: int = 0
    """Words that a model has written."""
    outcomes: Counter[ItemOutcome] = field(default_factory=Counter)


class PlainSink:
    """Writes plain lines for pipes and logs: at the start and end of a stage, and about once a second in between.

    A closed pipe (`| head`) ends the output, not the run.
    """

    def __init__(self, stream: TextIO, clock: Clock) -> None:
        self._stream: TextIO | None = stream
        self._clock = clock
        self._stages: dict[str, _Stage] = {}
        self._lock = threading.Lock()

    def begin(self, stage: str, total: int) -> None:
        """Write how much there is to do."""
        with self._lock:
            now = self._clock.real()
            self._stages[stage] = _Stage(total, now, now)
            self._write(f"{stage}: {total} {_counted(stage, total)}")

    def advance(self, stage: str, item: str, outcome: ItemOutcome) -> None:  # noqa: ARG002 - lines are about counts
        """Count one item; writes a line if the previous one is old enough or this is the last item."""
        with self._lock:
            state = self._state(stage)
            state.done += 1
            state.outcomes[outcome] += 1
            now = self._clock.real()
            due = (now - state.last_line).total_seconds() >= _SECONDS_BETWEEN_LINES
            if due or state.done == state.total:
                self._write_count(stage, state, now)

    def add_text(self, stage: str, text: str) -> None:
        """Count words; writes a line if nothing else has for a while."""
        with self._lock:
            state = self._stages.get(stage)
            if state is None:
                return
            state.words += words_in(text)
            now = self._clock.real()
            if (now - state.last_line).total_seconds() >= _SECONDS_BETWEEN_WORDS:
                self._write_count(stage, state, now)

    def end(self, stage: str, summary: str) -> None:
        """Write how the stage ended."""
        with self._lock:
            state = self._stages.pop(stage, None)
            if state is not None and state.done != state.done_at_last_line:
                self._write_count(stage, state, self._clock.real())
            self._write(f"{stage}: {summary}")

    def note(self, message: str) -> None:
        """Write a message as one line."""
        with self._lock:
            self._write(message)

    def _state(self, stage: str) -> _Stage:
        if stage not in self._stages:
            now = self._clock.real()
            self._stages[stage] = _Stage(0, now, now)
        return self._stages[stage]

    def _write_count(self, stage: str, state: _Stage, now: datetime) -> None:
        state.last_line, state.done_at_last_line = now, state.done
        elapsed = (now - state.started).total_seconds()
        parts = [f"{state.done} of {max(state.total, state.done)} {_counted(stage, max(state.total, state.done))}"]
        parts += [
            f"{state.outcomes[kind]} {kind}" for kind in ("unchanged", "skipped", "failed") if state.outcomes[kind]
        ]
        parts += [f"{state.words:,} words written"] if state.words else []
        parts.append(f"{duration(elapsed)} elapsed")
        if 0 < state.done < state.total:
            parts.append(f"about {duration(elapsed / state.done * (state.total - state.done))} remaining")
        self._write(f"{stage}: {', '.join(parts)}")

    def _write(self, line: str) -> None:
        if self._stream is None:
            return
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        try:
            self._stream.write(one_line(line).encode(encoding, "backslashreplace").decode(encoding) + "\n")
            self._stream.flush()
        except (OSError, ValueError):  # a broken pipe, or a stream that was closed
            self._stream = None


def words_in(piece: str) -> int:
    """Count the words that begin in a piece of a text."""
    return piece.count(" ") + piece.count("\n")


def one_line(text: str) -> str:
    """The text without line breaks and non-printing characters, since it may quote a database."""
    return "".join(character if character.isprintable() else " " for character in text).strip()


def duration(seconds: float) -> str:
    """A human-readable time span: `2 s`, `3 min 5 s`, `1 h 10 min`."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def _counted(stage: str, number: int) -> str:
    noun = _COUNTED.get(stage, "items")
    return noun.removesuffix("s") if number == 1 else noun
