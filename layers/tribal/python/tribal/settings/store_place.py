"""Where documents and index are stored: a folder or a bucket."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tribal.errors import ConfigurationError

_BUCKET = re.compile(r"s3://(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/(?P<prefix>[^\0]*))?\Z")


@dataclass(frozen=True, slots=True)
class BucketPlace:
    """A store in S3."""

    bucket: str
    prefix: str = ""

    @classmethod
    def parse(cls, address: str) -> BucketPlace:
        """Read `s3://bucket/prefix`.

        Raises:
            ConfigurationError: when it is not a valid S3 address.
        """
        match = _BUCKET.match(address)
        if match is None:
            # Not shown, since it may contain keys.
            raise ConfigurationError("the store is not a valid bucket address; write s3://bucket or s3://bucket/prefix")
        return cls(match["bucket"], match["prefix"] or "")

    def address(self, key: str) -> str:
        """The address of an object in the store, as the AWS CLI writes it."""
        folder = f"{self.prefix.rstrip('/')}/" if self.prefix else ""
        return f"s3://{self.bucket}/{folder}{key}"


def check_store(store: str, folder: Path) -> None:
    """Refuse a store that is neither a bucket nor a folder, relative to the project folder.

    Raises:
        ConfigurationError: without showing the store, since it may contain a login.
    """
    if store.startswith("s3://"):
        BucketPlace.parse(store)
    elif "://" in store:
        raise ConfigurationError("store: not a valid store; write a folder, or s3://bucket/prefix")
    else:
        store_path(folder, store)


def store_path(folder: Path, store: str | None) -> Path:
    """The folder of a store outside S3, relative to the project folder.

    Raises:
        ConfigurationError: when the path cannot be a folder.
    """
    if store is None:
        return folder
    try:
        path = (folder / Path(store).expanduser()).resolve()
        existing = next(place for place in (path, *path.parents) if place.exists())
    except (OSError, RuntimeError, ValueError):
        raise ConfigurationError("store: not a valid folder; write another, or s3://bucket/prefix") from None
    if not existing.is_dir():
        raise ConfigurationError("store: the path is a file, or below one; write a folder, or s3://bucket/prefix")
    return path
