"""The environment of `--profile`, as commands use it."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tribal.errors import ConfigurationError, DeploymentUnreachable, PathUnknown
from tribal.tools.registry import EVERYTHING

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tribal.ports.environment import DeployedApi
    from tribal.tools.registry import Registry
    from tribal_contracts import AgentError, Contract

Model = TypeVar("Model", bound="BaseModel")
Parsed = TypeVar("Parsed")
POLL_SECONDS = 2.0
"""How often a command looks how far the environment has come. By judgement."""


@dataclass(frozen=True, slots=True)
class Client:
    """The API of an environment. What it reports as an error is raised, as it would be here.

    Every method also raises what `DeployedApi` does.
    """

    api: DeployedApi

    def call(self, tool: str, arguments: Mapping[str, Any], tools: Registry = EVERYTHING) -> Contract:
        """Call a tool and return its answer, also that it failed."""
        from tribal.tools.call import read_answer

        answer = self.api.call(tool, arguments, repeats=tools.callable[tool].is_repeatable)
        reported = _reported(answer)
        if reported is not None and reported.code == PathUnknown.default_code:
            section = tools.group_of(tool).name
            raise ConfigurationError(
                f"the environment does not offer {tool}: configure `{section}` there, and deploy it again"
            )
        return _parsed(answer, lambda data: read_answer(tool, data, tools), tool)

    def ask(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Call a tool and return its answer; a failure is raised."""
        from tribal.tools.call import succeeded

        return succeeded(tool, self.call(tool, arguments))

    def send(self, method: str, path: str, answer: type[Model], content: Contract | None = None) -> Model:
        """Send a request to a route and return its answer."""
        return _parsed(
            self.api.send(method, path, None if content is None else sent(content)), answer.model_validate_json, path
        )

    def send_form(self, path: str, fields: Mapping[str, str], file: Path, answer: type[Model]) -> Model:
        """Send a form with a file to a route and return its answer."""
        return _parsed(self.api.send_form(path, fields, file), answer.model_validate_json, path)

    def events(self, path: str, content: Contract, event: type[Model]) -> Generator[Model, None, None]:
        """Ask a route whose answer is streamed, and return its events as they come."""
        for data in self.api.events(path, sent(content)):
            yield _parsed(data, event.model_validate_json, path)


def sent(content: Contract) -> Mapping[str, Any]:
    """Return what is sent of a contract: all that it says."""
    return content.model_dump(mode="json", exclude_none=True)


def _parsed(data: bytes, parse: Callable[[bytes], Parsed], what: str) -> Parsed:
    """Parse an answer; anything else may be an error of the API itself, which is raised."""
    from pydantic import ValidationError

    from tribal.tools.error_classes import error_from

    try:
        return parse(data)
    except ValidationError as error:
        reported = _reported(data)
        if reported is not None:
            raise error_from(reported) from None
        raise DeploymentUnreachable(
            f"the answer of {what} cannot be read; the environment and the command line have different versions"
        ) from error


def _reported(data: bytes) -> AgentError | None:
    """Return the error in an answer."""
    from tribal_contracts import AgentError

    try:
        return AgentError.model_validate(json.loads(data)["error"])
    except (ValueError, KeyError, TypeError):
        return None
