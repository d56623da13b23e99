"""Files with a version in their names, by folder: Flyway's, and numbered or timestamped ones of other tools."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tribal.capabilities.contribution.recipes.migrations.file_names import Version, parse_version
from tribal.capabilities.contribution.recipes.migrations.flyway import FlywaySettings, is_for_tests, module_of
from tribal.capabilities.contribution.recipes.paths import folder_of, is_inside, join
from tribal.capabilities.contribution.recipes.recipe import RecipeBlocked

_CODE = ("java", "kt", "scala", "groovy", "cs", "go", "js", "ts", "py", "rb", "sh")
"""Languages in which tools take migrations too; their numbers count, their content is not read."""
_NUMBERED = re.compile(
    r"(?P<version>(?:19|20)\d{6}[_-]\d{1,6}(?=[_-])|\d+)(?P<separator>[_-]+)(?P<slug>[^.]+)"
    rf"(?P<suffix>(?P<direction>\.(?:up|down))?\.(?:sql|{'|'.join(_CODE)}))"
)
_DIGITS_FIRST = re.compile(r"\d+.*\.sql")
_ROOT = re.compile(r"(?:.*/)?migrations?(?=/|$)", re.IGNORECASE)


class VersionedFile(NamedTuple):
    """A file whose name begins with a version."""

    path: str
    version: Version
    prefix: str
    separator: str
    slug: str
    suffix: str

    @property
    def folder(self) -> str:
        """Where it is; empty for the root."""
        return folder_of(self.path)

    @property
    def is_sql(self) -> bool:
        """Whether it is SQL that the tool runs forward, not code and not a `.down.sql`."""
        return self.suffix.rpartition(".")[2] not in _CODE and not self.suffix.startswith(".down.")

    def named(self, version: Version, slug: str) -> str:
        """Return the path of another file next to it."""
        return join(self.folder, f"{self.prefix}{version.text}{self.separator}{slug}{self.suffix}")


def numbered_files(paths: Iterable[str], folder: str | None = None) -> dict[str, list[VersionedFile]]:
    """Return numbered and timestamped files by folder.

    Raises:
        RecipeBlocked: a folder that was named has files in another form between them.
    """
    found: dict[str, list[VersionedFile]] = defaultdict(list)
    for path in paths:
        if folder_of(path) != folder and (folder is not None or is_for_tests(path)):
            continue
        name = path.rpartition("/")[2]
        if match := _NUMBERED.fullmatch(name):
            parts = match["separator"], match["slug"], match["suffix"]
            found[folder_of(path)].append(VersionedFile(path, parse_version(match["version"]), "", *parts))
        elif folder is not None and _DIGITS_FIRST.fullmatch(name):
            raise RecipeBlocked(
                f"{path} is not named like `0001_name.sql` or `20260131120000_name.sql`, so the form of the next file "
                "is unknown; add the comments yourself"
            )
    return {each: files for each, files in found.items() if any(file.suffix.endswith(".sql") for file in files)}


def flyway_files(
    paths: Sequence[str], settings: FlywaySettings, folder: str | None = None
) -> dict[str, list[VersionedFile]]:
    """Return Flyway's versioned files and baselines by the folder that Flyway searches.

    Migrations in code count for the folder of SQL in the same module.
    """
    suffixes = [*map(re.escape, settings.suffixes), *(rf"\.{each}" for each in _CODE[:5])]
    pattern = re.compile(
        rf"(?P<prefix>{re.escape(settings.prefix)}|B)(?P<version>\d+(?:[._]\d+)*)"
        rf"(?P<separator>{re.escape(settings.separator)})(?P<slug>.*)(?P<suffix>{'|'.join(suffixes)})"
    )
    found: dict[str, list[VersionedFile]] = defaultdict(list)
    code: list[VersionedFile] = []
    for path in paths:
        match = pattern.fullmatch(path.rpartition("/")[2])
        if match is None or (folder is None and is_for_tests(path)):
            continue
        parts = match["prefix"], match["separator"], match["slug"], match["suffix"]
        file = VersionedFile(path, parse_version(match["version"]), *parts)
        if not file.is_sql:
            code.append(file)
        elif folder is None:
            found[_searched_folder(file.folder, settings)].append(file)
        elif is_inside(path, folder):
            found[folder].append(file)
    if any(root.endswith(settings.locations) for root in found):
        found = defaultdict(list, {root: each for root, each in found.items() if root.endswith(settings.locations)})
    for files in found.values():
        files += [file for file in code if module_of(file.path) == module_of(files[0].path)]
    return dict(found)


def _searched_folder(folder: str, settings: FlywaySettings) -> str:
    """Return the folder at or above one that Flyway is configured to search, or that is called `migration`."""
    for location in settings.locations:
        if found := re.match(rf"(?:.*/)?{re.escape(location)}(?=/|$)", folder):
            return found[0]
    found = _ROOT.match(folder)
    return found[0] if found else folder
