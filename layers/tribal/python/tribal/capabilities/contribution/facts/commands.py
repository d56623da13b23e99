"""Reads the commands that a repository states for its own checks."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tribal.capabilities.contribution.facts.documents import nested, read_json, read_text
from tribal.capabilities.contribution.recipes.recipe import Files
from tribal_contracts.contribution.handoffs import BuildCommands

_TARGETS = {"install": ("install", "setup"), "build": ("build",), "test": ("test", "tests"), "lint": ("lint",)}
"""Names of targets and scripts by purpose, the usual one first."""
_TARGET = re.compile(r"^([\w.-]+)(?:[ \t]+[\w.-]+)*[ \t]*::?(?!=)", re.MULTILINE)
_TOOLS = {
    "tox.ini": ("test", "tox"),
    "noxfile.py": ("test", "nox"),
    ".pre-commit-config.yaml": ("lint", "pre-commit run --all-files"),
}


def stated_commands(files: Files, package_manager: str) -> BuildCommands:
    """Return the commands of the Makefile, of `package.json` and of a few tools, in this order."""
    makefile = next((path for path in ("Makefile", "makefile", "GNUmakefile") if path in files.paths), None)
    targets = set(_TARGET.findall(read_text(files, makefile)))
    scripts = nested(read_json(files, "package.json"), "scripts")
    runner = package_manager if package_manager in ("pnpm", "yarn", "bun") else "npm"
    found: dict[str, str] = {}
    for purpose, names in _TARGETS.items():
        target = next((name for name in names if name in targets), None)
        if target is not None:
            found[purpose] = f"make {target}"
        elif purpose != "install" and isinstance(scripts, Mapping) and purpose in scripts:
            found[purpose] = f"{runner} run {purpose}"
    for path, (purpose, command) in _TOOLS.items():
        if path in files.paths:
            found.setdefault(purpose, command)
    return BuildCommands(**{purpose: found.get(purpose, "") for purpose in _TARGETS})
