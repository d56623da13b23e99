"""What to run when an optional package is missing."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec


def install_command(extra: str) -> str:
    """Return the command that installs optional dependencies next to an installed wheel, or in a clone.

    A tool that `uv` installed has no pip.
    """
    python = shlex.quote(sys.executable)
    installer = f"uv pip install --python {python}" if find_spec("pip") is None else f"{python} -m pip install"
    return f"{installer} 'tribal-knowledge[{extra}]'"


def missing_package(name: str | None, purpose: str, extra: str) -> str:
    """Return the message about a missing package: its name, what needs it, and what to run."""
    return f"{name} is not installed, but {purpose} needs it; run: {install_command(extra)}"
