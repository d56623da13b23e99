"""Settings of a clone and of its user, read as data: files that they include are not opened, programs never run."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from dulwich.config import ConfigFile, get_xdg_config_home_path
from dulwich.repo import sanitize_user_identity

DEFAULT_AUTHOR = "Tribal Knowledge <tribal-knowledge@localhost>"
_WEB_SCHEMES = {"http", "https", "git"}
_SSH_SCHEMES = {"ssh", "git+ssh", "ssh+git"}


def read_settings(path: Path) -> ConfigFile:
    """Read a file of settings; one that does not exist, or cannot be read or parsed, has none."""
    with suppress(OSError, ValueError, LookupError):
        return ConfigFile.from_path(path, expand_includes=False)
    return ConfigFile()


def user_settings() -> list[ConfigFile]:
    """Read the user's own settings, the file that takes precedence first."""
    paths = [Path(get_xdg_config_home_path("git", "config"))]
    with suppress(RuntimeError):  # the user has no home
        paths.insert(0, Path.home() / ".gitconfig")
    return [read_settings(path) for path in paths]


def author(settings: list[ConfigFile]) -> str:
    """Return who commits as `Name <address>`: each part from the first settings that have it."""
    name, address = (_first(settings, key) for key in (b"name", b"email"))
    return identity(name, address).decode() if name and address else DEFAULT_AUTHOR


def identity(name: str, address: str) -> bytes:
    """Write a name and an address as git stores them: without what separates them, and control characters."""
    return sanitize_user_identity(_printable(name).encode(), _printable(address).encode())


def origin_url(settings: ConfigFile) -> str:
    """Return the address of `origin` without credentials; empty if it has none, or is a path on this machine."""
    return public_url(_value(settings, (b"remote", b"origin"), b"url"))


def public_url(url: str) -> str:
    """Remove passwords, tokens and queries from an address; empty if it is not one of a server.

    Over ssh a user name is part of the address; over http it may be a token.
    """
    if "://" not in url:
        host, _, path = url.partition(":")
        name = host.rpartition("@")[2]
        is_address = len(name) > 1 and path and "/" not in host and not path.startswith(":") and "@" not in path
        return url if is_address else ""
    try:
        parts = urlsplit(url)
        server, port = parts.hostname, f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    if not server or parts.scheme not in _WEB_SCHEMES | _SSH_SCHEMES:
        return ""
    login = f"{parts.username}@" if parts.username and parts.scheme in _SSH_SCHEMES else ""
    return f"{parts.scheme}://{login}{f'[{server}]' if ':' in server else server}{port}{parts.path}"


def _first(settings: list[ConfigFile], key: bytes) -> str:
    values = (_value(each, (b"user",), key) for each in settings)
    return next((value for value in values if value.strip(" ,:;<>\"\\'.")), "")


def _value(settings: ConfigFile, section: tuple[bytes, ...], key: bytes) -> str:
    try:
        value = settings.get(section, key)
    except (KeyError, ValueError):
        return ""
    return _printable(value.decode("utf-8", "replace"))


def _printable(text: str) -> str:
    return "".join(character for character in text if character.isprintable())
