"""Derives the parameters of a command from the fields of a tool's input.

A required field becomes an argument, any other field an option. A list is a repeatable option, or the trailing
arguments. Objects and lists of objects are given as JSON, or read from a file with `@FILE`. A field for the text of a
file takes its path.
"""

from __future__ import annotations

import inspect
import json
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from keyword import iskeyword
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional, Union, get_args, get_origin

import typer

from tribal.edges.cli.completion.names import databases, domains, tables

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    from tribal.ports.tool import ToolSpec

_SEQUENCES = (list, set, frozenset, tuple)
_STANDARD_INPUT = "-"
_NAMES: Mapping[str, Callable[[typer.Context, str], list[str]]] = {
    **dict.fromkeys(("table", "tables", "source_table", "target_table", "also"), tables),
    "database": databases,
    "domain": domains,
}
"""Functions that complete the value of a field in a shell, by the name of the field."""
_OF_EVERY_COMMAND = {"project", "context", "json", "as_json", "explain"}


@dataclass(frozen=True, slots=True)
class Argument:
    """A field of a tool's input as a parameter of its command."""

    field: str
    parameter: inspect.Parameter
    read: Callable[[str, Any], Any]
    """Converts what was typed to the field's value, given the field's name."""


def tool_arguments(model: type[BaseModel], trailing: str | None = None) -> list[Argument]:
    """The parameters for an input model, in the order of its fields.

    Args:
        model: the tool's input.
        trailing: an optional field that becomes the last argument, or for a list, the last arguments.

    Raises:
        TypeError: when a field has the name of an option of every command.
    """
    taken = sorted(_OF_EVERY_COMMAND & {_plain(name) for name in model.model_fields})
    if taken:
        raise TypeError(f"{model.__name__} has a field {taken[0]!r}, an option of every command; give it another name")
    return [_argument(name, field, trailing=name == trailing) for name, field in model.model_fields.items()]


def given(arguments: Sequence[Argument], values: Mapping[str, Any]) -> dict[str, Any]:
    """Build a tool's input from the command's parameters.

    Raises:
        ConfigurationError: when JSON cannot be parsed or a file cannot be read.
    """
    typed = [(argument, values[argument.parameter.name]) for argument in arguments]
    return {
        argument.field: argument.read(argument.field, value)
        for argument, value in typed
        if value is not None and value != []
    }


def typed_example(spec: ToolSpec) -> str:
    """The command line that sends a tool's example."""
    words, options = ["tribal", spec.command or ""], list[str]()
    for argument in tool_arguments(spec.input_model, spec.trailing):
        value = spec.example.get(spec.input_model.model_fields[argument.field].alias or argument.field)
        values = [*map(str, value if isinstance(value, list) else [] if value is None else [value])]
        info = argument.parameter.annotation.__metadata__[0]
        if isinstance(info, typer.models.ArgumentInfo):
            words += values
        else:
            options += [word for each in values for word in (f"--{argument.field.replace('_', '-')}", each)]
    return shlex.join([*words, *options])


def keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """A parameter that is passed by name."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a field's values are given on the command line."""

    annotation: Any
    read: Callable[[str, Any], Any]
    metavar: str | None = None
    shows_default: bool = True


def _argument(name: str, field: FieldInfo, *, trailing: bool = False) -> Argument:
    kind = _kind(field)
    help_text = (field.description or "").removeprefix("Extension: ")
    plain = _plain(name)
    # A Python keyword, such as `from`, is a valid name on a command line.
    is_keyword = iskeyword(plain)
    parameter_name = name if is_keyword else plain
    spelt = (f"--{plain}",) if is_keyword else ()
    repeated = get_origin(kind.annotation) is list
    if field.is_required():
        # The end of a list would be ambiguous among arguments, and a flag needs a name.
        as_option = repeated or kind.annotation is bool or is_keyword
        made = typer.Option if as_option else typer.Argument
        info = made(*spelt, help=help_text, metavar=kind.metavar, show_default=False, autocompletion=_NAMES.get(name))
        return Argument(
            name, keyword(parameter_name, Annotated[kind.annotation, info], inspect.Parameter.empty), kind.read
        )
    default = field.get_default(call_default_factory=True) if kind.shows_default else None
    if repeated:
        default = [*default] if default else None
    annotation: Any = kind.annotation if default is not None else Optional[kind.annotation]  # noqa: UP045 - for typer
    if trailing:
        info = typer.Argument(help=help_text, metavar=kind.metavar, show_default=False, autocompletion=_NAMES.get(name))
    else:
        info = typer.Option(
            *spelt,
            help=help_text,
            metavar=kind.metavar,
            show_default=default is not None,
            autocompletion=_NAMES.get(name),
        )
    return Argument(name, keyword(parameter_name, Annotated[annotation, info], default), kind.read)


def _plain(name: str) -> str:
    """A field's name without the underscore that avoids a Python keyword."""
    return name.rstrip("_")


def _kind(field: FieldInfo) -> _Kind:
    extra = field.json_schema_extra
    if isinstance(extra, dict) and "contentMediaType" in extra:
        return _Kind(str, _read_text, "FILE", shows_default=False)
    bare = _bare(field.annotation)
    if _is_scalar(bare):
        return _Kind(bare, _as_typed)
    if get_origin(bare) in _SEQUENCES:
        (item, *others) = (_bare(part) for part in get_args(bare) if part is not Ellipsis)
        if not others and _is_scalar(item):
            # Typer does not support lists of literals; the tool itself rejects other values.
            choices = "|".join(map(str, get_args(item))) if get_origin(item) is Literal else None
            return _Kind(list[str] if choices else list[item], _each_as_typed, choices)  # type: ignore[valid-type]  # made at run time
    if isinstance(bare, type) and get_origin(bare) is None and not _is_object(bare):
        return _Kind(str, _as_typed, shows_default=False)
    return _Kind(str, _read_json, "JSON|@FILE", shows_default=False)


def _bare(annotation: Any) -> Any:
    """A type without annotations and without the `None` of an optional type."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _bare(get_args(annotation)[0])
    if origin in (Union, UnionType):
        members = [bare for bare in map(_bare, get_args(annotation)) if bare not in (None, NoneType)]
        if len(members) == 1:
            return members[0]
        # If both text and numbers are allowed, the tool's own model decides.
        return str if str in members and all(map(_is_scalar, members)) else object
    return annotation


def _is_scalar(bare: Any) -> bool:
    return (
        bare in (str, int, float, bool)
        or get_origin(bare) is Literal
        or (isinstance(bare, type) and issubclass(bare, Enum))
    )


def _is_object(bare: type) -> bool:
    from pydantic import BaseModel

    return bare is object or issubclass(bare, (BaseModel, dict, *_SEQUENCES)) or hasattr(bare, "__dataclass_fields__")


def _as_typed(_: str, value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _each_as_typed(name: str, values: list[Any]) -> list[Any]:
    return [_as_typed(name, value) for value in values]


def _read_text(name: str, path: str) -> str:
    from tribal.errors import ConfigurationError

    try:
        data = sys.stdin.buffer.read() if path == _STANDARD_INPUT else Path(path).read_bytes()
        return data.decode()
    except OSError as error:
        raise ConfigurationError(f"{name}: {path!r} cannot be read ({error.strerror or error}); name a file") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{name}: {path!r} is not UTF-8 text") from error


def _read_json(name: str, value: str) -> Any:
    from tribal.errors import ConfigurationError

    text = _read_text(name, value[1:]) if value.startswith("@") else value
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{name}: not valid JSON; write JSON, or @FILE to read it from a file") from (error)
