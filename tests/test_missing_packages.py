"""The command that installs a missing package, as it can be typed where the program runs."""

from __future__ import annotations

import sys

import pytest

from tribal.errors import packages
from tribal.errors.packages import install_command


def test_pip_installs_into_the_running_python() -> None:
    assert install_command("model") == f"{sys.executable} -m pip install 'tribal-knowledge[model]'"


def test_uv_installs_where_there_is_no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _: None)
    command = install_command("model")
    assert command == f"uv pip install --python {sys.executable} 'tribal-knowledge[model]'"
