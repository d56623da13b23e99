"""Where Alembic's revisions are and how their files are named, from `alembic.ini` or `pyproject.toml`."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tribal.capabilities.contribution.recipes.migrations.file_names import epoch_seconds
from tribal.capabilities.contribution.recipes.paths import folder_of, is_inside, join, normalize
from tribal.capabilities.contribution.recipes.recipe import Files, RecipeBlocked

_SEPARATORS = {"os": ":", ":": ":", ";": ";", "newline": "\n", "space": " "}
_TOKEN = re.compile(r"%\((\w+)\)(?:\.?0?(\d))?[ds]")
_TIME_PARTS = ("year", "month", "day", "hour", "minute", "second")
_DEFAULT_TEMPLATE = "%(rev)s_%(slug)s"


@dataclass(frozen=True, slots=True)
class AlembicLayout:
    """The folders and names of one Alembic environment."""

    script: str
    """The folder with `env.py`."""
    versions: tuple[str, ...]
    """The folders with revisions."""
    is_recursive: bool
    file_template: str
    longest_slug: int

    def holds(self, path: str) -> bool:
        """Tell whether a file is one of its scripts."""
        own = any(is_inside(path, each) if self.is_recursive else folder_of(path) == each for each in self.versions)
        return own and path.endswith(".py")

    def path_of(self, head: str, revision: str, title: str, at: str) -> str:
        """Return the path of a new revision: in the folder that holds the head, or by a template with folders."""
        numbers = dict(zip(_TIME_PARTS, map(int, re.findall(r"\d+", at)), strict=False))
        slug = "_".join(re.findall(r"\w+", title.lower()))
        if len(slug) > self.longest_slug:
            slug = slug[: self.longest_slug].rpartition("_")[0] + "_"
        values = {"rev": revision, "slug": slug, "epoch": epoch_seconds(at), **numbers}
        name = _TOKEN.sub(
            lambda found: str(values.get(found[1], "")).zfill(int(found[2] or 0)),
            self.file_template,
        )
        root = next(each for each in self.versions if is_inside(head, each))
        return join(root if "/" in name else folder_of(head), f"{name}.py")


def alembic_folders(files: Files) -> list[str]:
    """Return the folders whose `alembic.ini` or `pyproject.toml` configures Alembic."""
    return sorted({folder_of(path) for path in files.paths if _options_in(files, path)})


def alembic_layout(files: Files, folder: str) -> AlembicLayout:
    """Read the layout that is configured in a folder, or for the folder of `env.py`.

    Raises:
        RecipeBlocked: it has no environment of Alembic that can be located.
    """
    places = [folder, *(each for each in alembic_folders(files) if each != folder)]
    for place in places:
        for name in ("alembic.ini", "pyproject.toml"):
            options = _options_in(files, join(place, name))
            script = _script_folder(files, place, options) if options else None
            if script is not None and (place == folder or script == folder):
                return _layout(files, place, script, options)
    if join(folder, "env.py") in files.paths:
        return _layout(files, folder, folder, {})
    raise RecipeBlocked(
        f"cannot find Alembic's env.py from {folder or 'the root'!r}; "
        "set `folder` to the folder with alembic.ini or env.py"
    )


def _layout(files: Files, place: str, script: str, options: Mapping[str, str]) -> AlembicLayout:
    configured = options.get("version_locations", "")
    separator = options.get("path_separator", options.get("version_path_separator", ""))
    pattern = re.escape(_SEPARATORS[separator]) if separator in _SEPARATORS else r"[,\s]+"
    versions: list[str] = []
    for each in filter(None, map(str.strip, re.split(pattern, configured))):
        candidates = [path for path in _candidates(place, each) if any(is_inside(file, path) for file in files.paths)]
        if not candidates:
            raise RecipeBlocked(
                f"cannot find the folder {each!r} of `version_locations`; write it relative to %(here)s"
            )
        versions.append(candidates[0])
    longest = options.get("truncate_slug_length", "40")
    return AlembicLayout(
        script=script,
        versions=tuple(versions) or (join(script, "versions"),),
        is_recursive=options.get("recursive_version_locations", "").lower() in ("true", "1", "yes", "on"),
        file_template=options.get("file_template", _DEFAULT_TEMPLATE),
        longest_slug=int(longest) if longest.isdecimal() else 40,
    )


def _script_folder(files: Files, place: str, options: Mapping[str, str]) -> str | None:
    # Flask-Migrate keeps alembic.ini next to env.py and sets the location itself.
    locations = _candidates(place, options["script_location"]) if "script_location" in options else [place]
    return next((each for each in locations if join(each, "env.py") in files.paths), None)


def _candidates(place: str, location: str) -> Iterator[str]:
    """Yield the folders that a location may mean: `package:path` may be below `src`, a path relative to the root."""
    package, colon, path = location.rpartition(":")
    relative = f"{package.replace('.', '/')}/{path}" if colon else location
    below = ("", "src/") if colon else ("",)
    if location.startswith("%(here)s"):
        paths = [join(place, location.removeprefix("%(here)s").lstrip("/"))]
    else:
        paths = [join(start, each + relative) for start in dict.fromkeys((place, "")) for each in below]
    yield from (each for each in map(normalize, paths) if each is not None)


def _options_in(files: Files, path: str) -> Mapping[str, str]:
    """Return the options of Alembic in a file; empty if it has none."""
    name = path.rpartition("/")[2]
    if name not in ("alembic.ini", "pyproject.toml") or path not in files.paths:
        return {}
    text = files.read(path).decode("utf-8-sig", "replace")
    if name == "alembic.ini":
        parser = configparser.RawConfigParser(strict=False)
        try:
            parser.read_string(text)
        except configparser.Error as error:
            raise RecipeBlocked(f"cannot read {path!r}: {error.message}") from error
        options: Mapping[str, object] = dict(parser["alembic"]) if parser.has_section("alembic") else {}
    else:
        try:
            options = tomllib.loads(text).get("tool", {}).get("alembic", {})
        except tomllib.TOMLDecodeError:
            return {}
    return {key: _text(value).replace("%%", "%") for key, value in options.items()}


def _text(value: object) -> str:
    return "\n".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)
