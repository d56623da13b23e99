"""Reading `databases.yaml`: every complaint names the line and the mend."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from tribal.errors import ConfigurationError
from tribal_contracts import DatabaseEntry, DatabaseLimits, LintRules, ProjectFile, Selection

_VARIABLE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_SECTIONS: dict[str, type[BaseModel]] = {
    "limits": DatabaseLimits,
    "include": Selection,
    "exclude": Selection,
    "lint": LintRules,
}
_LARGEST_FILE_BYTES = 4 * 1024 * 1024


def parse_project_file(path: Path, environment: Mapping[str, str]) -> tuple[ProjectFile, bytes]:
    """Read and validate a `databases.yaml`, with `${VARIABLE}` and `${VARIABLE:-default}` filled in.

    Returns the file's bytes too, over which `config_hash` is taken.

    Raises:
        ConfigurationError: naming the file, the line and what to write instead.
    """
    data = read_small_file(path)
    return parse_project_text(str(path), data, environment), data


def read_small_file(path: Path) -> bytes:
    """The bytes of a file that a person wrote.

    Raises:
        ConfigurationError: when it cannot be read, or is larger than anybody writes.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) > _LARGEST_FILE_BYTES:
        raise ConfigurationError(f"{path} is larger than {_LARGEST_FILE_BYTES} bytes; is it the right file?")
    return data


def parse_project_text(path: str, data: bytes, environment: Mapping[str, str]) -> ProjectFile:
    """Validate the bytes of a `databases.yaml`; `path` is what messages call it.

    Raises:
        ConfigurationError: naming the file, the line and what to write instead.
    """
    root = compose_yaml(path, data)
    if not isinstance(root, yaml.MappingNode):
        raise ConfigurationError(f"{path}: the file is empty; it starts with `databases:` (`tribal init` writes one)")
    reader = YamlReader(path, environment)
    content = reader.value(root)
    try:
        project = ProjectFile.model_validate(content)
    except ValidationError as error:
        raise ConfigurationError("\n".join(reader.complaints(error, root))) from error
    reader.check_entries(project, root)
    return project


def compose_yaml(path: str, data: bytes) -> yaml.Node | None:
    """The nodes of a YAML file, which know their lines; `None` when it is empty.

    Raises:
        ConfigurationError: when it is not YAML.
    """
    try:
        return yaml.compose(data.decode("utf-8"), yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8 text; save it as UTF-8") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(_syntax_message(path, error)) from error


def _syntax_message(path: str, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    line = f", line {mark.line + 1}" if mark else ""
    problem = getattr(error, "problem", None) or "it is not YAML"
    return f"{path}{line}: {problem}; check the indentation and the quotes there"


class YamlReader:
    """Turns nodes into data, variables filled in, and names the line of what is wrong.

    Args:
        path: what messages call the file.
        environment: where variables come from.
        model: what the outermost node is to be.
    """

    def __init__(self, path: str, environment: Mapping[str, str], model: type[BaseModel] = ProjectFile) -> None:
        self._path = path
        self._environment = environment
        self._model = model

    def value(self, node: yaml.Node) -> Any:
        """A node as Python data, refusing keys that stand twice."""
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
        """What is wrong at a node."""
        return ConfigurationError(f"{self._path}, line {node.start_mark.line + 1}: {message}")

    def complaints(self, error: ValidationError, root: yaml.Node) -> Iterator[str]:
        """One line for each thing that is wrong. Values are left out: they may be secrets."""
        for detail in error.errors(include_url=False, include_input=False, include_context=False):
            location = detail["loc"]
            node = _locate(root, location)
            name = str(location[-1]) if location else ""
            if detail["type"] == "extra_forbidden":
                message = f"unknown key {name!r}{self._did_you_mean(name, location)}"
            elif detail["type"] == "missing":
                message = f"the key {name!r} is missing; add it"
            else:
                message = f"{'.'.join(str(part) for part in location)}: {detail['msg']}"
            yield str(self.error(node, message))

    def check_entries(self, project: ProjectFile, root: yaml.Node) -> None:
        """What the shape alone cannot say of the entries."""
        names: set[str] = set()
        for index, entry in enumerate(project.databases):
            node = _locate(root, ("databases", index))
            if entry.name in names:
                raise self.error(node, f"two databases are named {entry.name!r}; give each its own name")
            names.add(entry.name)
            separate = [f for f in ("host", "port", "database", "user", "password") if getattr(entry, f) is not None]
            if entry.dsn is not None and separate:
                raise self.error(node, f"{entry.name!r} has both dsn and {separate[0]}; keep one way")
            if entry.password is not None and entry.password_secret is not None:
                raise self.error(node, f"{entry.name!r} has both password and password_secret; keep one of them")
            if entry.auth == "rds_iam" and (entry.password or entry.password_secret):
                raise self.error(node, f"{entry.name!r} logs in by IAM and has a password; keep one of them")
            if entry.type == "snowflake":
                raise self.error(node, f"{entry.name!r} is of type snowflake, which this version does not read yet")

    def _did_you_mean(self, name: str, location: tuple[int | str, ...]) -> str:
        parent = location[-2] if len(location) > 1 else None
        model: type[BaseModel] = DatabaseEntry if isinstance(parent, int) else self._model
        model = _SECTIONS.get(str(parent), model)
        close = difflib.get_close_matches(name, model.model_fields, n=1)
        if close:
            return f"; did you mean {close[0]!r}?"
        return f"; the keys here are {', '.join(model.model_fields)}"


def _locate(root: yaml.Node, location: tuple[int | str, ...]) -> yaml.Node:
    """The node that a complaint is about: the key itself where there is one, else what should have held it."""
    node: yaml.Node = root
    for part in location:
        if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
        elif isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == str(part)), None)
            if pair is None:
                return node
            key: yaml.Node = pair[0]
            if part == location[-1]:
                return key
            node = pair[1]
        else:
            return node
    return node
