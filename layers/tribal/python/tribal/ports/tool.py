"""What a tool is, and what the tools of one capability share.

A tool is declared once; the command line, HTTP and MCP derive everything else. A declaration loads no contract, because
the help of the command line lists the tools: models are named by functions, and what answers is imported when called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal.ports.caller import Caller
    from tribal_contracts import AgentError, Contract


@dataclass(frozen=True)
class Effect:
    """What calling a tool may do to the world, for callers that decide whether to ask a person first."""

    read_only: bool = True
    destructive: bool = False
    """Whether it may change or remove what is there; one that only adds is not destructive."""
    idempotent: bool = True
    """Whether calling it again with the same input does nothing more."""
    open_world: bool = False
    """Whether it reaches beyond what this installation holds."""

    @property
    def hints(self) -> dict[str, bool]:
        """The annotations of the Model Context Protocol, under its names."""
        return {
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }


READS = Effect()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ToolSpec:
    """One tool.

    The input model is a `ClosedContract`, the output model a `Contract`. A field whose JSON Schema has a
    `contentMediaType` holds the text of a file, and the command line takes the path of one.
    """

    name: str
    title: str
    summary: str
    """One sentence for the list of commands."""
    description: str
    """Tells a model when to use which tool."""
    models: Callable[[], tuple[type[Contract], type[Contract]]]
    """Imports the models of input and output."""
    handler: Callable[[Any, Caller, Application], Contract]
    """Answers a valid input; raises an error of `tribal.errors` when it cannot."""
    right: str
    """The right that a caller needs."""
    effect: Effect = READS
    command: str | None = None
    """The command of `tribal` that calls it; without one it is offered to programs alone."""

    @cached_property
    def input_model(self) -> type[Contract]:
        """The model of what is asked."""
        return self._models[0]

    @cached_property
    def output_model(self) -> type[Contract]:
        """The model of the answer."""
        return self._models[1]

    @cached_property
    def _models(self) -> tuple[type[Contract], type[Contract]]:
        return self.models()


def own_error(answer: Any) -> AgentError | None:
    """The `error` of an answer that has such a field."""
    error: AgentError | None = getattr(answer, "error", None)
    return error


def no_failure_model() -> None:
    """Failures are answered in the output model of the tool itself."""


def _alone(_: Application) -> AbstractContextManager[object]:
    return nullcontext()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Capability:
    """Tools that belong together, fail in the same shape, and see the world in the same way."""

    name: str
    tools: tuple[ToolSpec, ...]
    failed: Callable[[ToolSpec, Mapping[str, Any], AgentError], Contract]
    """The answer of a tool that failed, from what the caller sent, checked or not, and why it failed."""
    invalid_input_code: str
    internal_code: str
    access_denied_code: str
    failure_model: Callable[[], type[Contract] | None] = no_failure_model
    """Imports the model of a failed answer, where that is another one than the output of the tool."""
    error_of: Callable[[Any], AgentError | None] = own_error
    """Why a call failed, read from its answer; `None` of one that did not."""
    around: Callable[[Application], AbstractContextManager[object]] = _alone
    """What is entered for the time of a call, such as reading one generation of the index."""
    instructions: str = ""
    """Tells a model how the tools work together."""
