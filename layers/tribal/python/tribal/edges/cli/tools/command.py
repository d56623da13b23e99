"""Turns a tool into a command: its input becomes the parameters, its answer the output."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.help import click_command
from tribal.edges.cli.options import Explain, Json, Project
from tribal.edges.cli.tools.arguments import given, keyword, tool_arguments, typed_example

if TYPE_CHECKING:
    from tribal.edges.cli.hints import Place
    from tribal.ports.tool import ToolSpec
    from tribal.tools.registry import Registry
    from tribal_contracts import Contract

_HERE = Path()


def derived_command(spec: ToolSpec, tools: Registry) -> Any:
    """The Click command of a tool."""
    text = f"{spec.summary}\n\n{spec.description}"
    return click_command(spec.command or "", _function(spec, tools), typed_example(spec), text)


def _function(spec: ToolSpec, tools: Registry) -> Callable[..., None]:
    @command
    def answer(*, context: typer.Context, project: Path, as_json: bool, explain: bool = False, **values: Any) -> None:
        from tribal.edges.cli.tools.calling import opened_tools

        # The process ends after this answer; garbage collection of a large index would take 10 % of the time.
        gc.disable()
        arguments = _typed(spec, values, context)
        with opened_tools(context, project, tools, limited=as_json) as call:
            found = call(spec.name, arguments)
            if not as_json:
                from tribal.tools.call import whole_answer

                found = whole_answer(
                    spec, found, lambda cursor: call(spec.name, {**arguments, "cursor": cursor}), tools
                )
        show_answer(found, spec.name, tools, as_json=as_json, explain=explain, place=context.obj or project)

    return _with_parameters(answer, spec)


def _typed(spec: ToolSpec, values: Mapping[str, Any], context: typer.Context) -> dict[str, Any]:
    """A tool's input with only the options that were typed: an explicit value may mean more than the same default."""
    arguments = tool_arguments(spec.input_model, spec.trailing)
    names = {argument.parameter.name for argument in arguments}
    untyped = {name for name in names if getattr(context.get_parameter_source(name), "name", "") == "DEFAULT"}
    return given(arguments, {name: None if name in untyped else values[name] for name in names})


def show_answer(
    found: Contract, tool: str, tools: Registry, *, as_json: bool, explain: bool = False, place: Place
) -> None:
    """Print the answer of a tool; if it is a failure, exit with its code."""
    from tribal.edges.cli.tools.answers import print_answer, print_error
    from tribal.edges.cli.tools.reading_view import print_reading
    from tribal.errors import EXIT_PARTIAL
    from tribal.tools.error_classes import error_class_of

    error = tools.group_of(tool).error_of(found)
    if as_json:
        print_json(found)
    elif error is None:
        print_answer(tool, found)
        if explain:
            print_reading(found)
    else:
        print_error(error, place)
    if error is not None:
        raise typer.Exit(error_class_of(error.code).exit_code)
    if not tools.callable[tool].is_done(found):
        raise typer.Exit(EXIT_PARTIAL)


def _with_parameters(answer: Callable[..., None], spec: ToolSpec) -> Callable[..., None]:
    parameters = [argument.parameter for argument in tool_arguments(spec.input_model, spec.trailing)]
    parameters.append(keyword("context", typer.Context, inspect.Parameter.empty))
    parameters += [keyword("project", Project, _HERE), keyword("as_json", Json, False)]
    if not {"reading", "query_interpretation"}.isdisjoint(spec.output_model.model_fields):
        parameters.append(keyword("explain", Explain, False))
    # Typer reads a command's parameters from its function's signature and annotations.
    answer.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # a function may carry one
    answer.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return answer
