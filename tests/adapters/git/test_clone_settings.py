"""Who commits, and the address of a clone, are read as data."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.git.clones import Open, git
from tests.cases import each_case
from tribal.adapters.git.clone_settings import DEFAULT_AUTHOR, public_url
from tribal.errors import RepositoryUnreadable
from tribal.ports.repositories import RepositoryState


@each_case(
    "own, users, expected",
    [
        ("", "", DEFAULT_AUTHOR),
        ("[user]\nname = Ada\nemail = ada@example.com\n", "", "Ada <ada@example.com>"),
        ("", "[user]\nname = Bo\nemail = bo@example.com\n", "Bo <bo@example.com>"),
        ("[user]\nemail = a@x.org\n", "[user]\nname = Bo\nemail = bo@x.org\n", "Bo <a@x.org>"),
        ("[user]\nname = Ada\n", "", DEFAULT_AUTHOR),
        ("[user]\nname = Ada\nemail = <ada@x.org>\n", "", "Ada <ada@x.org>"),
        ('[user]\nname = "A\\nd<a>"\nemail = a@x.org\n', "", "Ada <a@x.org>"),
        ("[user]\nname = L\u00f6we\nemail = a@x.org\n", "", "L\u00f6we <a@x.org>"),
        ("[user]\nname = ...\nemail = a@x.org\n", "", DEFAULT_AUTHOR),
        ("", "[user\nname", DEFAULT_AUTHOR),
        ("", "[include]\npath = ~/more\n[user]\nname = Bo\nemail = b@x.org\n", "Bo <b@x.org>"),
    ],
)
def test_who_commits_is_read_from_the_clone_and_then_from_the_user(
    own: str, users: str, expected: str, tmp_path: Path, clone: Path, opened: Open
) -> None:
    home = clone.parent / "home"
    home.mkdir(exist_ok=True)
    (home / ".gitconfig").write_text(users)
    (home / "more").write_text("[user]\nname = Included\n")
    config = clone / ".git/config"
    before = config.read_text()
    config.write_text(before + own)
    try:
        assert author_or_damage(opened, clone) == expected
    finally:
        config.write_text(before)


def author_or_damage(opened: Open, clone: Path) -> str:
    """The author, or the default where the clone's own settings cannot be parsed."""
    try:
        return opened(clone)[0].state().author
    except RepositoryUnreadable:
        return DEFAULT_AUTHOR


def test_settings_of_the_user_that_cannot_be_read_are_ignored(clone: Path, opened: Open) -> None:
    home = clone.parent / "home"
    (home / ".gitconfig").mkdir(parents=True)
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/config").write_bytes(b"\xff\xfe[user]\0")
    assert opened(clone)[0].state().author == DEFAULT_AUTHOR
    (home / ".config/git/config").write_text("[user]\nname = Bo\nemail = b@x.org\n")
    assert opened(clone)[0].state().author == "Bo <b@x.org>"


@each_case(
    "url, expected",
    [
        ("https://github.com/a/b.git", "https://github.com/a/b.git"),
        ("https://user:pass@github.com/a/b.git", "https://github.com/a/b.git"),
        ("https://ghp_token@github.com/a/b", "https://github.com/a/b"),
        ("https://x@host:8443/a?private_token=t#t", "https://host:8443/a"),
        ("http://[::1]:80/a", "http://[::1]:80/a"),
        ("ssh://git:secret@host:22/a", "ssh://git@host:22/a"),
        ("ssh://git@host/a", "ssh://git@host/a"),
        ("git@github.com:a/b.git", "git@github.com:a/b.git"),
        ("host.example:a/b", "host.example:a/b"),
        ("user:pass@host:a/b", ""),
        ("/srv/git/b.git", ""),
        ("../b", ""),
        ("file:///srv/b", ""),
        ("C:\\git\\b", ""),
        ("ext::sh -c touch% /tmp/x", ""),
        ("https://host:port/a", ""),
        ("https://[x/a", ""),
        ("https://", ""),
        ("", ""),
    ],
)
def test_an_address_is_shown_without_credentials(url: str, expected: str) -> None:
    assert public_url(url) == expected


def test_the_address_is_that_of_origin(clone: Path, opened: Open) -> None:
    git(clone, "remote", "set-url", "origin", "https://me:secret@example.com/shop.git")
    repository, _ = opened(clone)
    assert repository.state().url == "https://example.com/shop.git"
    assert repository.state() == RepositoryState(
        owner="local",
        name="clone",
        url="https://example.com/shop.git",
        visibility="local",
        default_branch="main",
        base_branch="main",
        base_commit=git(clone, "rev-parse", "main"),
        author=DEFAULT_AUTHOR,
    )
    assert "secret" not in repository.location
