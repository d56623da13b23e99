"""Plays the commands of a page, and compares what they print with what the page shows."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from tests.checks import PROGRAMS
from tests.docs.blocks import Block, Command
from tests.docs.names import Names
from tests.edges.cli.terminal import Dialogue
from tests.edges.cli.tribal_command import clean_environment, tribal
from tests.edges.http.served import Served
from tests.plugins.skips import skip_or_fail
from tests.waiting import LONGEST_SECONDS

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_COLORS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\r")
_SHOW_PROGRESS = frozenset({"run", "plan", "document", "index", "upload", "prepare"})
"""Commands whose standard error is progress, which pages leave out."""
_DEFAULT_PORT = ":8080"
"""Of `tribal serve`; here each server listens on a free port."""
_ERROR = "error: "
"""How an error starts, which no page leaves out."""


class Shell:
    """A folder in which commands run one after the other.

    Args:
        folder: where they run.
        names: what the names of the page are here.
        environment: their variables, asked for before each command.
        database: runs SQL in the database of the page.
    """

    def __init__(
        self,
        folder: Path,
        names: Names,
        environment: Callable[[], Mapping[str, str]] = dict,
        database: Callable[[str], None] | None = None,
    ) -> None:
        self._folder = folder
        self._names = names
        self._environment = environment
        self._database = database
        self._served: Served | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop_serving()

    def play(self, blocks: Iterable[Block], leave_out: Callable[[Command], bool] = lambda _: False) -> None:
        """Write the files and run the commands; each has to print what the page shows."""
        for block in blocks:
            if block.language == "sql" and block.file == "database":
                assert self._database is not None, f"{block.place}: there is no database of its own"
                self._database(block.text)
            elif block.file:
                self._write(block.file, self._names.actual(block.text))
            for command in block.commands:
                if not leave_out(command):
                    self._play(block, command)

    def _play(self, block: Block, command: Command) -> None:
        code, printed = self._run(self._names.actual(command.text))
        ran = f"{block.place}: $ {command.text}\nexit code {code}\n{printed}"
        if command.shown is None:
            assert code == 0, ran
        else:
            assert _ERROR in command.shown or _ERROR not in printed, ran
            assert self._names.match(command.shown, printed), f"{ran}\n--- the page shows:\n{command.shown}"

    def _write(self, file: str, text: str) -> None:
        """Write a file; of a YAML file that exists, replace the sections that the text has."""
        path = self._folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".yaml" and path.exists():
            sections = yaml.safe_load(path.read_text(encoding="utf-8")) | yaml.safe_load(text)
            text = yaml.safe_dump(sections, sort_keys=False, allow_unicode=True)
        path.write_text(text, encoding="utf-8")

    def _run(self, command: str) -> tuple[int, str]:
        """Run a command, and return its exit code and what it prints, without progress."""
        words = shlex.split(command, comments=True)
        if words[0] in PROGRAMS and shutil.which(words[0]) is None:
            skip_or_fail(f"{words[0]} is not installed")
        if words[0] != "tribal" or _needs_shell(command):
            return self._run_in_bash(command)
        if words[1] == "serve":
            return 0, self._serve(words[2:])
        if "approve" in words:
            return self._approve(words[1:])
        return self._run_here(words[1:])

    def _run_here(self, arguments: list[str]) -> tuple[int, str]:
        """Run `tribal` in this process; standard output may go into a file."""
        if ">" in arguments:
            place = arguments.index(">")
            arguments, file = arguments[:place], self._folder / arguments[place + 1]
        else:
            file = None
        ran = tribal(*arguments, cwd=self._folder, **self._environment())
        if file is not None:
            file.write_text(ran.stdout, encoding="utf-8")
        is_progress = ran.returncode == 0 and _SHOW_PROGRESS.intersection(arguments)
        return ran.returncode, ("" if file else ran.stdout) + ("" if is_progress else ran.stderr)

    def _run_in_bash(self, command: str) -> tuple[int, str]:
        environment = clean_environment(**self._environment())
        environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
        ran = subprocess.run(
            ["bash", "-c", command],
            cwd=self._folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=LONGEST_SECONDS,
        )
        return ran.returncode, ran.stdout

    def _serve(self, arguments: list[str]) -> str:
        """Start the server instead of an earlier one, and leave it running."""
        self._stop_serving()
        self._served = Served(self._folder, *arguments, **self._environment())
        self._names.learn(_DEFAULT_PORT, f":{self._served.port}")
        return f"serving {self._served.address}/\n"

    def _stop_serving(self) -> None:
        if self._served is not None:
            self._served.stop()
            self._served = None

    def _approve(self, arguments: list[str]) -> tuple[int, str]:
        """Approve at a terminal, as someone does who types the start of the hash that is shown."""
        environment: dict[str, Any] = {**self._environment()}
        with Dialogue(*arguments, cwd=self._folder, width=160, **environment) as dialogue:
            shown = dialogue.until("characters of the hash: ")
            digest = re.search(r"\b[0-9a-f]{64}\b", shown)
            assert digest is not None, shown
            dialogue.type(f"{digest[0][:8]}\n")
            code, shown = dialogue.end()
        return code, _COLORS.sub("", shown)


def _needs_shell(command: str) -> bool:
    """Whether bash has to run a command because of an operator, a pattern of file names, or a variable."""
    return "$" in command or bool(re.search(r"[|&;<()*`]", _QUOTED.sub("", command)))
