"""Templates and word lists from the text files next to this module.

A file holds sections headed `== name ==`, with one entry a line. In a template `↵` is a line break, and `<<name>>` is a
slot: a word from `words.txt`, a secret or a harmless value.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tests.attack.sentences.values import is_held_out

_HEADING = re.compile(r"== (.+) ==")
SLOT = re.compile(r"<<(\w[\w ]*)>>")


@cache
def sections(file: str) -> dict[str, tuple[str, ...]]:
    """The entries of a file by section, in the order of the file."""
    found: dict[str, list[str]] = {}
    entries: list[str] = []
    for line in (Path(__file__).parent / f"{file}.txt").read_text("utf-8").splitlines():
        heading = _HEADING.fullmatch(line)
        if heading:
            entries = found.setdefault(heading[1], [])
        elif line:
            entries.append(line.replace("↵", "\n"))
    return {name: tuple(lines) for name, lines in found.items()}


@cache
def words(name: str, *, held_out: bool) -> tuple[str, ...]:
    """The words of one list that belong to one split."""
    return of_split(sections("words")[name], held_out=held_out)


def of_split(entries: tuple[str, ...], *, held_out: bool) -> tuple[str, ...]:
    return tuple(entry for entry in entries if is_held_out(entry) == held_out)
