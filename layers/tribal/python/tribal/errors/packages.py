"""What to run when an optional package is missing."""

from __future__ import annotations

import shlex
import sys


def install_command(extra: str) -> str:
    """The command that installs optional dependencies into this Python, from a wheel as in a clone."""
    return f"{shlex.quote(sys.executable)} -m pip install 'tribal-knowledge[{extra}]'"


def missing_package(name: str | None, purpose: str, extra: str) -> str:
    """The message about a missing package: its name, what needs it, and what to run."""
    return f"{name} is not installed, but {purpose} needs it; run: {install_command(extra)}"
