"""What files of dependencies name: requirements, `pyproject.toml`, `package.json`, and lock files."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from tribal.policies.picture import Found, Named, SourceFile, Unread

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)")
_OF_URL = re.compile(r"[#&]egg=([A-Za-z0-9._-]+)")
_SEPARATORS = re.compile(r"[-_.]+")
_YARN = re.compile(r'^"?(@?[^@\s"]+)@[^\n]*:$', re.MULTILINE)
_PNPM = re.compile(r"^  '?/?(@?[^@\s':(]+)@[^\n]*:", re.MULTILINE)
_PNPM_VERSION = re.compile(r"^lockfileVersion: '?(\d+)", re.MULTILINE)
_OLDEST_PNPM = 6
_OF_PACKAGE_JSON = (
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
    "bundledDependencies",
    "bundleDependencies",
)
_NOT_A_PACKAGE = "python"
"""What Poetry names beside packages."""


class _Unreadable(Exception):
    """The file is not what its name says."""


def dependencies_of(file: SourceFile) -> Found:
    """What a file of dependencies names, else nothing; `unread` when it is damaged."""
    name = file.path.rpartition("/")[2].casefold()
    read = next((reader for pattern, reader in _READERS.items() if fnmatchcase(name, pattern)), None)
    if read is None:
        return Found()
    if file.unread is not None:
        return Found((), [Unread(file.path, frozenset({"dependency"}), file.unread)])
    try:
        names = list(dict.fromkeys(read(file.text)))
    except (_Unreadable, ValueError, LookupError, RecursionError, AttributeError, TypeError) as error:
        told = str(error) if isinstance(error, _Unreadable | ValueError) else "it has another form"
        return Found((), [Unread(file.path, frozenset({"dependency"}), f"it cannot be read: {told}")])
    return Found([Named(spellings(each), file.path, _line(file.text, each)) for each in names])


def spellings(name: str) -> tuple[str, ...]:
    """A name as it is written, and as indexes of Python packages normalize it."""
    normal = name if name.startswith("@") or "/" in name else _SEPARATORS.sub("-", name).lower()
    return tuple(dict.fromkeys((name, normal)))


def _line(text: str, name: str) -> int | None:
    found = re.search(rf"(?<![\w@/-]){re.escape(name)}(?![\w/-])", text)
    return None if found is None else text.count("\n", 0, found.start()) + 1


def _requirements(text: str) -> Iterator[str]:
    for line in text.replace("\\\n", " ").splitlines():
        stated = line.split(" #")[0].strip()
        if stated.startswith(("-e", "--editable")) or "egg=" in stated:
            yield from _OF_URL.findall(stated)
        elif stated and not stated.startswith(("#", "-", ".", "/")) and (found := _REQUIREMENT.match(stated)):
            yield found[1]


def _required(listed: Any) -> Iterator[str]:
    for each in listed or ():
        if isinstance(each, str) and (found := _REQUIREMENT.match(each)):
            yield found[1]


def _pyproject(text: str) -> Iterator[str]:
    told = tomllib.loads(text)
    project, tool = told.get("project", {}), told.get("tool", {})
    yield from _required(told.get("build-system", {}).get("requires"))
    yield from _required(project.get("dependencies"))
    for listed in (*project.get("optional-dependencies", {}).values(), *told.get("dependency-groups", {}).values()):
        yield from _required(listed)
    poetry = tool.get("poetry", {})
    groups = [poetry, *poetry.get("group", {}).values()]
    for group in groups:
        for key in ("dependencies", "dev-dependencies"):
            yield from (name for name in group.get(key, {}) if name != _NOT_A_PACKAGE)
    for listed in tool.get("pdm", {}).get("dev-dependencies", {}).values():
        yield from _required(listed)
    yield from _required(tool.get("uv", {}).get("dev-dependencies"))


def _package_json(text: str) -> Iterator[str]:
    told = _object(text)
    for key in _OF_PACKAGE_JSON:
        named = told.get(key) or {}
        yield from named
        if isinstance(named, dict):
            # An alias is another name for a package, which is the one that matters.
            yield from (each[4:].rpartition("@")[0] or each[4:] for each in named.values() if _is_alias(each))


def _is_alias(version: object) -> bool:
    return isinstance(version, str) and version.startswith("npm:")


def _package_lock(text: str) -> Iterator[str]:
    told = _object(text)
    for path in told.get("packages") or ():
        _, is_package, name = path.rpartition("node_modules/")
        if is_package:
            yield name
    yield from _nested(told.get("dependencies") or {})


def _nested(dependencies: Mapping[str, Any]) -> Iterator[str]:
    for name, told in dependencies.items():
        yield name
        yield from _nested(told.get("dependencies") or {})


def _pipfile_lock(text: str) -> Iterator[str]:
    told = _object(text)
    for section in ("default", "develop"):
        yield from told.get(section) or ()


def _pipfile(text: str) -> Iterator[str]:
    told = tomllib.loads(text)
    for section in ("packages", "dev-packages"):
        yield from told.get(section, {})


def _toml_lock(text: str) -> Iterator[str]:
    for package in tomllib.loads(text).get("package", ()):
        yield package["name"]


def _pnpm_lock(text: str) -> Iterator[str]:
    version = _PNPM_VERSION.search(text)
    if version is None or int(version[1]) < _OLDEST_PNPM:
        raise _Unreadable(f"only those of version {_OLDEST_PNPM} and newer are read")
    yield from _PNPM.findall(text)


def _object(text: str) -> dict[str, Any]:
    told = json.loads(text)
    if not isinstance(told, dict):
        raise _Unreadable("it is no object of JSON")
    return told


_READERS: dict[str, Callable[[str], Iterator[str]]] = {
    "requirements*.txt": _requirements,
    "requirements*.in": _requirements,
    "requirements*.lock": _requirements,
    "constraints*.txt": _requirements,
    "pyproject.toml": _pyproject,
    "pipfile": _pipfile,
    "pipfile.lock": _pipfile_lock,
    "poetry.lock": _toml_lock,
    "uv.lock": _toml_lock,
    "pdm.lock": _toml_lock,
    "package.json": _package_json,
    "package-lock.json": _package_lock,
    "npm-shrinkwrap.json": _package_lock,
    "yarn.lock": lambda text: iter(_YARN.findall(text)),
    "pnpm-lock.yaml": _pnpm_lock,
}
