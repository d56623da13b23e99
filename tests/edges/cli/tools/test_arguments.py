"""Parameters of commands, from fields that Python or a command line makes difficult."""

from __future__ import annotations

import pytest
import typer
from pydantic import Field
from typer.testing import CliRunner

from tribal.edges.cli.tools.arguments import given, tool_arguments
from tribal_contracts import ClosedContract


class OddNames(ClosedContract):
    from_: str | None = Field(default=None, description="A keyword of Python.")
    number_or_text: str | int = Field(default="", description="Either.")
    labels: list[str] = Field(default_factory=list)


class Taken(ClosedContract):
    project: str = "x"


def typed(*words: str) -> dict[str, object]:
    found: dict[str, object] = {}
    arguments = tool_arguments(OddNames)

    def command(**values: object) -> None:
        found.update(given(arguments, values))

    command.__signature__ = __import__("inspect").Signature([a.parameter for a in arguments])  # type: ignore[attr-defined]  # typer reads it
    command.__annotations__ = {a.parameter.name: a.parameter.annotation for a in arguments}
    app = typer.Typer(add_completion=False)
    app.command()(command)
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 0, ran.output
    return found


def test_a_field_that_is_a_keyword_of_python_is_an_option_of_that_name() -> None:
    assert typed("--from", "yesterday") == {"from_": "yesterday", "number_or_text": ""}


def test_a_text_or_number_is_typed_as_it_is() -> None:
    assert typed("--number-or-text", "hello")["number_or_text"] == "hello"


def test_a_field_called_like_an_option_of_every_command_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="'project'"):
        tool_arguments(Taken)
