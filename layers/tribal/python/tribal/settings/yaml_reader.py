"""Reads YAML settings: substitutes variables, and names the line of every error."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from tribal.errors import ConfigurationError
from tribal.yaml_lines import at_line, line_of, locate, plain_value, shape_problem, value_at

Location = tuple[int | str, ...]

# The default ends where another variable starts, so that matching takes linear time.
_VARIABLE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:[^$}]|\$(?!\{))*))?\}")
_OWN_WORD = re.compile(r"[a-z][a-z_]{0,40}\Z")
_LARGEST_FILE_BYTES = 1024 * 1024
_COMPLAINTS = 20
"""Maximum number of mistakes per message."""


@dataclass(frozen=True, slots=True)
class Variables:
    """The values of `${NAME}` in a file."""

    values: Mapping[str, str]
    advice: str = "set it, or write ${{{name}:-a default}}"
    """What to do about an undefined name."""
    problem: str = "the environment variable {name} is not set"


def read_small_file(path: Path) -> bytes:
    """The bytes of a hand-written file.

    Raises:
        ConfigurationError: when it is unreadable or too large to be hand-written.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > _LARGEST_FILE_BYTES:
        raise ConfigurationError(f"{path} is larger than {_LARGEST_FILE_BYTES} bytes; is it the right file?")
    return data


class YamlReader:
    """Converts YAML nodes to data, substituting variables, and names the line of every error.

    Args:
        path: the file's name in messages.
        variables: the values of `${NAME}`.
        model_at: the model of the mapping at a location; its fields are the keys to suggest there.
    """

    def __init__(self, path: str, variables: Variables, model_at: Callable[[Location], type[BaseModel]]) -> None:
        self._path = path
        self._variables = variables
        self._model_at = model_at

    @property
    def path(self) -> str:
        """The file's name in messages."""
        return self._path

    def value(self, node: yaml.Node) -> Any:
        """A node as Python data."""
        return plain_value(node, self._substituted)

    def _substituted(self, node: yaml.ScalarNode) -> str:
        text = _VARIABLE.sub(lambda match: self._variable(match, node), node.value)
        if "\0" in text:
            raise self.error(node, "a string contains a NUL character; delete it")
        return text

    def _variable(self, match: re.Match[str], node: yaml.Node) -> str:
        if match.group(0) == "$${":
            return "${"
        name, default = match.group(1), match.group(2)
        value = self._variables.values.get(name, default)
        if value is None:
            known = self._variables
            raise self.error(node, f"{known.problem.format(name=name)}; {known.advice.format(name=name)}")
        return value

    def error(self, node: yaml.Node, message: str) -> ConfigurationError:
        """An error that names the line of a node."""
        return at_line(self._path, line_of(node), message)

    def invalid(self, error: ValidationError, root: yaml.Node) -> ConfigurationError:
        """An error with a line for each of the first mistakes, without values: they may be secrets.

        Raise it `from None`: the cause shows values too.
        """
        # Alternatives that the key may be null add nothing; another mistake describes its value.
        details = error.errors(include_url=False, include_input=False)
        mistakes = [detail for detail in details if detail["type"] != "none_required"]
        lines = list(self._complaints(mistakes[:_COMPLAINTS], root))
        more = len(mistakes) - len(lines)
        return ConfigurationError("\n".join([*lines, *([f"and {more:,} more mistakes"] if more else [])]))

    def _complaints(self, mistakes: Iterable[ErrorDetails], root: yaml.Node) -> Iterator[str]:
        for detail in mistakes:
            location = _written(detail["loc"], root, missing=detail["type"] == "missing")
            name = str(location[-1]) if location else ""
            if detail["type"] == "extra_forbidden":
                message = self._unknown(name, location)
            elif detail["type"] == "missing":
                message = f"the key {name!r} is missing; add it"
            else:
                message = f"{'.'.join(map(_own_word, location)) or 'the file'}: {shape_problem(detail)}"
            yield str(self.error(locate(root, location), message))

    def _unknown(self, name: str, location: Location) -> str:
        fields = self._model_at(location).model_fields
        # An unfamiliar key may be part of a value; its line is enough.
        close = difflib.get_close_matches(name, fields, n=1) if len(name) < 60 else []
        return (
            f"unknown key {name!r}; did you mean {close[0]!r}?"
            if close
            else f"unknown key; the keys here are {', '.join(fields)}"
        )


def _written(location: Location, root: yaml.Node, *, missing: bool) -> Location:
    """The location in the file, without the names of union members that pydantic adds to it."""
    kept: list[int | str] = []
    for part in location:
        if value_at(root, (*kept, part)) is not None:
            kept.append(part)
    return (*kept, location[-1]) if missing else tuple(kept)


def _own_word(part: int | str) -> str:
    return str(part) if isinstance(part, int) or _OWN_WORD.match(part) else "…"


def with_empty_sections(data: Any, annotation: Any) -> Any:
    """The data with `{}` or `[]` for each key of a section or a list that has no value.

    Args:
        data: what YAML says.
        annotation: the type that it is validated as.
    """
    for kind in _sections(annotation):
        arguments = get_args(kind)
        if get_origin(kind) is list and isinstance(data, list | None):
            return [with_empty_sections(each, arguments[0]) for each in data or ()]
        if get_origin(kind) is dict and isinstance(data, dict | None):
            return {key: with_empty_sections(value, arguments[1]) for key, value in (data or {}).items()}
        if isinstance(kind, type) and isinstance(data, dict | None):
            return {key: _field(kind, key, value) for key, value in (data or {}).items()}
    return data


def _field(model: type[BaseModel], name: str, value: Any) -> Any:
    field = model.model_fields.get(name)
    return value if field is None else with_empty_sections(value, field.annotation)


def _sections(annotation: Any) -> Iterator[Any]:
    """The lists, mappings and models among the alternatives of a type."""
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    if is_model or get_origin(annotation) in (list, dict):
        yield annotation
    else:
        for each in get_args(annotation):
            yield from _sections(each)
