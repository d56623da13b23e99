"""Reads the names in dependency files: requirements, `pyproject.toml`, `package.json` and lock files."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from tribal.capabilities.knowledge.policies.evidence import CollectedNames, Gap, NameUse, SourceFile
from tribal.capabilities.knowledge.policies.limits import MAX_PARTS, OverLimit, first_of_each, require_few_bytes

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)")
_OF_URL = re.compile(r"[#&]egg=([A-Za-z0-9._-]+)")
_WORD = re.compile(r"[\w@/-]++")
_DOTTED = re.compile(r"[\w@/-]++(?:\.[\w@/-]++){1,8}+")
_KEY = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_KEY_PART = re.compile(_KEY)
_DOTTED_KEY = re.compile(rf"{_KEY}(?:[ \t]*+\.[ \t]*+{_KEY})*+")
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
_MAX_REASON_CHARS = 200
_NOT_A_PACKAGE = "python"
"""Not a package, although Poetry lists it as one."""


class _Unreadable(Exception):
    """The file does not have the format that its name suggests."""


def dependencies_of(file: SourceFile) -> CollectedNames:
    """The names in a dependency file, without duplicates; if it is damaged or over a limit, none, with `unread` set."""
    read = _reader_of(file.path)
    if read is None:
        return CollectedNames()
    try:
        require_few_bytes(file.text)
        names = first_of_each(read(file.text), lambda name: name)
    except OverLimit as error:
        return _gap(file, str(error))
    except RecursionError:
        return _gap(file, "it is nested too deeply")
    except (_Unreadable, ValueError, LookupError, AttributeError, TypeError) as error:
        reason = str(error) if isinstance(error, _Unreadable | ValueError) else "it has an unexpected format"
        return _gap(file, f"cannot parse it: {reason[:_MAX_REASON_CHARS]}")
    lines = _lines(file.text, {*names})
    return CollectedNames([NameUse(spellings(each), file.path, lines.get(each)) for each in names])


def has_dependencies(path: str) -> bool:
    """Whether a file lists dependencies."""
    return _reader_of(path) is not None


def spellings(name: str) -> tuple[str, ...]:
    """A name as written, and as normalized by Python package indexes."""
    normal = name if name.startswith("@") or "/" in name else _SEPARATORS.sub("-", name).lower()
    return tuple(dict.fromkeys((name, normal)))


def _reader_of(path: str) -> Callable[[str], Iterator[str]] | None:
    name = path.rpartition("/")[2].casefold()
    return next((reader for pattern, reader in _READERS.items() if fnmatchcase(name, pattern)), None)


def _gap(file: SourceFile, reason: str) -> CollectedNames:
    return CollectedNames((), [Gap(file.path, frozenset({"dependency"}), reason)])


def _lines(text: str, names: Collection[str]) -> dict[str, int]:
    """The first line where each name occurs as a separate word."""
    starts: dict[str, int] = {}
    for word in _WORD.finditer(text):
        for written in _written(text, word):
            if written in names:
                starts.setdefault(written, word.start())
    lines: dict[str, int] = {}
    line, counted = 1, 0
    for name, start in starts.items():
        line += text.count("\n", counted, start)
        counted = start
        lines[name] = line
    return lines


def _written(text: str, word: re.Match[str]) -> Iterator[str]:
    """The names that begin with a word: `lodash` of `lodash@4`, `zope` and `zope.interface`."""
    name, sign, _ = word[0][1:].partition("@")
    yield word[0][0] + name
    if sign or text[word.end() : word.end() + 1] != ".":
        return
    dotted = _DOTTED.match(text, word.start())
    parts = dotted[0].split(".") if dotted is not None else []
    for end in range(2, len(parts) + 1):
        last, sign, _ = parts[end - 1].partition("@")
        yield ".".join([*parts[: end - 1], last])
        if sign:
            return


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


def _toml(text: str) -> dict[str, Any]:
    # The parser is quadratic in the number of parts of a key.
    if any(key[0].count(".") >= MAX_PARTS and _parts(key[0]) > MAX_PARTS for key in _DOTTED_KEY.finditer(text)):
        raise OverLimit(f"a key has more than {MAX_PARTS} parts")
    return tomllib.loads(text)


def _parts(key: str) -> int:
    return sum(1 for _ in _KEY_PART.finditer(key))


def _pyproject(text: str) -> Iterator[str]:
    parsed = _toml(text)
    project, tool = parsed.get("project", {}), parsed.get("tool", {})
    yield from _required(parsed.get("build-system", {}).get("requires"))
    yield from _required(project.get("dependencies"))
    for listed in (*project.get("optional-dependencies", {}).values(), *parsed.get("dependency-groups", {}).values()):
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
    parsed = _object(text)
    for key in _OF_PACKAGE_JSON:
        named = parsed.get(key) or {}
        yield from named
        if isinstance(named, dict):
            # An alias is another name for a package; only the package matters.
            yield from (each[4:].rpartition("@")[0] or each[4:] for each in named.values() if _is_alias(each))


def _is_alias(version: object) -> bool:
    return isinstance(version, str) and version.startswith("npm:")


def _package_lock(text: str) -> Iterator[str]:
    parsed = _object(text)
    for path in parsed.get("packages") or ():
        _, is_package, name = path.rpartition("node_modules/")
        if is_package:
            yield name
    yield from _nested(parsed.get("dependencies") or {})


def _nested(dependencies: Mapping[str, Any]) -> Iterator[str]:
    # A recursive generator would pass each name through every level.
    levels = [iter(dependencies.items())]
    while levels:
        for name, parsed in levels[-1]:
            yield name
            levels.append(iter((parsed.get("dependencies") or {}).items()))
            break
        else:
            levels.pop()


def _pipfile_lock(text: str) -> Iterator[str]:
    parsed = _object(text)
    for section in ("default", "develop"):
        yield from parsed.get(section) or ()


def _pipfile(text: str) -> Iterator[str]:
    parsed = _toml(text)
    for section in ("packages", "dev-packages"):
        yield from parsed.get(section, {})


def _toml_lock(text: str) -> Iterator[str]:
    for package in _toml(text).get("package", ()):
        yield package["name"]


def _pnpm_lock(text: str) -> Iterator[str]:
    version = _PNPM_VERSION.search(text)
    if version is None or int(version[1]) < _OLDEST_PNPM:
        raise _Unreadable(f"only lock files of version {_OLDEST_PNPM} and newer are supported")
    yield from _PNPM.findall(text)


def _object(text: str) -> dict[str, Any]:
    parsed = json.loads(text)
    if not isinstance(parsed, dict):
        raise _Unreadable("it is not a JSON object")
    return parsed


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
