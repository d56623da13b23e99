"""A machine that cannot start a sandbox says why, and what to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT
from tests.cases import each_case
from tribal.adapters.bubblewrap.sandbox import open_sandbox
from tribal.errors import SandboxMissing

_OPEN = """
from tribal.adapters.bubblewrap.sandbox import open_sandbox
from tribal.errors import SandboxMissing
try:
    open_sandbox()
except SandboxMissing as missing:
    print(missing.code, missing.message)
"""


def test_bubblewrap_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxMissing, match="install the package `bubblewrap`"):
        open_sandbox()


@each_case("user_inside", ["0", "1000"])
def test_a_machine_without_user_namespaces_is_reported_with_the_page_to_read(bubblewrap: str, user_inside: str) -> None:
    command = [bubblewrap, "--unshare-user", "--disable-userns", "--uid", user_inside, "--dev-bind", "/", "/"]
    ran = subprocess.run([*command, sys.executable, "-c", _OPEN], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("CON_SANDBOX_MISSING bubblewrap cannot start a sandbox (")
    assert "docs/sandbox.md" in ran.stdout
