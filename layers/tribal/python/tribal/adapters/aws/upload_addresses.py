"""Addresses in a bucket that one file may be sent to, without further rights.

Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from tribal_contracts.chat.jobs import UploadAddress

VALID_SECONDS = 900
"""Source: the issue "Chat under laws": 15 minutes."""
_ANYWHERE = ".s3.amazonaws.com/"
_TYPE = "application/octet-stream"


class UploadAddresses:
    """Makes addresses, each for one key, one size and one hash of the bytes.

    Args:
        client: a boto3 client for S3, whose identity may put the object.
        bucket: name of the bucket.
        prefix: of all keys in the bucket, such as `tribal/`.
        now: the real time.
    """

    def __init__(
        self, client: Any, bucket: str, prefix: str = "", *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = prefix if not prefix or prefix.endswith("/") else prefix + "/"
        self._now = now

    def address(self, key: str, size_bytes: int, content_hash: str) -> UploadAddress:
        """The address for a file; S3 refuses any other bytes, and everything after 15 minutes.

        Args:
            key: of the object.
            size_bytes: exact size of the file.
            content_hash: SHA-256 of its bytes, in hexadecimal.
        """
        expires = self._now() + timedelta(seconds=VALID_SECONDS)
        fields = {
            "Content-Type": _TYPE,
            "x-amz-checksum-algorithm": "SHA256",
            "x-amz-checksum-sha256": base64.b64encode(bytes.fromhex(content_hash)).decode("ascii"),
        }
        conditions: list[Any] = [{name: value} for name, value in fields.items()]
        conditions.append(["content-length-range", size_bytes, size_bytes])
        # Signing needs no request.
        made = self._client.generate_presigned_post(
            self._bucket, self._prefix + key, Fields=fields, Conditions=conditions, ExpiresIn=VALID_SECONDS
        )
        # The host without a region redirects to it, which forms do not survive in a new bucket.
        url = made["url"].replace(_ANYWHERE, f".s3.{self._client.meta.region_name}.amazonaws.com/")
        return UploadAddress(url=url, fields=made["fields"], expires_at=f"{expires:%Y-%m-%dT%H:%M:%SZ}")
