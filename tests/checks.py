"""Every check of `make test` or, with `--quick`, of `make quick`, the tests last; the last line says how they ended."""

from __future__ import annotations

import argparse
import compileall
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests import ROOT

BIN = Path(sys.executable).parent

RULES = [
    *("tests/catalog", "tests/contracts", "tests/describing", "tests/documenting", "tests/keys", "tests/masking"),
    *("tests/naming", "tests/planning", "tests/policies", "tests/ranking", "tests/retrieval", "tests/settings"),
    *("tests/syncing", "tests/tools"),
]
"""Tests that one core runs while the other one is busy with the end-to-end tests."""

CHECKS: dict[str, list[str]] = {
    "end to end": ["pytest", "-q", "-n", "0", "tests/e2e"],
    "mypy": ["mypy", "--no-error-summary"],
    "ruff format": ["ruff", "format", "--check", "--quiet", "."],
    "ruff lint": ["ruff", "check", "--quiet", "."],
    "page lint": ["python", "-m", "tests.page_lint"],
    "import arrows": ["lint-imports", "--no-cache"],
    "exported schemas": ["python", "-m", "tribal_contracts.schemas", "--check"],
    "layers for AWS Lambda": ["python", "-m", "infra.packaging", "--check"],
    "tests of the rules": ["pytest", "-q", "-n", "0", *RULES],
    "pytest": [
        *("pytest", "-q", "-n", "3", "--dist", "loadgroup"),
        *(f"--ignore={folder}" for folder in ("tests/e2e", *RULES)),
    ],
}

_WITHOUT_SERVERS = ["--ignore", "tests/e2e", "--ignore", "tests/infra", "-m", "not server and not slow", "--no-servers"]

QUICK_CHECKS: dict[str, list[str]] = {
    **{name: CHECKS[name] for name in ("mypy", "ruff format", "ruff lint", "import arrows")},
    "tests that need no server": ["pytest", "-q", "-n", "2", "--dist", "loadgroup", *_WITHOUT_SERVERS],
}
"""What a developer waits for between two edits: all that starts no server and packages nothing."""


PROGRAMS = {
    "pgbouncer": "pgbouncer",
    "openssl": "openssl",
    "node": "nodejs",
    "npm": "npm",
    "java": "default-jre-headless",
    "chromium": "chromium",
}
"""Programs that tests need beside Python, and the Debian packages that have them."""


def provide_programs() -> None:
    """Install what is missing where that is nobody's machine: as root, on Debian, with CI=true.

    Elsewhere the tests that need a program are skipped and say so. A failure is told, and what needs the program fails.
    """
    folders = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    missing = [package for program, package in PROGRAMS.items() if shutil.which(program, path=folders) is None]
    here = os.environ.get("CI") == "true" and os.geteuid() == 0 and shutil.which("apt-get") is not None
    if not missing or not here:
        return
    print(f"== installing {', '.join(missing)} with apt-get", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "--yes", "--quiet=2", "--no-install-recommends", *missing]
    for command in (["apt-get", "update", "--quiet=2"], install):
        try:
            ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
        except (OSError, subprocess.TimeoutExpired) as error:
            print(f"== {' '.join(command)}: {error}", flush=True)
            continue
        if ran.returncode:
            print(f"== {' '.join(command)} failed:\n{ran.stderr.strip()[-1000:]}", flush=True)


def provide_npm_programs() -> None:
    """Install the command line of the AWS CDK and the linter of the page where npm is; what needs them says so else."""
    if shutil.which("npm") is not None and shutil.which("make") is not None:
        programs = ["infra/node_modules/.bin/cdk", "tests/page_lint/node_modules/.bin/eslint"]
        subprocess.run(["make", "--silent", "--keep-going", *programs], cwd=ROOT, check=False)


def provide_bytecode() -> None:
    """Compile everything where Python is told not to: hundreds of commands would each do it for themselves."""
    if sys.dont_write_bytecode:
        for folder in (sysconfig.get_path("purelib"), ROOT / "layers", ROOT / "contracts"):
            compileall.compile_dir(folder, quiet=2, workers=os.cpu_count() or 1)


def run(name: str, command: Sequence[str], *, captured: bool) -> bool:
    """Run one check and say how it ended, with all that it said before where that was captured."""
    began = time.monotonic()
    ran = subprocess.run(
        [str(BIN / command[0]), *command[1:]],
        cwd=ROOT,
        check=False,
        text=True,
        stdout=subprocess.PIPE if captured else None,
        stderr=subprocess.STDOUT if captured else None,
    )
    told = f"== {name}: {'FAILED' if ran.returncode else 'ok'}, {time.monotonic() - began:.1f} s"
    print(f"{ran.stdout or ''}{told}", flush=True)
    return ran.returncode == 0


def run_all(target: str, checks: Mapping[str, Sequence[str]], started: float) -> int:
    """Run the checks, the last one after all others, and say how they ended; the exit code is 0 when all passed."""
    *static, tests = checks
    # The end-to-end tests wait half of their time, so that the others have more than the second of two cores.
    with ThreadPoolExecutor(3) as pool:
        ended = pool.map(lambda name: run(name, checks[name], captured=True), static)
        passed = dict(zip(static, ended, strict=True))
    passed[tests] = run(tests, checks[tests], captured=False)
    failed = [name for name in checks if not passed[name]]
    took = f"{time.monotonic() - started:.0f} s"
    if failed:
        print(f"make {target}: FAILED after {took}: {', '.join(failed)}")
        return 1
    print(f"make {target}: all {len(checks)} checks passed in {took}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the checks and return the exit code: 0 when every one of them passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.checks", description=main.__doc__)
    parser.add_argument("--quick", action="store_true", help="only what needs no server: two minutes at the most")
    started = time.monotonic()
    if parser.parse_args(arguments).quick:
        return run_all("quick", QUICK_CHECKS, started)
    provide_programs()
    provide_npm_programs()
    provide_bytecode()
    return run_all("test", CHECKS, started)


if __name__ == "__main__":
    sys.exit(main())
