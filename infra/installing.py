"""Installs the distributions pinned in requirements.lock, and this repository, for the running interpreter.

Uses uv, itself pinned in the lock file, which takes a few seconds; or pip, if uv is unavailable or does not support one
of pip's settings. Versions and hashes are the same. Imports nothing but the standard library.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements.lock"
_SECTIONS = ("global", "install", ":env:")
"""Where pip looks for settings of `pip install`; later ones win."""
_CONCERNS_PIP_ALONE = frozenset(
    "break-system-packages cache-dir compile config-file disable-pip-version-check log no-cache-dir no-color "
    "no-compile no-input no-python-version-warning no-warn-script-location prefer-binary progress-bar quiet "
    "require-virtualenv retries root-user-action verbose".split()
)
_SHOWN_CHARS = 600


@dataclass
class UvSettings:
    """Settings that make uv use the same package indexes in the same way as pip."""

    arguments: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)

    def _option(self, name: str) -> Callable[[str], None]:
        return lambda value: self.arguments.extend(part for each in value.split() for part in (name, each))

    def _flag(self, name: str) -> Callable[[str], None]:
        return lambda value: self.arguments.extend([name] * (value.lower() in ("1", "yes", "on", "true")))

    def _variables(self, *names: str) -> Callable[[str], None]:
        return lambda value: self.environment.update(dict.fromkeys(names, value))

    def take(self, name: str, value: str) -> bool:
        """Take over a setting of pip; false if uv has no equivalent."""
        known: Mapping[str, Callable[[str], None]] = {
            "index-url": self._option("--default-index"),
            "extra-index-url": self._option("--index"),
            "find-links": self._option("--find-links"),
            "trusted-host": self._option("--allow-insecure-host"),
            "no-index": self._flag("--no-index"),
            "cert": self._variables("SSL_CERT_FILE"),
            "proxy": self._variables("HTTP_PROXY", "HTTPS_PROXY"),
            "timeout": self._variables("UV_HTTP_TIMEOUT"),
            "default-timeout": self._variables("UV_HTTP_TIMEOUT"),
        }
        if name in known:
            known[name](value)
        return name in known or name in _CONCERNS_PIP_ALONE


def pip_settings(listed: str) -> dict[str, str]:
    """Settings for `pip install`, parsed from the output of `pip config list`."""
    sections: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for line in listed.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if section in sections:
            sections[section][name] = str(ast.literal_eval(value))
    return {name: value for section in _SECTIONS for name, value in sections[section].items()}


def settings_for_uv(settings: Mapping[str, str]) -> UvSettings | str:
    """pip's settings for uv, or the name of one that uv does not support."""
    taken = UvSettings()
    for name, value in settings.items():
        if not taken.take(name, value):
            return name
    return taken


def requirement_of(name: str, lock: Path) -> str:
    """The entry of one package in the lock file, with its hashes."""
    found = re.search(rf"^{re.escape(name)}==.*?(?=^\S|\Z)", lock.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if found is None:
        raise KeyError(name)
    return found[0]


def install_with_uv(uv: list[str], python: str, lock: Path, settings: UvSettings) -> str | None:
    """Install the lock file's pins for an interpreter; returns what went wrong, if anything."""
    where = ["--quiet", "--python", python, *settings.arguments]
    # Like pip, take the pinned version from any index; the hashes prove that it is the right one.
    how = ["--require-hashes", "--index-strategy", "unsafe-best-match"]
    return _attempt([*uv, "pip", "install", *where, *how, "--requirement", str(lock)], settings.environment)


def _bootstrap_uv() -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "uv.txt"
        wanted.write_text(requirement_of("uv", LOCK), encoding="utf-8")
        # Building uv from source would take minutes and a compiler.
        return _attempt([*_pip("--no-deps", "--only-binary", "uv"), "--require-hashes", "--requirement", str(wanted)])


@cache
def settings_here() -> UvSettings | str:
    """Settings for uv on this machine, or the name of one of pip's that uv does not support."""
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True)
    return settings_for_uv(pip_settings(listed.stdout))


def _why_not_by_uv() -> str | None:
    settings = settings_here()
    if isinstance(settings, str):
        return f"pip has the setting {settings!r}, which uv does not support"
    uv = [sys.executable, "-m", "uv"]
    return _bootstrap_uv() or install_with_uv(uv, sys.executable, LOCK, settings)


def _pip(*options: str) -> list[str]:
    return [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *options]


def _attempt(command: list[str], environment: Mapping[str, str] | None = None) -> str | None:
    ran = subprocess.run(
        command, env={**os.environ, **(environment or {})}, capture_output=True, text=True, check=False
    )
    return (ran.stderr or ran.stdout).strip()[-_SHOWN_CHARS:] or "it failed" if ran.returncode else None


def main() -> int:
    """Install everything, and print a note if it falls back to pip."""
    print(f"Installing what {LOCK.name} pins into {Path(sys.prefix).name} ...", flush=True)
    reason = _why_not_by_uv()
    if reason is not None:
        print(f"Using pip, which takes a minute or two, because uv cannot be used: {reason}", flush=True)
        pip = subprocess.run([*_pip(), "--require-hashes", "--requirement", str(LOCK)], check=False)
        if pip.returncode:
            return pip.returncode
    own = _pip("--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    return subprocess.run(own, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
