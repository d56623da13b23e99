"""Flyway's settings on names of files, from `flyway.conf`, `flyway.toml` and Spring's `application` files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from tribal.capabilities.contribution.recipes.recipe import Files
from tribal_contracts import DatabaseType

_CONFIGURATIONS = re.compile(r"(?:.*/)?(?:flyway\.(?:conf|toml)|application\.(?:properties|ya?ml))")
_MODULE = re.compile(r"(?:^|/)(?:src|conf|config)(?:/.*)?$")
_TEST_FOLDER = re.compile(r"(?:^|/)(?:tests?|testdata|examples?|node_modules|vendor|target|build|dist)/")
_PROPERTY = re.compile(r"([\w.-]+)\s*[=:](.*)")
_YAML_KEY = re.compile(r"( *)([\w.-]+):(?: (.*))?")
_YAML_ITEM = re.compile(r" *- (.*)")


@dataclass(frozen=True, slots=True)
class FlywaySettings:
    """How Flyway names and reads its files."""

    locations: tuple[str, ...] = ()
    """Ends of the paths of its folders; empty if they are not configured."""
    prefix: str = "V"
    repeatable_prefix: str = "R"
    separator: str = "__"
    suffixes: tuple[str, ...] = (".sql",)
    placeholder_prefix: str = "${"
    default_schema: str | None = None


def is_for_tests(path: str) -> bool:
    """Tell whether a file is a test's, an example's, generated, or copied from elsewhere."""
    return bool(_TEST_FOLDER.search(path))


def module_of(path: str) -> str:
    """Return the folder of the module that a file belongs to: what is above `src`, `conf` or `config`."""
    return _MODULE.sub("", path.rpartition("/")[0])


def flyway_settings(files: Files, folder: str | None, dialect: DatabaseType) -> FlywaySettings:
    """Read the settings that apply to a folder; those of a deeper module override those above.

    Args:
        files: of the repository.
        folder: of the migrations, if it is known.
        dialect: replaces `{vendor}` in locations.
    """
    read: dict[str, str] = {}
    for path in sorted(filter(_is_configuration, files.paths), key=lambda path: len(module_of(path))):
        if folder is None or f"{folder}/".startswith(f"{module_of(path)}/".lstrip("/")):
            read |= dict(_settings_in(files, path))
    vendor = "postgresql" if dialect == "postgres" else dialect
    locations = (re.sub(r"^\w+:", "", each).strip("/") for each in _items(read.get("locations", "")))
    schemas = _items(read.get("schemas", ""))
    return FlywaySettings(
        locations=tuple(each.replace("{vendor}", vendor).removeprefix("./") for each in locations if "*" not in each),
        prefix=read.get("sqlmigrationprefix", "V"),
        repeatable_prefix=read.get("repeatablesqlmigrationprefix", "R"),
        separator=read.get("sqlmigrationseparator", "__"),
        suffixes=_items(read.get("sqlmigrationsuffixes", "")) or (".sql",),
        placeholder_prefix=read.get("placeholderprefix", "${"),
        default_schema=read.get("defaultschema", schemas[0] if schemas else None),
    )


def _is_configuration(path: str) -> bool:
    return _CONFIGURATIONS.fullmatch(path) is not None and not is_for_tests(path)


def _settings_in(files: Files, path: str) -> Iterator[tuple[str, str]]:
    """Yield the settings of Flyway by their names in lower case, without separators of words."""
    text = files.read(path).decode("utf-8", "replace")
    if path.endswith(".toml"):
        pairs = _toml_pairs(text)
    elif path.endswith((".yml", ".yaml")):
        pairs = _yaml_pairs(text)
    else:
        pairs = (
            (found[1], found[2].strip()) for line in text.splitlines() if (found := _PROPERTY.fullmatch(line.strip()))
        )
    for name, value in pairs:
        key = re.sub(r"[_-]", "", name.lower()).removeprefix("spring.")
        # A value that the environment decides is unknown here.
        if key.startswith("flyway.") and value and ("${" not in value or key == "flyway.placeholderprefix"):
            yield key.removeprefix("flyway."), value


def _items(value: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in value.strip("[]").split(",") if each.strip())


def _toml_pairs(text: str) -> Iterator[tuple[str, str]]:
    try:
        table = tomllib.loads(text).get("flyway", {})
    except tomllib.TOMLDecodeError:
        return
    for name, value in table.items() if isinstance(table, dict) else ():
        if isinstance(value, str | list):
            yield f"flyway.{name}", ",".join(map(str, value)) if isinstance(value, list) else value


def _yaml_pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield dotted keys and plain values of a simple file in blocks; lists are joined by commas."""
    stack: list[tuple[int, str]] = []
    for line in text.splitlines():
        line = line.partition(" #")[0].rstrip()
        if found := _YAML_KEY.fullmatch(line):
            stack = [each for each in stack if each[0] < len(found[1])] + [(len(found[1]), found[2])]
            yield ".".join(name for _, name in stack), (found[3] or "").strip(" '\"")
            items: list[str] = []
        elif stack and (found := _YAML_ITEM.fullmatch(line)):
            items.append(found[1].strip(" '\""))
            yield ".".join(name for _, name in stack), ",".join(items)
