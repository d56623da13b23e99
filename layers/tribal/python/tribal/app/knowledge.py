"""Builds the source of knowledge, a folder or a git repository, and opens checkouts to check."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tribal.app.building import Building, Built
from tribal.capabilities.knowledge.parts import SYNC_SECONDS, KnowledgeParts
from tribal.errors import ConfigurationError, TribalError, missing_package
from tribal.ports import Provider
from tribal.ports.application import SectionReadiness
from tribal.ports.remembering.knowledge_source import KnowledgeOrigin
from tribal_contracts import KnowledgeSettings
from tribal_contracts.core.sections import find_section

if TYPE_CHECKING:
    from pydantic import SecretStr

    from tribal.adapters.git.checkout import GitCheckout
    from tribal.capabilities.knowledge.parts import FileReader
    from tribal.ports import Application, Secrets
    from tribal.ports.remembering.guidance import GuidanceSource
    from tribal.ports.remembering.knowledge_source import KnowledgeSource
    from tribal.ports.remembering.policy_checker import PolicyChecker


_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|[^/\s]+@[^/\s]+:")
"""A URL, or git's short form for ssh."""
MIRROR = "knowledge-mirror"
"""The folder for a copy of a repository that is elsewhere."""


def build(building: Building) -> Built:
    """Build knowledge; in AWS only where it is configured."""
    settings = building.settings
    section = find_section(building.sections, KnowledgeSettings)
    if section is None and settings is None:
        return Built()
    if section is not None and settings is not None:
        section = _placed(section, settings.project, settings.store / "knowledge")
    mirror = building.scratch(MIRROR)
    opened = None if section is None else partial(_opened, section, mirror, building.secrets, building.fetch_seconds)
    parts = KnowledgeParts(
        origin=None if section is None or opened is None else KnowledgeOrigin(section, building.company, opened),
        stale_hours=building.stale_hours,
        sync_seconds=building.sync_seconds or (SYNC_SECONDS if building.limits else None),
        databases=() if settings is None else settings.database_types,
        file_reader=None if settings is None else Provider(_file_reader),
    )
    return Built(
        parts=parts,
        guidance=partial(_guidance, building),
        policies=partial(_policy_checker, building),
        section_readiness=None if section is None or opened is None else partial(_readiness, section, opened, building),
    )


def _placed(knowledge: KnowledgeSettings, project: Path, published: Path) -> KnowledgeSettings:
    """The settings with the absolute path of a local repository.

    Args:
        knowledge: the settings.
        project: the folder that a path is relative to.
        published: the folder that the snapshot is written to.

    Raises:
        ConfigurationError: when the repository is that folder, or in it.
    """
    if _ELSEWHERE.match(knowledge.repository):
        return knowledge
    place = (project / Path(knowledge.repository).expanduser()).resolve()
    if place == published or published in place.parents:
        raise ConfigurationError(
            f"knowledge: the snapshot of {str(place)!r} would be written to {str(published)!r}; give the folder"
            " with the decisions another name, such as `decisions`"
        )
    return knowledge.model_copy(update={"repository": str(place)})


def _readiness(
    section: KnowledgeSettings, opened: Callable[[], AbstractContextManager[KnowledgeSource]], building: Building
) -> list[SectionReadiness]:
    """Check the repository as far as this machine knows it, and the token."""
    ready = SectionReadiness("knowledge", section.repository)
    try:
        with opened():
            _token(section, building.secrets)
    except TribalError as error:
        return [replace(ready, missing=error.message)]
    if not _ELSEWHERE.match(section.repository) and not Path(section.repository).is_dir():
        return [replace(ready, missing="the folder does not exist; create it, or correct `knowledge.repository`")]
    return [ready]


@contextmanager
def _opened(
    settings: KnowledgeSettings, mirror: Path, secrets: Provider[Secrets], seconds: float
) -> Iterator[KnowledgeSource]:
    with ExitStack() as closing_later:
        token = partial(_token, settings, secrets)
        source = knowledge_source(settings.repository, settings.branch, mirror=mirror, token=token, seconds=seconds)
        close = getattr(source, "close", None)
        if close is not None:
            closing_later.callback(close)
        yield source


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


def _guidance(building: Building) -> GuidanceSource | None:
    """Published decisions about tables; `None` if nothing can have been published."""
    from tribal.capabilities.knowledge.guidance import KnowledgeGuidance
    from tribal.capabilities.knowledge.snapshots.visible_items import SnapshotReader
    from tribal.scoping.bounds import Bounds

    if not _may_be_published(building):
        return None
    # `guidance_of` leaves out items that mention a hidden table.
    snapshots = SnapshotReader(building.store(), building.embedder, building.derived)
    return KnowledgeGuidance(lambda caller: snapshots.visible(caller.identity, Bounds(caller.scope)))


def _policy_checker(building: Building, app: Application) -> PolicyChecker | None:
    """Checks SQL against the published policies; `None` if nothing can have been published.

    Raises:
        ConfigurationError: when a package is missing.
    """
    if not _may_be_published(building):
        return None
    try:
        from tribal.capabilities.knowledge.check import SqlPolicyChecker
    except ModuleNotFoundError as error:
        raise ConfigurationError(missing_package(error.name, "checking policies", "knowledge")) from error
    return SqlPolicyChecker(app)


def _may_be_published(building: Building) -> bool:
    from tribal.capabilities.knowledge.snapshots.snapshot import MANIFEST

    settings = building.settings
    if (
        settings is None
        or settings.bucket is not None
        or find_section(building.sections, KnowledgeSettings) is not None
    ):
        return True
    return (settings.store / MANIFEST).exists()


def _file_reader() -> FileReader:
    """Reads files for checks, in local processes."""
    from tribal.adapters.local.reading_processes import ReadingProcesses

    return ReadingProcesses("tribal.capabilities.knowledge.policies.file_names")


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
