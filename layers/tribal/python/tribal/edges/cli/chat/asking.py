"""`tribal ask` and `tribal chat`: streamed answers with numbered sources."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.options import Explain, Json, OnlyDatabase, OnlyDomain, Project

if TYPE_CHECKING:
    from tribal.capabilities.chat.events import Finished
    from tribal.edges.cli.chat.clients import ChatClient
    from tribal.edges.cli.hints import Place
    from tribal_contracts.chat.events import ChatSource
    from tribal_contracts.chat.requests import ChatMessage

_HERE = Path()
_MOST_TURNS = 20
"""The most turns of a conversation that are sent along, as the route takes them too."""
_SHOWN_CHARS = 200
"""Of a question that is read from a pipe."""
Collection = Annotated[
    Optional[str],  # noqa: UP045 - typer reads it at run time
    typer.Option("--collection", metavar="NAME", help="The collection to ask.", show_default=False),
]
NoModel = Annotated[bool, typer.Option("--no-model", help="Answer without a model, whatever is configured.")]


@command
def ask(
    context: typer.Context,
    question: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Argument(metavar="QUESTION", help="What you want to know, in plain words.", show_default=False),
    ] = None,
    collection: Collection = None,
    no_model: NoModel = False,
    wrong: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Option("--wrong", metavar="WHY", help="Mark the last answer as wrong instead.", show_default=False),
    ] = None,
    database: OnlyDatabase = None,
    domain: OnlyDomain = None,
    project: Project = _HERE,
    as_json: Json = False,
    explain: Explain = False,
) -> None:
    """Answer a question from the documentation, with sources.

    Says which tables, columns, codes and joins a question is about, with decisions and memories that apply, and what
    nothing documented explains. With --collection it answers from that collection, or refuses under its laws; it asks a
    model where the collection lists one. Exits with 1 if nothing is documented, and with 9 if a law refuses.

    --wrong "why" marks the last answer: its question becomes an open gap of the tables that it is about.
    """
    if wrong is not None:
        if question is not None:
            raise typer.BadParameter("it marks the last answer; leave out the question", param_hint="--wrong")
        from tribal.edges.cli.chat.last_answer import mark_last_answer

        mark_last_answer(context, wrong, project, as_json=as_json)
        return
    if question is None:
        raise typer.BadParameter("give a question, or mark the last answer with --wrong", param_hint="QUESTION")
    from tribal.edges.cli.chat.clients import opened_chat
    from tribal.edges.cli.chat.last_answer import save_last_answer

    place = context.obj or project
    narrowed = database is not None or domain is not None
    if collection is not None and narrowed:
        raise typer.BadParameter("--database and --domain cannot be combined with --collection")
    with opened_chat(context, project, no_model=no_model) as service:
        if collection is None and not narrowed and service.streams_catalog:
            collection = "catalog"
        if collection is None or as_json:
            arguments = {"question": question, "database": database, "domain": domain, "collection": collection}
            given = {name: value for name, value in arguments.items() if value is not None}
            found: Any = service.answer(given, limited=as_json)
            if found.success:
                tables = found.main_tables or [each.name for each in found.sources if each.kind == "table"]
                save_last_answer(place, question, tables)
            _show_whole(found, place, as_json=as_json, explain=explain)
            return
        finished, cited = _stream([], question, collection, service)
    if finished.error is None:
        save_last_answer(place, question, finished.main_tables or cited)
    if explain and finished.reading is not None:
        from tribal.edges.cli.tools.reading_view import print_reading

        print_reading(finished)
    if code := _exit_code(finished):
        raise typer.Exit(code)


@command
def chat(
    context: typer.Context,
    question: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it at run time
        typer.Argument(metavar="[QUESTION]", help="The first question.", show_default=False),
    ] = None,
    collection: Collection = None,
    no_model: NoModel = False,
    project: Project = _HERE,
    as_json: Json = False,
) -> None:
    """Ask a collection one question after the other.

    Each answer may refer to the turns before it. Without --collection it asks `chat.collection`, or the documentation.
    An empty line, Ctrl-D or Ctrl-C ends it. In a pipe, each line is a question, and the exit code is that of the first
    answer that is not whole. Nothing is stored, unless `chat.audit` is on. With --json it answers one question, as the
    route does with `stream: false`.
    """
    from tribal.capabilities.chat.errors import QuestionInvalid
    from tribal.edges.cli.chat.clients import opened_chat

    with opened_chat(context, project, no_model=no_model) as service:
        turns = list[Any]()
        if as_json:
            if question is None:
                raise typer.BadParameter("--json needs the question as an argument", param_hint="QUESTION")
            _print_json(question, collection, service)
            return
        service.require_ready(collection)
        codes = []
        for asked in _questions(question):
            try:
                finished, _ = _stream(turns, asked, collection, service)
            except QuestionInvalid as error:
                turns.pop()
                typer.echo(f"error: {error}", err=True)
                codes.append(error.exit_code)
                continue
            codes.append(_exit_code(finished))
            del turns[:-_MOST_TURNS]
    if not sys.stdin.isatty() and any(codes):
        raise typer.Exit(next(filter(None, codes)))


def _questions(first: str | None) -> Iterator[str]:
    """The given question, then what is typed; without a terminal only that question, or every line of the pipe."""
    from tribal.rendering.words import shorten

    if sys.stdin.isatty():
        while asked := first or _prompt():
            first = None
            yield asked
    elif first is not None:
        yield first
    else:
        for line in sys.stdin:
            if asked := line.strip():
                typer.echo(f"\n? {shorten(asked, _SHOWN_CHARS)}")
                yield asked


def _print_json(question: str, collection: str | None, service: ChatClient) -> None:
    from tribal.edges.http.chat.framings import whole_answer
    from tribal.ports import StopToken
    from tribal_contracts.chat.events import WholeAnswer
    from tribal_contracts.chat.requests import ChatMessage, ChatRequest

    request = ChatRequest(messages=[ChatMessage(role="user", content=question)], collection=collection)
    events = (each for each in service.events(request))
    print_json(WholeAnswer.from_json(b"".join(whole_answer(lambda _: events, StopToken()))))


def _prompt() -> str:
    """The next question; empty at the end."""
    try:
        return str(typer.prompt("\n?", default="", show_default=False, prompt_suffix=" ")).strip()
    except typer.Abort:
        typer.echo()
        return ""


def _show_whole(found: Any, place: Place, *, as_json: bool, explain: bool) -> None:
    from tribal.edges.cli.tools.command import show_answer
    from tribal.errors import EXIT_REFUSED
    from tribal.tools.registry import EVERYTHING

    show_answer(found, "ask", EVERYTHING, as_json=as_json, explain=explain, place=place)
    if found.verdict == "refused":
        raise typer.Exit(EXIT_REFUSED)


def _stream(
    turns: list[ChatMessage], question: str, collection: str | None, service: ChatClient
) -> tuple[Finished, list[str]]:
    """Print an answer while it is made, and add both turns; returns its end, and the tables that it cites."""
    from tribal.capabilities.chat.events import Finished, SourcesFound, Step, TextPiece
    from tribal_contracts.chat.requests import ChatMessage, ChatRequest

    turns.append(ChatMessage(role="user", content=question))
    show_step = _step_line()
    text, finished, cited = "", None, list[str]()
    for event in service.events(ChatRequest(messages=turns, collection=collection)):
        match event:
            case Step():
                show_step(event.text)
            case TextPiece():
                show_step("")
                text += event.text
                _print(event.text)
            case SourcesFound():
                show_step("")
                _print_sources(event, ends_line=text.endswith("\n"))
                cited = [each.title for each in event.sources if _is_table(each)]
            case Finished():
                show_step("")
                finished = event
            case _:
                pass
    assert finished is not None, "every answer ends"
    turns.append(ChatMessage(role="assistant", content=text))
    _print_end(finished, ends_line=not text or text.endswith("\n"))
    return finished, cited


def _is_table(source: ChatSource) -> bool:
    from tribal.identity.addresses import read_address

    try:
        return source.url is not None and read_address(source.url).kind == "table"
    except ValueError:
        return False


def _step_line() -> Callable[[str], None]:
    """Shows what the chat is doing on a terminal, in one line that the answer replaces."""
    from tribal.rendering.markdown import show_invisible

    if not sys.stderr.isatty():
        return lambda _: None
    shown = False

    def show(text: str) -> None:
        nonlocal shown
        if text or shown:
            sys.stderr.write(f"\r\033[2K\033[2m{show_invisible(text)}\033[0m" if text else "\r\033[2K")
            sys.stderr.flush()
        shown = bool(text)

    return show


def _print(text: str) -> None:
    from tribal.rendering.markdown import show_invisible

    sys.stdout.write(show_invisible(text, keep="\n"))
    sys.stdout.flush()


def _print_sources(found: Any, *, ends_line: bool) -> None:
    _print("" if ends_line else "\n")
    _print("\nSources\n")
    for source in found.sources:
        where = f"  {source.source_filename}" if source.url is not None else ""
        _print(f"  [{source.source_id}] {source.title}{where}\n")


def _print_end(finished: Finished, *, ends_line: bool) -> None:
    from tribal.rendering.markdown import show_invisible

    if finished.reason == "content-filter" and not ends_line:
        _print("\n")
    if finished.reason == "length":
        typer.echo("note: the answer reached its limit; raise chat.answer_tokens for longer ones", err=True)
    for warning in finished.warnings:
        typer.echo(f"note: {show_invisible(warning)}", err=True)
    if finished.error is not None:
        typer.echo(f"error: {show_invisible(finished.error.message)}", err=True)


def _exit_code(finished: Finished) -> int:
    """The exit code of how an answer ended."""
    from tribal.errors import EXIT_PARTIAL, EXIT_REFUSED
    from tribal.tools.error_classes import error_class_of

    if finished.error is not None:
        return error_class_of(finished.error.code).exit_code
    if finished.reason == "content-filter":
        return EXIT_REFUSED
    return 0 if finished.documented else EXIT_PARTIAL
