"""Where a repository on GitHub is: its page, its API and the host of its archives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self
from urllib.parse import SplitResult, urljoin, urlsplit

from tribal.errors import RepositoryUnusable

_OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})")
_NAME = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_PUBLIC_HOST = "github.com"
_RESIDENT = ".ghe.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHubAddress:
    """The addresses of one repository."""

    owner: str
    name: str
    page: str
    """The repository's page."""
    api: str
    """Base address of the API, without a final slash."""
    tarball_host: str
    """Host of archives, with its port if it is unusual; requests to it carry no token."""

    @classmethod
    def of(cls, url: str, api_url: str | None = None, tarball_host: str | None = None) -> Self:
        """Read the address of a repository's page; the others follow from it unless given.

        Raises:
            RepositoryUnusable: when it is not the https address of a repository.
        """
        page = _require_safe(url, "url")
        parts = page.path.removesuffix("/").removesuffix(".git").split("/")
        if len(parts) != 3 or not _OWNER.fullmatch(parts[1]) or not _NAME.fullmatch(parts[2]):
            raise RepositoryUnusable(
                f"{url!r} is not the address of a repository, such as https://github.com/acme/shop"
            )
        owner, name, host = parts[1], parts[2], page.netloc.lower()
        api = _default_api(page, host) if api_url is None else _require_safe(api_url, "api_url").geturl()
        return cls(
            owner=owner,
            name=name,
            page=f"{page.scheme}://{host}/{owner}/{name}",
            api=api.rstrip("/"),
            tarball_host=(tarball_host or f"codeload.{host}").lower(),
        )

    @property
    def repository(self) -> str:
        """Path of the repository's routes in the API."""
        return f"/repos/{self.owner}/{self.name}"


def origin_of(url: str) -> tuple[str, str]:
    """Return the scheme and the host with its port; an address that cannot be parsed has neither."""
    try:
        parts = urlsplit(url)
        usual = {"https": 443, "http": 80}.get(parts.scheme)
        host = (parts.hostname or "").lower()
        return (parts.scheme, host if parts.port in (None, usual) else f"{host}:{parts.port}")
    except ValueError:
        return ("", "")


def resolve_url(current: str, target: str) -> str:
    """Return the address that a redirect or a link leads to; empty if it cannot be parsed."""
    try:
        return urljoin(current, target)
    except ValueError:
        return ""


def _require_safe(url: str, setting: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port
    except ValueError as error:
        raise RepositoryUnusable(f"`{setting}` of the repository is not an address") from error
    if host is None or parts.username is not None or parts.query or parts.fragment:
        raise RepositoryUnusable(f"`{setting}` of the repository must be an address without user, `?` and `#`")
    if parts.scheme != "https" and not (parts.scheme == "http" and host in _LOOPBACK):
        raise RepositoryUnusable(f"{url!r} must begin with https://, so that no one else can read the token")
    return parts


def _default_api(page: SplitResult, host: str) -> str:
    if host == _PUBLIC_HOST or host.endswith(_RESIDENT):
        return f"{page.scheme}://api.{host}"
    return f"{page.scheme}://{host}/api/v3"
