"""Finds addresses and dependencies that a change adds and that nothing in the repository or the issue mentions."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from tribal.capabilities.contribution.gate.diffs import added_lines
from tribal.capabilities.contribution.gate.screening import addresses, new_addresses

_MANIFESTS = re.compile(
    r"(?:.*/)?(?:requirements[\w.-]*\.(?:txt|in)|constraints[\w.-]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|pipfile"
    r"|environment\.ya?ml|package\.json|packages\.ya?ml|dependencies\.ya?ml|go\.mod|cargo\.toml|gemfile|composer\.json"
    r"|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs|dockerfile[\w.-]*|(?:docker-)?compose[\w.-]*\.ya?ml)",
    re.IGNORECASE,
)
_NAME = r"@?[A-Za-z][\w.-]*(?:/[\w.-]+)*"
_WORD = re.compile(_NAME)
_INSTALLS = re.compile(
    r"\b(?:pip3?|uv|pipx|poetry|conda|npm|yarn|pnpm|bun|gem|cargo|go|apt|apt-get|brew|npx|uvx)\s+"
    rf"(?:(?:install|add|get|i|run|pip|tool|-\S+)\s+)*(?P<name>{_NAME})"
)
_DOWNLOADS = re.compile(r"\b(?:curl|wget)\b[^\n|;&]*?\s(?P<host>[\w-]+(?:\.[\w-]+)+)(?=[/\s:]|$)")
_IMPORTED = re.compile(r"\b(?:import_module|__import__)\(\s*['\"](?P<name>[A-Za-z_]\w*)")
_PYTHON = re.compile(r"(?:^|;)\s*(?:from\s+(?P<source>[A-Za-z_]\w*)|import\s+(?P<names>[A-Za-z_][\w., ]*))")
_SCRIPT = re.compile(r"\b(?:require|import|from)\s*\(?\s*['\"](?:node:)?(?P<name>[^./'\"][^'\"]*)['\"]")
_LEAST_LETTERS = 2


def unknown_sources(path: str, diff: str, known: str) -> list[str]:
    """Sources outside the repository that a diff adds, each as a phrase such as `the dependency 'leftpad'`.

    Args:
        path: of the file.
        diff: of the file.
        known: everything that the repository and the issue say.
    """
    lines = added_lines(diff)
    found = [f"the address {each}" for each in new_addresses("\n".join(lines), addresses(known))]
    hosts = (download["host"] for line in lines for download in _DOWNLOADS.finditer(line))
    found += [f"the address {each}" for each in hosts if each not in known]
    names = dict.fromkeys(name for line in lines for name in _named(path, line))
    for each in addresses(known):
        known = known.replace(each, " ")
    words = {each.casefold() for each in re.findall(r"[\w@/.-]+", known)}
    words |= {part for each in words for part in re.split(r"[/.]", each)}
    found += [f"the dependency {name!r}" for name in names if not _is_known(name, words)]
    return found


def is_manifest(path: str) -> bool:
    """Whether a file lists what a project depends on."""
    return _MANIFESTS.fullmatch(path) is not None


def _named(path: str, line: str) -> Iterator[str]:
    """The packages that a line may name."""
    if is_manifest(path):
        yield from (each.rstrip(".-") for each in _WORD.findall(line) if len(each) >= _LEAST_LETTERS)
    yield from (found["name"] for found in _INSTALLS.finditer(line))
    if path.endswith(".py"):
        yield from (found["name"] for found in _IMPORTED.finditer(line))
        for imported in _PYTHON.finditer(line):
            names = (each.strip().partition(" ")[0] for each in (imported["names"] or imported["source"]).split(","))
            yield from (first for each in names if (first := each.partition(".")[0]))
    yield from (found["name"] for found in _SCRIPT.finditer(line))


def _is_known(name: str, words: Iterable[str]) -> bool:
    folded = name.casefold()
    alike = {folded, folded.replace("-", "_"), folded.replace("_", "-")}
    return name in sys.stdlib_module_names or not alike.isdisjoint(words)
