"""Reads text files, and Markdown as it is written."""

from __future__ import annotations

import codecs
from typing import IO

from tribal.adapters.documents.frames import LARGEST_PAGE_BYTES, too_much_text
from tribal.ports.passages import ParsingFailed


def plain_text(file: IO[bytes]) -> str:
    """The text of a file.

    Raises:
        ParsingFailed: as `decoded`.
    """
    # UTF-16 has up to twice as many bytes as UTF-8.
    return decoded(file, 2 * LARGEST_PAGE_BYTES)


def decoded(file: IO[bytes], most_bytes: int) -> str:
    """The text of a file in UTF-8 or, with a byte order mark, UTF-16.

    Raises:
        ParsingFailed: when it is larger, in another encoding, or not text.
    """
    data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise too_much_text()
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        raise ParsingFailed("unreadable", "it is not UTF-8; save it as UTF-8") from None
    if "\0" in text:
        raise ParsingFailed("unreadable", "it is not text")
    return text
