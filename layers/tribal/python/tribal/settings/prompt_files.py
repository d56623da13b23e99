"""Prompts that replace the shipped ones: Markdown files next to `databases.yaml`, local or in a bucket."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tribal.errors import ConfigurationError
from tribal.settings.deployment import PROMPTS_KEY
from tribal.settings.settings import PROMPT_FOLDER
from tribal.settings.yaml_reader import read_small_file

if TYPE_CHECKING:
    from tribal.ports import ObjectStore

_ENDING = ".md"
_MOST_FILES = 50
_LARGEST_BYTES = 64 * 1024
"""By judgement: the shipped prompts have a few thousand bytes, and each is sent with every request."""


def prompts_in_folder(project: Path) -> dict[str, bytes]:
    """The prompts next to `databases.yaml`, by file name; empty without such a folder.

    Raises:
        ConfigurationError: when one cannot be read or is too large, or there are too many.
    """
    folder = project / PROMPT_FOLDER
    try:
        names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    except OSError as error:
        raise ConfigurationError(f"{folder} cannot be read: {error.strerror}; correct its permissions") from error
    return _texts(str(folder), names, lambda name: read_small_file(folder / name))


def prompts_in_bucket(store: ObjectStore) -> dict[str, bytes]:
    """The prompts in the bucket of a deployed environment, by file name.

    Raises:
        ConfigurationError: when one is too large, or there are too many.
    """
    names = [key.removeprefix(PROMPTS_KEY) for key in store.keys(PROMPTS_KEY)]
    place = f"{store.location}{PROMPTS_KEY.rstrip('/')}"
    return _texts(place, names, lambda name: store.get(f"{PROMPTS_KEY}{name}").data)


def _texts(place: str, names: Iterable[str], read: Callable[[str], bytes]) -> dict[str, bytes]:
    """Read the Markdown files; others, such as an editor's backup, are skipped."""
    markdown = [name for name in names if name.endswith(_ENDING) and "/" not in name]
    if len(markdown) > _MOST_FILES:
        raise ConfigurationError(f"{place} has more than {_MOST_FILES} Markdown files; is it the right folder?")
    texts = {name: read(name) for name in markdown}
    for name, data in texts.items():
        if len(data) > _LARGEST_BYTES:
            raise ConfigurationError(f"{place}/{name} is larger than {_LARGEST_BYTES:,} bytes; shorten it")
    return texts
