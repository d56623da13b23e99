"""`python -m tests.page_lint`: checks the script and the style of the HTML page with Prettier, TypeScript and ESLint.

The parts of the script use each other's names, so it is checked whole, as browsers run it; what ESLint finds is told
with the file and line where it stands.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tribal.rendering.web
from tests import ROOT
from tribal.rendering.web.page import SCRIPTS, script

HERE = Path(__file__).parent
PROGRAMS = HERE / "node_modules" / ".bin"
LINTER = PROGRAMS / "eslint"
OLDEST_NODE = 20
SOURCES = Path(tribal.rendering.web.__file__).parent
STYLE = "style.css"


def main() -> int:
    """Check, and say what was found; where the linter cannot run say so, and fail with `CI=true`, where it can."""
    reason = _why_not()
    if reason is not None:
        print(f"The page's script and style are not checked: {reason}.")
        return int(os.environ.get("CI") == "true")
    failed = [name for name, command in _checks().items() if subprocess.run(command, check=False).returncode]
    if failed:
        print(f"The page's sources failed: {', '.join(failed)}. `make format` formats them.")
    return _lint() or int(bool(failed))


def formatting(action: str) -> list[str]:
    """The command that checks how the sources are formatted (`--check`) or formats them (`--write`)."""
    sources = [str(path) for path in sorted(SOURCES.iterdir()) if path.suffix in (".js", ".css", ".ts")]
    return [
        str(PROGRAMS / "prettier"),
        "--log-level",
        "warn",
        "--config",
        str(HERE / ".prettierrc.json"),
        action,
        *sources,
    ]


def _checks() -> dict[str, list[str]]:
    return {
        "formatting": formatting("--check"),
        "types": [str(PROGRAMS / "tsc"), "--project", str(HERE / "tsconfig.json")],
    }


def _lint() -> int:
    whole = script()
    with TemporaryDirectory() as folder:
        (Path(folder) / "script.js").write_text(whole, encoding="utf-8")
        shutil.copyfile(SOURCES / STYLE, Path(folder) / STYLE)
        how = ["--config", str(HERE / "eslint.config.mjs"), "--format", "json", "--max-warnings", "0"]
        command = [str(LINTER), *how, "script.js", STYLE]
        ran = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    if not ran.stdout:
        print(f"ESLint failed: {ran.stderr}")
        return 1
    for line in _findings(json.loads(ran.stdout), whole):
        print(line)
    return ran.returncode


def _why_not() -> str | None:
    node = shutil.which("node")
    if node is None:
        return "Node.js is not installed"
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.removeprefix("v").partition(".")[0]) < OLDEST_NODE:
        return f"ESLint needs Node.js {OLDEST_NODE} or newer, this is {version}"
    if not LINTER.exists():
        return f"npm has not installed ESLint; `make {LINTER.relative_to(ROOT)}` does"
    return None


def _findings(reports: list[dict[str, Any]], whole: str) -> Iterator[str]:
    for report in reports:
        for found in report["messages"]:
            name, line = STYLE, found.get("line", 1)
            if not report["filePath"].endswith(STYLE):
                name, line = _origin(line, whole)
            place = (SOURCES / name).relative_to(ROOT)
            yield f"{place}:{line}:{found.get('column', 1)}: {found['message']} ({found['ruleId']})"


def _origin(line: int, whole: str) -> tuple[str, int]:
    """The file that holds a line of the whole script, and its number there."""
    begins = {}
    for name in SCRIPTS:
        text = (SOURCES / name).read_text(encoding="utf-8")
        begins[name] = whole.count("\n", 0, whole.index(text)) + 1
    name = max((name for name in SCRIPTS if begins[name] <= line), key=begins.__getitem__, default=SCRIPTS[0])
    return name, line - begins[name] + 1


if __name__ == "__main__":
    sys.exit(main())
