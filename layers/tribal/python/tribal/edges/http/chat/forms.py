"""Receives the form of an upload piece by piece: its file goes to disk as it arrives.

Source: https://www.rfc-editor.org/rfc/rfc7578
"""

from __future__ import annotations

import logging
import os
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from tribal.capabilities.chat.errors import UploadTooLarge
from tribal.errors import BodyTypeRefused, RequestRefused, StoreUnwritable

FILE, COLLECTION = "file", "collection"
OTHER_BYTES = 64 * 1024
"""What a form may have besides the bytes of its file. By judgement: browsers send some hundred bytes."""
_FORM = b"multipart/form-data"
_PREFIX, _SUFFIX = "upload-", ".part"
_ABANDONED_SECONDS = 24 * 3600.0
_PLAIN_ENCODINGS = {"", "7bit", "8bit", "binary"}
_QUIET = logging.getLogger(f"{__name__}.parser")
_QUIET.disabled = True


@dataclass(frozen=True, slots=True)
class ReceivedForm:
    """A whole form."""

    file: Path
    """Its bytes; removed when the form is closed."""
    filename: str
    """As the client names it: it may have folders, and any character."""
    collection: str | None


class UploadForm:
    """A form that arrives. As a context manager, it removes the file at the end.

    Args:
        content_type: the header of the request.
        folder: for the file.
        largest_mb: the largest file in megabytes.

    Raises:
        BodyTypeRefused: when the request is not a form.
    """

    def __init__(self, content_type: str | None, folder: Path, largest_mb: int) -> None:
        self._boundary = _boundary(content_type)
        self._folder = folder
        self._largest_mb = largest_mb
        self._received = 0
        self._file: BinaryIO | None = None
        self._path: Path | None = None
        self._size = 0
        self._filename: str | None = None
        self._collection: bytearray | None = None
        self._part: str | None = None
        self._headers: dict[bytes, bytearray] = {}
        self._header = (bytearray(), bytearray())
        self._ended = False
        self._parser = MultipartParser(
            self._boundary,
            {
                "on_part_begin": self._begin_part,
                "on_header_field": lambda data, start, end: self._header[0].extend(data[start:end]),
                "on_header_value": lambda data, start, end: self._header[1].extend(data[start:end]),
                "on_header_end": self._end_header,
                "on_headers_finished": self._begin_data,
                "on_part_data": self._take,
                "on_end": self._end,
            },
        )
        # It would log each malformed form.
        self._parser.logger = _QUIET

    def require_size(self, content_length: str | None) -> None:
        """Refuse a form by the size that its request states.

        Raises:
            UploadTooLarge: when its file must be too large.
        """
        stated = content_length or ""
        if stated.isdecimal() and int(stated) > self._largest_bytes + OTHER_BYTES:
            raise self._too_large()

    def feed(self, data: bytes) -> None:
        """Take the next bytes.

        Raises:
            RequestRefused: when the form is malformed.
            UploadTooLarge: when its file is.
            StoreUnwritable: when the file cannot be written.
        """
        self._received += len(data)
        try:
            self._parser.write(data)
        except FormParserError:
            raise _malformed() from None
        except OSError as error:
            raise _unwritable(error) from error
        if self._received - self._size > OTHER_BYTES + len(data):
            raise RequestRefused(f"the form has more than {OTHER_BYTES} bytes besides its file; send only the file")

    def finish(self) -> ReceivedForm:
        """The whole form, after its last bytes.

        Raises:
            RequestRefused: when it is cut off, or has no file.
            StoreUnwritable: when the file cannot be written.
        """
        if not self._ended:
            raise _malformed()
        if self._file is None or self._path is None or self._filename is None:
            raise RequestRefused(f"the form has no file; send one in the field `{FILE}`")
        try:
            self._file.close()
        except OSError as error:
            raise _unwritable(error) from error
        collection = None if self._collection is None else self._collection.decode("utf-8", "replace")
        return ReceivedForm(self._path, self._filename, collection or None)

    def close(self) -> None:
        """Remove the file."""
        if self._file is not None and self._path is not None:
            # Closing writes what is left, which a full disk refuses again.
            with suppress(OSError):
                self._file.close()
            self._path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _largest_bytes(self) -> int:
        return self._largest_mb * 1024 * 1024

    def _too_large(self) -> UploadTooLarge:
        return UploadTooLarge(
            f"the upload is larger than the {self._largest_mb} MB that `chat.uploads.largest_mb` allows"
        )

    def _begin_part(self) -> None:
        self._part = None
        self._headers = {}
        self._header = (bytearray(), bytearray())

    def _end_header(self) -> None:
        name, value = self._header
        self._headers[bytes(name).lower()] = value
        self._header = (bytearray(), bytearray())

    def _begin_data(self) -> None:
        value = bytes(self._headers.get(b"content-disposition", b""))
        kind, options = parse_options_header(value.decode("latin-1"))
        name = options.get(b"name")
        if kind != b"form-data" or name is None:
            raise _malformed()
        self._part = name.decode("utf-8", "replace")
        if self._part == FILE:
            self._begin_file(options.get(b"filename"))
        elif self._part == COLLECTION:
            if self._collection is not None:
                raise RequestRefused(f"the form has two fields `{COLLECTION}`; send one")
            self._collection = bytearray()

    def _begin_file(self, filename: bytes | None) -> None:
        if self._file is not None:
            raise RequestRefused(f"the form has two fields `{FILE}`; send one file at a time, or an archive of them")
        if not filename:
            raise RequestRefused(f"the field `{FILE}` has no file name; send a file")
        encoding = bytes(self._headers.get(b"content-transfer-encoding", b"")).decode("latin-1").strip().lower()
        if encoding not in _PLAIN_ENCODINGS:
            raise RequestRefused(f"the file has the transfer encoding {encoding[:20]!r}; send its bytes as they are")
        self._filename = filename.decode("utf-8", "replace")
        self._folder.mkdir(parents=True, exist_ok=True)
        made, path = tempfile.mkstemp(_SUFFIX, _PREFIX, self._folder)
        self._file, self._path = os.fdopen(made, "wb"), Path(path)

    def _take(self, data: bytes, start: int, end: int) -> None:
        if self._part == FILE and self._file is not None:
            self._size += end - start
            if self._size > self._largest_bytes:
                raise self._too_large()
            self._file.write(memoryview(data)[start:end])
        elif self._part == COLLECTION and self._collection is not None:
            self._collection += data[start:end]

    def _end(self) -> None:
        self._ended = True


def remove_abandoned(folder: Path) -> None:
    """Remove files of forms that a killed process left behind."""
    for path in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                path.unlink()


def _boundary(content_type: str | None) -> bytes:
    kind, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if kind != _FORM or not boundary or len(boundary) > 200:
        raise BodyTypeRefused(
            f"unsupported content type; send a form (multipart/form-data) with the file in the field `{FILE}`, such as "
            "`curl -F file=@manual.pdf`"
        )
    return boundary


def _malformed() -> RequestRefused:
    return RequestRefused(f"the form is malformed or cut off; send multipart/form-data with the file in `{FILE}`")


def _unwritable(error: OSError) -> StoreUnwritable:
    return StoreUnwritable(
        f"the upload cannot be written on the server: {error.strerror or 'the disk refused it'}; "
        "nothing of it was kept; make room on the server's disk and upload it again"
    )
