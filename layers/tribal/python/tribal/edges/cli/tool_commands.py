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

_HERE = Path()


def derived_command(tool: ToolCommand) -> Any:
    """The tool as a command of typer's: required fields are arguments, the others options."""
    from tribal.tools.registry import TOOLS

    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(tool.command, help=f"{tool.summary}\n\n{TOOLS[tool.tool].description}")(_function(TOOLS[tool.tool]))
    return typer.main.get_command(app)


def _function(spec: ToolSpec) -> Callable[..., None]:
    @command
    def answer(*, project: Path, as_json: bool, **arguments: Any) -> None:
        from tribal.edges.cli.answers import print_answer
        from tribal.errors import code_outcome
        from tribal.settings import load_settings
        from tribal.tools.registry import call_tool
        from tribal.wiring import open_toolbox

        # The process ends after this answer: looking for garbage in a large index would be a tenth of its time.
        gc.disable()
        given = {name: value for name, value in arguments.items() if value is not None}
        with open_toolbox(load_settings(project=project)) as toolbox:
            found = call_tool(spec.name, given, toolbox)
        if as_json:
            print_json(found)
        else:
            print_answer(found)
        if found.error is not None:
            raise typer.Exit(code_outcome(found.error.code).exit_code)

    parameters = [_parameter(name, field) for name, field in spec.input_model.model_fields.items()]
    parameters.append(_keyword("project", Project, _HERE))
    parameters.append(_keyword("as_json", Json, False))
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
