"""Recognise the types of files by name and first bytes, and clean the names that are shown."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Mapping

from tribal.capabilities.chat.errors import UploadRefused, UploadUnreadable
from tribal.encodings import MARKED_UTF8, marked_encoding
from tribal.sql.visibility import remove_unseen
from tribal_contracts.chat.collections import FileKind

HEAD_BYTES = 1_024
"""How much of a file `kind_of` and `is_archive` examine. PDFs may begin with other bytes."""
READ_TYPES = ".pdf, .docx, .md, .txt, .html, or a .zip of these"
MAX_NAME_CHARS = 200
MAX_PATH_CHARS = 500
_UNNAMED = "file"
_KINDS: Mapping[str, FileKind] = {
    "pdf": "pdf",
    "docx": "docx",
    "md": "md",
    "markdown": "md",
    "txt": "txt",
    "html": "html",
    "htm": "html",
}
_ARCHIVES = frozenset("7z ar bz2 cab cpio ear gz iso jar lz4 lzma rar tar tbz2 tgz txz war xz z zip zst".split())
_ZIP, _EMPTY_ZIP = b"PK\x03\x04", b"PK\x05\x06"
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""First bytes of old Word files, and of every encrypted Word file."""
_SEPARATOR = re.compile(r"[/\\]")
_MAX_EXTENSION_CHARS = 20


def kind_of(filename: str, head: bytes) -> FileKind:
    """Return the type of a file. Its name and its first `HEAD_BYTES` must agree.

    Raises:
        UploadRefused: when the type is not supported.
        UploadUnreadable: when it is text in an unsupported encoding.
    """
    name = base_name(filename)
    kind = kind_by_name(name)
    if kind is None:
        raise UploadRefused(f"{name!r} has an unsupported type; upload {READ_TYPES}")
    if kind == "pdf":
        if b"%PDF-" not in head[:HEAD_BYTES]:
            raise UploadRefused(f"{name!r} does not look like a PDF; upload {READ_TYPES}")
    elif kind == "docx":
        _require_docx(name, head)
    elif kind == "html":
        # What declares its encoding may come later than the head ends.
        encoding = marked_encoding(head)
        _require_text(name, head, "latin-1" if encoding == MARKED_UTF8 else encoding)
    else:
        _require_text(name, head, marked_encoding(head))
    return kind


def kind_by_name(filename: str) -> FileKind | None:
    """Return the type that the name suggests; `None` for unsupported types."""
    return _KINDS.get(_extension(filename))


def is_archive(filename: str, head: bytes) -> bool:
    """Return whether a file is a supported archive, by its name and first bytes."""
    return _extension(filename) == "zip" and head.startswith((_ZIP, _EMPTY_ZIP))


def is_archive_name(filename: str) -> bool:
    """Return whether the name suggests an archive of any kind."""
    return _extension(filename) in _ARCHIVES


def path_parts(filename: str) -> list[str]:
    """Split a path of any operating system. The last part is the name."""
    return _SEPARATOR.split(filename)


def shown_path(filename: str) -> str:
    """Return a path without `..`, empty parts and undisplayable characters, at most `MAX_PATH_CHARS` long."""
    *folders, last = _drawn_parts(filename) or [_UNNAMED]
    shown = base_name(last)
    for folder in reversed([base_name(each) for each in folders]):
        if len(folder) + len(shown) >= MAX_PATH_CHARS:
            break
        shown = f"{folder}/{shown}"
    return shown


def base_name(filename: str) -> str:
    """Return the last part of a path of any operating system, without characters that cannot be displayed. Never empty.

    Has at most `MAX_NAME_CHARS` characters and keeps the extension.
    """
    name = (_drawn_parts(filename) or [_UNNAMED])[-1]
    name = unicodedata.normalize("NFC", name)
    if len(name) > MAX_NAME_CHARS:
        stem, dot, extension = name.rpartition(".")
        ending = dot + extension if len(extension) <= _MAX_EXTENSION_CHARS else ""
        name = (stem if ending else name)[: MAX_NAME_CHARS - len(ending)] + ending
    return name


def _drawn_parts(filename: str) -> list[str]:
    parts = [remove_unseen(part).strip() for part in path_parts(filename)]
    return [part for part in parts if part.strip(". ")]


def _extension(filename: str) -> str:
    stem, _, extension = base_name(filename).rpartition(".")
    return extension.lower() if stem else ""


def _require_docx(name: str, head: bytes) -> None:
    if head.startswith(_OLD_OFFICE):
        raise UploadRefused(
            f"{name!r} is password-protected or in an older format; save it as .docx without a password"
        )
    if not head.startswith(_ZIP):
        raise UploadRefused(f"{name!r} does not look like a .docx; upload {READ_TYPES}")


def _require_text(name: str, head: bytes, encoding: str) -> None:
    try:
        # The head may end within a character.
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        raise UploadUnreadable(f"{name!r} is not UTF-8; save it as UTF-8") from None
    if "\0" in text:
        raise UploadRefused(f"{name!r} is not text; upload {READ_TYPES}")
