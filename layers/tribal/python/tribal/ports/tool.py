"""Declarations of tools.

A tool is declared once; the command line, HTTP and MCP derive everything else. A declaration imports no contract,
because `tribal --help` lists the tools: functions return the models, and handlers import what they need when called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal.ports.caller import Caller
    from tribal_contracts import AgentError, Contract, ToolError
    from tribal_contracts.answering.answers import FailedAnswer

BYTES_A_TOKEN = 4
Heading = Literal["Document", "Ask", "Check", "Remember", "Contribute", "Serve", "Administer"]
"""The headings of `tribal --help`, in order."""


def tokens_of(size: int) -> int:
    """The estimated tokens of a text of this many UTF-8 bytes."""
    return -(-size // BYTES_A_TOKEN)


@dataclass(frozen=True)
class Effect:
    """The effects of calling a tool, so that a client can decide whether to ask the user first."""

    read_only: bool = True
    destructive: bool = False
    """Whether it may change or remove existing data; a tool that only adds is not destructive."""
    idempotent: bool = True
    """Whether repeating a call with the same input has no further effect."""
    open_world: bool = False
    """Whether it reaches systems outside this installation."""

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
    `contentMediaType` holds the text of a file, for which the command line takes a path.
    """

    name: str
    title: str
    summary: str
    """One sentence, for the list of commands."""
    description: str
    """Explains to a model when to use which tool."""
    models: Callable[[], tuple[type[Contract], type[Contract]]]
    """Imports and returns the models of input and output."""
    handler: Callable[[Any, Caller, Application], Contract]
    """Answers a validated input; raises a `TribalError` when it cannot."""
    right: str
    """The right that a caller needs."""
    spends: str | None = None
    """The right that lets it ask a model for a caller; reading never implies it. Without the right, the tool answers
    without a model. `None` for a tool that never asks a model."""
    effect: Effect = READS
    command: str | None = None
    """The `tribal` subcommand that calls it; `None` keeps it off the command line."""
    is_earlier_command: bool = False
    """Whether another command has replaced it: it keeps working, but no help lists it."""
    paged: tuple[str, ...] = ()
    """The lists of an answer that `next_cursor` continues, as dotted names of fields."""
    example: Mapping[str, Any] = field(default_factory=dict)
    """An input as people send it, for the documentation and the help of its command."""
    trailing: str | None = None
    """An optional field of the input that the command takes as the last argument."""
    largest_input_bytes: int | None = None
    """Limit for its input over HTTP, if larger than the default."""
    is_done: Callable[[Any], bool] = lambda _: True
    """Whether a successful answer reports that everything was done; if not, the command exits with 1."""

    @property
    def is_repeatable(self) -> bool:
        """Whether a call may be sent again when its answer was lost: that changes nothing more, and costs nothing."""
        return self.effect.idempotent and not self.effect.destructive and self.spends is None

    def asks_model_for(self, caller: Caller) -> bool:
        """Whether a call of this caller may ask a model; `offered` opens the world of tools that have one to ask."""
        return self.spends is not None and self.effect.open_world and caller.may(self.spends)

    @cached_property
    def input_model(self) -> type[Contract]:
        """The model of the tool's input."""
        return self._models[0]

    @cached_property
    def output_model(self) -> type[Contract]:
        """The model of the tool's output."""
        return self._models[1]

    @cached_property
    def _models(self) -> tuple[type[Contract], type[Contract]]:
        return self.models()


def own_error(answer: Any) -> AgentError | None:
    """The `error` of an answer, if it has such a field."""
    error: AgentError | None = getattr(answer, "error", None)
    return error


def no_failure_model() -> None:
    """The default: failures are answered in the tool's own output model."""


def _alone(_: Application) -> AbstractContextManager[object]:
    return nullcontext()


def _nothing(_: Application) -> None:
    pass


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ToolGroup:
    """Tools that belong together and share a failure shape and a view of the world."""

    name: str
    tools: tuple[ToolSpec, ...]
    failed: Callable[[ToolSpec, Mapping[str, Any], AgentError], Contract]
    """Builds a failed tool's answer from the arguments, validated or not, and the error."""
    invalid_input_code: str
    internal_code: str
    access_denied_code: str
    heading: Heading = "Ask"
    """The heading of its commands in `tribal --help`."""
    internal: tuple[ToolSpec, ...] = ()
    """Tools for internal use by the servers: called in the same way, but not offered."""
    failure_model: Callable[[], type[Contract] | None] = no_failure_model
    """Imports and returns the model of failed answers; `None` when that is the tool's own output model."""
    error_of: Callable[[Any], AgentError | None] = own_error
    """Extracts the error from an answer; `None` for a successful one."""
    around: Callable[[Application], AbstractContextManager[object]] = _alone
    """A context manager entered around each call, for example to pin one generation of the index."""
    prepare: Callable[[Application], None] = _nothing
    """Loads and derives in advance what answers need; raises a `TribalError` when there is no data yet."""
    instructions: str = ""
    """Explains to a model how to combine the tools."""
    explained: frozenset[str] = frozenset()
    """Fields of answers that `instructions` explain, so that a list of tools need not repeat them."""


def failed_answer(_: ToolSpec, __: Mapping[str, Any], error: AgentError) -> FailedAnswer:
    """Build the `FailedAnswer` of a group whose failures have that shape."""
    from tribal_contracts.answering.answers import FailedAnswer

    return FailedAnswer(tokens_used=0, error=error)


def failed_answer_model() -> type[FailedAnswer]:
    """Import and return `FailedAnswer`."""
    from tribal_contracts.answering.answers import FailedAnswer

    return FailedAnswer


def models_of(module: str, *names: str) -> Callable[[], tuple[type[Contract], type[Contract]]]:
    """Returns a function that imports the models of a tool's input and output.

    Args:
        module: of the contracts.
        names: of input and output.
    """

    def models() -> tuple[type[Contract], type[Contract]]:
        contracts = import_module(module)
        taken, answered = (getattr(contracts, name) for name in names)
        return taken, answered

    return models


_NO_TIME = "1970-01-01T00:00:00Z"
"""Failures in the shape of `ToolError` have no time."""


def tool_errors(codes: Mapping[str, str], internal_code: str) -> dict[str, Any]:
    """Fields of a `ToolGroup` whose tools fail with a `ToolError`: one of seven codes, and our own code in `details`.

    Source: memory specification, section 7.

    Args:
        codes: the specification's code for each of our errors; any other error is the provider's.
        internal_code: our own code of an answer that has none.
    """

    def failed(_: ToolSpec, __: Mapping[str, Any], error: AgentError) -> ToolError:
        from tribal_contracts import ToolError
        from tribal_contracts.core.camel import RETRYABLE_CODES

        code: Any = codes.get(error.code, "PROVIDER_ERROR")
        details = {**(error.context or {}), "code": error.code}
        return ToolError(error_code=code, message=error.message, details=details, retryable=code in RETRYABLE_CODES)

    def failure_model() -> type[ToolError]:
        from tribal_contracts import ToolError

        return ToolError

    def error_of(answer: Any) -> AgentError | None:
        from tribal_contracts import ToolError, agent_error

        if not isinstance(answer, ToolError):
            return None
        details = dict(answer.details or {})
        code = str(details.pop("code", internal_code))
        return agent_error(code, answer.message, timestamp=_NO_TIME, context=details or None)

    return {"failed": failed, "failure_model": failure_model, "error_of": error_of}
