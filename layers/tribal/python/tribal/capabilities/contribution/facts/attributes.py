"""Reads `.gitattributes`, and finds what git would do to a file that an edit of its stored bytes ignores.

Source: git's documentation of gitattributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from tribal.capabilities.contribution.recipes.recipe import Files

_NAME = ".gitattributes"
_LFS = b"version https://git-lfs.github.com/spec/v1\n"
_LFS_BYTES = 1024
_MACRO = "[attr]"
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(.*)')
_BINARY = {"diff": "unset", "merge": "unset", "text": "unset"}
Attributes = Mapping[str, str]
"""The state of each attribute that is specified: `set`, `unset` or its value."""


def edit_problem(files: Files, path: str, before: bytes | None) -> str | None:
    """Say why a file cannot be edited by its stored bytes; `None` if it can.

    Args:
        files: of the commit.
        path: of the file.
        before: its bytes; `None` for a new file.
    """
    if before is not None and before.startswith(_LFS) and len(before) <= _LFS_BYTES:
        return "its content is stored by Git LFS; edit it in a work tree"
    attributes = attributes_of(files, path)
    program = attributes.get("filter", "unset")
    if program != "unset":
        return f"{_NAME} sends it through the filter {program!r}; edit it in a work tree"
    return None if before is None else _line_end_problem(before, attributes)


def attributes_of(files: Files, path: str) -> Attributes:
    """Return the attributes of a path; files in nearer folders win, and later lines within a file."""
    parts = path.split("/")
    known = set(files.paths)
    macros: dict[str, Attributes] = {"binary": _BINARY}
    found: dict[str, str] = {}
    for count in range(len(parts)):
        folder = "".join(f"{part}/" for part in parts[:count])
        if folder + _NAME not in known:
            continue
        for pattern, words in _lines(files.read(folder + _NAME).decode("utf-8-sig", "replace")):
            assigned = _assigned(words, macros)
            if pattern.startswith(_MACRO):
                macros[pattern.removeprefix(_MACRO)] = assigned
            elif _matches(pattern, path[len(folder) :]):
                found.update(assigned)
    return {name: state for name, state in found.items() if state != "unspecified"}


def _line_end_problem(content: bytes, attributes: Attributes) -> str | None:
    if attributes.get("text") == "unset":
        return None
    windows = content.count(b"\r\n")
    unix, mac = content.count(b"\n") - windows, content.count(b"\r") - windows
    if mac or (windows and unix):
        return "its lines end in different ways; give all of them the same line end first"
    is_text = attributes.get("text") == "set" or ("eol" in attributes and "text" not in attributes)
    if windows and is_text:
        return (
            f"it is stored with CRLF although {_NAME} declares it as text; run `git add --renormalize` and commit first"
        )
    return None


def _lines(document: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each line's pattern, or the macro that it defines, and what it assigns."""
    for line in document.splitlines():
        text = line.strip()
        if quoted := _QUOTED.fullmatch(text):
            pattern, rest = re.sub(r"\\(.)", r"\1", quoted[1]), quoted[2]
        else:
            pattern, _, rest = text.replace("\t", " ").partition(" ")
        # Git ignores negative patterns.
        if pattern and not pattern.startswith(("#", "!")):
            yield pattern, rest.split()


def _assigned(words: list[str], macros: Mapping[str, Attributes]) -> Attributes:
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.lstrip("-!").partition("=")
        state = {"-": "unset", "!": "unspecified"}.get(word[0], value if equals else "set")
        if state == "set":
            found.update(macros.get(name, {}))
        found[name] = state
    return found


def _matches(pattern: str, path: str) -> bool:
    """Whether a pattern matches a path below the folder of its file."""
    pattern = pattern.replace("[[:space:]]", "[ \t]")
    if "/" not in pattern:
        return fnmatchcase(path.rpartition("/")[2], pattern)
    return _match_parts(pattern.removeprefix("/").split("/"), path.split("/"))


def _match_parts(patterns: list[str], parts: list[str]) -> bool:
    if not patterns or not parts:
        return not patterns and not parts
    first, *others = patterns
    if first == "**":
        return not others or any(_match_parts(others, parts[count:]) for count in range(len(parts)))
    return fnmatchcase(parts[0], first) and _match_parts(others, parts[1:])
