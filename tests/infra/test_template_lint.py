"""The templates pass the linter of CloudFormation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import verify_all_but
from tests.infra.synthesis import Assembly

pytestmark = pytest.mark.xdist_group("infra")

LINTED = {"prod", "small"}
"""Environments whose templates `make test` lints: OpenSearch, and an index in a file."""


@verify_all_but(1, "linted", [True, False], ids=["chosen", "others"])
def test_the_linter_of_cloudformation_finds_nothing(assembly: Assembly, linted: bool) -> None:
    linter = Path(sys.executable).with_name("cfn-lint")
    templates = [str(each.path) for name, each in assembly.templates.items() if (name in LINTED) is linted]
    assert templates
    ran = subprocess.run([str(linter), *templates], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, "")
