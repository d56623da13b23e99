"""The files that `tribal comply` checks: of a folder, named ones, or what git says changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from tribal.app.knowledge import open_checkout
from tribal.capabilities.knowledge.policies.evidence import SourceFile
from tribal.capabilities.knowledge.policies.limits import MAX_FILE_BYTES
from tribal.capabilities.knowledge.policies.notebooks import is_notebook, without_images
from tribal.errors import ConfigurationError
from tribal.settings.settings import PROJECT_FILE

MOST_FILES = 10_000
_NOTEBOOK_BYTES = 50 << 20
"""Limit for a notebook with its images, which are not checked."""
_BINARY_BYTES = 8_192
_SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__"})


@dataclass
class CheckedFiles:
    """Files with their texts.

    Attributes:
        root: what their paths are relative to.
        files: with unique paths, separated by `/`.
        is_whole: whether they are all files of a folder.
        warnings: which files were skipped.
    """

    root: Path
    files: list[SourceFile] = field(default_factory=list)
    is_whole: bool = False
    warnings: list[str] = field(default_factory=list)

    def add(self, place: Path, shown: str) -> None:
        """Read a file; a link, or a file that is too large or unreadable, gets a warning."""
        found = _read(place, shown)
        if found is None or (found.unread is not None and not found.is_binary):
            why = ("it is a link" if place.is_symlink() else "it is not a file") if found is None else found.unread
            self.warnings.append(f"{shown!r} was not checked: {why}")
        if found is not None:
            self.files.append(found)

    def find(self, path: str) -> SourceFile | None:
        """A file below the root that is not checked itself; `None` if it does not exist."""
        place = self.root / path
        return _read(place, path) if place.resolve().is_relative_to(self.root) else None


def _read(place: Path, shown: str) -> SourceFile | None:
    """A file with its text, or why it has none; `None` if it is not a file."""
    try:
        found = place.lstat()
        if not stat.S_ISREG(found.st_mode):
            return None
        may_have_images = is_notebook(shown) and found.st_size <= _NOTEBOOK_BYTES
        data = place.read_bytes() if found.st_size <= MAX_FILE_BYTES or may_have_images else None
    except FileNotFoundError:
        return None
    except OSError as error:
        return SourceFile(shown, "", f"it is not readable ({error.strerror})")
    if data is not None and len(data) > MAX_FILE_BYTES:
        data = without_images(data)
    if data is None or len(data) > MAX_FILE_BYTES:
        return SourceFile(shown, "", f"it is larger than {MAX_FILE_BYTES:,} bytes")
    if b"\0" in data[:_BINARY_BYTES]:
        return SourceFile(shown, "", "it is not text", is_binary=True)
    return SourceFile.of(shown, data.decode("utf-8", "replace"))


def files_of(paths: Sequence[Path], project: Path) -> CheckedFiles:
    """The files of folders, and named files, as paths relative to `root_of` them.

    Links, and files that git ignores in its checkout, are left out.

    Raises:
        ConfigurationError: when a path does not exist, or there are too many files.
    """
    for path in paths:
        if not path.exists():
            raise ConfigurationError(f"no such file or folder: {str(path)!r}")
    root = root_of(paths, project)
    found = CheckedFiles(root, is_whole=len(paths) == 1 and paths[0].is_dir() and paths[0].resolve() == root)
    _add_all(found, _places(paths))
    return found


def root_of(paths: Sequence[Path], project: Path) -> Path:
    """The folder that globs and results are relative to, whichever part of it is checked.

    It is the project folder if that contains the paths, else the root of their checkout, else the folder itself.
    """
    whole = [path.resolve() for path in paths]
    first = whole[0] if whole[0].is_dir() else whole[0].parent
    with open_checkout(first) as checkout:
        top = None if checkout is None else checkout.root
    for root in (project.resolve() if (project / PROJECT_FILE).exists() else None, top):
        if root is not None and all(path.is_relative_to(root) for path in whole):
            return root
    return first if len(whole) == 1 else Path.cwd()


def changed_files(paths: Sequence[Path], since: str | None, project: Path) -> CheckedFiles:
    """Files that changed according to git: staged, unstaged or new, and with a commit, changes since that commit.

    Their paths are relative to `root_of` the current folder.

    Raises:
        ConfigurationError: when a checkout or the commit is missing.
    """
    here = Path.cwd()
    with open_checkout(here) as checkout:
        if checkout is None:
            raise ConfigurationError(
                "cannot find out what changed: the current folder is not in a checkout; name files or folders instead"
            )
        changed = [checkout.root / name for name in sorted(set(checkout.changed(here, since)))]
    limits = [Path(os.path.normpath(here / path)) for path in paths] or [here]
    found = CheckedFiles(root_of([here], project))
    _add_all(found, (place for place in changed if any(place.is_relative_to(limit) for limit in limits)))
    return found


def _add_all(found: CheckedFiles, places: Iterator[Path]) -> None:
    known: set[str] = set()
    for place in places:
        name = _shown(place, found.root)
        shown = os.fsencode(name).decode("utf-8", "replace").replace(os.sep, "/")
        if shown in known:
            continue
        known.add(shown)
        if len(known) > MOST_FILES:
            raise ConfigurationError(f"more than {MOST_FILES:,} files; check subfolders one at a time")
        found.add(place, shown)


def _places(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from (path / name for name in _listed(path))
        else:
            yield path


def _shown(place: Path, root: Path) -> str:
    """A path relative to the root; a path outside of it keeps its full path, without the root of the file system."""
    # A link is not followed.
    whole = place.parent.resolve() / place.name
    return str(whole.relative_to(root)) if whole.is_relative_to(root) else str(whole).lstrip(os.sep)


def _listed(folder: Path) -> list[str]:
    """The files below a folder, relative to it, in order."""
    with open_checkout(folder) as checkout:
        # A folder that git ignores, such as one of compiled SQL, is checked if it is named.
        if checkout is None or checkout.ignores(folder):
            return sorted(_walked(folder))
        inside = folder.resolve().relative_to(checkout.root)
        return sorted({str(PurePath(name).relative_to(inside)) for name in checkout.files(folder)})


def _walked(folder: Path) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each not in _SKIPPED and not _is_environment(Path(here, each))]
        for name in files:
            yield str(Path(here, name).relative_to(folder))


def _is_environment(folder: Path) -> bool:
    """Whether a folder is a virtual environment."""
    return (folder / "pyvenv.cfg").exists()
