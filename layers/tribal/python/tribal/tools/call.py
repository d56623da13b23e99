"""The one way to call a tool: the command line, HTTP and MCP all go through `call_tool` and get the same answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from inspect import isclass
from typing import Any, TypeVar, get_args

from pydantic import JsonValue, ValidationError

from tribal.errors import RightMissing, ToolInputInvalid, TribalError
from tribal.ports.application import Application
from tribal.ports.caller import Caller
from tribal.ports.tool import ToolGroup, ToolSpec, tokens_of
from tribal.tools.error_classes import error_from
from tribal.tools.registry import EVERYTHING, REGISTRY, Registry
from tribal_contracts import AgentError, Contract, agent_error

_NAMED_PROBLEMS = 10
_LONGEST_NAME = 100
_LOG = logging.getLogger(__name__)

Answer = TypeVar("Answer", bound=Contract)


def call_tool(
    name: str, arguments: Mapping[str, Any], caller: Caller, app: Application, tools: Registry = REGISTRY
) -> Contract:
    """Call a tool; any error becomes an answer in the failure shape of the tool's group.

    Raises:
        KeyError: when there is no tool of that name.
    """
    spec, group = tools.callable[name], tools.group_of(name)
    now = app.clock.published()
    try:
        return with_tokens_used(_answered(spec, group, arguments, caller, app))
    except _InvalidInput as exc:
        error = _invalid_input(exc.problem, arguments, spec, group, now)
    except TribalError as exc:
        error = exc.to_agent_error(now)
    except Exception as exc:  # noqa: BLE001 - the outermost edge of a tool: a caller gets an answer, never a traceback
        _LOG.debug("%s failed", name, exc_info=True)
        message = f"{name} failed unexpectedly ({type(exc).__name__}); try again, and report it if that does not help"
        error = agent_error(group.internal_code, message, timestamp=now)
    return with_tokens_used(group.failed(spec, arguments, error))


def read_answer(name: str, data: bytes, tools: Registry = REGISTRY) -> Contract:
    """Parse an answer from another process.

    Raises:
        pydantic.ValidationError: when it is neither the tool's output nor its failure.
    """
    failure = tools.group_of(name).failure_model()
    if failure is not None:
        try:
            return failure.from_json(data)
        except ValidationError:
            pass
    return tools.callable[name].output_model.from_json(data)


def succeeded(name: str, answer: Contract, tools: Registry = EVERYTHING) -> Any:
    """The answer of a tool, if it is not a failure.

    Raises:
        TribalError: the one that the failure reports.
    """
    failure = tools.group_of(name).error_of(answer)
    if failure is not None:
        raise error_from(failure)
    return answer


def with_tokens_used(answer: Answer) -> Answer:
    """The answer with `tokens_used` set, if it has that field.

    The estimate is the UTF-8 size of its compact JSON with `tokens_used` 0, divided by four and rounded up.
    """
    if "tokens_used" not in type(answer).model_fields:
        return answer
    size = len(answer.model_copy(update={"tokens_used": 0}).to_compact_json())
    return answer.model_copy(update={"tokens_used": tokens_of(size)})


class _InvalidInput(Exception):
    """The arguments do not fit the tool's input model."""

    def __init__(self, problem: ValidationError) -> None:
        super().__init__()
        self.problem = problem


def _answered(
    spec: ToolSpec, group: ToolGroup, arguments: Mapping[str, Any], caller: Caller, app: Application
) -> Contract:
    if not caller.may(spec.right):
        raise RightMissing(f"{spec.name} needs the right {spec.right!r}", code=group.access_denied_code)
    _require_text(arguments, group.invalid_input_code)
    try:
        request = spec.input_model.model_validate(_without_empty(arguments, spec.input_model))
    except ValidationError as exc:
        raise _InvalidInput(exc) from exc
    with group.around(app):
        return spec.handler(request, caller, app)


def _without_empty(value: Any, annotation: Any) -> Any:
    """Input without optional arguments that are null or "": many clients send every argument of a schema.

    Args:
        value: the input, or a part of it.
        annotation: the type of that part; models in it may have optional fields too.
    """
    model = next((each for each in _types_in(annotation) if isclass(each) and issubclass(each, Contract)), None)
    if model is None:
        return value
    if isinstance(value, list):
        return [_without_empty(each, model) for each in value]
    if not isinstance(value, Mapping):
        return value
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    return {
        name: _without_empty(each, fields[name].annotation) if name in fields else each
        for name, each in value.items()
        if not (each in (None, "") and name in fields and not fields[name].is_required())
    }


def _types_in(annotation: Any) -> Iterator[Any]:
    yield annotation
    for each in get_args(annotation):
        yield from _types_in(each)


def _require_text(arguments: Mapping[str, Any], code: str) -> None:
    """Refuse lone surrogates: JSON allows them, but an answer cannot contain them."""
    pending = list(arguments.values())
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:
                message = "the input contains a lone surrogate, which is not valid text"
                raise ToolInputInvalid(message, code=code) from None
        elif isinstance(value, dict):
            pending += value.keys()
            pending += value.values()
        elif isinstance(value, list):
            pending += value


def _invalid_input(
    exc: ValidationError, arguments: Mapping[str, Any], spec: ToolSpec, group: ToolGroup, now: str
) -> AgentError:
    problems: list[JsonValue] = []
    errors = exc.errors(include_url=False, include_context=False, include_input=False)
    # For an optional field, each mistake is reported a second time for not being null.
    for error in [each for each in errors if each["type"] != "none_required"][:_NAMED_PROBLEMS]:
        where = (
            _place(error["loc"], arguments, is_missing=error["type"] == "missing")[:100]
            .encode("utf-8", "replace")
            .decode()
        )
        said = error["msg"].removeprefix("Value error, ")
        if error["type"] == "extra_forbidden":
            said = f"this argument is not known; {_known_arguments(spec.input_model, error['loc'])}"
        problems.append(f"{where}: {said}" if where else said)
    return agent_error(
        group.invalid_input_code,
        f"the input is not valid: {'; '.join(map(str, problems))}",
        timestamp=now,
        context={"problems": problems},
    )


def _known_arguments(model: type[Contract], location: Sequence[int | str]) -> str:
    """The nearest argument at the place of an unknown one, or all of them."""
    found: Any = model
    for part in location[:-1]:
        fields = {field.alias or name: field.annotation for name, field in found.model_fields.items()}
        inside = _types_in(fields.get(str(part)))
        found = next((each for each in inside if isclass(each) and issubclass(each, Contract)), found)
    names = [field.alias or name for name, field in found.model_fields.items()]
    close = get_close_matches(str(location[-1])[:_LONGEST_NAME], names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"the arguments are {', '.join(names)}"


def _place(location: Sequence[int | str], arguments: Mapping[str, Any], *, is_missing: bool) -> str:
    """The location of a mistake in the input, without the validator's names for alternatives."""
    parts: list[str] = []
    value: Any = arguments
    for part in location[: len(location) - is_missing]:
        if isinstance(value, Mapping) and part in value:
            value = value[str(part)]
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            continue
        parts.append(str(part))
    return ".".join([*parts, *map(str, location[-1:] if is_missing else ())])


def whole_answer(
    spec: ToolSpec, first: Contract, page_at: Callable[[str], Contract], tools: Registry = REGISTRY
) -> Contract:
    """The answer with the items of all following pages, or the failure of a page.

    Args:
        spec: the tool; its `paged` names the lists that continue.
        first: its first answer.
        page_at: repeats the call with a cursor.
        tools: the registry of the tool.
    """
    answer: Any = first
    cursor = getattr(first, "next_cursor", None)
    while spec.paged and cursor is not None:
        page: Any = page_at(cursor)
        if tools.group_of(spec.name).error_of(page) is not None:
            failure: Contract = page
            return failure
        for path in spec.paged:
            answer = _continued(answer, page, path)
        cursor = page.next_cursor
        counts = {"returned": answer.returned + page.returned, "truncated": page.truncated, "next_cursor": cursor}
        answer = answer.model_copy(update=counts)
    return answer if answer is first else with_tokens_used(answer)


def _continued(answer: Any, page: Any, path: str) -> Any:
    """The answer with the page's list at a dotted path appended to its own."""
    name, _, below = path.partition(".")
    own, following = getattr(answer, name), getattr(page, name)
    if own is None:
        return answer
    longer = _continued(own, following, below) if below else [*own, *following]
    return answer.model_copy(update={name: longer})
