"""Announces uploads that are too large to be sent through a gateway: the answer is an address to send the file to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from tribal.capabilities.chat.errors import UploadTooLarge
from tribal.edges.http.bodies import json_object
from tribal.edges.http.messages import JSON, Response
from tribal.errors import RequestRefused
from tribal_contracts.chat.jobs import UploadAccepted
from tribal_contracts.chat.requests import UploadRequest

if TYPE_CHECKING:
    from tribal.capabilities.chat.uploads.uploads import Uploads
    from tribal.edges.http.routing import Call

LARGEST_FORM_BYTES = 4 * 1024 * 1024
"""Lambda takes events of 6 MB, in which a file is a third larger. Source: docs/contracts.md, Chat."""
_WANTED = 'an announcement, such as {"filename": "manual.pdf", "size_bytes": 9000000, "sha256": "..."}'


def is_announcement(content_type: str | None) -> bool:
    """Whether a request announces a file instead of sending it along."""
    return (content_type or "").partition(";")[0].strip().lower() == JSON


def require_small(body: bytes) -> None:
    """Refuse a form that would not fit with a slightly longer file.

    Raises:
        UploadTooLarge: when it is too large; the message says what to send instead.
    """
    if len(body) > LARGEST_FORM_BYTES:
        raise UploadTooLarge(f"forms are limited to 4 MB here; for a larger file, send {_WANTED} as {JSON}")


def announce(uploads: Uploads, call: Call, jobs: str) -> Response:
    """Answer an announcement with the job and the address to send the file to.

    Args:
        uploads: take it.
        call: the request.
        jobs: the path below which jobs are.

    Raises:
        RequestRefused: when it is not valid.
    """
    try:
        request = UploadRequest.model_validate(json_object(call.request.body, _WANTED))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise RequestRefused(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}; send {_WANTED}") from None
    job = uploads.announce(request)
    address = uploads.address(job)
    place = f"{jobs}/{job.job_id}"
    message = f"send {job.filename} to the address until {address.expires_at}, as a form with its fields and the file"
    accepted = UploadAccepted(
        job_id=job.job_id,
        filename=job.filename,
        message=f"{message} last; GET {place} shows the progress",
        upload=address,
    )
    return Response(202, accepted.to_compact_json(), headers={"Location": place})
