"""Runs the commands of docs/tour.md, and compares what they print with what the page shows."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.edges.cli.terminal import Dialogue
from tests.edges.cli.tribal_command import tribal
from tests.scenario.one_machine import OneMachine

_SECTION = re.compile(r"^## (\d+)\. ", re.MULTILINE)
_BLOCK = re.compile(r"^```(?P<kind>\w+)(?: (?P<file>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_COLORS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\r")


@dataclass(frozen=True)
class Block:
    """A file to write, or commands with what they print."""

    file: str | None
    text: str

    @property
    def commands(self) -> Iterator[tuple[str, str]]:
        """Each command, and what the page shows of its output."""
        for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown


def sections(page: Path) -> dict[int, list[Block]]:
    """The blocks of each numbered section: commands (`console`), and files, whose name follows their language."""
    _, *parts = _SECTION.split(page.read_text(encoding="utf-8"))
    return {
        int(number): [
            Block(found["file"], found["text"])
            for found in _BLOCK.finditer(text)
            if found["file"] or found["kind"] == "console"
        ]
        for number, text in zip(parts[::2], parts[1::2], strict=True)
    }


def play_section(machine: OneMachine, blocks: list[Block]) -> None:
    """Write the files and run the commands of a section; each has to print what the page shows."""
    for block in blocks:
        if block.file is not None:
            machine.put(block.file, block.text.encode())
            continue
        for command, shown in block.commands:
            printed = _run(machine, command)
            assert _pattern(shown).fullmatch(printed), f"$ {command}\n{printed}\n--- the page shows:\n{shown}"


def _run(machine: OneMachine, command: str) -> str:
    """Run a command as in a shell, and return what it prints, without progress."""
    words = shlex.split(command)
    if words[:2] == ["rm", "-r"]:
        found = [path for pattern in words[2:] for path in machine.project.glob(pattern)]
        assert found, command
        for path in found:
            shutil.rmtree(path)
        return ""
    into = words[words.index(">") + 1] if ">" in words else None
    arguments = words[1 : words.index(">")] if into else words[1:]
    environment = machine.environment | machine.profiles()
    if "approve" in arguments:
        return _approve(machine, arguments, environment)
    ran = tribal(*arguments, cwd=machine.project, **environment)
    if into:
        machine.put(into, ran.stdout.encode())
        return ""
    is_progress = "run" in arguments or "index" in arguments or "upload" in arguments
    return ran.stdout + ("" if is_progress and ran.returncode == 0 else ran.stderr)


def _approve(machine: OneMachine, arguments: list[str], environment: Mapping[str, Any]) -> str:
    """Approve at a terminal, as someone does who types the start of the hash that is shown."""
    with Dialogue(*arguments, cwd=machine.project, width=160, **environment) as dialogue:
        shown = dialogue.until("characters of the hash:")
        digest = re.search(r"\b[0-9a-f]{64}\b", shown)
        assert digest is not None, shown
        dialogue.type(f"{digest[0][:8]}\n")
        _, shown = dialogue.end()
    return _COLORS.sub("", shown)


def _pattern(shown: str) -> re.Pattern[str]:
    """Return what is shown as a pattern: a line `...` matches any lines, and `...` in a line any text."""
    lines = (_line(line) for line in shown.rstrip("\n").splitlines())
    return re.compile("".join(lines) + r"\s*")


def _line(shown: str) -> str:
    if shown == "...":
        return r"(?:.*\n)*?"
    return ".*".join(map(re.escape, shown.rstrip().split("..."))) + r" *\n"
