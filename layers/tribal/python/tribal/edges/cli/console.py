"""Output of the command line: answers on standard output, progress and errors on standard error."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from tribal.edges.cli.hints import Place
    from tribal.ports import Clock, ProgressSink
    from tribal.ports.stopping import StopToken
    from tribal.settings import Settings

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")

INTERRUPTED_HINT = "stopped; finished work is kept, and the same command resumes it"


def console(*, stderr: bool = False) -> Console:
    """A rich console that is plain in a pipe."""
    from tribal.edges.cli.safe_console import SafeConsole

    return SafeConsole(stderr=stderr, highlight=False, soft_wrap=not sys.stdout.isatty())


def print_json(value: Any) -> None:
    """One JSON object on standard output; control and invisible characters are escaped."""
    text = value.to_json().decode() if hasattr(value, "to_json") else json.dumps(value, indent=2, ensure_ascii=False)
    typer.echo(_escape_invisible(text.rstrip("\n")))


def _escape_invisible(text: str) -> str:
    """JSON with control, format and separator characters escaped; JSON itself allows most of them as they are."""
    if text.isascii() and "\x7f" not in text:
        return text
    from tribal.sql.visibility import is_visible

    return "".join(char if char == "\n" or is_visible(char) else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place]:02x}{units[place + 1]:02x}" for place in range(0, len(units), 2))


def print_connection_warnings(settings: Settings) -> None:
    """Warnings about the connections to the databases, on standard error."""
    for name, target in settings.targets.items():
        for warning in target.warnings:
            typer.echo(f"note: {name}: {warning}", err=True)


def counted(number: int, noun: str) -> str:
    """A number with its noun, pluralized as needed."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


@contextmanager
def progress(clock: Clock, *, quiet: bool = False) -> Iterator[ProgressSink]:
    """Bars on a terminal, plain lines elsewhere, nothing when quiet."""
    from tribal.runs.sinks import PlainSink, SilentSink

    if quiet:
        yield SilentSink()
    elif sys.stderr.isatty():
        from tribal.edges.cli.progress import TerminalSink

        with TerminalSink(console(stderr=True)) as sink:
            yield sink
    else:
        yield PlainSink(sys.stderr, clock)


def paused(sink: ProgressSink) -> AbstractContextManager[None]:
    """Pause the sink's drawing within the block, for a prompt on the terminal."""
    if not sys.stderr.isatty():
        return nullcontext()
    from tribal.edges.cli.progress import TerminalSink

    return sink.paused() if isinstance(sink, TerminalSink) else nullcontext()


@contextmanager
def interruptible(stop: StopToken, cause: Exception) -> Iterator[StopToken]:
    """Let the first Ctrl-C or SIGTERM request a stop within the block; see `stop_on_signal`."""
    from tribal.runs.signals import stop_on_signal

    with stop_on_signal(stop, cause=lambda: cause):
        yield stop


def command(function: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
    """Turn the errors of a command into a message and an exit code."""

    @functools.wraps(function)
    def guarded(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Answer:
        from tribal.errors import EXIT_INTERRUPTED, TribalError

        as_json = bool(kwargs.get("as_json", False))
        try:
            return function(*args, **kwargs)
        except TribalError as error:
            place, dsn = getattr(kwargs.get("context"), "obj", None) or kwargs.get("project"), kwargs.get("dsn")
            fail(
                error,
                as_json=as_json,
                place=place if isinstance(place, Path | str) else None,
                dsn=dsn if isinstance(dsn, str) else None,
            )
        except KeyboardInterrupt:
            typer.echo(f"\n{INTERRUPTED_HINT}", err=True)
            raise typer.Exit(EXIT_INTERRUPTED) from None
        except BrokenPipeError:
            sys.stderr.close()
            raise typer.Exit(0) from None

    return guarded


def fail(error: Exception, *, as_json: bool, place: Place | None = None, dsn: str | None = None) -> NoReturn:
    """Print an error and exit with its code; place and database, if given, complete the commands in its message."""
    from datetime import UTC, datetime

    from tribal.edges.cli.hints import with_typed_commands
    from tribal.edges.cli.usage import without_logins
    from tribal.errors import TribalError
    from tribal.rendering.markdown import show_invisible

    if not isinstance(error, TribalError):
        raise error
    error.message = without_logins(error.message)
    if place is not None:
        error.message = with_typed_commands(error.message, place, dsn)
    if as_json:
        timestamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        data = error.to_agent_error(timestamp).model_dump(mode="json")
        print_json({"success": False, "error": data})
    for line in error.message.splitlines():
        typer.echo(f"error: {show_invisible(line)}", err=True)
    raise typer.Exit(error.exit_code)
