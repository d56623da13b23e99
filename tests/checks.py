"""Every check of `make test`, the tests last; the last line says how they ended."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests import ROOT

BIN = Path(sys.executable).parent

CHECKS: dict[str, list[str]] = {
    "end to end": ["pytest", "-q", "-n", "0", "tests/e2e"],
    "mypy": ["mypy", "--no-error-summary"],
    "ruff format": ["ruff", "format", "--check", "--quiet", "."],
    "ruff lint": ["ruff", "check", "--quiet", "."],
    "page lint": ["python", "-m", "tests.page_lint"],
    "import arrows": ["lint-imports", "--no-cache"],
    "exported schemas": ["python", "-m", "tribal_contracts.schemas", "--check"],
    "layers for AWS Lambda": ["python", "-m", "infra.packaging", "--check"],
    "pytest": ["pytest", "-q", "-n", "2", "--dist", "loadgroup", "--ignore", "tests/e2e"],
}


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
    """Compile what is installed where Python is told not to: hundreds of commands would each do it for themselves."""
    if sys.dont_write_bytecode:
        compileall.compile_dir(sysconfig.get_path("purelib"), quiet=2, workers=os.cpu_count() or 1)


def run(name: str, *, captured: bool) -> bool:
    """Run one check and say how it ended, with all that it said before where that was captured."""
    began = time.monotonic()
    command = CHECKS[name]
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


def main() -> int:
    """Run the checks and return the exit code: 0 when every one of them passed."""
    started = time.monotonic()
    provide_programs()
    provide_npm_programs()
    *static, tests = CHECKS
    # The test of the whole keeps one core busy, mypy and the others the other one; the tests use both by themselves.
    with ThreadPoolExecutor(2) as pool:
        passed = dict(zip(static, pool.map(lambda name: run(name, captured=True), static), strict=True))
    provide_bytecode()
    passed[tests] = run(tests, captured=False)
    failed = [name for name in CHECKS if not passed[name]]
    took = f"{time.monotonic() - started:.0f} s"
    if failed:
        print(f"make test: FAILED after {took}: {', '.join(failed)}")
        return 1
    print(f"make test: all {len(CHECKS)} checks passed in {took}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
