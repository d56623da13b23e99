"""Runs the commands that a repository states for its own checks, in a sandbox, on a change."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.facts.forbidden import is_inside
from tribal.capabilities.contribution.installations import Installations
from tribal.capabilities.contribution.offers.sources import OpenSource
from tribal.errors import SandboxMissing
from tribal.masking import redact_text
from tribal.ports.sandbox import PackageIndex, Sandbox, SandboxResult
from tribal_contracts.contribution.handoffs import BuildCommands, Check, CheckStatus

CheckName = Literal["lint", "build", "test"]
_NO_SANDBOX = "there was no sandbox to run it in"
_MOST_OUTPUT = 8_000
"""Characters of an output that a hand-off keeps: its end."""
_PYTHON = "if command -v python3 >/dev/null; then python3 -m venv /environment; fi"
"""Has `pip` install where the checks look; other tools do not mind."""
_ENDED = {"time": "it took too long", "memory": "it used too much memory", "processes": "it started too many processes",
          "disk": "it wrote too much"}  # fmt: skip


@dataclass
class Checks:
    """A repository at a commit, unpacked, with what its checks need installed.

    Args:
        sandbox: where commands run; a text says why there is no sandbox.
        folder: an empty folder.
        commands: what the repository states.
    """

    sandbox: Sandbox | str
    folder: Path
    commands: BuildCommands
    source: OpenSource
    commit: str
    index: PackageIndex
    installations: Installations
    _environment: Path | None = field(default=None, init=False)
    _problem: str | None = field(default=None, init=False)
    """Why nothing can be checked, once it was tried; empty if it can."""
    _broken: dict[CheckName, bool] = field(default_factory=dict, init=False)
    """Whether checks fail at the commit as it is."""

    def run(self, names: Sequence[CheckName], changed: Mapping[str, bytes]) -> list[Check]:
        """Run checks on the commit with changed files, until one fails. One that fails without them says nothing."""
        checks: list[Check] = []
        for name in names:
            command, output = getattr(self.commands, name), ""
            if command:
                output = "an earlier check failed" if failed(checks) else self._unpreparable()
            if not command or output:
                status: CheckStatus = "not_run" if command else "absent"
                checks.append(Check(name=name, status=status, command=command, output=output))
            else:
                checks.append(self._run(name, command, changed))
        return checks

    def _run(self, name: CheckName, command: str, changed: Mapping[str, bytes]) -> Check:
        with self._changed(changed) as files:
            check = self._check(name, command, files)
        if check.status == "failed" and name not in self._broken:
            self._broken[name] = self._check(name, command, self.folder / "base").status == "failed"
        if not self._broken.get(name):
            return check
        return check.model_copy(
            update={"status": "not_run", "output": f"it fails without the change, too\n{check.output}"}
        )

    def _check(self, name: CheckName, command: str, files: Path) -> Check:
        assert not isinstance(self.sandbox, str)
        self.source.deadline.check()
        result = self.sandbox.run(files, command, self._environment)
        return Check(
            name=name, status="passed" if _succeeded(result) else "failed", command=command, output=_output(result)
        )

    def _unpreparable(self) -> str:
        """Unpack the commit and install what its checks need, once; why that was not possible."""
        if self._problem is None:
            if isinstance(self.sandbox, str):
                self._problem = f"{_NO_SANDBOX}\n{self.sandbox}"
            else:
                self._problem = self._prepare(self.sandbox)
        return self._problem

    def _prepare(self, sandbox: Sandbox) -> str:
        base, command = self.folder / "base", self.commands.install
        _unpack(self.source, self.commit, base)
        if not command:
            return ""

        def install(folder: Path) -> str:
            result = sandbox.install(base, f"{_PYTHON}; {command}", folder, self.index)
            return "" if _succeeded(result) else f"what it needs could not be installed by {command}\n{_output(result)}"

        self._environment, problem = self.installations.of(self.commit, command, install)
        return problem

    @contextmanager
    def _changed(self, changed: Mapping[str, bytes]) -> Iterator[Path]:
        """The commit with changed files, which are put back afterwards."""
        base = self.folder / "base"
        before = {path: (base / path).read_bytes() if (base / path).exists() else None for path in changed}
        try:
            for path, content in changed.items():
                _write(base / path, content)
            yield base
        finally:
            for path, earlier in before.items():
                (base / path).unlink(missing_ok=True) if earlier is None else _write(base / path, earlier)


@contextmanager
def open_checks(context: AgentContext, commands: BuildCommands, commit: str | None = None) -> Iterator[Checks]:
    """Unpack a commit, usually the base commit, in a temporary folder, once a check needs it."""
    sandbox: Sandbox | str
    try:
        sandbox = context.parts.open_sandbox()
    except SandboxMissing as missing:
        sandbox = missing.message
    with tempfile.TemporaryDirectory(prefix="tribal-checks-") as folder:
        yield Checks(
            sandbox,
            Path(folder),
            commands,
            context.source,
            commit or context.record.base_commit,
            context.parts.package_index(context.source.entry),
            context.parts.installations,
        )


def passed(checks: Sequence[Check], name: CheckName) -> bool:
    """Whether a check passed, or the repository has none of it."""
    found = [each for each in checks if each.name == name]
    return bool(found) and all(each.status in ("passed", "absent") for each in found)


def failed(checks: Sequence[Check]) -> Check | None:
    """The check that failed."""
    return next((each for each in checks if each.status == "failed"), None)


def _succeeded(result: SandboxResult) -> bool:
    return result.exit_code == 0 and result.ended_by is None


def _output(result: SandboxResult) -> str:
    output = redact_text(result.output, prose=False)[-_MOST_OUTPUT:]
    if result.ended_by is not None:
        output = f"{output.rstrip()}\n[ended: {_ENDED[result.ended_by]}]"
    return output


def _unpack(source: OpenSource, commit: str, folder: Path) -> None:
    """Write the files of a commit; links, submodules and odd paths are left out."""
    files, entries = source.files(commit), source.tree(commit).entries
    folder.mkdir()
    for path in files.paths:
        if not is_inside(path):
            continue
        place = folder / path
        _write(place, files.read(path))
        if entries[path].kind == "executable":
            place.chmod(0o755)


def _write(place: Path, content: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
