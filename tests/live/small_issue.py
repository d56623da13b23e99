"""A real model does a small issue; GitHub is the stand-in. `make live` runs it where a key is there."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.capabilities.contribution.writing.issues import BODY, TITLE
from tests.edges.cli.test_contribute_issues import CONFIGURED, github_with_issues
from tests.edges.cli.tribal_command import tribal
from tests.fakes.github.server import READ_TOKEN, WRITE_TOKEN
from tests.live.__main__ import MODELS, SWITCH

CAP = 0.05
"""Dollars."""


@pytest.mark.parametrize("variable", MODELS)
def test_a_small_issue_becomes_a_change_that_passes_its_checks(
    variable: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    value = os.environ.get(variable)
    if os.environ.get(SWITCH) != "1" or not value:
        pytest.skip(f"set {SWITCH}=1 and {variable}")
    provider, name = MODELS[variable]
    model = {"provider": provider, "name": name or value}
    if provider != "ollama":
        model["api_key_secret"] = variable
    with github_with_issues() as github:
        text = CONFIGURED.format(
            model=json.dumps(model), page=github.page, api=github.api, archives=github.tarball_host, usd=CAP
        )
        (tmp_path / "databases.yaml").write_text(text, encoding="utf-8")
        issue = github.pulls.ask(7, TITLE, BODY)
        asked = ("contribute", "prepare", "--issue", issue, "--model", "writer", "--yes")
        done = tribal(*asked, cwd=tmp_path, SHOP_READ=READ_TOKEN, SHOP_WRITE=WRITE_TOKEN, **{variable: value})
    with capsys.disabled():
        sys.stdout.write(f"{done.stdout}{done.stderr}")
    assert done.returncode == 0
    assert "ValueError" in done.stdout
