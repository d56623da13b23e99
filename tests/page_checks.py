"""`python -m tests.page_checks`: checks the sources of the page, and that its committed bundles are current."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import ROOT
from tribal.rendering.web.page import GRAPH_SCRIPT, PAGE_SCRIPT, STYLE, source

PAGE = ROOT / "page"
PROGRAMS = PAGE / "node_modules" / ".bin"
OLDEST_NODE = 20
CHECKS = {
    "lint and format": ["biome", "check", "--error-on-warnings", "."],
    "types": ["tsc", "--noEmit"],
}


def main() -> int:
    """Check, and print what was found; fail with `CI=true` where the programs are missing."""
    reason = missing_program()
    if reason is not None:
        print(f"The page's sources are not checked: {reason}.")
        return int(os.environ.get("CI") == "true")
    failed = [title for title, command in CHECKS.items() if _run(command).returncode]
    stale = stale_bundles()
    if failed:
        print(f"The page's sources failed: {', '.join(failed)}. `make format` formats them.")
    if stale:
        print(f"Out of date with page/src: {', '.join(stale)}. `make page` builds them.")
    return int(bool(failed or stale))


def stale_bundles() -> list[str]:
    """The committed files of the page that a build would change."""
    with TemporaryDirectory() as folder:
        subprocess.run(["node", "build.mjs", folder], cwd=PAGE, check=True)
        built = {name: (Path(folder) / name).read_text(encoding="utf-8") for name in (PAGE_SCRIPT, GRAPH_SCRIPT, STYLE)}
    return [name for name, text in built.items() if source(name) != text]


def missing_program() -> str | None:
    """Why the checks cannot run; `None` if they can."""
    node = shutil.which("node")
    if node is None:
        return "Node.js is not installed"
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.removeprefix("v").partition(".")[0]) < OLDEST_NODE:
        return f"the page needs Node.js {OLDEST_NODE} or newer to be built, this is {version}"
    if not (PROGRAMS / "esbuild").exists():
        return "npm has not installed its programs; `make page` does"
    return None


def _run(command: list[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(PROGRAMS / command[0]), *command[1:]], cwd=PAGE, check=False)


if __name__ == "__main__":
    sys.exit(main())
