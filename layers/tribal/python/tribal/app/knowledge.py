"""Builds the source of knowledge, a folder or a git repository, and opens checkouts to check."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tribal.errors import ConfigurationError, TribalError, missing_package
from tribal.ports import Provider
from tribal.ports.remembering.knowledge_source import KnowledgeOrigin

if TYPE_CHECKING:
    from pydantic import SecretStr

    from tribal.adapters.git.checkout import GitCheckout
    from tribal.capabilities.knowledge.parts import FileReader
    from tribal.identity.table_names import TableIdentity
    from tribal.ports import Application, Embedder, ObjectStore, Secrets
    from tribal.ports.caller import Caller
    from tribal.ports.derived import DerivedValues
    from tribal.ports.remembering.guidance import Guidance, GuidanceSource
    from tribal.ports.remembering.knowledge_source import KnowledgeSource
    from tribal.ports.remembering.policy_checker import PolicyChecker
    from tribal_contracts import KnowledgeSettings


_LOG = logging.getLogger(__name__)


def knowledge_origin(
    settings: KnowledgeSettings | None, company: str | None, mirror: Path, secrets: Provider[Secrets], seconds: float
) -> KnowledgeOrigin | None:
    """The source of knowledge in these settings, with a time limit for fetching.

    `mirror` is a folder for a copy of a remote repository.
    """
    if settings is None:
        return None
    return KnowledgeOrigin(settings, company, partial(_opened, settings, mirror, secrets, seconds))


@contextmanager
def _opened(
    settings: KnowledgeSettings, mirror: Path, secrets: Provider[Secrets], seconds: float
) -> Iterator[KnowledgeSource]:
    with ExitStack() as closing_later:
        source = _source(settings, mirror, secrets, seconds)
        close = getattr(source, "close", None)
        if close is not None:
            closing_later.callback(close)
        yield source


def _source(settings: KnowledgeSettings, mirror: Path, secrets: Provider[Secrets], seconds: float) -> KnowledgeSource:

    return knowledge_source(
        settings.repository, settings.branch, mirror=mirror, token=partial(_token, settings, secrets), seconds=seconds
    )


def _token(settings: KnowledgeSettings, secrets: Provider[Secrets]) -> SecretStr | None:
    if settings.token_secret is None:
        return None
    token = secrets().get(settings.token_secret)
    if token is None:
        raise ConfigurationError(
            f"the secret {settings.token_secret!r} with the token for {settings.repository} is missing; create it, or"
            " leave `token_secret` out"
        )
    return token


def knowledge_guidance(
    store: Provider[ObjectStore], embedder: Provider[Embedder], derived: DerivedValues
) -> GuidanceSource:
    """Published decisions about tables."""
    from tribal.capabilities.knowledge.guidance import KnowledgeGuidance
    from tribal.capabilities.knowledge.snapshots.visible_items import SnapshotReader
    from tribal.scoping.bounds import Bounds

    # `guidance_of` leaves out items that mention a hidden table.
    snapshots = SnapshotReader(store(), embedder, derived)
    return KnowledgeGuidance(lambda caller: snapshots.visible(caller.identity, Bounds(caller.scope)))


def policy_checker(app: Application) -> PolicyChecker:
    """Checks SQL against the published policies."""
    from tribal.capabilities.knowledge.check import SqlPolicyChecker

    return SqlPolicyChecker(app)


def file_reader() -> FileReader:
    """Reads files for checks, in local processes."""
    from tribal.adapters.local.reading_processes import ReadingProcesses

    return ReadingProcesses("tribal.capabilities.knowledge.policies.file_names")


class JoinedGuidance:
    """Joins several sources of guidance; if one fails, the others still answer."""

    def __init__(self, sources: Sequence[GuidanceSource]) -> None:
        self._sources = sources

    def about(self, table: TableIdentity, caller: Caller) -> Sequence[Guidance]:
        """The guidance of all sources."""
        found: list[Guidance] = []
        for source in self._sources:
            try:
                found += source.about(table, caller)
            except TribalError as error:
                _LOG.warning("no guidance for a table: %s", error.message)
        return found


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
        raise ConfigurationError(missing_package(error.name, "reading git", "knowledge")) from error
    if branch is not None:
        raise ConfigurationError(
            f"knowledge.branch is {branch!r}, but {repository!r} is not the root of a git repository; remove the branch"
        )
    from tribal.adapters.local.knowledge import KnowledgeFolder

    return KnowledgeFolder(place)


@contextmanager
def open_checkout(folder: Path) -> Iterator[GitCheckout | None]:
    """The checkout that a folder is in; `None` outside of any.

    Raises:
        ConfigurationError: when it cannot be read, or a package is missing.
    """
    try:
        from tribal.adapters.git.checkout import GitCheckout
    except ModuleNotFoundError as error:
        raise ConfigurationError(missing_package(error.name, "reading git", "knowledge")) from error
    checkout = GitCheckout.find(folder)
    try:
        yield checkout
    finally:
        if checkout is not None:
            checkout.close()


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
