"""Writes a static site: a folder named after a hash of its files, and an `index.html` that is replaced atomically."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from tribal.errors import ConfigurationError, StoreUnwritable
from tribal.rendering.web.page import part_script, site_files, site_index

_MARK = ".tribal-site"
_INDEX = "index.html"
_UNFINISHED = "unfinished"
_HASH_DIGITS = 16
_OURS = re.compile(rf"\A(?:{re.escape(_MARK)}|{_INDEX}|{_INDEX}\.new|{_UNFINISHED}|[0-9a-f]{{{_HASH_DIGITS}}})\Z")


def write_site(folder: Path, parts: Iterable[tuple[str, object]]) -> Path:
    """Write a site and return its `index.html`; the same parts give the same bytes.

    An existing site stays complete until its `index.html` is replaced; its old files are removed after that. A failure
    leaves the folder as it was, or missing if it did not exist.

    Raises:
        ConfigurationError: when the folder holds anything but such a site.
        StoreUnwritable: when it cannot be written.
    """
    try:
        existed = folder.exists()
        _take(folder)
        try:
            name = _write_files(folder / _UNFINISHED, parts)
        except BaseException:
            _clean_up(folder, existed=existed)
            raise
        if not (folder / name).is_dir():
            (folder / _UNFINISHED).rename(folder / name)
        replace_file(folder / _INDEX, site_index(name))
        for other in folder.iterdir():
            if other.is_dir() and other.name != name:
                shutil.rmtree(other)
    except OSError as error:
        raise StoreUnwritable(f"the site cannot be written into {str(folder)!r}: {error.strerror}") from error
    return folder / _INDEX


def _take(folder: Path) -> None:
    """Create the folder, or make sure that it holds only a site that we wrote."""
    folder.mkdir(parents=True, exist_ok=True)
    there = sorted(path.name for path in folder.iterdir())
    foreign = [name for name in there if not _OURS.match(name)] if _MARK in there else there
    if foreign:
        raise ConfigurationError(
            f"{str(folder)!r} holds {foreign[0]!r}, which is not part of a site written by tribal; use a new folder"
        )
    (folder / _MARK).touch()


def _clean_up(folder: Path, *, existed: bool) -> None:
    shutil.rmtree(folder / _UNFINISHED if existed else folder, ignore_errors=True)
    if existed and not (folder / _INDEX).exists():
        (folder / _MARK).unlink(missing_ok=True)


def _write_files(folder: Path, parts: Iterable[tuple[str, object]]) -> str:
    """Write all files to a new folder; returns a hash of their names and contents."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    digest = hashlib.sha256()

    def write(name: str, data: bytes) -> None:
        (folder / name).write_bytes(data)
        digest.update(f"{name} {len(data)} ".encode() + data)

    for name, data in site_files().items():
        write(name, data)
    for name, value in parts:
        write(f"{name}.js", part_script(name, value))
    return digest.hexdigest()[:_HASH_DIGITS]


def replace_file(path: Path, data: bytes) -> None:
    """Write a file in one step, so that a reader finds the old or the new one.

    Raises:
        OSError: when it cannot be written.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file")
    new = path.with_name(f"{path.name}.new")
    try:
        with new.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise
