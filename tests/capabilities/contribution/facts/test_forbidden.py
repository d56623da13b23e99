"""What configures git, automation or ownership, and what is no ordinary file, is never touched."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.capabilities.contribution.facts.forbidden import (
    forbidden_path,
    forbidden_place,
    is_binary,
    is_lock_file,
)
from tribal.ports.repositories import TreeEntry

ENTRIES = {
    "a/b.sql": TreeEntry("file", "1"),
    "run.sh": TreeEntry("executable", "2"),
    "latest": TreeEntry("link", "3"),
    "vendored": TreeEntry("submodule", "4"),
}


@each_case(
    "path",
    [
        ".gitattributes",
        "db/.gitattributes",
        ".gitmodules",
        ".git/config",
        ".GIT/config",
        "a/.Git/x",
        "git~1/config",
        ".g\u200cit/config",
        ".git./config",
        ".git /config",
        "\uff0egit/config",
        ".github/workflows/x.yml",
        ".gitlab-ci.yml",
        ".gitlab/x.yml",
        ".gitignore/x",
        ".circleci/config.yml",
        "sub/.buildkite/pipeline.yml",
        "azure-pipelines.yml",
        "ci/azure-pipelines.yaml",
        "bitbucket-pipelines.yml",
        "Jenkinsfile",
        "jenkinsfile",
        "Jenkinsfile.release",
        ".travis.yml",
        ".drone.yml",
        "appveyor.yml",
        ".appveyor.yml",
        ".pre-commit-config.yaml",
        "CODEOWNERS",
        "docs/CODEOWNERS",
        "package-lock.json",
        "sub/poetry.lock",
        "uv.lock",
        "Cargo.lock",
        "yarn.lock",
        "pnpm-lock.yaml",
        "go.sum",
        "Gemfile.lock",
        ".terraform.lock.hcl",
        "composer.lock",
        "/etc/passwd",
        "../x",
        "a/../b",
        "a//b",
        "",
        ".",
        "a\\b",
        "a\nb",
        "a\u202eb",
        "C:\\x",
    ],
)
def test_a_path_that_is_never_touched_is_named_with_a_reason(path: str) -> None:
    assert (forbidden_path(path) or "").startswith("it ")


@each_case(
    "path",
    [
        ".gitignore",
        "db/.gitignore",
        "db/migrations/V1__first.sql",
        "models/schema.yml",
        "models/_staging__models.yml",
        "a/github/x",
        "digit/x.sql",
        "a b/\u00fc\U0001f419.sql",
        "db/jenkins.sql",
        "db/lock.sql",
        "db/V2__lock.sql",
        "migrations/versions/0f_lock_table.py",
        "db/clock",
        "CHANGELOG.md",
        "docs/codeowners.md",
    ],
)
def test_other_paths_may_be_touched(path: str) -> None:
    assert forbidden_path(path) is None


def test_a_lock_file_may_be_touched_when_the_analysis_names_it() -> None:
    assert is_lock_file("sub/poetry.lock")
    assert forbidden_path("sub/poetry.lock", {"sub/poetry.lock"}) is None
    assert forbidden_path("poetry.lock", {"sub/poetry.lock"}) is not None


@each_case(
    "path, reason",
    [
        ("a/b.sql", None),
        ("a/c.sql", None),
        ("run.sh", None),
        ("latest", "it is a link"),
        ("vendored", "it is a submodule"),
        ("latest/x", "it is below 'latest', a link"),
        ("vendored/a/b", "it is below 'vendored', a submodule"),
        ("a/b.sql/c", "it is below 'a/b.sql', a file"),
    ],
)
def test_links_and_submodules_are_not_written(path: str, reason: str | None) -> None:
    assert forbidden_place(path, ENTRIES) == reason


@each_case(
    "content, expected",
    [(b"", False), (b"SELECT 1;\n", False), ("\u00fc\U0001f419".encode(), False), (b"\0", True), (b"\xff\xfe", True)],
)
def test_binaries_are_recognised(content: bytes, expected: bool) -> None:
    assert is_binary(content) is expected


@given(st.text(max_size=30))
def test_every_path_is_judged(path: str) -> None:
    assert forbidden_path(path) is None or forbidden_path(path)
    assert forbidden_path(f".git/{path}") is not None
