"""Reads YAML settings: substitutes variables, and names the line of every error."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from tribal.errors import ConfigurationError
from tribal.yaml_lines import at_line, line_of, locate

Location = tuple[int | str, ...]

_VARIABLE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_LARGEST_FILE_BYTES = 4 * 1024 * 1024


def read_small_file(path: Path) -> bytes:
    """The bytes of a hand-written file.

    Raises:
        ConfigurationError: when it cannot be read, or is too large to be hand-written.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > _LARGEST_FILE_BYTES:
        raise ConfigurationError(f"{path} is larger than {_LARGEST_FILE_BYTES} bytes; is it the right file?")
    return data


class YamlReader:
    """Converts YAML nodes to data, substituting variables, and names the line of every error.

    Args:
        path: the file's name in messages.
        environment: values of the variables.
        model_at: the model of the mapping at a location; its fields are the keys to suggest there.
    """

    def __init__(
        self, path: str, environment: Mapping[str, str], model_at: Callable[[Location], type[BaseModel]]
    ) -> None:
        self._path = path
        self._environment = environment
        self._model_at = model_at

    def value(self, node: yaml.Node) -> Any:
        """A node as Python data; duplicate keys are an error."""
        if isinstance(node, yaml.MappingNode):
            content: dict[str, Any] = {}
            for key_node, value_node in node.value:
                key = str(key_node.value)
                if key in content:
                    raise self.error(key_node, f"the key {key!r} stands twice; keep one of them")
                content[key] = self.value(value_node)
            return content
        if isinstance(node, yaml.SequenceNode):
            return [self.value(member) for member in node.value]
        if node.tag == "tag:yaml.org,2002:str":
            return _VARIABLE.sub(lambda match: self._variable(match, node), node.value)
        return yaml.SafeLoader("").construct_object(node)

    def _variable(self, match: re.Match[str], node: yaml.Node) -> str:
        if match.group(0) == "$${":
            return "${"
        name, default = match.group(1), match.group(2)
        value = self._environment.get(name, default)
        if value is None:
            raise self.error(
                node, f"the environment variable {name} is not set; set it, or write ${{{name}:-a default}}"
            )
        return value

    def error(self, node: yaml.Node, message: str) -> ConfigurationError:
        """An error that names the line of a node."""
        return at_line(self._path, line_of(node), message)

    def complaints(self, error: ValidationError, root: yaml.Node) -> Iterator[str]:
        """One line for each validation error. Values are left out: they may be secrets."""
        for detail in error.errors(include_url=False, include_input=False, include_context=False):
            location = detail["loc"]
            name = str(location[-1]) if location else ""
            if detail["type"] == "extra_forbidden":
                message = f"unknown key {name!r}{self._did_you_mean(name, location)}"
            elif detail["type"] == "missing":
                message = f"the key {name!r} is missing; add it"
            else:
                message = f"{'.'.join(str(part) for part in location)}: {detail['msg']}"
            yield str(self.error(locate(root, location), message))

    def _did_you_mean(self, name: str, location: Location) -> str:
        fields = self._model_at(location).model_fields
        close = difflib.get_close_matches(name, fields, n=1)
        return f"; did you mean {close[0]!r}?" if close else f"; the keys here are {', '.join(fields)}"
