"""What tests of the sandbox share."""

from __future__ import annotations

import shutil

import pytest

from tests.adapters.bubblewrap.host import USERS
from tests.plugins.skips import skip_or_fail
from tribal.adapters.bubblewrap.sandbox import open_sandbox
from tribal.errors import SandboxMissing


@pytest.fixture(scope="session")
def bubblewrap() -> str:
    """The program, on a machine where it can start a sandbox."""
    try:
        open_sandbox()
    except SandboxMissing as missing:
        skip_or_fail(missing.message)
    program = shutil.which("bwrap")
    assert program is not None
    return program


@pytest.fixture(
    scope="session",
    params=[pytest.param(user, marks=pytest.mark.verify if user == 0 else ()) for user in USERS],
    ids=lambda user: "as root" if user == 0 else "as a user",
)
def user(bubblewrap: str, request: pytest.FixtureRequest) -> int:
    """Each user that can start a sandbox here."""
    user: int = request.param
    return user
