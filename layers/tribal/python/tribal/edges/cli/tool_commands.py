"""The commands that are derived from the tool registry: a tool's input is the command's parameters."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from tribal.edges.cli.console import command, print_json
from tribal.edges.cli.options import Json, Project

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from tribal.tools.commands import ToolCommand
    from tribal.tools.registry import ToolSpec
    from tribal_contracts import ToolOutput

_HERE = Path()


def derived_command(tool: ToolCommand, *, deployed: bool = False) -> Any:
    """The tool as a command of typer's: required fields are arguments, the others options.

    With `deployed` it asks the environment whose profile the context holds, instead of the index of a folder.
    """
    from tribal.tools.registry import TOOLS

    spec = TOOLS[tool.tool]
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    function = _deployed_function(spec) if deployed else _function(spec)
    app.command(tool.command, help=f"{tool.summary}\n\n{spec.description}")(function)
    return typer.main.get_command(app)


def _function(spec: ToolSpec) -> Callable[..., None]:
    @command
    def answer(*, project: Path, as_json: bool, **arguments: Any) -> None:
        from tribal.app.local import local_application
        from tribal.retrieval.toolbox import Toolbox
        from tribal.settings import load_settings
        from tribal.tools.registry import call_tool

        # The process ends after this answer: looking for garbage in a large index would be a tenth of its time.
        gc.disable()
        app = local_application(load_settings(project=project))
        try:
            toolbox = Toolbox(index=app.index(), embedder=app.embedder(), clock=app.clock)
            found = call_tool(spec.name, _given(arguments), toolbox)
        finally:
            app.close()
        _show(found, as_json=as_json)

    return _with_parameters(answer, spec, _keyword("project", Project, _HERE))


def _deployed_function(spec: ToolSpec) -> Callable[..., None]:
    @command
    def answer(*, context: typer.Context, as_json: bool, **arguments: Any) -> None:
        from pydantic import ValidationError

        from tribal.edges.cli.profile_commands import deployed as deployed_environment
        from tribal.errors import DeploymentUnreachable

        body = deployed_environment(context)[1].tools().call(spec.name, _given(arguments))
        try:
            found = spec.output_model.from_json(body)
        except ValidationError as error:
            raise DeploymentUnreachable(
                f"the answer of {spec.name} cannot be read; environment and command line are of different versions"
            ) from error
        hint = ""
        if found.error is not None and found.error.code == "RET_INDEX_NOT_READY":
            profile = f"tribal --profile {context.obj}"
            hint = f"In this environment: `{profile} run`; `{profile} status` shows how far it is."
        _show(found, as_json=as_json, hint=hint)

    return _with_parameters(answer, spec, _keyword("context", typer.Context, inspect.Parameter.empty))


def _given(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


def _show(found: ToolOutput, *, as_json: bool, hint: str = "") -> None:
    """Print an answer, and end with the exit code of what went wrong."""
    from tribal.edges.cli.answers import print_answer
    from tribal.errors import code_outcome

    if as_json:
        print_json(found)
    else:
        print_answer(found)
        if hint:
            typer.echo(hint, err=True)
    if found.error is not None:
        raise typer.Exit(code_outcome(found.error.code).exit_code)


def _with_parameters(answer: Callable[..., None], spec: ToolSpec, extra: inspect.Parameter) -> Callable[..., None]:
    parameters = [_parameter(name, field) for name, field in spec.input_model.model_fields.items()]
    parameters += [extra, _keyword("as_json", Json, False)]
    # Typer reads the parameters of a command off the signature and the annotations of its function.
    answer.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # a function may carry one
    answer.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return answer


def _parameter(name: str, field: FieldInfo) -> inspect.Parameter:
    help_text = (field.description or "").removeprefix("Extension: ")
    if field.is_required():
        return _keyword(
            name, Annotated[str, typer.Argument(help=help_text, show_default=False)], inspect.Parameter.empty
        )
    kind: Any = Optional[str] if field.default is None else type(field.default)  # noqa: UP045 - typer reads it
    option = typer.Option(help=help_text, show_default=field.default is not None)
    return _keyword(name, Annotated[kind, option], field.default)


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
