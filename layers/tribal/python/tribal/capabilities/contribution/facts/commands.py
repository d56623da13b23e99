"""Reads the commands that a repository states for its own checks."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tribal.capabilities.contribution.facts.documents import nested, read_json, read_sections, read_text, read_toml
from tribal.capabilities.contribution.recipes.recipe import Files
from tribal_contracts.contribution.handoffs import BuildCommands

_TARGETS = {"install": ("install", "setup"), "build": ("build",), "test": ("test", "tests"), "lint": ("lint",)}
"""Names of targets and scripts by purpose, the usual one first."""
_TARGET = re.compile(r"^([\w.-]+)(?:[ \t]+[\w.-]+)*[ \t]*::?(?!=)", re.MULTILINE)
_LISTS = re.compile(r"(?:(?:dev|tests?)[-_.])?requirements(?:[-_.](?:dev|tests?))?\.txt")
_TEST_EXTRAS = ("test", "tests", "testing", "dev")
_TOOLS = {
    "tox.ini": ("test", "tox"),
    "noxfile.py": ("test", "nox"),
    ".pre-commit-config.yaml": ("lint", "pre-commit run --all-files"),
}


def stated_commands(files: Files, package_manager: str) -> BuildCommands:
    """Return the commands of the Makefile, of `package.json` and of a few tools, in this order.

    Python's lists of requirements say what to install.
    """
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
    if "test" not in found and _configures_pytest(files):
        found["test"] = "python3 -m pytest"
    for path, (purpose, command) in _TOOLS.items():
        if path in files.paths:
            found.setdefault(purpose, command)
    if "install" not in found and (arguments := _requirements(files)):
        found["install"] = f"pip install {' '.join(arguments)}"
    return BuildCommands(**{purpose: found.get(purpose, "") for purpose in _TARGETS})


def _configures_pytest(files: Files) -> bool:
    """Whether a file configures pytest."""
    is_configured = nested(read_toml(files, "pyproject.toml"), "tool", "pytest") is not None
    return is_configured or "pytest.ini" in files.paths or "tool:pytest" in read_sections(files, "setup.cfg")


def _requirements(files: Files) -> list[str]:
    """The arguments of `pip install`: lists of requirements, the project with its extras for tests, and its groups."""
    found = [f"-r {path}" for path in files.paths if _LISTS.fullmatch(path)]
    project = read_toml(files, "pyproject.toml")
    extras = nested(project, "project", "optional-dependencies")
    names = [name for name in _TEST_EXTRAS if isinstance(extras, Mapping) and name in extras]
    if nested(project, "project", "name") is not None or "setup.py" in files.paths:
        found.append(f"-e '.[{','.join(names)}]'" if names else "-e .")
    groups = nested(project, "dependency-groups")
    found += [f"--group {name}" for name in _TEST_EXTRAS if isinstance(groups, Mapping) and name in groups]
    lists = "".join(read_text(files, each.removeprefix("-r ")) for each in found)
    has_pytest = any("pytest" in str(each) for each in (lists, extras, groups))
    return found if has_pytest or not _configures_pytest(files) else [*found, "pytest"]
