"""An object store in an S3 bucket, optionally below a prefix.

`etag` is S3's own. `content_hash` is the SHA-256 checksum that S3 verified on upload and stores with the object; an
object that another tool uploaded without one is downloaded to compute it.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any

from botocore.exceptions import BotoCoreError, ClientError

from tribal.adapters.aws.clients import ACCESS_DENIED, error_code
from tribal.adapters.local.durable_files import write_file
from tribal.errors import ObjectNotFound, PreconditionFailed, StoreError, StoreUnwritable
from tribal.identity.locations import is_key, require_key
from tribal.ports import ObjectInfo, StoredObject

_KEY_BYTES = 1024
_CHUNK_BYTES = 1 << 18
_IN_MEMORY_BYTES = 8 << 20
_WRITER = "writer"
_NOT_FOUND = frozenset({"NoSuchKey", "404", "NotFound"})
_REFUSED = frozenset({"PreconditionFailed", "412"})
_IN_CONFLICT = frozenset({"ConditionalRequestConflict", "OperationAborted", "409"})
_CONFLICT_ATTEMPTS = 6
_FIRST_PAUSE_SECONDS = 0.05
_VERSIONS_AT_ONCE = 1_000
"""The most that S3 deletes in one request."""


class S3ObjectStore:
    """Stores each object under its key below a prefix; thread-safe.

    Conditional puts are S3's own, so they hold across machines.

    Args:
        client: a boto3 client for S3.
        bucket: name of the bucket.
        prefix: prefix of all keys in the bucket, such as `tribal/`.
        pause: sleeps between attempts at a put that conflicted with another.
    """

    def __init__(
        self, client: Any, bucket: str, prefix: str = "", *, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = prefix if not prefix or prefix.endswith("/") else prefix + "/"
        self._pause = pause

    @property
    def location(self) -> str:
        """The S3 address of the store, as the AWS CLI writes it."""
        return f"s3://{self._bucket}/{self._prefix}"

    def get(self, key: str) -> StoredObject:
        """Read a whole object."""
        with self._reading(key):
            response = self._client.get_object(Bucket=self._bucket, Key=self._full(key))
            with closing(response["Body"]) as body:
                return StoredObject(body.read(), _plain(response["ETag"]), response.get("LastModified"))

    def lines(self, key: str) -> Iterator[bytes]:
        """Read an object line by line; the request is sent when the first line is read."""
        rest = b""
        for chunk in self._chunks(key):
            *whole, rest = (rest + chunk).split(b"\n")
            yield from whole
        if rest:
            yield rest

    def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """Write an object in one request: readers see either the old bytes or the new."""
        self._require_writable(key)
        conditions: dict[str, Any] = {}
        if if_match is not None:
            conditions["IfMatch"] = f'"{if_match}"'
        if if_absent:
            conditions["IfNoneMatch"] = "*"
        return self._put(key, data, hashlib.sha256(data), conditions)

    def put_lines(self, key: str, lines: Iterable[bytes]) -> str:
        """Write an object line by line, via a temporary file, because S3 needs size and hash before the bytes."""
        self._require_writable(key)
        digest = hashlib.sha256()
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as file:
            for line in lines:
                try:
                    file.write(line + b"\n")
                except OSError as exc:
                    raise StoreUnwritable(
                        f"cannot buffer {key!r} on the local disk: {exc.strerror}; make room in "
                        f"{tempfile.gettempdir()!r} and run again"
                    ) from exc
                digest.update(line + b"\n")
            file.seek(0)
            return self._put(key, file, digest, {})

    def put_file(self, key: str, path: Path, *, if_absent: bool = False) -> str:
        """Write an object from a local file in one request, so that S3 verifies and stores the hash of all its bytes.

        A multipart upload would have the hash of its parts only. One request takes at most 5 GB.
        """
        self._require_writable(key)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
            file.seek(0)
            return self._put(key, file, digest, {"IfNoneMatch": "*"} if if_absent else {})

    def get_file(self, key: str, path: Path) -> str:
        """Copy an object to a local file; if the connection breaks off, the file is absent."""
        return write_file(path, self._chunks(key))

    def head(self, key: str) -> ObjectInfo | None:
        """S3's metadata of an object."""
        try:
            with self._reading(key):
                response = self._client.head_object(Bucket=self._bucket, Key=self._full(key), ChecksumMode="ENABLED")
        except ObjectNotFound:
            return None
        etag = _plain(response["ETag"])
        try:
            content_hash = _stored_hash(response) or self._hash_of_bytes(key, etag)
        except ObjectNotFound:
            return None
        return ObjectInfo(key, response["ContentLength"], etag, content_hash)

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Keys in code point order, fetched in pages of a thousand; invalid keys are left out."""
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=self._prefix + prefix
        )
        with self._translating(f"list {self.location}{prefix}", "s3:ListBucket", StoreError):
            for page in pages:
                for entry in page.get("Contents", ()):
                    key = entry["Key"].removeprefix(self._prefix)
                    if is_key(key):
                        yield key

    def delete(self, key: str) -> None:
        """Remove an object; in a versioned bucket, old versions remain according to its lifecycle rules."""
        self._require_writable(key)
        with self._translating(f"delete {self.location}{key}", "s3:DeleteObject", StoreUnwritable):
            self._client.delete_object(Bucket=self._bucket, Key=self._full(key))

    def erase(self, key: str) -> None:
        """Remove an object with all its versions; also in a bucket that has none."""
        self._require_writable(key)
        full = self._full(key)
        pages = self._client.get_paginator("list_object_versions").paginate(Bucket=self._bucket, Prefix=full)
        attempt = f"erase {self.location}{key}"
        with self._translating(attempt, "s3:ListBucketVersions and s3:DeleteObjectVersion", StoreUnwritable):
            own: list[str] = []
            for page in pages:
                listed = [*page.get("Versions", ()), *page.get("DeleteMarkers", ())]
                own += [each["VersionId"] for each in listed if each["Key"] == full]
                if any(each["Key"] != full for each in listed):
                    break  # keys come in order, and this one is the first with the prefix
            for start in range(0, len(own), _VERSIONS_AT_ONCE):
                some = [{"Key": full, "VersionId": each} for each in own[start : start + _VERSIONS_AT_ONCE]]
                answer = self._client.delete_objects(Bucket=self._bucket, Delete={"Objects": some, "Quiet": True})
                for error in answer.get("Errors", ()):
                    raise ClientError({"Error": error}, "DeleteObjects")

    def _put(self, key: str, body: bytes | IO[bytes], digest: hashlib._Hash, conditions: dict[str, Any]) -> str:
        # If a response is lost, boto3 repeats the put, which then fails because of its own success. Only this mark
        # distinguishes that from another writer's put.
        mark = secrets.token_hex(16) if conditions else ""
        request = {
            "Bucket": self._bucket,
            "Key": self._full(key),
            "Body": body,
            "ChecksumSHA256": base64.b64encode(digest.digest()).decode(),
            **({"Metadata": {_WRITER: mark}} if mark else {}),
            **conditions,
        }
        with self._translating(f"write {self.location}{key}", "s3:PutObject", StoreUnwritable):
            for attempt in range(_CONFLICT_ATTEMPTS):
                try:
                    return _plain(self._client.put_object(**request)["ETag"])
                except ClientError as exc:
                    code = error_code(exc)
                    if code in _IN_CONFLICT and attempt + 1 < _CONFLICT_ATTEMPTS:
                        # S3 does not say how the conflicting request ended, so try again.
                        self._pause(_FIRST_PAUSE_SECONDS * 2**attempt)
                        continue
                    if not conditions or (code not in _REFUSED and code not in _NOT_FOUND):
                        raise
                    repeated = attempt or exc.response.get("ResponseMetadata", {}).get("RetryAttempts", 0)
                    etag = self._etag_written_by(key, mark) if repeated else None
                    if etag is not None:
                        return etag
                    raise PreconditionFailed(
                        f"another process wrote or removed {self.location}{key}; read it again"
                    ) from exc
        raise AssertionError("the last attempt returns or raises")

    def _etag_written_by(self, key: str, mark: str) -> str | None:
        try:
            response = self._client.head_object(Bucket=self._bucket, Key=self._full(key))
        except ClientError as exc:
            if error_code(exc) in _NOT_FOUND:
                return None
            raise
        return _plain(response["ETag"]) if response.get("Metadata", {}).get(_WRITER) == mark else None

    def _chunks(self, key: str, etag: str | None = None) -> Iterator[bytes]:
        condition = {} if etag is None else {"IfMatch": f'"{etag}"'}
        with self._reading(key):
            response = self._client.get_object(Bucket=self._bucket, Key=self._full(key), **condition)
            with closing(response["Body"]) as body:
                yield from iter(lambda: body.read(_CHUNK_BYTES), b"")

    def _hash_of_bytes(self, key: str, etag: str) -> str:
        digest = hashlib.sha256()
        for chunk in self._chunks(key, etag):
            digest.update(chunk)
        return digest.hexdigest()

    def _full(self, key: str) -> str:
        require_key(key)
        return self._prefix + key

    def _is_too_long(self, key: str) -> bool:
        return len(self._full(key).encode()) > _KEY_BYTES

    def _require_writable(self, key: str) -> None:
        if self._is_too_long(key):
            raise StoreUnwritable(
                f"{key!r} with the prefix {self._prefix!r} has more than the {_KEY_BYTES} bytes that S3 allows a key; "
                "choose a shorter prefix"
            )

    @contextmanager
    def _reading(self, key: str) -> Iterator[None]:
        if self._is_too_long(key):
            raise ObjectNotFound(f"there is no {key!r} in {self.location}: such a key cannot exist")
        with self._translating(f"read {self.location}{key}", "s3:GetObject", StoreError):
            try:
                yield
            except ClientError as exc:
                if error_code(exc) in _NOT_FOUND:
                    raise ObjectNotFound(f"there is no {key!r} in {self.location}") from exc
                raise

    @contextmanager
    def _translating(self, attempt: str, permission: str, kind: type[StoreError]) -> Iterator[None]:
        try:
            yield
        except ClientError as exc:
            raise kind(f"cannot {attempt}: {_reason(exc, permission, self._bucket)}") from exc
        except BotoCoreError as exc:
            raise kind(f"cannot {attempt}: {exc}; check the network and the credentials, then run again") from exc


def _reason(error: ClientError, permission: str, bucket: str) -> str:
    code = error_code(error)
    if code == "NoSuchBucket":
        return f"there is no bucket {bucket!r}; create it, or correct its name"
    if code in ACCESS_DENIED:
        return f"access is denied; allow {permission} and s3:ListBucket there to the role in use"
    return f"S3 returned {code or 'an error'}; run again to resume"


def _plain(etag: str) -> str:
    return etag.removeprefix('"').removesuffix('"')


def _stored_hash(head: dict[str, Any]) -> str | None:
    """The SHA-256 of the whole object, if S3 has one; that of a multipart upload covers the parts' hashes instead."""
    checksum = head.get("ChecksumSHA256", "")
    if not checksum or "-" in checksum or head.get("ChecksumType", "FULL_OBJECT") != "FULL_OBJECT":
        return None
    return base64.b64decode(checksum).hex()
