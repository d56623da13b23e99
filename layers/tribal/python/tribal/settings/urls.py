"""Splits a DSN; text that may be part of a password is refused and never shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from tribal.errors import ConfigurationError

_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
# Characters with a meaning in URLs, or unlikely in names: unencoded, they are more likely part of a password that was
# not percent-encoded.
IN_NAME = re.compile(r"[\s/:#&;=?,\[\]<>\"{|}]")
IN_VALUE = re.compile(r"[\s#&;=?\[\]<>\"{|}]")
_NO_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
ENCODE = (
    "In user, password and database write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23, & as %26, = as %3D, a "
    "space as %20 and % as %25."
)


@dataclass(frozen=True, slots=True)
class Url:
    """The parts of a URL as written; `None` if a part and its delimiter are missing."""

    scheme: str
    login: str | None
    where: str
    path: str | None
    pairs: tuple[tuple[str, str | None], ...]

    @property
    def user(self) -> str:
        """The user, or empty."""
        return (self.login or "").partition(":")[0]

    @property
    def password(self) -> str:
        """The password, or empty."""
        return (self.login or "").partition(":")[2]


def split_url(text: str, scheme: re.Pattern[str], example: str) -> Url:
    """Split a URL.

    Args:
        text: the URL.
        scheme: the required start.
        example: shows how to write such a URL.

    Raises:
        ConfigurationError: when it cannot be split unambiguously.
    """
    text = text.strip()
    found = scheme.match(text)
    if found is None:
        raise ConfigurationError(example)
    rest, _, query = text[found.end() :].partition("?")
    authority, has_path, path = rest.partition("/")
    login, has_login, where = authority.rpartition("@")
    # A slash or question mark in a password ends the authority early; the rest up to the @ belongs to the password.
    if "#" in text or "@" in path or "@" in query or _PERCENT.search(text) or _NO_CHARACTERS.search(text):
        raise special_character("The DSN")
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    return Url(
        found.group(),
        login if has_login else None,
        where,
        path if has_path else None,
        tuple((name, value if has_value else None) for name, has_value, value in pairs),
    )


def with_other_password(url: Url, replacement: str) -> str:
    """The URL with its password replaced, in the login or in a parameter; an empty replacement removes it."""
    has_password = bool(url.password and replacement)
    login = "" if url.login is None else f"{url.user}{f':{replacement}' * has_password}@"
    pairs = [(name, replacement if unquote(name) == "password" else value) for name, value in url.pairs]
    kept = [(name, value) for name, value in pairs if replacement or unquote(name) != "password"]
    query = "&".join(name if value is None else f"{name}={value}" for name, value in kept)
    path = "" if url.path is None else f"/{url.path}"
    return f"{url.scheme}{login}{url.where}{path}{'?' * bool(query)}{query}"


def special_character(what: str) -> ConfigurationError:
    """The error for an unencoded character that would end a part of the URL, or a password."""
    return ConfigurationError(f"{what} has a special character that is not percent-encoded. {ENCODE}")


def decoded(text: str) -> str:
    """Decode the percent-encoding of a part.

    Raises:
        ConfigurationError: when it is not valid text.
    """
    try:
        value = unquote(text, errors="strict")
    except UnicodeDecodeError:
        # Not chained: the cause contains the text.
        raise ConfigurationError(
            "The DSN has percent-encoded bytes that are not UTF-8. Encode them as UTF-8."
        ) from None
    if "\x00" in value:
        raise ConfigurationError("The DSN contains a NUL character (%00). Leave it out.")
    return value
