"""An AWS account that is none: credentials that open nothing, by way of `tests/conftest.py`."""

from __future__ import annotations

import os

import pytest


@pytest.fixture
def aws_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials that no service would take, and nothing of the account of whoever runs the tests."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
