"""Names what a contribution never touches.

Source: docs/contracts.md, Contribution.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping

from tribal.ports.repositories import TreeEntry

_PIPELINES = re.compile(
    r"jenkinsfile(?:\..*)?|codeowners"
    r"|\.?(?:azure-pipelines|bitbucket-pipelines|travis|drone|appveyor|pre-commit-config|gitlab-ci)\.ya?ml"
)
_PIPELINE_FOLDERS = {".circleci", ".buildkite"}
_LOCKS = re.compile(
    r"(?:package-lock|npm-shrinkwrap|packages\.lock|project\.assets)\.json|pnpm-lock\.ya?ml|bun\.lockb|go\.sum"
    r"|(?:.+\.)?lock|.+\.lock\.(?:json|ya?ml|hcl|toml)|\.terraform\.lock\.hcl|requirements.*\.lock|package-lock\.ya?ml"
)
_BINARY_CHECKED_BYTES = 8_000
"""How many bytes git looks at to tell whether a file is binary."""


def forbidden_path(path: str, named: Collection[str] = ()) -> str | None:
    """Say why a path is never touched, such as "it configures git or the forge"; `None` if it may be.

    Args:
        path: relative to the root, separated by `/`.
        named: lock files that the analysis names, which may be touched.
    """
    if not is_inside(path):
        return "it is not a path inside of the repository"
    parts = path.split("/")
    # As file systems that ignore case, invisible characters, or blanks and dots at the end compare names.
    *folders, name = (_comparable(part) for part in parts)
    if any(part.startswith((".git", "git~")) for part in (*folders, "" if name == ".gitignore" else name)):
        return "it configures git or the forge"
    if _PIPELINES.fullmatch(name) or _PIPELINE_FOLDERS & {*folders, name}:
        return "it configures automation or ownership"
    if is_lock_file(path) and path not in named:
        return "it is a lock file"
    return None


def is_inside(path: str) -> bool:
    """Whether a path is one inside of a repository, without characters that no one sees."""
    is_plain = "\\" not in path and path.isprintable()
    return is_plain and not any(part in ("", ".", "..") for part in path.split("/"))


def is_lock_file(path: str) -> bool:
    """Whether a path is that of a package manager's lock file."""
    return _LOCKS.fullmatch(_comparable(path.rpartition("/")[2])) is not None


def forbidden_place(path: str, entries: Mapping[str, TreeEntry]) -> str | None:
    """Say why a path must not be written in a tree: it is, or is below, a link, a submodule or another file."""
    found = entries.get(path)
    if found is not None and found.kind in ("link", "submodule"):
        return f"it is a {found.kind}"
    parts = path.split("/")
    above = next((each for count in range(1, len(parts)) if (each := "/".join(parts[:count])) in entries), None)
    return None if above is None else f"it is below {above!r}, a {entries[above].kind}"


def is_binary(content: bytes) -> bool:
    """Whether a file is binary, as git sees it, or not UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return True
    return b"\0" in content[:_BINARY_CHECKED_BYTES]


def _comparable(name: str) -> str:
    visible = "".join(each for each in unicodedata.normalize("NFKC", name) if unicodedata.category(each) != "Cf")
    return visible.casefold().rstrip(". ")
