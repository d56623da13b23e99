"""Which files are manifests, and the names in one of them with their lines."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from fnmatch import fnmatchcase

from tribal.capabilities.knowledge.policies.dependencies import javascript, python
from tribal.capabilities.knowledge.policies.dependencies.formats import Found, Included, Reader, Unknown, Unreadable
from tribal.capabilities.knowledge.policies.evidence import CollectedNames, Gap, Inclusion, NameUse, SourceFile
from tribal.capabilities.knowledge.policies.limits import OverLimit, describe, first_of_each, require_few_bytes

_WORD = re.compile(r"[\w@/-]++")
_DOTTED = re.compile(r"[\w@/-]++(?:\.[\w@/-]++){1,8}+")
_SEPARATORS = re.compile(r"[-_.]+")
_TOML_LINE = re.compile(r"\(at line (\d+),")
_READERS: dict[str, Reader] = {
    "requirements*.txt": python.requirements,
    "*[-_.]requirements*.txt": python.requirements,
    "requirements*.in": python.requirements,
    "*[-_.]requirements*.in": python.requirements,
    "requirements*.lock": python.requirements,
    "constraints*.txt": python.requirements,
    "pyproject.toml": python.pyproject,
    "setup.cfg": python.setup_cfg,
    "setup.py": python.setup_py,
    "environment.y*ml": python.conda_environment,
    "environment[-_]*.y*ml": python.conda_environment,
    "pipfile": python.pipfile,
    "pipfile.lock": python.pipfile_lock,
    "poetry.lock": python.toml_lock("package"),
    "uv.lock": python.toml_lock("package"),
    "pdm.lock": python.toml_lock("package"),
    "pylock.toml": python.toml_lock("packages"),
    "pylock.*.toml": python.toml_lock("packages"),
    "pixi.toml": python.pixi,
    "package.json": javascript.package_json,
    "package-lock.json": javascript.package_lock,
    "npm-shrinkwrap.json": javascript.package_lock,
    "yarn.lock": javascript.yarn_lock,
    ".yarnrc.yml": javascript.workspace,
    "pnpm-lock.yaml": javascript.pnpm_lock,
    "pnpm-workspace.yaml": javascript.workspace,
    "bun.lock": javascript.bun_lock,
    "bun.lockb": javascript.bun_lock_in_binary,
}
_FOLDER_OF_REQUIREMENTS = "requirements"
_OTHERS = """
    *.csproj *.gemspec build.gradle build.gradle.kts cargo.lock cargo.toml composer.json composer.lock conda-lock.yml
    deno.json deno.lock gemfile gemfile.lock go.mod mix.exs package.swift packages.config pixi.lock pom.xml pubspec.yaml
    """.split()
"""Manifests that are not read."""


def dependencies_of(file: SourceFile) -> CollectedNames:
    """The names in a manifest, without duplicates, and the files of requirements that belong to it.

    A file that is not known as a manifest is read as requirements: others include it under any name.
    """
    read = _reader_of(file) or python.requirements
    try:
        require_few_bytes(file.text)
        found = first_of_each(read(file.text), lambda each: each)
    except OverLimit as error:
        return _unread(file, str(error))
    except (RecursionError, MemoryError):
        return _unread(file, "it is nested too deeply")
    except (Unreadable, ValueError) as error:
        return _unread(file, f"cannot parse it: {describe(error)}", _line_of(error))
    except (LookupError, AttributeError, TypeError):
        return _unread(file, "cannot parse it: it has an unexpected format")
    return _collected(file, found)


def _collected(file: SourceFile, found: Collection[Found]) -> CollectedNames:
    names = [each for each in found if isinstance(each, str)]
    lines = _lines(file.text, {*names})
    return CollectedNames(
        [NameUse(spellings(each), file.path, lines.get(each)) for each in names],
        [_gap(file, each.reason, each.line) for each in found if isinstance(each, Unknown)],
        [Inclusion(each.path, file.path, each.line) for each in found if isinstance(each, Included)],
    )


def is_manifest(path: str) -> bool:
    """Whether a file with this name lists dependencies."""
    *folders, name = path.casefold().split("/")
    is_part = folders[-1:] == [_FOLDER_OF_REQUIREMENTS] and name.endswith((".txt", ".in"))
    return is_part or any(fnmatchcase(name, pattern) for pattern in _READERS)


def has_dependencies(file: SourceFile) -> bool:
    """Whether a file lists dependencies: a manifest, or a script that states them."""
    return is_manifest(file.path) or _is_script(file)


def is_other_manifest(path: str) -> bool:
    """Whether a file is a manifest that is not read."""
    name = path.rpartition("/")[2].casefold()
    return any(fnmatchcase(name, pattern) for pattern in _OTHERS)


def spellings(name: str) -> tuple[str, ...]:
    """A name as written, and as normalized by Python package indexes."""
    normal = name if name.startswith("@") or "/" in name else _SEPARATORS.sub("-", name).lower()
    return tuple(dict.fromkeys((name, normal)))


def _reader_of(file: SourceFile) -> Reader | None:
    name = file.path.rpartition("/")[2].casefold()
    found = next((reader for pattern, reader in _READERS.items() if fnmatchcase(name, pattern)), None)
    return found or (python.script_metadata if _is_script(file) else None)


def _is_script(file: SourceFile) -> bool:
    return file.path.casefold().endswith(".py") and python.states_dependencies(file.text)


def _line_of(error: Exception) -> int | None:
    if isinstance(error, Unreadable):
        return error.line
    if isinstance(error, json.JSONDecodeError):
        return error.lineno
    found = _TOML_LINE.search(str(error))
    return int(found[1]) if found else None


def _gap(file: SourceFile, reason: str, line: int | None = None) -> Gap:
    return Gap(file.path, frozenset({"dependency"}), reason, line)


def _unread(file: SourceFile, reason: str, line: int | None = None) -> CollectedNames:
    return CollectedNames((), [_gap(file, reason, line)])


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
