"""Turns a tool into a command: its input becomes the parameters, its answer the output."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.options import Explain, Json, Project
from tribal.edges.cli.options import deployed as deployed_environment
from tribal.edges.cli.tools.arguments import given, keyword, tool_arguments

if TYPE_CHECKING:
    from tribal.ports.tool import ToolSpec
    from tribal.tools.registry import Registry
    from tribal_contracts import Contract

_HERE = Path()


def derived_command(spec: ToolSpec, tools: Registry, *, deployed: bool = False) -> Any:
    """The Click command of a tool.

    With `deployed`, it calls the environment of the profile instead of reading a local index.
    """
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    function = _deployed_function(spec, tools) if deployed else _function(spec, tools)
    app.command(spec.command, help=f"{spec.summary}\n\n{spec.description}")(function)
    return typer.main.get_command(app)


def _function(spec: ToolSpec, tools: Registry) -> Callable[..., None]:
    @command
    def answer(*, context: typer.Context, project: Path, as_json: bool, explain: bool = False, **values: Any) -> None:
        from tribal.app.local import local_application
        from tribal.edges.local_caller import local_caller
        from tribal.settings import load_settings
        from tribal.tools.call import call_tool, whole_answer

        # The process ends after this answer; garbage collection of a large index would take 10 % of the time.
        gc.disable()
        settings = load_settings(project=project, needs_databases=False)
        arguments = _typed(spec, values, context)
        app = local_application(settings, limits=False)
        caller = local_caller(settings)
        # The limit saves a model's context; people can read more.
        asked = app if as_json else replace(app, answer_tokens=None)
        try:
            found = call_tool(spec.name, arguments, caller, asked, tools)
            if not as_json:

                def page_at(cursor: str) -> Contract:
                    return call_tool(spec.name, {**arguments, "cursor": cursor}, caller, asked, tools)

                found = whole_answer(spec, found, page_at, tools)
        finally:
            app.close()
        _show(found, spec, tools, as_json=as_json, explain=explain, project=project)

    return _with_parameters(answer, spec, keyword("project", Project, _HERE))


def _deployed_function(spec: ToolSpec, tools: Registry) -> Callable[..., None]:
    @command
    def answer(*, context: typer.Context, as_json: bool, explain: bool = False, **values: Any) -> None:
        from tribal.tools.call import whole_answer

        arguments = _typed(spec, values, context)
        environment = deployed_environment(context)[1].tools()

        def call(**more: str) -> Contract:
            return _read(spec, environment.call(spec.name, {**arguments, **more}), tools)

        found = call()
        if not as_json:
            found = whole_answer(spec, found, lambda cursor: call(cursor=cursor), tools)
        hint = ""
        failure = tools.group_of(spec.name).error_of(found)
        if failure is not None and failure.code == "RET_INDEX_NOT_READY":
            profile = f"tribal --profile {context.obj}"
            hint = f"In this environment: `{profile} run`; `{profile} status` shows its progress."
        _show(found, spec, tools, as_json=as_json, explain=explain, hint=hint)

    return _with_parameters(answer, spec)


def _typed(spec: ToolSpec, values: Mapping[str, Any], context: typer.Context) -> dict[str, Any]:
    """A tool's input with only the options that were typed: an explicit value may mean more than the same default."""
    arguments = tool_arguments(spec.input_model, spec.trailing)
    names = {argument.parameter.name for argument in arguments}
    untyped = {name for name in names if getattr(context.get_parameter_source(name), "name", "") == "DEFAULT"}
    return given(arguments, {name: None if name in untyped else values[name] for name in names})


def _read(spec: ToolSpec, body: bytes, tools: Registry) -> Contract:
    from pydantic import ValidationError

    from tribal.errors import DeploymentUnreachable
    from tribal.tools.call import read_answer

    try:
        return read_answer(spec.name, body, tools)
    except ValidationError as error:
        raise DeploymentUnreachable(
            f"the answer of {spec.name} cannot be read; the environment and the command line have different versions"
        ) from error


def _show(
    found: Contract,
    spec: ToolSpec,
    tools: Registry,
    *,
    as_json: bool,
    explain: bool,
    hint: str = "",
    project: Path | None = None,
) -> None:
    """Print an answer; if it is a failure, exit with its code."""
    from tribal.edges.cli.tools.answers import print_answer, print_error
    from tribal.edges.cli.tools.reading_view import print_reading
    from tribal.errors import EXIT_PARTIAL
    from tribal.tools.error_classes import error_class_of

    error = tools.group_of(spec.name).error_of(found)
    if as_json:
        print_json(found)
    elif error is None:
        print_answer(spec.name, found)
        if explain:
            print_reading(found)
    else:
        print_error(error, project)
    if error is not None:
        if hint and not as_json:
            typer.echo(hint, err=True)
        raise typer.Exit(error_class_of(error.code).exit_code)
    if not spec.is_done(found):
        raise typer.Exit(EXIT_PARTIAL)


def _with_parameters(answer: Callable[..., None], spec: ToolSpec, *more: inspect.Parameter) -> Callable[..., None]:
    parameters = [argument.parameter for argument in tool_arguments(spec.input_model, spec.trailing)]
    parameters.append(keyword("context", typer.Context, inspect.Parameter.empty))
    parameters += [*more, keyword("as_json", Json, False)]
    if not {"reading", "query_interpretation"}.isdisjoint(spec.output_model.model_fields):
        parameters.append(keyword("explain", Explain, False))
    # Typer reads a command's parameters from its function's signature and annotations.
    answer.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # a function may carry one
    answer.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return answer
