"""The bearer tokens of a project: only their hashes are stored, in one object that changes by conditional put."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from tribal.errors import ConfigurationError
from tribal.identity.locations import ACCESS_TOKENS_FILE
from tribal.ports import ObjectStore
from tribal.store.record_file import RecordFile
from tribal_contracts import SCHEMA_VERSION, AccessToken, AccessTokens

PREFIX = "tribal_"
"""Prefix of every token, for secret scanners."""
_RANDOM_BYTES = 32
_TOKEN = re.compile(rf"{PREFIX}([0-9a-f]{{{2 * _RANDOM_BYTES}}})([0-9a-f]{{8}})")
_NONE = AccessTokens(schema_version=SCHEMA_VERSION, tokens=[])
_TIME = "%Y-%m-%dT%H:%M:%SZ"


def new_token() -> str:
    """A random token; its last eight digits are a checksum for secret scanners."""
    random = secrets.token_hex(_RANDOM_BYTES)
    return f"{PREFIX}{random}{_checksum(random)}"


def is_token(text: str) -> bool:
    """Whether a text has the form of our tokens, checksum included."""
    found = _TOKEN.fullmatch(text)
    return found is not None and found[2] == _checksum(found[1])


def token_record(
    token: str, name: str, access: tuple[list[str], list[str]], now: datetime, days: int, owner: str | None = None
) -> AccessToken:
    """The stored record of a token.

    Args:
        token: the token.
        name: its name in lists.
        access: names of databases and schemas that its bearer may see, and the bearer's rights.
        now: the time of creation.
        days: days until it expires.
        owner: the person who creates it.
    """
    scope, rights = access
    return AccessToken(
        name=name,
        token_hash=_hash(token),
        scope=scope,
        rights=rights,
        created_at=_written(now),
        expires_at=_written(now + timedelta(days=days)),
        owner=owner,
    )


def find_token(tokens: AccessTokens, token: str) -> AccessToken | None:
    """The record of a token, whether or not it has expired; each is compared in the same time."""
    wanted, found = _hash(token), None
    for record in tokens.tokens:
        if hmac.compare_digest(record.token_hash, wanted):
            found = record
    return found


def has_expired(record: AccessToken, now: datetime) -> bool:
    """Whether a token has expired."""
    return datetime.fromisoformat(record.expires_at) <= now


def read_tokens(store: ObjectStore) -> AccessTokens:
    """All tokens of the project.

    Raises:
        ObjectDamaged: when the object is damaged.
    """
    return _file(store).find() or _NONE


def add_token(store: ObjectStore, record: AccessToken) -> None:
    """Add a token.

    Raises:
        ConfigurationError: when the name is in use.
    """

    def added(tokens: list[AccessToken]) -> list[AccessToken]:
        if any(each.name == record.name for each in tokens):
            raise ConfigurationError(
                f"a token named {record.name!r} already exists; use another name, or revoke it first "
                f"with `tribal token revoke {record.name}`"
            )
        return [*tokens, record]

    _change(store, added)


def revoke_token(store: ObjectStore, name: str) -> None:
    """Remove a token; its bearer is refused from then on.

    Raises:
        ConfigurationError: when no token has the name.
    """

    def left(tokens: list[AccessToken]) -> list[AccessToken]:
        kept = [each for each in tokens if each.name != name]
        if len(kept) == len(tokens):
            raise ConfigurationError(f"there is no token named {name!r}; `tribal token list` shows all tokens")
        return kept

    _change(store, left)


def _change(store: ObjectStore, change: Callable[[list[AccessToken]], list[AccessToken]]) -> None:
    _file(store).change(lambda present: present.model_copy(update={"tokens": change(present.tokens)}), _NONE)


def _file(store: ObjectStore) -> RecordFile[AccessTokens]:
    return RecordFile(store, ACCESS_TOKENS_FILE, AccessTokens, "cannot be read; delete it and create new tokens")


def _checksum(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x}"


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _written(time: datetime) -> str:
    return time.astimezone(UTC).strftime(_TIME)
