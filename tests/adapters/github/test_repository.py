"""Files are read as they were committed, whatever the archive says, and nothing is written anywhere."""

from __future__ import annotations

import io
import random
import tarfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.github.clients import FILES, client_of, repository_of
from tests.cases import each_case
from tests.fakes.github.server import FakeGitHub
from tribal.adapters.github.address import GitHubAddress
from tribal.adapters.github.repository import GitHubRepository
from tribal.errors import RepositoryUnreadable, RepositoryUnusable, TribalError
from tribal.ports.repositories import RepositoryTree

ROOT = "acme-shop-1234567"


def tree_of(github: FakeGitHub, **limits: int) -> RepositoryTree:
    """The files of the base commit."""
    repository = repository_of(github, **limits)
    return repository.tree(repository.state().base_commit)


def contents(tree: RepositoryTree) -> dict[str, bytes]:
    """Every file of a tree."""
    return {path: tree.read(path) for path in tree.entries}


def wanted() -> dict[str, bytes]:
    """What the files of the first commit are."""
    return {path: data[1] if isinstance(data, tuple) else data for path, data in FILES.items()}


def test_a_repository_is_read_by_one_archive_without_the_token(github: FakeGitHub) -> None:
    tree = tree_of(github)
    assert contents(tree) == wanted()
    assert {path: entry.size_bytes for path, entry in tree.entries.items()} == {
        path: len(data) for path, data in wanted().items()
    }
    # The link is read by itself.
    assert github.calls == ["repository", "ref", "commit", "tree", "tarball", "archive", "blob"]


def test_a_commit_is_downloaded_once(github: FakeGitHub) -> None:
    repository = repository_of(github)
    commit = repository.state().base_commit
    assert repository.tree(commit) is repository.tree(commit)
    repository.tree(commit).read("README.md")
    repository.tree(commit).read("db/V1__first.sql")
    assert github.calls.count("archive") == 1
    assert repository.uncommitted(["README.md"]) == []


def test_few_archives_are_stored_at_the_same_time(github: FakeGitHub) -> None:
    repository = repository_of(github)
    first = repository.tree(repository.state().base_commit)
    assert first.read("README.md") == b"# Shop\n"
    for number in range(3):
        commit = github.objects.commit({"x": str(number).encode()})
        assert repository.tree(commit).read("x") == str(number).encode()
    assert github.calls.count("archive") == 4
    assert first.read("README.md") == b"# Shop\n"
    assert github.calls.count("archive") == 5


@each_case(
    "changes",
    [
        {"README.md": None},
        {"README.md": b"# Shop at $Format:%H$\n"},
        {"db/V1__first.sql": b"version https://git-lfs.github.com/spec/v1\n", "deploy.sh": None},
    ],
)
def test_files_that_an_archive_leaves_out_or_changes_are_read_as_they_were_committed(
    changes: Mapping[str, bytes | None],
) -> None:
    github = FakeGitHub(FILES)
    github.archive_changes.update(changes)
    try:
        assert contents(tree_of(github)) == wanted()
        assert github.calls.count("blob") == 1 + len(changes)
    finally:
        github.stop()


def archive_of(*members: tuple[str, bytes, bytes | str]) -> bytes:
    """An archive of members: name, type, and content or the target of a link."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        for name, kind, content in members:
            made = tarfile.TarInfo(name)
            made.type = kind
            data = content if isinstance(content, bytes) else b""
            made.size = len(data)
            made.linkname = content if isinstance(content, str) else ""
            archive.addfile(made, io.BytesIO(data))
    return written.getvalue()


README = f"{ROOT}/README.md"
HOSTILE: Mapping[str, bytes] = {
    "traversal": archive_of(
        ("../../README.md", tarfile.REGTYPE, b"x"), (f"{ROOT}/../README.md", tarfile.REGTYPE, b"x")
    ),
    "absolute": archive_of(("/etc/tribal-was-here", tarfile.REGTYPE, b"x")),
    "a link in the place of a file": archive_of((README, tarfile.SYMTYPE, "/etc/passwd")),
    "a hard link": archive_of((README, tarfile.LNKTYPE, "/etc/passwd")),
    "below a link": archive_of((f"{ROOT}/db", tarfile.SYMTYPE, "/tmp"), (f"{ROOT}/db/x", tarfile.REGTYPE, b"x")),
    "a device": archive_of((README, tarfile.CHRTYPE, b""), (f"{ROOT}/deploy.sh", tarfile.BLKTYPE, b"")),
    "a pipe": archive_of((README, tarfile.FIFOTYPE, b"")),
    "an odd type": archive_of((README, b"Z", b"x")),
    "twice": archive_of((README, tarfile.REGTYPE, b"# Shop\n"), (README, tarfile.REGTYPE, b"other")),
    "other content": archive_of((README, tarfile.REGTYPE, b"DROP TABLE a;")),
    "nothing": archive_of(),
    "no folder": archive_of(("README.md", tarfile.REGTYPE, b"x")),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_changes_no_file_and_writes_none(
    github: FakeGitHub, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    github.archive = HOSTILE[name]
    assert contents(tree_of(github)) == wanted()
    assert list(tmp_path.iterdir()) == []
    assert not Path("/etc/tribal-was-here").exists()


def gzip(data: bytes) -> bytes:
    """Compress something that need not be an archive."""
    packing = zlib.compressobj(9, wbits=31)
    return packing.compress(data) + packing.flush()


def header(name: str, kind: bytes, size: int) -> bytes:
    """One header with any size."""
    made = tarfile.TarInfo(name)
    made.type, made.size = kind, size
    return made.tobuf(tarfile.GNU_FORMAT)


BOMBS: Mapping[str, tuple[bytes, type[TribalError], str]] = {
    "unpacked": (gzip(bytes(3_000_000)), RepositoryUnusable, "more than 1,000,000 bytes unpacked"),
    "packed": (gzip(random.Random(1).randbytes(120_000)), RepositoryUnusable, "more than 100,000 bytes packed"),
    "no gzip": (b"no archive", RepositoryUnreadable, "damaged"),
    "cut": (archive_of(("a/b", tarfile.REGTYPE, b"x" * 10_000))[:-20], RepositoryUnreadable, "incomplete"),
    "no tar": (gzip(b"no archive" * 100), RepositoryUnreadable, "damaged"),
    "entries": (
        archive_of(*((f"{ROOT}/{number}", tarfile.DIRTYPE, b"") for number in range(100))),
        RepositoryUnusable,
        "more than 40 entries",
    ),
    "a long attribute": (gzip(header("x", tarfile.XHDTYPE, 900 << 20)), RepositoryUnreadable, "damaged"),
    "a long name": (gzip(header("x", tarfile.GNUTYPE_LONGNAME, 900 << 20)), RepositoryUnreadable, "damaged"),
    "many attributes": (
        gzip(header("x", tarfile.XHDTYPE, 0) * 1_500 + bytes(1024)),
        RepositoryUnreadable,
        "damaged",
    ),
    "a long file": (
        gzip(header(README, tarfile.REGTYPE, 1 << 40) + bytes(1024)),
        RepositoryUnreadable,
        "damaged",
    ),
}


@each_case("name", BOMBS)
def test_a_bomb_is_refused(name: str) -> None:
    archive, cause, message = BOMBS[name]
    github = FakeGitHub(FILES)
    github.archive = archive
    try:
        tree = tree_of(github, packed_bytes=100_000, unpacked_bytes=1_000_000, files=10)
        with pytest.raises(cause, match=message):
            tree.read("README.md")
        assert github.calls.count("archive") == 1
    finally:
        github.stop()


def test_an_archive_that_cannot_be_stored_is_reported(
    github: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "absent"))
    with pytest.raises(RepositoryUnreadable, match="cannot store the archive"):
        tree_of(github).read("README.md")


def test_a_download_that_breaks_begins_again(github: FakeGitHub) -> None:
    github.fail("500", "archive")
    github.fail("reset after", "archive")
    assert tree_of(github).read("README.md") == b"# Shop\n"
    assert github.calls.count("archive") == 3


def test_too_many_files_are_refused(github: FakeGitHub) -> None:
    with pytest.raises(RepositoryUnusable, match="more than 3 files"):
        _ = tree_of(github, files=3).entries


def changed(route: str, change: Callable[[Any], Any]) -> FakeGitHub:
    """A stand-in that answers a route differently."""
    return FakeGitHub(FILES, complete=lambda name, _status, body: change(body) if name == route else body)


@each_case(
    ("route", "change", "message"),
    [
        ("tree", lambda body: {**body, "truncated": True}, "files, which is not supported"),
        ("tree", lambda body: {**body, "tree": [{"path": "x"}]}, "no usable 'mode'"),
        ("tree", lambda body: {**body, "tree": "x"}, "no usable 'tree'"),
        ("commit", lambda body: {**body, "tree": {"sha": "../../x"}}, "no usable 'tree.sha'"),
        ("commit", lambda _: [], "no usable 'tree.sha'"),
        ("blob", lambda body: {**body, "content": "AAAA"}, "damaged"),
        ("blob", lambda body: {**body, "content": "\u00e9"}, "damaged"),
        ("blob", lambda _: None, "neither an object nor a list"),
    ],
)
def test_an_answer_of_another_shape_is_reported(route: str, change: Callable[[Any], Any], message: str) -> None:
    github = changed(route, change)
    try:
        with pytest.raises(TribalError, match=message):
            contents(tree_of(github))
    finally:
        github.stop()


@each_case(
    ("private", "visibility", "expected"),
    [(False, "public", "public"), (True, "private", "private"), (True, "internal", "private"), (False, "x", "private")],
)
def test_only_public_repositories_count_as_public(private: bool, visibility: str, expected: str) -> None:
    github = FakeGitHub(FILES, private=private, visibility=visibility)
    state = GitHubRepository(client_of(github, token=None if not private else "github_pat_reads")).state()
    github.stop()
    assert state.visibility == expected
    assert (state.owner, state.name, state.url, state.author) == ("acme", "shop", github.page, "")


@each_case(
    ("changes", "base", "message"),
    [
        ({"archived": True}, None, "archived"),
        ({"files": {}}, None, "Git Repository is empty"),
        ({}, "release", "no branch 'release'"),
    ],
)
def test_a_repository_that_cannot_be_contributed_to_is_refused(
    changes: dict[str, Any], base: str | None, message: str
) -> None:
    github = FakeGitHub(**{"files": FILES, **changes})
    with pytest.raises(RepositoryUnusable, match=message):
        GitHubRepository(client_of(github), base).state()
    github.stop()


def test_a_repository_with_another_name_is_refused() -> None:
    github = changed("repository", lambda body: {**body, "full_name": "mallory/shop"})
    with pytest.raises(RepositoryUnusable, match="is 'mallory/shop' now"):
        repository_of(github).state()
    github.stop()


def test_credentials_in_the_address_that_github_names_are_left_out() -> None:
    github = changed("repository", lambda body: {**body, "html_url": "https://a:b@github.example/acme/shop?token=1"})
    assert repository_of(github).state().url == "https://github.example/acme/shop"
    github.stop()


@each_case(
    ("url", "api", "archives"),
    [
        ("https://github.com/acme/shop", "https://api.github.com", "codeload.github.com"),
        ("https://github.com/acme/shop.git/", "https://api.github.com", "codeload.github.com"),
        ("https://acme.ghe.com/acme/shop", "https://api.acme.ghe.com", "codeload.acme.ghe.com"),
        ("https://git.acme.org:8443/a/b", "https://git.acme.org:8443/api/v3", "codeload.git.acme.org:8443"),
    ],
)
def test_the_addresses_of_a_repository_follow_from_its_page(url: str, api: str, archives: str) -> None:
    found = GitHubAddress.of(url)
    assert (found.api, found.tarball_host) == (api, archives)


@each_case(
    "url",
    [
        "https://github.com/acme",
        "https://github.com/acme/shop/tree/main",
        "https://github.com/acme/..",
        "https://github.com/a%2fb/c",
        "https://token@github.com/acme/shop",
        "http://github.com/acme/shop",
        "ssh://github.com/acme/shop",
        "git@github.com:acme/shop.git",
        "https://[",
        "https://github.com:x/acme/shop",
        "https://github.com/acme/shop?x=1",
        "",
    ],
)
def test_an_unsafe_address_is_refused(url: str) -> None:
    with pytest.raises(RepositoryUnusable):
        GitHubAddress.of(url)


@each_case("url", ["http://api.github.com", "https://a:b@api.github.com", "https://api.github.com?x", "https://[", "x"])
def test_an_unsafe_address_of_an_api_is_refused(url: str) -> None:
    with pytest.raises(RepositoryUnusable):
        GitHubAddress.of("https://github.com/acme/shop", api_url=url)
