"""Run every check of `make test`, `make quick` or `make verify`; the last line says which failed."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests import ROOT
from tests.plugins.without_servers import SERVER_FOLDERS

BIN = Path(sys.executable).parent
CACHING = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of every check: hundreds of processes would each compile what they import, and pytest its tests."""
Checks = Mapping[str, Sequence[str]]
"""Commands by title."""

STATIC: Checks = {
    "mypy": ["mypy", "--no-error-summary"],
    "ruff format": ["ruff", "format", "--check", "--quiet", "."],
    "ruff lint": ["ruff", "check", "--quiet", "."],
    "import rules": ["lint-imports", "--no-cache"],
}
PACKAGED: Checks = {
    "the page": ["python", "-m", "tests.page_checks"],
    "exported schemas": ["python", "-m", "tribal_contracts.schemas", "--check"],
    "layers for AWS Lambda": ["python", "-m", "infra.packaging", "--check"],
}
_IN_PARALLEL = ["--dist", "loadgroup"]
_NOT_VERIFY = ["-m", "not verify"]
TESTS: Checks = {
    "pytest": ["pytest", "-q", "-n", "2", *_IN_PARALLEL, *_NOT_VERIFY, "--ignore=tests/e2e"],
    # Waits for half of its time, so it does not need a core of its own.
    "end to end": ["pytest", "-q", "-n", "0", *_NOT_VERIFY, "tests/e2e"],
}
SLOW_FOLDERS = (
    "adapters/bubblewrap",
    "adapters/documents",
    "adapters/snowflake",
    "app/job_processes",
    "attack",
    "conformance",
    "edges/cli",
    "edges/http",
    "fakes",
    "functions",
    "golden",
    "hostile",
    "live",
    "runs/model",
    "servers",
)
"""Folders of tests that run whole programs, or one body of tests over many implementations."""
QUICK_TESTS: Checks = {
    "tests that need no server": [
        *("pytest", "-q", "-n", "2", *_IN_PARALLEL, "--no-servers", "-m", "not server and not slow and not verify"),
        # Its tests are in a folder that is left out, and loading it takes each process a second.
        *("-p", "no:schemathesis"),
        # Collecting what is not run would take as long as the tests.
        *(f"--ignore=tests/{folder}" for folder in (*SERVER_FOLDERS, *SLOW_FOLDERS)),
    ],
}
VERIFY_TESTS: Checks = {
    # Properties again, with more examples.
    "pytest at full size": [
        *("pytest", "-q", "-n", "2", *_IN_PARALLEL),
        *("-m", "verify or hypothesis", "--hypothesis-profile=thorough"),
    ],
    # With the bytecode that is deployed, and imported by the runtime's Python.
    "packages for AWS Lambda": ["python", "-m", "infra.packaging"],
    "attacks at full size": ["python", "-m", "tests.attack", "--seed", "20261122"],
}


PROGRAMS = {
    "pgbouncer": "pgbouncer",
    "pg_ctlcluster": "postgresql",
    "openssl": "openssl",
    "node": "nodejs",
    "npm": "npm",
    "java": "default-jre-headless",
    "chromium": "chromium",
    "bwrap": "bubblewrap",
    "curl": "curl",
    "zsh": "zsh",
    "fish": "fish",
}
"""Programs that tests need besides Python, and their Debian packages."""


def provide_programs() -> None:
    """Install missing programs in CI: as root, on Debian, with CI=true.

    Elsewhere, tests that need a missing program are skipped and say so. A failed installation is reported, and the
    tests that need the program fail.
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
    """Install the command line of the AWS CDK and the linter of the page, if npm is installed."""
    if shutil.which("npm") is not None and shutil.which("make") is not None:
        programs = ["infra/node_modules/.bin/cdk", "page/node_modules/.bin/esbuild"]
        subprocess.run(["make", "--silent", "--keep-going", *programs], cwd=ROOT, check=False)


def run(name: str, command: Sequence[str], *, captured: bool, lower_priority: bool = False) -> bool:
    """Run one check and print how it ended, preceded by its output if that was captured."""
    began = time.monotonic()
    nice = ["nice", "-n", "5"] if lower_priority and shutil.which("nice") else []
    ran = subprocess.run(
        [*nice, str(BIN / command[0]), *command[1:]],
        cwd=ROOT,
        env=CACHING,
        check=False,
        text=True,
        stdout=subprocess.PIPE if captured else None,
        stderr=subprocess.STDOUT if captured else None,
    )
    result = f"== {name}: {'FAILED' if ran.returncode else 'ok'}, {time.monotonic() - began:.1f} s"
    print(f"{ran.stdout or ''}{result}", flush=True)
    return ran.returncode == 0


def run_all(tests: Checks, static: Checks, *, lower_priority: bool = False) -> list[str]:
    """Run all tests at once, and the static checks one after the other next to them.

    Args:
        tests: the output of the first one is shown while it runs.
        static: checks that start no server.
        lower_priority: whether static checks only get the CPU time that the tests leave.

    Returns:
        The names of what failed.
    """
    first, *others = tests
    passed: dict[str, bool] = {}
    with ThreadPoolExecutor(1) as aside, ThreadPoolExecutor(len(tests)) as pool:
        results = {
            name: aside.submit(run, name, command, captured=True, lower_priority=lower_priority)
            for name, command in static.items()
        }
        results |= {name: pool.submit(run, name, tests[name], captured=True) for name in others}
        passed[first] = run(first, tests[first], captured=False)
    passed |= {name: result.result() for name, result in results.items()}
    return [name for name, ok in passed.items() if not ok]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the checks and return the exit code: 0 when every one of them passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.checks", description=main.__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="only what needs no server")
    size.add_argument("--verify", action="store_true", help="also what `make test` leaves out")
    options = parser.parse_args(arguments)
    target = "quick" if options.quick else "verify" if options.verify else "test"
    started = time.monotonic()
    if options.quick:
        failed = run_all(QUICK_TESTS, STATIC)
    else:
        provide_programs()
        provide_npm_programs()
        failed = run_all(TESTS, {**STATIC, **PACKAGED}, lower_priority=True)
        if options.verify:
            failed += run_all(VERIFY_TESTS, {})
    took = f"{time.monotonic() - started:.0f} s"
    ended = f"FAILED after {took}: {', '.join(failed)}" if failed else f"all checks passed in {took}"
    print(f"make {target}: {ended}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
