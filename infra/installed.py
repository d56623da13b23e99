"""Builds layers from the distributions installed for the running interpreter: no network, same pins, same pruning."""

from __future__ import annotations

import shutil
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def closure(requirements: list[Requirement]) -> list[str]:
    """Names of all distributions that the requirements need, transitively, in this environment.

    Raises:
        metadata.PackageNotFoundError: when one is not installed.
    """
    seen: set[tuple[str, str]] = set()
    pending = [(each.name, extra) for each in requirements for extra in ("", *sorted(each.extras))]
    while pending:
        name, extra = pending.pop()
        key = (canonicalize_name(name), extra)
        if key in seen:
            continue
        seen.add(key)
        for text in metadata.requires(name) or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                pending.extend((needed.name, each) for each in ("", *sorted(needed.extras)))
    return sorted({name for name, _ in seen})


def copy_distribution(name: str, target: Path) -> None:
    """Copy the files of an installed distribution that are inside the packages folder."""
    distribution = metadata.distribution(name)
    for file in distribution.files or []:
        if file.parts[0] == ".." or "__pycache__" in file.parts:
            continue
        source, copied = Path(str(distribution.locate_file(file))), target / str(file)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copied)
