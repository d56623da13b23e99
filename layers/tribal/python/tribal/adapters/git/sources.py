"""Opens the source of knowledge for a repository setting."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tribal.errors import ConfigurationError

if TYPE_CHECKING:
    from pydantic import SecretStr

    from tribal.ports.remembering.knowledge_source import KnowledgeSource

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SHORT_SSH = re.compile(r"[^/\s:@]+@[^/\s:]+:")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def knowledge_source(
    repository: str, branch: str | None, *, mirror: Path, token: Callable[[], SecretStr | None], seconds: float
) -> KnowledgeSource:
    """The source that a repository is: a folder, a git repository on this machine, or one behind a URL.

    A folder that is the root of a git repository is read as git has it; one within a checkout is a plain folder.

    Args:
        repository: a path, or a URL of https or ssh; http only of this machine.
        branch: the branch; of a repository its own default when unset.
        mirror: a folder for a copy of what is behind a URL.
        token: gives what is sent as the password over https.
        seconds: the longest that fetching may take.

    Raises:
        ConfigurationError: when it cannot be one of these, or a package is missing.
    """
    try:
        if _URL.match(repository) or _SHORT_SSH.match(repository):
            _check_url(repository)
            from tribal.adapters.git.remote import RemoteGitKnowledge

            return RemoteGitKnowledge(repository, branch, mirror, token, seconds)
        place = Path(repository)
        if (place / ".git").exists() or ((place / "objects").is_dir() and (place / "HEAD").is_file()):
            from tribal.adapters.git.knowledge import GitKnowledge

            return GitKnowledge(place, branch)
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"{error.name} is not installed, which reading git needs: pip install 'tribal-knowledge[knowledge]'"
        ) from error
    if branch is not None:
        raise ConfigurationError(
            f"knowledge.branch is {branch!r}, but {repository!r} is not the root of a git repository; remove the branch"
        )
    from tribal.adapters.local.knowledge import KnowledgeFolder

    return KnowledgeFolder(place)


def _check_url(repository: str) -> None:
    if not _URL.match(repository):
        return
    parts = urlsplit(repository)
    if parts.password or (parts.username and parts.scheme != "ssh"):
        raise ConfigurationError(
            "knowledge.repository has a name or a password in its URL; put the token into a secret, and its name into"
            " knowledge.token_secret"
        )
    if parts.scheme == "http" and parts.hostname in _LOOPBACK:
        return
    if parts.scheme not in ("https", "ssh") or not parts.hostname:
        raise ConfigurationError(
            f"knowledge.repository uses {parts.scheme}; name a folder, or a repository over https or ssh"
        )
