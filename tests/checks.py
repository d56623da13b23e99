"""Every check of `make test`, one after the other; the last line says how they ended."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent

CHECKS: dict[str, list[str]] = {
    "ruff format": ["ruff", "format", "--check", "--quiet", "."],
    "ruff lint": ["ruff", "check", "--quiet", "."],
    "mypy": ["mypy", "--no-error-summary"],
    "import arrows": ["lint-imports", "--no-cache"],
    "exported schemas": ["python", "-m", "tribal_contracts.schemas", "--check"],
    "pytest": ["pytest", "-q", "-n", "2", "--dist", "loadgroup"],
}


def main() -> int:
    """Run the checks and return the exit code: 0 when every one of them passed."""
    failed = []
    started = time.monotonic()
    for name, command in CHECKS.items():
        began = time.monotonic()
        print(f"== {name}", flush=True)
        code = subprocess.run([str(BIN / command[0]), *command[1:]], cwd=ROOT, check=False).returncode
        if code:
            failed.append(name)
        print(f"== {name}: {'FAILED' if code else 'ok'}, {time.monotonic() - began:.1f} s", flush=True)
    took = f"{time.monotonic() - started:.0f} s"
    if failed:
        print(f"make test: FAILED after {took}: {', '.join(failed)}")
        return 1
    print(f"make test: all {len(CHECKS)} checks passed in {took}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
