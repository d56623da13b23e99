"""Parses the API's answers about a repository, its branches, commits and files."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from tribal.adapters.github.client import GitHubClient
from tribal.adapters.github.fields import (
    is_object_name,
    list_at,
    number_at,
    object_name_at,
    optional_text_at,
    text_at,
)
from tribal.errors import RepositoryUnreadable, RepositoryUnusable
from tribal.ports.repositories import EntryKind, TreeEntry, Visibility

MOST_FILE_BYTES = 50_000_000
"""The size from which GitHub warns about a file."""
_KINDS: Mapping[str, EntryKind] = {
    "100644": "file",
    "100664": "file",
    "100755": "executable",
    "120000": "link",
    "160000": "submodule",
}


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """The properties of a repository."""

    owner: str
    name: str
    url: str
    visibility: Visibility
    default_branch: str


def read_facts(client: GitHubClient) -> RepositoryFacts:
    """Read what the repository is.

    Raises:
        RepositoryUnusable: when it has another name now, or is archived.
        RepositoryUnreadable: when it does not exist, or the token may not see it.
    """
    found = client.get(client.address.repository)
    full_name, page = text_at(found, "full_name"), client.address.page
    if full_name.casefold() != f"{client.address.owner}/{client.address.name}".casefold():
        raise RepositoryUnusable(f"{page!r} is {full_name!r} now; change `url` of the repository")
    if found.get("archived") is True:
        raise RepositoryUnusable(f"{page!r} is archived, so that nothing can be contributed")
    is_public = found.get("private") is False and optional_text_at(found, "visibility") in ("public", None)
    owner, _, name = full_name.partition("/")
    return RepositoryFacts(
        owner=owner,
        name=name,
        url=_without_credentials(text_at(found, "html_url")),
        visibility="public" if is_public else "private",
        default_branch=text_at(found, "default_branch"),
    )


def find_tip(client: GitHubClient, branch: str) -> str | None:
    """Return the commit at the tip of a branch; `None` if it does not exist."""
    found = client.find(f"{client.address.repository}/git/ref/{quote(f'heads/{branch}', safe='')}")
    return None if found is None else object_name_at(found, "object", "sha")


def require_tip(client: GitHubClient, branch: str) -> str:
    """Return the commit at the tip of a branch.

    Raises:
        RepositoryUnusable: when it does not exist.
    """
    tip = find_tip(client, branch)
    if tip is None:
        raise RepositoryUnusable(f"{client.address.page!r} has no branch {branch!r}; check `base` of the repository")
    return tip


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """A commit."""

    tree: str
    message: str


def require_commit(client: GitHubClient, name: str) -> CommitFacts:
    """Read a commit.

    Raises:
        RepositoryUnusable: when it does not exist.
    """
    route = client.address.repository
    found = client.find(f"{route}/git/commits/{name}") if is_object_name(name) else None
    if found is None:
        # Fails if it is the repository that the token cannot see.
        client.get(route)
        raise RepositoryUnusable(f"{client.address.page!r} has no commit {name!r}; prepare again")
    return CommitFacts(object_name_at(found, "tree", "sha"), text_at(found, "message"))


def read_entries(client: GitHubClient, tree: str, most_files: int) -> dict[str, TreeEntry]:
    """Read every file of a tree by its path, in order. Files whose names are not UTF-8 are left out.

    Raises:
        RepositoryUnusable: when there are too many.
    """
    found = client.get(f"{client.address.repository}/git/trees/{tree}?recursive=1")
    items = [item for item in list_at(found, "tree") if optional_text_at(item, "type") != "tree"]
    if found.get("truncated") is not False or len(items) > most_files:
        raise RepositoryUnusable(f"{client.address.page!r} has more than {most_files:,} files, which is not supported")
    entries = {}
    for item in items:
        path, kind = text_at(item, "path"), _KINDS.get(text_at(item, "mode"))
        if kind is not None and "\ufffd" not in path:
            size = 0 if kind == "submodule" else number_at(item, "size")
            entries[path] = TreeEntry(kind, object_name_at(item, "sha"), size)
    return dict(sorted(entries.items()))


def read_blob(client: GitHubClient, name: str, size: int) -> bytes:
    """Read the bytes of a file by the name of its object.

    Raises:
        RepositoryUnreadable: when they are not those of the object.
    """
    found = client.get(f"{client.address.repository}/git/blobs/{name}", most_bytes=2 * size + (1 << 20))
    try:
        data = base64.b64decode(text_at(found, "content"))
    except (binascii.Error, ValueError):
        data = None
    if data is None or blob_name(data) != name:
        raise RepositoryUnreadable(f"the object {name} of {client.address.page!r} is damaged; try again")
    return data


def blob_name(data: bytes) -> str:
    """Return the name that git gives to the bytes of a file."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _without_credentials(url: str) -> str:
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("https", "http"):
            return ""
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
    except ValueError:
        return ""
