"""Finds and reads files of a repository by their names; what cannot be parsed counts as empty."""

from __future__ import annotations

import configparser
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tribal.capabilities.contribution.recipes.recipe import Files

_LONGEST = 1_000_000
"""Characters of a document that are read."""
COMMUNITY_FOLDERS = (".github/", "", "docs/")
"""Where forges look for documents about a project, in their order."""


def read_text(files: Files, path: str | None) -> str:
    """Read the beginning of a document; empty if it does not exist."""
    if path is None or path not in files.paths:
        return ""
    return files.read(path)[:_LONGEST].decode("utf-8-sig", "replace")


def read_json(files: Files, path: str) -> Mapping[str, Any]:
    """Read an object of JSON."""
    try:
        found = json.loads(read_text(files, path))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def read_toml(files: Files, path: str) -> Mapping[str, Any]:
    """Read a document of TOML."""
    try:
        return tomllib.loads(read_text(files, path))
    except (ValueError, RecursionError):
        return {}


def read_sections(files: Files, path: str) -> Mapping[str, Mapping[str, str]]:
    """Read a document with sections, as those of EditorConfig and of sqlfluff; keys before the first are left out."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, comment_prefixes=("#", ";"))
    try:
        parser.read_string("[root]\n" + read_text(files, path))
    except configparser.Error:
        return {}
    return {name: {key: value or "" for key, value in parser.items(name)} for name in parser.sections()}


def nested(document: object, *keys: str) -> Any:
    """Return the value below several keys; `None` if it does not exist."""
    for key in keys:
        document = document.get(key) if isinstance(document, Mapping) else None
    return document


def community_file(paths: Sequence[str], names: Iterable[str]) -> str | None:
    """Return the document with one of these names, without case and extension, from where forges look for it."""
    wanted = set(names)
    for folder in COMMUNITY_FOLDERS:
        for path in paths:
            name = path.removeprefix(folder).lower()
            if path.startswith(folder) and "/" not in name and (name.partition(".")[0] or name) in wanted:
                return path
    return None
