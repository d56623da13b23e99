"""Commands of pages that no test runs, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from tests.docs.blocks import Command

_ACCOUNT = "it needs an AWS account"
_ENVIRONMENT = "it needs an environment in AWS; a test of its own parses the command line"
_SNOWFLAKE = "it needs a Snowflake account"
_MODEL = "it needs a model's key"
_GITHUB = "it needs a repository on GitHub and a model's key"
_AGENT = "it needs the agent's program"
_INSTALLED = "tests/infra/test_installed.py builds and installs the wheel"
NOT_RUN: Mapping[str, str] = {
    "*: aws *": _ACCOUNT,
    "*: tribal --profile *": _ENVIRONMENT,
    "README.md: claude mcp *": _AGENT,
    "README.md: code --add-mcp *": _AGENT,
    "README.md: make demo": "it has a test of its own",
    "README.md: make dist": _INSTALLED,
    "README.md: uv tool install *": _INSTALLED,
    "commands.md: tribal run": _MODEL,
    "contribution-github.md: tribal contribute prepare --issue *": _GITHUB,
    "contribution-issues.md: tribal contribute *": _GITHUB,
    "deploying.md: curl *": _ACCOUNT,
    "deploying.md: infra/node_modules/.bin/cdk bootstrap *": _ACCOUNT,
    "deploying.md: make * ENV=dev*": _ACCOUNT,
    "deploying.md: npm --prefix infra ci": "tests/checks.py runs it, and it changes this repository's folder",
    "operating.md: tribal document": _ACCOUNT,
    "operating.md: tribal plan": _ACCOUNT,
    "snowflake.md: TRIBAL_LIVE=1 *": _SNOWFLAKE,
    "snowflake.md: tribal check *": _SNOWFLAKE,
}
"""Reasons by pattern of a page and a command, in which `*` is any text."""


def left_out_by(page: Path, command: Command) -> str | None:
    """Return the pattern that leaves out a command."""
    return next((each for each in NOT_RUN if fnmatchcase(f"{page.name}: {command.text}", each)), None)
