"""Reads the manifests of JavaScript packages: of npm, Yarn, pnpm and Bun."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tribal.capabilities.knowledge.policies.dependencies.formats import (
    Found,
    Unreadable,
    json_object,
    json_object_with_commas,
    yaml_mapping,
)

_YARN = re.compile(r'^"?(@?[^@\s"]+)@[^\n]*:$', re.MULTILINE)
_PNPM = re.compile(r"^  '?/?(@?[^@\s':(]+)@[^\n]*:", re.MULTILINE)
_PNPM_VERSION = re.compile(r"^lockfileVersion: '?(\d+)", re.MULTILINE)
_OLDEST_PNPM = 6
_LISTS = (
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
    "bundledDependencies",
    "bundleDependencies",
)

_INSIDE = re.compile(r"(?<=[^ |@])>")
"""Between a package and one inside it; `@>=1` is a version."""
_REMOVED = "-"
"""In place of a version, for pnpm to remove a package."""


def package_json(text: str) -> Iterator[Found]:
    """`package.json`."""
    parsed = json_object(text)
    yield from _package(parsed)
    for key in ("overrides", "resolutions"):
        yield from _overrides(parsed.get(key))
    yield from _overrides((parsed.get("pnpm") or {}).get("overrides"))
    workspaces = parsed.get("workspaces")
    for holder in (parsed, workspaces if isinstance(workspaces, dict) else {}):
        yield from _catalogs(holder)


def _package(parsed: Mapping[str, Any]) -> Iterator[Found]:
    for key in _LISTS:
        named = parsed.get(key) or {}
        yield from named
        if isinstance(named, dict):
            # An alias is another name for a package; only the package matters.
            yield from _aliases(named.values())


def _aliases(versions: Any) -> Iterator[Found]:
    for each in versions:
        if isinstance(each, str) and each.startswith("npm:"):
            yield each[4:].rpartition("@")[0] or each[4:]


def _catalogs(parsed: Mapping[str, Any]) -> Iterator[Found]:
    """Versions that the packages of a workspace share."""
    for catalog in (parsed.get("catalog"), *(parsed.get("catalogs") or {}).values()):
        if isinstance(catalog, dict):
            yield from catalog
            yield from _aliases(catalog.values())


def _overrides(overrides: Any) -> Iterator[Found]:
    """Packages whose versions are set wherever they are used: `a`, `a@1`, `b>a`, `**/a`, `b/a`."""
    waiting = [overrides or {}]
    while waiting:
        for key, version in waiting.pop().items():
            if isinstance(version, dict):
                waiting.append(version)
            if version != _REMOVED and key != "." and (name := _overridden(key)):
                yield name
            yield from _aliases([version])


def _overridden(key: str) -> str:
    parts = _INSIDE.split(key)[-1].strip().split("/")
    is_scoped = len(parts) > 1 and parts[-2].startswith("@")
    name = "/".join(parts[-2:] if is_scoped else parts[-1:])
    # The `@` of a scope is the first character, that of a version is not.
    return name[:1] + name[1:].partition("@")[0]


def package_lock(text: str) -> Iterator[Found]:
    """`package-lock.json`."""
    parsed = json_object(text)
    for path in parsed.get("packages") or ():
        _, is_package, name = path.rpartition("node_modules/")
        if is_package:
            yield name
    yield from _nested(parsed.get("dependencies") or {})


def _nested(dependencies: Mapping[str, Any]) -> Iterator[Found]:
    # A recursive generator would pass each name through every level.
    levels = [iter(dependencies.items())]
    while levels:
        for name, parsed in levels[-1]:
            yield name
            levels.append(iter((parsed.get("dependencies") or {}).items()))
            break
        else:
            levels.pop()


def yarn_lock(text: str) -> Iterator[Found]:
    """`yarn.lock`."""
    return iter(_YARN.findall(text))


def pnpm_lock(text: str) -> Iterator[Found]:
    """`pnpm-lock.yaml`."""
    version = _PNPM_VERSION.search(text)
    if version is None or int(version[1]) < _OLDEST_PNPM:
        raise Unreadable(f"only lock files of version {_OLDEST_PNPM} and newer are supported")
    yield from _PNPM.findall(text)


def workspace(text: str) -> Iterator[Found]:
    """`pnpm-workspace.yaml` and `.yarnrc.yml`: catalogs and overrides."""
    parsed = yaml_mapping(text)
    yield from _catalogs(parsed)
    yield from _overrides(parsed.get("overrides"))


def bun_lock(text: str) -> Iterator[Found]:
    """`bun.lock`."""
    parsed = json_object_with_commas(text)
    for package in (parsed.get("workspaces") or {}).values():
        yield from _package(package)
    yield from _overrides(parsed.get("overrides"))
    yield from _catalogs(parsed)
    for package in (parsed.get("packages") or {}).values():
        name, _, version = package[0].rpartition("@")
        if not version.startswith("workspace:"):
            yield name


def bun_lock_in_binary(_: str) -> Iterator[Found]:
    """`bun.lockb`, which is binary."""
    raise Unreadable("it is binary; run `bun install --save-text-lockfile`")
