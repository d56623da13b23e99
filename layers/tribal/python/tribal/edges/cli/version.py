"""Prints the version without loading the command line."""

from __future__ import annotations

import os
import sys

import tribal


def print_version() -> None:
    """Print the version and where it is installed: a machine may have several installations."""
    python = ".".join(map(str, sys.version_info[:3]))
    folder = os.path.dirname(tribal.__file__)  # noqa: PTH120 - importing pathlib takes longer than all the rest
    sys.stdout.write(f"tribal {tribal.__version__} (Python {python}, {folder})\n")
